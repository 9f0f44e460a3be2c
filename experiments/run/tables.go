package main

import (
	"context"
	"os"
	"slices"
	"strconv"

	"example.com/patchwork"
	"example.com/patchwork/experiments/tables"
)

// runTables measures predictions of hidden bits of the tables named, or of all. Among the
// names may be rules, instead of all seven; a number, of splits at most; and "more".
func runTables(ctx context.Context, args []string) error {
	o := tables.Options{Seed: 1, Workers: 1}
	more := false
	var names []string
	for _, arg := range args {
		var rule patchwork.Rule
		if n, err := strconv.Atoi(arg); err == nil {
			o.Splits = n
		} else if rule.UnmarshalText([]byte(arg)) == nil {
			o.Rules = append(o.Rules, rule)
		} else if arg == "more" {
			more = true
		} else {
			names = append(names, arg)
		}
	}
	if len(names) == 0 {
		names = append(slices.Clone(tables.Names), "bars5", "bars16")
	}
	for _, name := range names {
		if err := runTable(ctx, name, more, o); err != nil {
			return err
		}
	}
	return nil
}

func runTable(ctx context.Context, name string, more bool, o tables.Options) error {
	switch {
	case name == "bars5":
		return tables.ReportBars(ctx, os.Stdout, 5, 10, o)
	case name == "bars16":
		return tables.ReportBars(ctx, os.Stdout, 16, 10, o)
	case name == "debd_plants":
		o.MaxExperts = 32
	}
	if more {
		return tables.ReportMore(ctx, os.Stdout, data(), name, o)
	}
	return tables.Report(ctx, os.Stdout, data(), name, o)
}
