package core

import (
	"context"
	"errors"

	"github.com/quay-labs/tokend/internal/ports"
)

var ErrNoOwner = errors.New("a token has an owner")

type Issuer struct {
	store ports.TokenStore
}

func NewIssuer(store ports.TokenStore) *Issuer {
	return &Issuer{store: store}
}

func (i *Issuer) Issue(ctx context.Context, owner string) (ports.Token, error) {
	if owner == "" {
		return ports.Token{}, ErrNoOwner
	}
	token := ports.Token{Value: owner + "-token", Owner: owner}
	if err := i.store.Save(ctx, token); err != nil {
		return ports.Token{}, err
	}
	return token, nil
}
