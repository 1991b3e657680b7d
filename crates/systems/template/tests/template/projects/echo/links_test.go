package main

import "testing"

func TestAnUnknownCodeIsAnError(t *testing.T) {
	if _, err := NewLinks().Resolve("x"); err == nil {
		t.Fatal("no error")
	}
}
