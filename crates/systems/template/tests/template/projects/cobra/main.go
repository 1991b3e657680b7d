package main

import "github.com/broomworks/sweep/cmd"

func main() {
	cmd.Execute()
}
