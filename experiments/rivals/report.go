package rivals

import (
	"context"
	"fmt"
	"io"

	"example.com/patchwork/experiments/stat"
)

// Report runs the comparison and prints its tables, then those of the tuned
// models when tuned for rounded codes.
func Report(ctx context.Context, w io.Writer, o Options) error {
	res, err := Run(ctx, o)
	if err != nil {
		return err
	}
	res.Print(w)
	o.Models, o.TuneRounded = []string{DAETied, DAEUntied, RBM}, true
	if res, err = Run(ctx, o); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nTuned for rounded codes:")
	res.Print(w)
	return nil
}

// Print writes the tables as Markdown: cross-entropy by size, its excess over
// the truth, with rounded codes, squared error, purity, and the settings.
func (r *Results) Print(w io.Writer) {
	fmt.Fprintf(w, "Seed %d, %d sets per size, %d test images, medians (quartiles).\n", r.Options.Seed, r.Options.Sets,
		r.Options.Test)
	for _, f := range Figures {
		r.table(w, f.Name, append([]Curve{{Name: "truth", Points: r.Truth}}, r.Curves...), func(p Point) string {
			return fmt.Sprintf("%.2f (%.2f-%.2f)", *f.Of(&p.Median), *f.Of(&p.Low), *f.Of(&p.High))
		})
	}
	if len(r.Nonzeros) > 0 {
		fmt.Fprint(w, "\nL2 of the dictionary by nonzero coefficients, N nearest to 100:")
		for _, n := range r.Nonzeros {
			fmt.Fprintf(w, " %d: %.2f (%.2f-%.2f);", n.Coefficients, n.Median, n.Low, n.High)
		}
		fmt.Fprintln(w)
	}
	r.table(w, "Setting chosen; seconds per fit", r.Curves, func(p Point) string {
		return fmt.Sprintf("%s %.3f s", p.Setting, p.Took.Seconds())
	})
}

// table prints a row for each model, with a cell for each size.
func (r *Results) table(w io.Writer, title string, curves []Curve, cell func(Point) string) {
	fmt.Fprintln(w)
	t := stat.NewTable(w, title, stat.Cells(r.Options.Sizes, func(n int) string { return fmt.Sprintf("N=%d", n) }))
	for _, c := range curves {
		t.Row("%s | %s", c.Name, stat.Cells(c.Points, cell))
	}
}
