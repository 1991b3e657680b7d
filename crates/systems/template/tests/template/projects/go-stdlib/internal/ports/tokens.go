package ports

import "context"

// Token is what a caller holds.
type Token struct {
	Value string
	Owner string
}

// TokenStore is where tokens are kept.
type TokenStore interface {
	Save(ctx context.Context, token Token) error
	Find(ctx context.Context, value string) (Token, error)
}
