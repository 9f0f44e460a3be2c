package tables

import (
	"context"
	"fmt"
	"io"
	"slices"

	"example.com/patchwork/table"

	"example.com/patchwork"
)

// Target is the target for a table: the maximum log-loss in nats per hidden
// bit.
type Target struct{ Max, MaxMinusMin float64 }

// Targets holds the targets by name of the table.
var Targets = map[string]Target{
	"votes":       {0.430, 0.445},
	"spect":       {0.455, 0.460},
	"brca":        {0.121, 0.121},
	"debd_nltcs":  {0.345, 0.355},
	"debd_plants": {0.184, 0.178},
}

func (t Target) of(rule patchwork.Rule) float64 {
	if rule == patchwork.RuleMax {
		return t.Max
	}
	return t.MaxMinusMin
}

// Options of a report.
type Options struct {
	MaxExperts int // 0 means 64
	Splits     int // maximum per table; 0 means all
	Seed       uint64
	Workers    int
}

func (o Options) table() table.Options {
	return table.Options{Aim: table.AimPredict, MaxExperts: o.MaxExperts, Seed: o.Seed, Workers: o.Workers}
}

// variant is a line of the report.
type variant struct {
	name string
	rule patchwork.Rule
	set  func(*table.Options)
}

var variants = []variant{
	{"max", patchwork.RuleMax, nil},
	{"max-minus-min", patchwork.RuleMaxMinusMin, nil},
}

// more lists further variants, for the small tables.
var more = []variant{
	{"max, to interpret", patchwork.RuleMax, interpret},
	{"max-minus-min, to interpret", patchwork.RuleMaxMinusMin, interpret},
}

func interpret(o *table.Options) { o.Aim = table.AimInterpret }

// ruined is the max rule with its background fixed at the marginals, which
// ruins it.
var ruined = variant{"max, fixed background", patchwork.RuleMax, func(o *table.Options) { o.FixedBackground = true }}

// Report prints the table of one data set, read from the folder with
// splits.json.
func Report(ctx context.Context, w io.Writer, dir, name string, o Options) error {
	splits, err := Load(dir, name)
	if err != nil {
		return err
	}
	if o.Splits > 0 {
		splits = splits[:min(o.Splits, len(splits))]
	}
	fmt.Fprintf(w, "\n%s, %d splits\n\n", name, len(splits))
	fmt.Fprintln(w, "| model | test | target | best explanation alone | valid | K | parts per row | grown | s per split |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	list := variants
	if name == "votes" || name == "spect" {
		list = slices.Concat(variants, more, []variant{ruined})
	}
	for _, v := range list {
		m, err := measureAll(ctx, splits, v, o)
		if err != nil {
			return err
		}
		target := ""
		if v.set == nil {
			target = fmt.Sprintf("%.3f", Targets[name].of(v.rule))
		}
		_, err = fmt.Fprintf(w, "| %s | %.4f | %s | %.4f | %.4f | %.1f | %.2f | %.2f | %.1f |\n", v.name, m.Test, target, m.Single, m.Valid,
			m.Experts, m.Parts, m.Grown, m.Took.Seconds()/float64(len(splits)))
		if err != nil {
			return err
		}
	}
	return nil
}

// measureAll returns the mean over the splits of one variant.
func measureAll(ctx context.Context, splits []Split, v variant, o Options) (Row, error) {
	var rows []Row
	for _, s := range splits {
		opt := o.table()
		if v.set != nil {
			v.set(&opt)
		}
		r, _, err := Measure(ctx, s, v.rule, opt)
		if err != nil {
			return Row{}, err
		}
		rows = append(rows, r)
	}
	return Mean(rows), nil
}
