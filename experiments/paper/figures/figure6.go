package figures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/experiments/rivals"
)

// figure6 shows cross-entropy against the number of training samples.
var figure6 = Figure{"6", "Figure 6: cross-entropy against training size", `Cross-entropy of the reconstructions of 1,000 test samples for different models and training sizes, with the true model's as a dashed line. The reconstruction error of the max-minus-min model is much lower than that of denoising autoencoders and restricted Boltzmann machines, whose templates mix several true experts (100 epochs, learning rates tuned, and the corruption level). All models start from random templates.`, runFigure6}

// Run draws the comparison.
func runFigure6(ctx context.Context, o Options) (Result, error) {
	var r Result
	comparison, err := o.compare()
	if err != nil {
		return r, err
	}
	shared, bits := comparison.Results, comparison.rounded()
	r.Text = fmt.Sprintf(`Sets per size: %d, with %d test images each; points are medians, bars quartiles. Learning rate and corruption of the autoencoders and the learning rate of the Boltzmann machine are chosen for each size on further sets (%d) with test images of their own, which favours them: our learner has nothing to tune. The comparison is made once for Figures 4 to 6, and its time is counted with the first of them.

Compare fairly: the code of an image is 8 bits in our models, of which about 2 are on, but 8 real numbers in most rivals, and that is why some go below the truth. So there is a second picture with every code rounded to one bit a unit, and the settings chosen for that. Dictionary and NMF are models of squared error; their reconstructions are cut to [.01, .99] before the cross-entropy is taken.`,
		shared.Options.Sets, shared.Options.Test, shared.Options.TuneSets)
	real := entropyChart(shared, "Reconstructed from the codes as they are",
		func(m rivals.Measure) float64 { return m.CrossEntropy })
	rounded := entropyChart(bits, "Reconstructed from codes rounded to bits",
		func(m rivals.Measure) float64 { return m.RoundedCrossEntropy })
	r.Pictures = []Picture{
		{Name: "cross-entropy", Caption: "Cross-entropy per image, in nats; lower is better.", Drawing: real},
		{Name: "rounded", Caption: "The same with every code rounded to one bit per unit. Our codes are bits already.",
			Drawing: rounded},
	}
	r.Tables = []Table{
		measureTable(shared, "cross-entropy",
			"Cross-entropy less that of the truth on the same images: median (and quartiles in the CSV)",
			func(m rivals.Measure) float64 { return m.Excess }),
		measureTable(bits, "rounded", "Cross-entropy with codes rounded to bits",
			func(m rivals.Measure) float64 { return m.RoundedCrossEntropy }),
		measureTable(shared, "squared-error", "Squared error per image", func(m rivals.Measure) float64 { return m.L2 }),
		settingsTable(shared, bits), quartileTable(shared),
	}
	r.Statements = figure6Statements(shared, bits)
	return r, nil
}

// entropyChart returns the figure.
func entropyChart(shared rivals.Results, title string, f func(m rivals.Measure) float64) chart.Chart {
	c := chart.Chart{Title: title, XLabel: "training samples", YLabel: "cross-entropy, nats per image", LogX: true,
		Width: 860, Height: 520}
	for _, n := range shared.Options.Sizes {
		c.XTicks = append(c.XTicks, float64(n))
	}
	curve := func(name string, points []rivals.Point, at int) chart.Series {
		s := chart.Series{Name: name}
		for _, p := range points {
			// Side by side, so that bars do not hide each other.
			s.X = append(s.X, float64(p.N)*math.Pow(1.012, float64(at)))
			s.Y, s.Low, s.High = append(s.Y, f(p.Median)), append(s.Low, f(p.Low)), append(s.High, f(p.High))
		}
		return s
	}
	for i, k := range shared.Curves {
		if i == 4 { // the fifth colour is black
			truth := chart.Series{Name: "truth", Dashed: true}
			for _, p := range shared.Truth {
				truth.X, truth.Y = append(truth.X, float64(p.N)), append(truth.Y, p.Median.CrossEntropy)
			}
			c.Series = append(c.Series, truth)
		}
		c.Series = append(c.Series, curve(k.Name, k.Points, i-len(shared.Curves)/2))
	}
	return c
}

// sizeColumns returns a column for each training size.
func sizeColumns(shared rivals.Results, decimals int) (out []Column) {
	for _, n := range shared.Options.Sizes {
		out = append(out, Column{fmt.Sprintf("N = %d", n), decimals})
	}
	return out
}

// bySize returns a row of a number of each training size.
func bySize(points []rivals.Point, of func(p rivals.Point) any, first ...any) []any {
	for _, p := range points {
		first = append(first, of(p))
	}
	return first
}

// measureTable returns a table with a row per model and a column per size.
func measureTable(shared rivals.Results, name, title string, f func(m rivals.Measure) float64) Table {
	t := Table{Name: name, Title: title, Columns: append(heads(-1, "model", "code"), sizeColumns(shared, 2)...)}
	median := func(p rivals.Point) any { return f(p.Median) }
	for _, c := range shared.Curves {
		t.add(bySize(c.Points, median, c.Name, c.Code)...)
	}
	t.add(bySize(shared.Truth, median, "truth", "8 bits, about 2 on")...)
	return t
}

// quartileTable returns all numbers, for the CSV file only.
func quartileTable(shared rivals.Results) Table {
	t := Table{Name: "quartiles", Columns: heads(-1, "model", "N", "setting")}
	for _, g := range rivals.Figures {
		t.Columns = append(t.Columns, heads(-1, g.Name+" lower quartile", g.Name+" median", g.Name+" upper quartile")...)
	}
	for _, c := range append(slices.Clone(shared.Curves), rivals.Curve{Name: "truth", Points: shared.Truth}) {
		for _, p := range c.Points {
			row := []any{c.Name, p.N, p.Setting}
			for _, g := range rivals.Figures {
				row = append(row, *g.Of(&p.Low), *g.Of(&p.Median), *g.Of(&p.High))
			}
			t.add(row...)
		}
	}
	return t
}

// settingsTable returns the settings that tuning chose.
func settingsTable(shared, bits rivals.Results) Table {
	t := Table{Name: "settings", Title: "What tuning chose",
		Columns: append(heads(-1, "model", "for codes"), sizeColumns(shared, -1)...)}
	for i, curves := range [][]rivals.Curve{shared.Curves, bits.Curves} {
		for _, c := range curves {
			if slices.ContainsFunc(c.Points, func(p rivals.Point) bool { return p.Setting != "" }) {
				t.add(bySize(c.Points, func(p rivals.Point) any { return p.Setting }, c.Name,
					[]string{"as they are", "rounded"}[i])...)
			}
		}
	}
	return t
}

func figure6Statements(shared, bits rivals.Results) []Statement {
	byName := func(r rivals.Results) map[string]rivals.Curve {
		curves := map[string]rivals.Curve{}
		for _, c := range r.Curves {
			curves[c.Name] = c
		}
		return curves
	}
	curves, roundedCurves := byName(shared), byName(bits)
	named := []string{rivals.DAETied, rivals.DAEUntied, rivals.RBM}
	// lower counts the sizes at which a model of ours is below all named rivals.
	lower := func(curves map[string]rivals.Curve, model string, f func(m rivals.Measure) float64) (n int) {
		for i, p := range curves[model].Points {
			if !slices.ContainsFunc(named, func(rival string) bool { return f(curves[rival].Points[i].Median) <= f(p.Median) }) {
				n++
			}
		}
		return n
	}
	entropy := func(m rivals.Measure) float64 { return m.CrossEntropy }
	rounded := func(m rivals.Measure) float64 { return m.RoundedCrossEntropy }
	at := rivals.Nearest(shared.Options.Sizes)
	value := func(name string) string {
		p := curves[name].Points[at]
		return fmt.Sprintf("%s %.2f", name, p.Median.CrossEntropy)
	}
	spread := func(name string) string {
		p := curves[name].Points[at]
		return fmt.Sprintf("quartiles over %d sets, %s: %.2f to %.2f", len(p.Sets), name, p.Low.CrossEntropy,
			p.High.CrossEntropy)
	}
	sizes := len(shared.Options.Sizes)
	n := curves[rivals.Default].Points[at].N
	list := value(named[0]) + ", " + value(named[1]) + ", " + value(named[2])
	last := curves[rivals.DAEUntied].Points[sizes-1]
	return []Statement{
		{"The algorithm as printed has much lower cross-entropy than autoencoders and Boltzmann machines.",
			fmt.Sprintf("lower than all three in %d of %d sizes; at N = %d: %s; %s", lower(curves, rivals.Paper, entropy), sizes,
				n, value(rivals.Paper), list), spread(rivals.Paper),
			judge(lower(curves, rivals.Paper, entropy) == sizes, lower(curves, rivals.Paper, entropy) > 0)},
		{"So has the default learner.",
			fmt.Sprintf("lower than all three in %d of %d sizes; at N = %d: %s; %s", lower(curves, rivals.Default, entropy),
				sizes, n, value(rivals.Default), list), spread(rivals.Default),
			judge(lower(curves, rivals.Default, entropy) == sizes, lower(curves, rivals.Default, entropy) > 0)},
		{"(Fairly compared: codes of 8 bits for all.) The default learner has lower cross-entropy.",
			minus(fmt.Sprintf("lower than all three in %d of %d sizes; with 8 real numbers, the untied autoencoder comes to "+
				"%+.2f of the truth at N = %d, with bits to %.2f nats", lower(roundedCurves, rivals.Default, rounded), sizes,
				last.Median.Excess, last.N, roundedCurves[rivals.DAEUntied].Points[sizes-1].Median.RoundedCrossEntropy)),
			spread(rivals.DAEUntied),
			judge(lower(roundedCurves, rivals.Default, rounded) == sizes, lower(roundedCurves, rivals.Default, rounded) > 0)},
	}
}
