package main

import "errors"

var errUnknown = errors.New("unknown code")

type Links struct {
	known map[string]string
}

func NewLinks() *Links {
	return &Links{known: map[string]string{}}
}

func (l *Links) Resolve(code string) (string, error) {
	target, ok := l.known[code]
	if !ok {
		return "", errUnknown
	}
	return target, nil
}
