package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/playfield/scoreboard/services"
)

type GameHandler struct {
	games *services.GameService
}

func NewGameHandler(games *services.GameService) *GameHandler {
	return &GameHandler{games: games}
}

func (h *GameHandler) Register(router *gin.Engine) {
	router.POST("/games/:id/goals", h.goal)
}

func (h *GameHandler) goal(c *gin.Context) {
	game, err := h.games.Goal(c.Param("id"), c.Query("team"))
	if err != nil {
		c.JSON(http.StatusNotFound, gin.H{"error": err.Error()})
		return
	}
	c.JSON(http.StatusOK, game)
}
