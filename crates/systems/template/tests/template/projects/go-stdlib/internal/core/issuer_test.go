package core

import (
	"context"
	"testing"
)

func TestATokenHasAnOwner(t *testing.T) {
	if _, err := NewIssuer(nil).Issue(context.Background(), ""); err != ErrNoOwner {
		t.Fatalf("got %v", err)
	}
}
