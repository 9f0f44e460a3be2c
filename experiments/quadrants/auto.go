package quadrants

import (
	"context"
	"io"
	"slices"

	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/stat"
)

// AutoRows returns the rows of the ledger on the number of experts, which is not told.
func AutoRows(seed uint64, workers int) (rows []Options) {
	for _, size := range [][2]int{{100, 20}, {200, 50}, {1000, 5}} {
		rows = append(rows, Options{N: size[0], Sets: size[1], Seed: seed, Workers: workers, Count: true})
	}
	return rows
}

// ReportAuto prints how often the number of experts is found, and the true ones among them.
func ReportAuto(ctx context.Context, w io.Writer, rows []Options) error {
	t := stat.NewTable(w, "N", "sets", "8 chosen", "all 8 (S)", "sets by number chosen", "s per set", "slowest")
	for _, o := range rows {
		all, err := o.learnAll(ctx)
		if err != nil {
			return err
		}
		chosen := map[int]int{}
		for _, r := range all {
			chosen[r.Experts]++
		}
		took := stat.Of(all, func(r Result) float64 { return r.Took })
		t.Row("%d | %d | %.0f %% | %.0f %% | %v | %.2f | %.2f", o.N, o.Sets,
			100*share(all, func(r Result) bool { return r.Experts == synth.QuadrantExperts }),
			100*share(all, Result.all), chosen, stat.Mean(took), slices.Max(took))
	}
	return nil
}
