package modelfile_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
	"example.com/patchwork/table/answers"
)

// A picture of answers is read as it was written, whatever layers it has, and layers that do not fit are refused.
func TestAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 44))
	img := bitmap.New(1, 3)
	img.Set(0, 0, true)
	img.SetUnknown(0, 1)
	steps, weights := []float64{-1, 0, 1}, []float64{.25, .5, .25}
	for _, kind := range []string{"level", "classes", "parts", "skills+level", "parts+usage", "skills+level+profiles"} {
		p := &answers.Picture{Kind: kind, Lacking: kind[0] == 's', Classes: kind == "classes", Slope: make([]float64, 3),
			Intercept: []float64{-1, .3, 2}, Steps: []float64{0}, Weights: []float64{1}}
		if strings.Contains(kind, "level") {
			p.Steps, p.Weights, p.Slope = steps, weights, []float64{.5, 1.5, .7}
			p.OwnSlopes = true
		}
		if kind == "parts+usage" {
			p.Steps, p.Weights, p.WithUsage, p.UsageSlope = steps, weights, true, .9
		}
		p.Sets = []uint64{0}
		if kind != "level" {
			p.Votes = [][]float64{{rng.Float64(), rng.Float64(), .5}, {.9, rng.Float64(), rng.Float64()}}
			p.Usage, p.Sets = []float64{-1, .5}, []uint64{0, 1, 2, 3}
		}
		if kind == "classes" || strings.Contains(kind, "profiles") {
			p.Sets, p.Share = []uint64{1, 2}, []float64{.3, .7}
		}
		c := answers.Compared{Picture: p}
		m, err := c.Model(patchwork.NewConfig(patchwork.RuleMax, 1, 3, pose.Grid{}), 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := modelfile.Write(&file, m); err != nil {
			t.Fatal(err)
		}
		again, err := modelfile.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		r, ok := again.Extras().Predictor.(*answers.Reader)
		if !ok {
			t.Fatalf("%s is read as %v", kind, again.Extras().Predictor)
		}
		a, b := answers.NewReader(p).Person(img), r.Person(img)
		if math.Abs(a.LogP-b.LogP) > 1e-9 || math.Abs(a.Level-b.Level) > 1e-9 || len(a.Has) != len(b.Has) {
			t.Errorf("%s: %+v is read as %+v", kind, a, b)
		}
		for _, bad := range []answers.Layers{{Kind: "pictures"}, {Kind: "parts", Usage: []float64{1, 2, 3}},
			{Kind: "level", Steps: steps}, {Kind: "level", Slope: []float64{1}}, {Kind: "classes+x", Usage: []float64{math.NaN()}},
			{Kind: "level", Steps: steps, Weights: []float64{1, 1, 1}}} {
			if _, err := answers.ReaderOf(m, bad); err == nil {
				t.Errorf("%+v is read", bad)
			}
		}
	}
}
