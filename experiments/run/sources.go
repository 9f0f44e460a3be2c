package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/experiments/tables"
	"example.com/patchwork/table"
)

// runSources measures how many sources of noisy-or networks are found: of the sets named,
// or of all. A number among the names is how many draws of rows there are, by default 10;
// n=3000 is how many rows to learn from, by default 1000, 3000 and 9000 in turn.
func runSources(ctx context.Context, names []string) error {
	sizes := tables.SourcesSizes
	var others []string
	for _, name := range names {
		text, ok := strings.CutPrefix(name, "n=")
		if !ok {
			others = append(others, name)
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 9000 {
			return fmt.Errorf("%s: give a number of rows, from 1 to 9000", name)
		}
		sizes = []int{n}
	}
	sets, draws := namesAndNumber(others, 10)
	if sets == nil {
		sets = tables.NetworkNames
	}
	var rule patchwork.Rule
	if err := rule.UnmarshalText([]byte("noisy-or")); err != nil {
		return err
	}
	return tables.ReportSources(ctx, os.Stdout, data("peers"), sets, sizes, rule, table.AimInterpret, draws, tables.Options{Seed: 1, Workers: 1})
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
