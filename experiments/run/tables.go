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
// names may be rules, instead of all seven, and a number, of splits at most.
func runTables(ctx context.Context, args []string) error {
	o := tables.Options{Seed: 1, Workers: 1}
	var names []string
	for _, arg := range args {
		var rule patchwork.Rule
		if n, err := strconv.Atoi(arg); err == nil {
			o.Splits = n
		} else if rule.UnmarshalText([]byte(arg)) == nil {
			o.Rules = append(o.Rules, rule)
		} else {
			names = append(names, arg)
		}
	}
	if len(names) == 0 {
		names = append(slices.Clone(tables.Names), "bars5", "bars16")
	}
	for _, name := range names {
		if err := runTable(ctx, name, o); err != nil {
			return err
		}
	}
	return nil
}

func runTable(ctx context.Context, name string, o tables.Options) error {
	switch {
	case name == "bars5":
		return tables.ReportBars(ctx, os.Stdout, 5, 10, o)
	case name == "bars16":
		return tables.ReportBars(ctx, os.Stdout, 16, 10, o)
	case name == "debd_plants":
		o.MaxExperts = 32
	}
	return tables.Report(ctx, os.Stdout, data(), name, o)
}

// runAims compares what the two aims predict, of the tables named or of all. Among the
// names may be a rule, by default max, and a number, of draws of rows, by default 5.
func runAims(ctx context.Context, args []string) error {
	names, rule, draws := drawsOf(args)
	return tables.ReportAims(ctx, os.Stdout, data(), names, rule, draws, tables.Options{Seed: 1, Workers: 1})
}

// runActivations measures what it is worth to know which parts go together, for the same
// arguments.
func runActivations(ctx context.Context, args []string) error {
	names, rule, draws := drawsOf(args)
	return tables.ReportActivations(ctx, os.Stdout, data(), names, rule, draws, tables.Options{Seed: 1, Workers: 1})
}

// drawsOf reads names of tables (nil for all), a rule and a number of draws.
func drawsOf(args []string) (names []string, rule patchwork.Rule, draws int) {
	args, draws = namesAndNumber(args, 5)
	for _, arg := range args {
		if rule.UnmarshalText([]byte(arg)) != nil {
			names = append(names, arg)
		}
	}
	return names, rule, draws
}
