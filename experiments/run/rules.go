package main

import (
	"context"
	"os"

	"example.com/patchwork"
	"example.com/patchwork/experiments/tables"
)

// runRules measures what the seven rules learn from the sets named, or from all. A number
// among the names is how many seeds there are, by default 3; rules among them are the only ones.
func runRules(ctx context.Context, names []string) error {
	names, seeds := namesAndNumber(names, 3)
	var sets []string
	o := tables.Options{Seed: 1, Workers: 1}
	for _, name := range names {
		var rule patchwork.Rule
		if rule.UnmarshalText([]byte(name)) == nil {
			o.Rules = append(o.Rules, rule)
		} else {
			sets = append(sets, name)
		}
	}
	if sets == nil {
		sets = tables.RuleSetNames
	}
	return tables.ReportRules(ctx, os.Stdout, data("peers"), sets, seeds, o)
}
