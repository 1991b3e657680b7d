package memory

import (
	"context"
	"fmt"
	"sync"

	"github.com/quay-labs/tokend/internal/ports"
)

type Store struct {
	mu     sync.Mutex
	tokens map[string]ports.Token
}

func New() *Store {
	return &Store{tokens: map[string]ports.Token{}}
}

func (s *Store) Save(_ context.Context, token ports.Token) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token.Value] = token
	return nil
}

func (s *Store) Find(_ context.Context, value string) (ports.Token, error) {
	token, ok := s.tokens[value]
	if !ok {
		return ports.Token{}, fmt.Errorf("no token %q", value)
	}
	return token, nil
}
