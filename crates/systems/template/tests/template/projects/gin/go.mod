module github.com/playfield/scoreboard

go 1.21

require (
	github.com/gin-gonic/gin v1.9.1
	github.com/stretchr/testify v1.8.4
)

require github.com/ugorji/go/codec v1.2.11 // indirect
