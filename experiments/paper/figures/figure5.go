package figures

import (
	"context"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/learn"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/quadrants"
	"example.com/patchwork/experiments/rivals"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
)

// figure5 shows the templates of the quadrants, ours and the rivals'.
var figure5 = Figure{"5", "Figure 5: templates of the quadrants", `Left: random templates, and the experts of the max-minus-min model after 1, 2 and 5 EM iterations, learned from 100 examples (blue 0, grey 1/2, yellow 1). Right: experts of a denoising autoencoder, a restricted Boltzmann machine, and a sparse coding dictionary from 100 samples.

EM typically converged after a few iterations, and recovers the eight true experts almost perfectly. The rivals' templates are combinations of several true experts; the dictionary looks more structured than the other two.`, runFigure5}

// shownSteps holds the iterations shown as rows of the picture.
var shownSteps = []int{0, 1, 2, 5, 25}

// emRun is EM from one random start.
type emRun struct {
	models     []*patchwork.Model // at shownSteps
	fixed      bool               // whether it reached a fixed point
	recovered  int                // of the eight experts, at the end, by criterion S
	stepChange float64            // mean absolute change of the templates in the last step
}

// runEM runs 25 iterations from random templates: of eq. (1), or guarded.
func runEM(ctx context.Context, paper bool, seed uint64) (emRun, error) {
	var r emRun
	train, err := synth.Quadrants(synth.QuadrantsOptions{N: quadrantExamples, Seed: seed})
	if err != nil {
		return r, err
	}
	side := train.Truth.Side
	cfg := learn.PaperConfig(patchwork.RuleMaxMinusMin, side, side, pose.Grid{})
	start, err := quadrants.RandomModel(cfg, rand.New(rand.NewPCG(seed, 5)))
	if err != nil {
		return r, err
	}
	iterations := shownSteps[len(shownSteps)-1]
	// MethodBatch would go on by description length.
	opt := learn.Options{Paper: paper, Method: learn.MethodBoth, Continue: start, Iterations: iterations}
	var last, before *patchwork.Model
	n := 0
	for s, err := range learn.Run(ctx, patchwork.Data{Images: train.Images}, cfg, opt) {
		if err != nil {
			return r, err
		}
		if s.Stage != learn.StageEM {
			continue
		}
		before, last, n = last, s.Model, s.Iteration
		for len(r.models) < len(shownSteps) && shownSteps[len(r.models)] == n {
			r.models = append(r.models, last)
		}
	}
	r.fixed = n < iterations
	for len(r.models) < len(shownSteps) {
		r.models = append(r.models, last) // at a fixed point nothing changes
	}
	r.recovered, _ = quadrants.Recovered(last.Templates(), train.Truth.Experts)
	if before != nil && !r.fixed {
		r.stepChange = change(before, last)
	}
	return r, nil
}

// change returns the mean absolute difference of two models' templates.
func change(a, b *patchwork.Model) float64 {
	sum, n := 0.0, 0.0
	for k := range a.K() {
		for i, p := range a.Template(k) {
			sum, n = sum+math.Abs(p-b.Template(k)[i]), n+1
		}
	}
	return sum / n
}

// Run learns templates.
func runFigure5(ctx context.Context, o Options) (Result, error) {
	var r Result
	comparison, err := o.compare()
	if err != nil {
		return r, err
	}
	shared := comparison.Results
	sets := o.atLeast(1, pick(o, 4, 50))
	runs := [2][]emRun{make([]emRun, sets), make([]emRun, sets)} // eq. (1), guarded
	defaults := make([]float64, sets)
	err = o.each(ctx, 3*sets, func(ctx context.Context, i int) error {
		set, seed := i%sets, o.seed(i%sets)
		var err error
		switch i / sets {
		case 0:
			runs[0][set], err = runEM(ctx, true, seed)
		case 1:
			runs[1][set], err = runEM(ctx, false, seed)
		default:
			defaults[set], err = defaultRecovers(ctx, o, set)
		}
		return err
	})
	if err != nil {
		return r, err
	}
	r.Text = fmt.Sprintf(
		`From templates drawn uniformly from [0.02, 0.98], without sequential initialisation, on %d sets of 100 samples. Eq. (1) as printed credits a pixel to both of the experts with the most extreme opinions, and the weaker one moves back and forth across 1/2; the guarded step counts the pixels that each expert won and lost. Both are one start of 25 iterations; the default learner has several starts, a polish and moves. An expert counts as recovered if its error on its quadrant and its vote elsewhere are both below 0.2 on average (criterion S of experiments/quadrants).`, sets)
	r.Pictures = []Picture{
		{Name: "eq1", Caption: "Eq. (1) as printed: random templates, and the experts after 1, 2, 5 and 25 iterations.",
			Drawing: emSheet(runs[0][0])},
		{Name: "guarded", Caption: "The guarded step, from the same start.", Drawing: emSheet(runs[1][0])},
		{Name: "rivals", Caption: "The units of all models, learned from 100 samples of one set (for log-odds and " +
			"coefficients yellow is positive and blue negative, each unit scaled by its largest weight).",
			Drawing: unitSheet(shared)},
	}
	r.Tables = []Table{emTable(runs, defaults), purityTable(shared)}
	r.Statements = figure5Statements(runs, defaults, shared)
	return r, nil
}

// defaultRecovers returns how many of the eight experts the default learner
// finds in a set.
func defaultRecovers(ctx context.Context, o Options, set int) (float64, error) {
	r, err := quadrants.Learn(ctx, quadrants.Options{N: quadrantExamples, Test: 1, Seed: o.Seed}, set)
	return float64(r.S), err
}

// emSheet returns a row of experts for each of the shown steps.
func emSheet(r emRun) render.Sheet {
	s := render.Sheet{Columns: synth.QuadrantExperts, Scale: 8,
		Legend: []render.Swatch{{Colour: render.Symmetric(0), Text: "0"}, {Colour: render.Symmetric(.5), Text: "1/2"},
			{Colour: render.Symmetric(1), Text: "1"}}}
	for i, m := range r.models {
		for k := range m.K() {
			s.Tiles = append(s.Tiles, render.Tile{Image: render.Expert(m, k)})
		}
		label := "start"
		if i > 0 {
			label = fmt.Sprintf("after %d", shownSteps[i])
		}
		s.RowLabels = append(s.RowLabels, label)
	}
	return s
}

// unitSheet returns the units of every model of the comparison.
func unitSheet(shared rivals.Results) render.Sheet {
	s := render.Sheet{Columns: synth.QuadrantExperts, Scale: 8}
	for _, c := range shared.Curves {
		s.RowLabels = append(s.RowLabels, c.Name)
		for k := range s.Columns {
			if k < len(c.Templates) {
				s.Tiles = append(s.Tiles, render.Tile{Image: unit(c, c.Templates[k])})
			} else {
				s.Tiles = append(s.Tiles, render.Tile{})
			}
		}
	}
	return s
}

// unit returns a tile of one unit: probabilities unchanged, weights scaled so
// that zero is grey and the largest is at an end of the palette.
func unit(c rivals.Curve, t []float64) *image.RGBA {
	side := sideOf(t)
	scaled := make([]float64, len(t))
	largest := 0.0
	for _, v := range t {
		largest = max(largest, math.Abs(v))
	}
	for i, v := range t {
		switch {
		case largest == 0:
			scaled[i] = .5
		case c.Signed || c.Name == rivals.NMF:
			scaled[i] = .5 + v/(2*largest)
		default:
			scaled[i] = v
		}
	}
	return render.Template(side, side, scaled, render.Symmetric)
}

func emTable(runs [2][]emRun, defaults []float64) Table {
	t := Table{Name: "recovery", Title: "Experts recovered from 100 samples",
		Columns: []Column{{"learning", -1}, {"experts recovered, mean", 2}, {"least", 0}, {"most", 0}, {"all eight", 2},
			{"reached a fixed point", 2}, {"mean change in the last step", 4}}}
	add := func(name string, recovered []float64, fixed, last float64) {
		all := stat.MeanOf(recovered, func(v float64) float64 { return one(v == synth.QuadrantExperts) })
		t.add(name, stat.Mean(recovered), slices.Min(recovered), slices.Max(recovered), all, fixed, last)
	}
	for i, name := range []string{"eq. (1), one start", "guarded step, one start"} {
		add(name, recoveredBy(runs[i]), fixedShare(runs[i]), lastChange(runs[i]))
	}
	add("default learner", defaults, math.NaN(), math.NaN())
	return t
}

// one returns 1 for yes, else 0.
func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func recoveredBy(runs []emRun) []float64 {
	return stat.Of(runs, func(r emRun) float64 { return float64(r.recovered) })
}

func fixedShare(runs []emRun) float64 {
	return stat.MeanOf(runs, func(r emRun) float64 { return one(r.fixed) })
}

func lastChange(runs []emRun) float64 {
	return stat.MeanOf(runs, func(r emRun) float64 { return r.stepChange })
}

// purityTable returns how much of a unit's weight is on one quadrant.
func purityTable(shared rivals.Results) Table {
	t := Table{Name: "purity",
		Title:   "Share of a unit's weight on its strongest quadrant, from about 100 samples (1 is pure, 1/4 even)",
		Columns: heads(3, "model", "median", "lower quartile", "upper quartile")}
	for _, c := range shared.Curves {
		p := c.Points[rivals.Nearest(shared.Options.Sizes)]
		t.add(c.Name, p.Median.Purity, p.Low.Purity, p.High.Purity)
	}
	return t
}

func figure5Statements(runs [2][]emRun, best []float64, shared rivals.Results) []Statement {
	eq1, guarded := recoveredBy(runs[0]), recoveredBy(runs[1])
	purity := map[string]rivals.Point{}
	for _, c := range shared.Curves {
		purity[c.Name] = c.Points[rivals.Nearest(shared.Options.Sizes)]
	}
	of := func(name string) float64 { return purity[name].Median.Purity }
	mixing := max(of(rivals.DAETied), of(rivals.DAEUntied), of(rivals.RBM), of(rivals.Lasso))
	return []Statement{
		{"EM typically converged after a few iterations.",
			fmt.Sprintf("eq. (1): %s of the starts at a fixed point within 25 iterations, templates still moving by %.3f per "+
				"step; guarded step: %s, %.4f", percent(fixedShare(runs[0])),
				lastChange(runs[0]), percent(fixedShare(runs[1])), lastChange(runs[1])), fmt.Sprintf("%d sets", len(eq1)),
			judge(fixedShare(runs[0]) > .5, fixedShare(runs[1]) > .5 || lastChange(runs[1]) < .001)},
		{"The eight experts are recovered almost perfectly from 100 examples, from random templates.",
			fmt.Sprintf("experts recovered: eq. (1) %.1f, guarded step %.1f, default learner %.2f of 8", stat.Mean(eq1),
				stat.Mean(guarded), stat.Mean(best)),
			fmt.Sprintf("sets: eq. (1) %s, guarded %s, default %s", between(eq1, 0), between(guarded, 0), between(best, 0)),
			judge(stat.Mean(eq1) > 7.5, stat.Mean(best) > 7.5)},
		{"The templates of autoencoders, Boltzmann machines and dictionaries mix several true experts.",
			fmt.Sprintf("share of a unit's weight on its strongest quadrant: ours %.2f, autoencoder tied %.2f, untied %.2f, "+
				"RBM %.2f, dictionary %.2f", of(rivals.Default), of(rivals.DAETied), of(rivals.DAEUntied), of(rivals.RBM),
				of(rivals.Lasso)),
			fmt.Sprintf("quartiles over the sets: ours %.2f to %.2f, RBM %.2f to %.2f", purity[rivals.Default].Low.Purity,
				purity[rivals.Default].High.Purity, purity[rivals.RBM].Low.Purity, purity[rivals.RBM].High.Purity),
			judge(mixing < .75 && of(rivals.Default) > .9, mixing < of(rivals.Default))},
	}
}
