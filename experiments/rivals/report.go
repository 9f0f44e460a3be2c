package rivals

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Report runs the comparison and prints its tables, then those of the tuned
// models when tuned for rounded codes.
func Report(ctx context.Context, w io.Writer, o Options) error {
	res, err := Run(ctx, o)
	if err != nil {
		return err
	}
	if err := res.Print(w); err != nil {
		return err
	}
	o.Models, o.TuneRounded = []string{DAETied, DAEUntied, RBM}, true
	if res, err = Run(ctx, o); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w, "\nTuned for rounded codes:"); err != nil {
		return err
	}
	return res.Print(w)
}

// Print writes the tables as Markdown: cross-entropy by size, its excess over
// the truth, with rounded codes, squared error, purity, and the settings.
func (r *Results) Print(w io.Writer) error {
	var b strings.Builder
	shown := r.Options.Sizes[(&run{Options: r.Options}).shown()]
	fmt.Fprintf(&b, "Seed %d, %d sets per size, %d test images, medians (quartiles).\n", r.Options.Seed, r.Options.Sets,
		r.Options.Test)
	r.table(&b, "Cross-entropy, nats per image", 2, true, func(m Measure) float64 { return m.CrossEntropy })
	r.table(&b, "Excess over the truth", 2, false, func(m Measure) float64 { return m.Excess })
	r.table(&b, "Cross-entropy with codes rounded to one bit per unit", 2, false,
		func(m Measure) float64 { return m.RoundedCrossEntropy })
	r.table(&b, "L2", 2, false, func(m Measure) float64 { return m.L2 })
	r.table(&b, "L2 with rounded codes", 2, false, func(m Measure) float64 { return m.RoundedL2 })
	r.table(&b, "Purity", 2, true, func(m Measure) float64 { return m.Purity })
	if len(r.Nonzeros) > 0 {
		fmt.Fprintf(&b, "\nL2 of the dictionary by nonzero coefficients, N = %d:", shown)
		for _, n := range r.Nonzeros {
			fmt.Fprintf(&b, " %d: %.2f (%.2f-%.2f);", n.Coefficients, n.Median, n.Low, n.High)
		}
		fmt.Fprintln(&b)
	}
	r.settings(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// head starts a table with one column per size.
func (r *Results) head(b *strings.Builder, title string) {
	fmt.Fprintf(b, "\n| %s |", title)
	for _, n := range r.Options.Sizes {
		fmt.Fprintf(b, " N=%d |", n)
	}
	fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---|", len(r.Options.Sizes)))
}

// table prints one measure of every model and size.
func (r *Results) table(b *strings.Builder, title string, digits int, spread bool, figure func(Measure) float64) {
	r.head(b, title)
	for _, c := range append([]Curve{{Name: "truth", Points: r.Truth}}, r.Curves...) {
		fmt.Fprintf(b, "| %s |", c.Name)
		for _, p := range c.Points {
			fmt.Fprintf(b, " %.*f", digits, figure(p.Median))
			if spread {
				fmt.Fprintf(b, " (%.*f-%.*f)", digits, figure(p.Low), digits, figure(p.High))
			}
			fmt.Fprint(b, " |")
		}
		fmt.Fprintln(b)
	}
}

// settings prints the chosen settings and the time per fit.
func (r *Results) settings(b *strings.Builder) {
	r.head(b, "Setting chosen; seconds per fit")
	for _, c := range r.Curves {
		fmt.Fprintf(b, "| %s |", c.Name)
		for _, p := range c.Points {
			fmt.Fprintf(b, " %s %.3f s |", p.Setting, p.Took.Seconds())
		}
		fmt.Fprintln(b)
	}
}
