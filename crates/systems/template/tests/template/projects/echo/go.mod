module example.org/shorty

go 1.20

require github.com/labstack/echo/v4 v4.11.4
