package services

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/playfield/scoreboard/repository"
)

func TestAGoalNeedsAGame(t *testing.T) {
	_, err := NewGameService(repository.NewGameRepository()).Goal("x", "home")
	assert.Error(t, err)
}
