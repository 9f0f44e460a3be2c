package main

import (
	"github.com/spf13/cobra"

	"example.com/patchwork/posterior"
)

// bestFlags say how to search for the n best explanations.
type bestFlags struct{ best, beam int }

func (f *bestFlags) add(cmd *cobra.Command, best int, usage string) {
	cmd.Flags().IntVar(&f.best, "best", best, usage)
	cmd.Flags().IntVar(&f.beam, "beam", 2, "how many explanations the search for the best extends at a time")
}

// check returns an error for numbers below 1; the library checks the upper limits.
func (f *bestFlags) check() error {
	switch {
	case f.best < 1:
		return usagef("--best %d: give at least 1", f.best)
	case f.beam < 1:
		return usagef("--beam %d: give at least 1", f.beam)
	}
	return nil
}

// options returns the flags as options for a task, or an error if its model cannot
// be searched so.
func (f *bestFlags) options(t *task) (posterior.Options, error) {
	opt := posterior.Options{Beam: f.beam, Keep: f.best, MaxPicks: t.maxPicks}
	err := opt.Validate()
	return opt, request(err)
}

// checkExplain rejects flags that the search for the best, which climbs the joint
// probability from no picks, would ignore.
func (f *bestFlags) checkExplain(cmd *cobra.Command, p *pursuitFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	changed := cmd.Flags().Changed
	if f.best == 1 {
		if changed("beam") {
			return usagef("--beam belongs to --best N, N at least 2")
		}
		return nil
	}
	switch {
	case p.start.value == "forced":
		return usagef("--best %d and --start forced exclude each other: the empty explanation is an alternative too", f.best)
	case p.score.value != "default" && p.score.value != "original":
		return usagef("--best %d and --score %s exclude each other: alternatives are weighed by the original likelihood", f.best, p.score.value)
	}
	if name := given(cmd, oneSearch...); name != "" {
		return usagef("--best %d and --%s exclude each other: --%s belongs to the search for one explanation", f.best, name, name)
	}
	return nil
}
