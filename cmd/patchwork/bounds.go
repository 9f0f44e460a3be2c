package main

import (
	"maps"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/patchwork/learn"
)

// bounds are the largest values of flags that say how much memory is taken before any
// work is done, or how long it goes on.
var bounds = map[string]int64{
	"starts":  learn.MaxStarts,
	"workers": 10_000,
}

// checkBounds returns an error if a flag of a command is larger than makes sense.
func checkBounds(cmd *cobra.Command) error {
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		n, err := strconv.ParseInt(f.Value.String(), 10, 64)
		if err != nil || n <= bounds[name] {
			continue
		}
		if name == "workers" {
			return usagef("--workers %d is more than %d; this machine has %d processors, and more workers than that "+
				"gain nothing", n, bounds[name], runtime.NumCPU())
		}
		return usagef("--%s %d is more than %d, as many as are kept in memory", name, n, bounds[name])
	}
	return nil
}
