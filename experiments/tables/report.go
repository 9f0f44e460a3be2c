package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/experiments/python"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/table"
)

// Targets holds the most that a rule may lose, in nats per hidden bit, by name of the table.
var Targets = map[string]map[string]float64{
	"votes":       {"max": 0.430, "max-minus-min": 0.445, "sum-of-log-odds": 0.425, "noisy-or": 0.430},
	"spect":       {"max": 0.455, "max-minus-min": 0.460, "sum-of-log-odds": 0.440, "noisy-or": 0.445},
	"brca":        {"max": 0.121, "max-minus-min": 0.121, "sum-of-log-odds": 0.119},
	"debd_nltcs":  {"max": 0.345, "max-minus-min": 0.355, "noisy-or": 0.345},
	"debd_plants": {"max": 0.184, "max-minus-min": 0.178, "sum-of-log-odds": 0.168},
}

// Options of a report.
type Options struct {
	MaxExperts int // 0 means 64
	Splits     int // maximum per table; 0 means all
	Rows       int // of a draw of ReportAims, at most; 0 means 1000
	Seed       uint64
	Workers    int
	Rules      []patchwork.Rule // of the tables; nil means all seven
}

func (o Options) table() table.Options {
	return table.Options{MaxExperts: o.MaxExperts, Seed: o.Seed, Workers: o.Workers}
}

// Report prints the table of one data set, read from the folder with splits.json: every
// rule, the rule that the validation rows choose in each split, and rivals.
func Report(ctx context.Context, w io.Writer, dir, name string, o Options) error {
	splits, err := o.load(dir, name)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s, %d splits\n\n", name, len(splits))
	t := stat.NewTable(w, "model", "test", "target", "best explanation alone", "valid", "K", "parts per row", "grown",
		"CPU s per split")
	rules := o.Rules
	if rules == nil {
		rules = Rules()
	}
	chosen := make([]Row, len(splits))
	for i := range chosen {
		chosen[i].Valid = math.Inf(1)
	}
	each := func(measure func(Split) (Row, error)) ([]Row, error) {
		return stat.Seeds(len(splits), func(i uint64) (Row, error) { return measure(splits[i]) })
	}
	for _, rule := range rules {
		rows, err := each(func(s Split) (Row, error) { return Measure(ctx, s, rule, o.table()) })
		if err != nil {
			return err
		}
		for i, r := range rows {
			if r.Valid < chosen[i].Valid {
				chosen[i] = r
			}
		}
		target := ""
		if most, ok := Targets[name][rule.String()]; ok {
			target = fmt.Sprintf("%.3f", most)
		}
		printRow(t, rule.String(), target, rows)
	}
	if len(rules) > 1 {
		printRow(t, "rule chosen on validation rows", "", chosen)
	}
	for _, rival := range []struct {
		name    string
		measure func(context.Context, Split) (Row, error)
	}{{"mixture", measureMixture}, {"truncated SVD, calibrated", measureSVD}} {
		rows, err := each(func(s Split) (Row, error) { return rival.measure(ctx, s) })
		if missing := new(python.MissingError); errors.As(err, &missing) {
			t.Row("%s | %v", rival.name, err)
			continue
		}
		if err != nil {
			return err
		}
		printRow(t, rival.name, "", rows)
	}
	return nil
}

// load reads the splits of a table, as many as the options say.
func (o Options) load(dir, name string) ([]Split, error) {
	splits, err := Load(dir, name)
	if err == nil && o.Splits > 0 {
		splits = splits[:min(o.Splits, len(splits))]
	}
	return splits, err
}

// printRow prints the means over the splits.
func printRow(t stat.Table, name, target string, rows []Row) {
	mean := func(of func(Row) float64) float64 { return stat.MeanOf(rows, of) }
	t.Row("%s | %.4f | %s | %s | %.4f | %.1f | %s | %s | %.1f", name, mean(func(r Row) float64 { return r.Test }), target,
		orNone(4, mean(func(r Row) float64 { return r.Single })), mean(func(r Row) float64 { return r.Valid }),
		mean(func(r Row) float64 { return r.Experts }), orNone(2, mean(func(r Row) float64 { return r.Parts })),
		orNone(2, mean(func(r Row) float64 { return r.Grown })), mean(func(r Row) float64 { return r.Took.Seconds() }))
}

// orNone returns a number as text, "" for NaN.
func orNone(decimals int, v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.*f", decimals, v)
}
