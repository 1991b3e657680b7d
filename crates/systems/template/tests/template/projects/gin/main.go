package main

import (
	"github.com/gin-gonic/gin"

	"github.com/playfield/scoreboard/handlers"
	"github.com/playfield/scoreboard/repository"
	"github.com/playfield/scoreboard/services"
)

func main() {
	router := gin.Default()
	games := services.NewGameService(repository.NewGameRepository())
	handlers.NewGameHandler(games).Register(router)
	router.Run()
}
