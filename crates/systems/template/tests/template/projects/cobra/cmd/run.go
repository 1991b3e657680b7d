package cmd

import (
	"github.com/broomworks/sweep/internal/broom"
	"github.com/spf13/cobra"
)

var days int

var runCmd = &cobra.Command{
	Use:  "run DIR",
	Args: cobra.ExactArgs(1),
	RunE: func(_ *cobra.Command, args []string) error {
		return broom.Sweep(args[0], days)
	},
}

func init() {
	runCmd.Flags().IntVar(&days, "days", 30, "age in days")
	rootCmd.AddCommand(runCmd)
}
