package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What is learned that only some flags mean something for; of bits all do.
const (
	realValues = "real values"
	classKind  = "classes"
	updated    = "--update, which keeps how the model was learned"
)

// meant lists the flags that mean something for a kind: in all commands under "", the further ones by the command.
var meant = map[string]map[string]string{
	realValues: {
		"": "where rows names array invert size columns column missing skip-lines delimiter header quiet model json " +
			"workers memory",
		"answer":  "output experts",
		"compare": "output by experts",
		"learn":   "output experts for rule shift rotate aim starts seed checkpoint",
		"explain": "output best picture",
		"predict": "output cells all",
		"score":   "output hide seed",
		"sample":  "output number seed",
		"show":    "output name",
		"report":  "output csv stability",
		"count":   "output lines",
		"merge":   "output",
	},
	updated: {
		"": "where rows names array invert size columns column missing skip-lines delimiter header quiet json " +
			"workers memory items threshold",
		"learn": "update output seed",
	},
	classKind: {
		"": "where rows names array invert size columns column missing skip-lines delimiter header quiet model json " +
			"workers memory items threshold",
		"learn":   "output by experts for rule shift rotate method start-from aim starts seed",
		"explain": "output",
	},
}

// instead says what to do in the place of giving a flag.
var instead = map[string]string{
	"alphabet": "; learn one first, and give its file with --start-from",
}

// meantFor returns an error if a flag is given that says nothing about a kind.
func meantFor(cmd *cobra.Command, kind string) (err error) {
	names := strings.Fields(meant[kind][""] + " " + meant[kind][cmd.Name()])
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err != nil || slices.Contains(names, f.Name) {
			return
		}
		err = usagef("--%s does not apply to %s%s", f.Name, kind, instead[f.Name])
	})
	return err
}
