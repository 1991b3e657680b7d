package models

type Game struct {
	ID    string
	Goals map[string]int
}
