package quadrants

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"example.com/patchwork/learn"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
)

// AutoRow holds how often the number of experts was found.
type AutoRow struct {
	Options
	Found float64 // fraction of the sets in which eight experts were chosen
	AllS  float64 // fraction of the sets with the eight true ones among the chosen, by criterion S
	// fraction of the sets in which the search before confirmation (growing, shrinking, moves) gave eight
	Grown   float64
	Chosen  map[int]int // sets by the number of experts chosen
	Took    time.Duration
	Slowest time.Duration
}

// Auto learns all sets of a row without being told how many experts there are.
func Auto(ctx context.Context, o Options) (AutoRow, error) {
	row := AutoRow{Options: o, Chosen: make(map[int]int)}
	share := 1 / float64(o.Sets)
	for set := range o.Sets {
		seed := o.Seed*1_000_003 + uint64(set)
		train, err := synth.Quadrants(synth.QuadrantsOptions{N: o.N, Seed: seed})
		if err != nil {
			return row, err
		}
		began := time.Now()
		m, err := learn.Learn(ctx, patchwork.Data{Images: train.Images}, config(o.Paper, train.Truth.Side),
			learn.Options{Paper: o.Paper, Seed: seed, Workers: o.Workers})
		if err != nil {
			return row, err
		}
		took := time.Since(began)
		row.Took, row.Slowest = row.Took+took/time.Duration(o.Sets), max(row.Slowest, took)
		row.Chosen[m.K()]++
		if m.K() == synth.QuadrantExperts {
			row.Found += share
		}
		if s, _ := Recovered(m.Templates(), train.Truth.Experts); s == synth.QuadrantExperts {
			row.AllS += share
		}
		grown := func(p patchwork.CurvePoint) bool {
			return p.Stage == learn.StageRelocate && p.Experts == synth.QuadrantExperts
		}
		if slices.ContainsFunc(m.Extras().Record.Curve, grown) {
			row.Grown += share
		}
	}
	return row, nil
}

// AutoRows returns the rows of the ledger.
func AutoRows(seed uint64, workers int) []Options {
	return []Options{{N: 100, Sets: 20, Seed: seed, Workers: workers}, {N: 200, Sets: 50, Seed: seed, Workers: workers},
		{N: 1000, Sets: 5, Seed: seed, Workers: workers}}
}

// ReportAuto prints the table of the rows.
func ReportAuto(ctx context.Context, w io.Writer, rows []Options) error {
	fmt.Fprintln(w, "| N | sets | 8 chosen | all 8 (S) | 8 grown | sets by number chosen | s per set | slowest |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for _, o := range rows {
		r, err := Auto(ctx, o)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "| %d | %d | %.0f %% | %.0f %% | %.0f %% | %v | %.2f | %.2f |\n", o.N, o.Sets,
			100*r.Found,
			100*r.AllS, 100*r.Grown, r.Chosen, r.Took.Seconds(), r.Slowest.Seconds()); err != nil {
			return err
		}
	}
	return nil
}
