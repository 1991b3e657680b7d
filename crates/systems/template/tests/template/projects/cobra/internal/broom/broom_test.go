package broom

import "testing"

func TestDaysMustBePositive(t *testing.T) {
	if err := Sweep(".", 0); err == nil {
		t.Fatal("no error")
	}
}
