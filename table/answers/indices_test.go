package answers

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
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
