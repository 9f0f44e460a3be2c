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
	sets, draws := namesAndNumber(names, 10)
	if sets == nil {
		sets = tables.NetworkNames
	}
	var rule patchwork.Rule
	if err := rule.UnmarshalText([]byte("noisy-or")); err != nil {
		return err
	}
	return tables.ReportSources(ctx, os.Stdout, data("peers"), sets, rule, table.AimInterpret, draws, tables.Options{Seed: 1, Workers: 1})
}

// namesAndNumber returns the arguments that are no number, and the last one that is, or number.
func namesAndNumber(args []string, number int) ([]string, int) {
	var names []string
	for _, arg := range args {
		if n, err := strconv.Atoi(arg); err == nil {
			number = n
			continue
		}
		names = append(names, arg)
	}
	return names, number
}
