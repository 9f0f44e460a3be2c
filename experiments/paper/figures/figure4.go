package figures

import (
	"context"
	"fmt"
	"image"
	"math"

	"example.com/patchwork/table"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/rivals"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
)

// figure4 shows samples of the quadrants and their reconstructions.
var figure4 = Figure{"4", "Figure 4: the quadrants, and reconstructions", `a) Sparse coding reconstruction. b) 100 samples of the synthetic model: 6 x 6 pixels, each quadrant active with probability 1/2, then all black or all white, else noise. c) The true templates of the samples. d) Reconstruction of the max-minus-min model.

The sparse coding reconstruction is closer to the data but much more noisy than ours, which is almost identical to the true templates. In squared error the dictionary is even better than the true model.`, runFigure4}

// quadrantExamples is the number of samples that the templates are learned
// from, and sparseAlpha the weight of the dictionary's codes in Figure 4.
const (
	quadrantExamples = 100
	sparseAlpha      = 0.1
)

// reconstruction holds the samples of one set and their reconstructions.
type reconstruction struct {
	set          *synth.Set[*synth.QuadrantTruth]
	rows         [][]float64
	sparse, ours [][]float64
}

// reconstruct learns from one set, as in section 5.1, and describes the samples
// learned from (shown) or those of another set.
func reconstruct(ctx context.Context, seed uint64, n int, shown bool) (reconstruction, error) {
	var r reconstruction
	train, err := synth.Quadrants(synth.QuadrantsOptions{N: quadrantExamples, Seed: seed})
	if err != nil {
		return r, err
	}
	r.set = train
	if !shown {
		if r.set, err = synth.Quadrants(synth.QuadrantsOptions{N: n, Seed: seed + 1<<32}); err != nil {
			return r, err
		}
	}
	r.rows = rivals.Rows(r.set.Images)
	if r.sparse, err = rivals.Dictionary(ctx, rivals.Rows(train.Images), r.rows, sparseAlpha, seed); err != nil {
		return r, err
	}
	side := train.Truth.Side
	cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, side, side, pose.Grid{})
	m, err := table.Learn(ctx, patchwork.Data{Images: train.Images}, cfg,
		table.Options{Experts: synth.QuadrantExperts, Seed: seed})
	if err != nil {
		return r, err
	}
	r.ours = make([][]float64, len(r.rows))
	_, err = patchwork.EStep(ctx, m, patchwork.Data{Images: r.set.Images}, patchwork.PursuitOptions{Paper: true}, 1,
		func(i int, e *patchwork.Explanation) {
			r.ours[i] = m.Compose(side, side, e.Picks).P
		})
	return r, err
}

// closeness holds mean distances per pixel.
type closeness struct {
	sparseTruth, oursTruth float64 // mean absolute error to the true templates
	sparseData, oursData   float64 // squared error to the data, per image
	truthData              float64
	exact                  float64 // fraction of the images whose template is within 0.1 of the true one at every pixel
}

func (r reconstruction) closeness() closeness {
	var c closeness
	n := float64(len(r.rows))
	for i, truth := range r.set.Truth.Templates {
		worst := 0.0
		for d, t := range truth {
			pixels := n * float64(len(truth))
			c.sparseTruth += math.Abs(r.sparse[i][d]-t) / pixels
			c.oursTruth += math.Abs(r.ours[i][d]-t) / pixels
			worst = max(worst, math.Abs(r.ours[i][d]-t))
		}
		if worst < .1 {
			c.exact += 1 / n
		}
		c.sparseData += rivals.SquaredError(r.rows[i], r.sparse[i]) / n
		c.oursData += rivals.SquaredError(r.rows[i], r.ours[i]) / n
		c.truthData += rivals.SquaredError(r.rows[i], truth) / n
	}
	return c
}

// Run reconstructs samples.
func runFigure4(ctx context.Context, o Options) (Result, error) {
	var r Result
	comparison, err := o.compare()
	if err != nil {
		return r, err
	}
	shared := comparison.Results
	shown, err := reconstruct(ctx, o.seed(0), quadrantExamples, true)
	if err != nil {
		return r, err
	}
	sets := o.atLeast(1, pick(o, 2, 20))
	near := make([]closeness, sets)
	err = o.each(ctx, sets, func(ctx context.Context, i int) error {
		rec, err := reconstruct(ctx, o.seed(i), pick(o, 200, 1000), false)
		if err == nil {
			near[i] = rec.closeness()
		}
		return err
	})
	if err != nil {
		return r, err
	}
	r.Text = fmt.Sprintf(
		`The panels show 100 samples from which the models were learned; the numbers are for %d other sets of test samples, each with models learned from 100 samples of its own. The dictionary has 8 atoms and lasso codes (weight %g). The second picture has test samples and the reconstructions of all the models of Figures 5 and 6.`, sets, sparseAlpha)
	panel := func(rows [][]float64, caption string) render.Tile {
		return render.Tile{Image: mosaic(rows, shown.set.Truth.Side), Caption: caption}
	}
	r.Pictures = []Picture{
		{Name: "panels", Alt: "Four panels of a hundred small images",
			Caption: "White is 0, grey 1/2, black 1; sparse coding is not confined to that range and is clipped.",
			Drawing: render.Sheet{Columns: 4, Scale: 3, Gap: 12, Tiles: []render.Tile{panel(shown.sparse, "a) sparse coding"),
				panel(shown.rows, "b) samples"),
				panel(shown.set.Truth.Templates, "c) truth"), panel(shown.ours, "d) max minus min")}}},
		{Name: "all-models", Alt: "Test samples and their reconstructions",
			Caption: "Test samples, their true templates, and the reconstruction by each model.",
			Drawing: reconstructions(shared)},
	}
	r.Tables = []Table{nonzeroTable(shared)}
	r.Statements = figure4Statements(near, shared)
	return r, nil
}

// mosaic returns a hundred small images as one tile, ten per row, in grey.
func mosaic(rows [][]float64, side int) image.Image {
	const columns = 10
	lines := (len(rows) + columns - 1) / columns
	pitch := side + 1
	img := image.NewRGBA(image.Rect(0, 0, columns*pitch-1, lines*pitch-1))
	line := render.Ink(.25)
	for i := range img.Rect.Dx() * img.Rect.Dy() {
		img.SetRGBA(i%img.Rect.Dx(), i/img.Rect.Dx(), line)
	}
	for i, row := range rows {
		for d, v := range row {
			img.SetRGBA(i%columns*pitch+d%side, i/columns*pitch+d/side, render.Ink(v))
		}
	}
	return img
}

// reconstructions returns the samples of the comparison, one row per model.
func reconstructions(shared rivals.Results) render.Sheet {
	s := render.Sheet{Columns: len(shared.Samples), Scale: 8}
	row := func(label string, rows [][]float64) {
		s.RowLabels = append(s.RowLabels, label)
		for i := range shared.Samples {
			s.Tiles = append(s.Tiles, render.Tile{Image: render.Template(sideOf(rows[i]), sideOf(rows[i]), rows[i], render.Ink)})
		}
	}
	var images, truth [][]float64
	for _, x := range shared.Samples {
		images, truth = append(images, x.Image), append(truth, x.Truth)
	}
	row("test sample", images)
	row("truth", truth)
	for _, c := range shared.Curves {
		row(c.Name, c.Reconstructions)
	}
	return s
}

// sideOf returns the side of a square image.
func sideOf(row []float64) int { return int(math.Round(math.Sqrt(float64(len(row))))) }

// nonzeroTable returns the squared error of the dictionary by the size of its
// codes.
func nonzeroTable(shared rivals.Results) Table {
	t := Table{Name: "squared-error", Title: "Squared error of the dictionary, by the number of nonzero coefficients",
		Columns: append([]Column{{"coefficients", 0}}, heads(2, "median", "lower quartile", "upper quartile")...)}
	for _, n := range shared.Nonzeros {
		t.add(n.Coefficients, n.Median, n.Low, n.High)
	}
	return t
}

func figure4Statements(near []closeness, shared rivals.Results) []Statement {
	ours := stat.Of(near, func(c closeness) float64 { return c.oursTruth })
	dictionary := stat.Of(near, func(c closeness) float64 { return c.sparseTruth })
	exact := stat.MeanOf(near, func(c closeness) float64 { return c.exact })
	sparse := stat.Of(near, func(c closeness) float64 { return c.sparseData })
	truth := stat.Of(near, func(c closeness) float64 { return c.truthData })
	sparseData, truthData := stat.Mean(sparse), stat.Mean(truth)
	oursData := stat.MeanOf(near, func(c closeness) float64 { return c.oursData })
	from := 0
	text := ""
	for _, n := range shared.Nonzeros {
		if text += fmt.Sprintf(" %d: %.2f,", n.Coefficients, n.Median); from == 0 && n.Median < truthData {
			from = n.Coefficients
		}
	}
	return []Statement{
		{"The max-minus-min reconstruction is almost identical to the true templates.",
			fmt.Sprintf("mean absolute difference %.3f (sparse coding %.3f); within 0.1 at every pixel in %s of the images",
				stat.Mean(ours), stat.Mean(dictionary), percent(exact)),
			"sets: " + between(ours, 3), judge(stat.Mean(ours) < .05, stat.Mean(ours) < stat.Mean(dictionary)/2)},
		{"Sparse coding is closer to the data, but much more noisy.",
			fmt.Sprintf("squared error to the data: sparse coding %.2f, max minus min %.2f; mean absolute difference from the "+
				"truth %.1f times as large", sparseData, oursData, stat.Mean(dictionary)/stat.Mean(ours)),
			"sets: sparse coding " + between(sparse, 2),
			judge(sparseData < oursData && stat.Mean(dictionary) > 1.5*stat.Mean(ours),
				stat.Mean(dictionary) > stat.Mean(ours))},
		{"In squared error the dictionary is better than the true model.",
			fmt.Sprintf("truth %.2f; dictionary, by nonzero coefficients:%s better from %d on", truthData, text, from),
			"sets: truth " + between(truth, 2),
			judge(from > 0 && from <= 2, from > 0)},
	}
}
