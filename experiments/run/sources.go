package main

import (
	"context"
	"os"
	"strconv"

	"example.com/patchwork"
	"example.com/patchwork/experiments/tables"
	"example.com/patchwork/table"
)

// runSources measures how many sources of noisy-or networks are found: of the sets named,
// or of all. A number among the names is how many draws of rows there are, by default 10.
func runSources(ctx context.Context, names []string) error {
	draws := 10
	var sets []string
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			draws = n
			continue
		}
		sets = append(sets, name)
	}
	if sets == nil {
		sets = tables.NetworkNames
	}
	var rule patchwork.Rule
	if err := rule.UnmarshalText([]byte("noisy-or")); err != nil {
		return err
	}
	return tables.ReportSources(ctx, os.Stdout, data("peers"), sets, rule, table.AimInterpret, draws, tables.Options{Seed: 1, Workers: 1})
}
