package repository

import "github.com/playfield/scoreboard/models"

type GameRepository struct {
	games map[string]*models.Game
}

func NewGameRepository() *GameRepository {
	return &GameRepository{games: map[string]*models.Game{}}
}

func (r *GameRepository) Find(id string) (*models.Game, bool) {
	game, ok := r.games[id]
	return game, ok
}
