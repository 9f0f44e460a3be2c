package main

import (
	"github.com/spf13/cobra"

	"example.com/patchwork/posterior"
)

// bestFlag says how many of the best explanations to search for.
type bestFlag int

func (f *bestFlag) add(cmd *cobra.Command, best int, usage string) {
	cmd.Flags().IntVar((*int)(f), "best", best, usage)
}

// check returns an error for numbers below 1; the library checks the upper limits.
func (f bestFlag) check() error {
	if f < 1 {
		return usagef("--best %d: give at least 1", f)
	}
	return nil
}

// beam is how many explanations the search for the best extends at a time.
const beam = 2

// options returns the options of the search for a task, or an error if its model cannot
// be searched so.
func (f bestFlag) options(t *task) (posterior.Options, error) {
	opt := posterior.Options{Beam: beam, Keep: int(f), MaxPicks: t.maxPicks}
	err := opt.Validate()
	return opt, request(err)
}
