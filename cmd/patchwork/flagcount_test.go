package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The most flags that there may be, all commands together, and of learn; hidden ones count.
const (
	mostFlags      = 100
	mostLearnFlags = 37
	mostEveryday   = 12
)

// TestFlagCount: a flag more is a decision. What --help shows at first is little, and names
// flags that there are.
func TestFlagCount(t *testing.T) {
	distinct := map[string]bool{}
	var count func(cmd *cobra.Command)
	count = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		flags := map[string]bool{}
		add := func(f *pflag.Flag) {
			flags[f.Name], distinct[f.Name] = true, true
			if f.Hidden {
				t.Errorf("%s --%s is hidden: remove it", cmd.CommandPath(), f.Name)
			}
		}
		cmd.Flags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		if cmd.Name() == "learn" && len(flags) > mostLearnFlags && !cmd.Parent().HasParent() {
			t.Errorf("%s has %d flags, more than %d", cmd.CommandPath(), len(flags), mostLearnFlags)
		}
		if first := flagGroups(cmd)[everydayFlags]; cmd.Annotations[everydayAnnotation] != "" && len(first) > mostEveryday {
			t.Errorf("%s shows %d flags at first, more than %d", cmd.CommandPath(), len(first), mostEveryday)
		}
		for _, c := range cmd.Commands() {
			count(c)
		}
	}
	count(new(app).rootCommand())
	if len(distinct) > mostFlags {
		t.Errorf("%d flags, more than %d: %v", len(distinct), mostFlags, slices.Sorted(maps.Keys(distinct)))
	}
}
