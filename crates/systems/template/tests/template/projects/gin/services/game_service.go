package services

import (
	"fmt"

	"github.com/playfield/scoreboard/models"
	"github.com/playfield/scoreboard/repository"
)

type GameService struct {
	games *repository.GameRepository
}

func NewGameService(games *repository.GameRepository) *GameService {
	return &GameService{games: games}
}

func (s *GameService) Goal(id, team string) (*models.Game, error) {
	game, ok := s.games.Find(id)
	if !ok {
		return nil, fmt.Errorf("no game %q", id)
	}
	game.Goals[team]++
	return game, nil
}
