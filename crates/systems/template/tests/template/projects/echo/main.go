package main

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

func main() {
	e := echo.New()
	links := NewLinks()
	e.GET("/:code", func(c echo.Context) error {
		target, err := links.Resolve(c.Param("code"))
		if err != nil {
			return echo.NewHTTPError(http.StatusNotFound, err.Error())
		}
		return c.Redirect(http.StatusFound, target)
	})
	e.Logger.Fatal(e.Start(":1323"))
}
