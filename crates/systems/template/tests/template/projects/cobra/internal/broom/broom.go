package broom

import (
	"fmt"
	"os"
)

func Sweep(dir string, days int) error {
	if days < 1 {
		return fmt.Errorf("days must be positive, got %d", days)
	}
	_, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	return nil
}
