package answers

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
)

// questionnaire reads a table whose answers are on where a cell is yes.
func questionnaire(t *testing.T, name, yes string) patchwork.Data {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(testenv.ReadShared(t, "data/questionnaires/"+name))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out patchwork.Data
	for _, r := range records[1:] {
		img := bitmap.New(1, len(r))
		for d, cell := range r {
			img.Set(0, d, cell == yes)
		}
		out.Images = append(out.Images, img)
	}
	return out
}

// Indices are those that packages of the field print of these tables.
func TestIndices(t *testing.T) {
	want := func(what string, got, printed float64, digits int) {
		t.Helper()
		if fmt.Sprintf("%.*f", digits, got) != fmt.Sprintf("%.*f", digits, printed) {
			t.Errorf("%s is %.6f, not %.*f", what, got, digits, printed)
		}
	}
	data := questionnaire(t, "carcinoma.csv", "2")
	r, err := Compare(context.Background(), data, Options{Classes: 3})
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.Of("classes").Indices(data)
	if err != nil {
		t.Fatal(err)
	}
	want("log-likelihood", x.LogLik, -293.705, 3)
	want("BIC", x.BIC, 697.136, 3)
	want("aBIC", x.ABIC, 624.427, 3)
	want("G2", x.G2, 15.262, 3)
	want("X2", x.X2, 20.503, 3)
	for k, size := range []float64{.445, .374, .182} {
		want("size", x.Sizes[k], size, 3)
	}
	if !(x.Entropy > 0.8 && x.Entropy < 1 && slices.Min(x.MeanPosterior) > 0.7 && slices.Min(x.CorrectOdds) > 5) {
		t.Errorf("%+v", x)
	}

	data = questionnaire(t, "LSAT.csv", "1")
	rows, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	level := independent(rows).withLevel()
	if x, err = level.Indices(data); err != nil {
		t.Fatal(err)
	}
	want("reliability", x.Reliability, .295, 3)
	for d, b := range []float64{-3.57, -1.31, -.31, -1.71, -2.75} {
		want("difficulty", x.Difficulty[d], b, 2)
	}
	want("log-likelihood", x.Hermite.LogLik, -2466.938, 3)
	want("slope", x.Hermite.Slope[0], .755, 3)
}

// Intervals of the sizes and shares of classes hold what made the rows in 95 of 100 draws, and a row of weight 3 is three
// rows.
func TestIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	inside, all := 0, 0
	count := func(in Interval, v float64) {
		if all++; in[0] <= v && v <= in[1] {
			inside++
		}
	}
	for range 30 {
		p := &Picture{Kind: "classes", Classes: true, Steps: []float64{0}, Weights: []float64{1}, Sets: []uint64{1, 2},
			Share: []float64{0.6, 0.4}, Usage: []float64{0, 0}, Intercept: make([]float64, 7), Slope: make([]float64, 7),
			Votes: [][]float64{{.8, .7, .9, .2, .3, .5, .85}, {.2, .3, .25, .7, .8, .6, .15}}}
		var data patchwork.Data
		reader := NewReader(p)
		for range 400 {
			row, _ := reader.Draw(rng)
			data.Images = append(data.Images, row)
		}
		x, err := p.Indices(data)
		if err != nil || x.SizeIntervals == nil {
			t.Fatal(x, err)
		}
		for k := range p.Votes {
			count(x.SizeIntervals[k], p.Share[k])
			for d, v := range p.Votes[k] {
				count(x.ShareIntervals[k][d], v)
			}
		}
	}
	if share := float64(inside) / float64(all); share < 0.92 || share > 0.98 {
		t.Errorf("%.3f of %d intervals hold what made the rows", share, all)
	}
	data := questionnaire(t, "WIRS.csv", "1")
	thrice := patchwork.Data{Images: slices.Clone(data.Images)}
	for i, row := range thrice.Images {
		if thrice.Weights = append(thrice.Weights, int64(1+2*(i%2))); i%2 == 1 {
			data.Images = append(data.Images, row, row)
		}
	}
	a, err := Compare(context.Background(), data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Compare(context.Background(), thrice, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range a.Pictures {
		if q := b.Of(p.Kind); q == nil || math.Abs(q.Length-p.Length) > 1e-6*p.Length || i == 0 && b.Pictures[0].Kind != p.Kind {
			t.Errorf("%s is %.3f nats, and %+v by weights", p.Kind, p.Length, q)
		}
	}
}
