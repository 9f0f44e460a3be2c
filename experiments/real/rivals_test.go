package real

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	model "example.com/patchwork/learn/real"
)

// integral returns the integral of a density over a grid of two pixels.
func integral(d Density) float64 {
	total := 0.0
	for x := -12.0; x < 12; x += .1 {
		for y := -12.0; y < 12; y += .1 {
			total += math.Exp(d.LogDensity([]float64{x, y})) * .01
		}
	}
	return total
}

// slanted returns rows of two pixels that vary together.
func slanted(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	var rows [][]float64
	for range n {
		f := rng.NormFloat64()
		rows = append(rows, []float64{1 + 2*f + .5*rng.NormFloat64(), -1 + f + .5*rng.NormFloat64()})
	}
	return rows
}

// TestRivalsAreDensities: what rivals say of all rows adds up to 1, and factors find the covariance.
func TestRivalsAreDensities(t *testing.T) {
	rows := slanted(400)
	for name, d := range map[string]Density{"no factor": FitFactors(rows, 0, false, .01, 1), "factors": FitFactors(rows, 1, false, .01, 1),
		"PPCA": FitFactors(rows, 1, true, .01, 1), "mixture": FitMixture(rows, 3, .01, 1)} {
		if got := integral(d); math.Abs(got-1) > 1e-3 {
			t.Errorf("%s: the density integrates to %v", name, got)
		}
	}
	f := FitFactors(rows, 1, true, 0, 1)
	if c := f.Loadings.At(0, 0) * f.Loadings.At(1, 0); math.Abs(c-2) > .4 || math.Abs(f.Noise[0]-.25) > .05 {
		t.Errorf("covariance %v, noise %v; want about 2 and 0.25", c, f.Noise[0])
	}
	if MeanLogDensity(f, rows) <= MeanLogDensity(FitFactors(rows, 0, false, 0, 1), rows) {
		t.Error("a factor describes rows that vary together no better than none")
	}
}

// TestTunedChoosesBySize: of mixtures the one with as many components as there are groups.
func TestTunedChoosesBySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var rows [][]float64
	for range 300 {
		c := float64(10 * rng.IntN(3))
		rows = append(rows, []float64{c + rng.NormFloat64(), -c + rng.NormFloat64()})
	}
	if _, size := Tuned(rows, []int{1, 3, 40}, func(rows [][]float64, k int) Density { return FitMixture(rows, k, .01, 1) }); size != 3 {
		t.Errorf("%d components for three groups", size)
	}
}

// TestRivalsFindParts: NMF and dictionaries, told their number, find bars, and ICA sources of its own kind.
func TestRivalsFindParts(t *testing.T) {
	s := Bars(200, BarOptions{Side: 3, Rate: .3, SD: .1}, rand.New(rand.NewPCG(3, 1)))
	for name, fit := range map[string]func(context.Context, [][]float64, int, uint64) ([][]float64, error){"NMF": NMF, "dictionary": Dictionary} {
		if got, err := fit(context.Background(), s.Rows, 6, 1); err != nil || s.Alike(got, false) < 5 {
			t.Errorf("%s: %d of 6 bars, %v", name, s.Alike(got, false), err)
		}
	}
	rng := rand.New(rand.NewPCG(4, 1))
	truth := &Set{Truth: [][]float64{{1, 1, 0, 0}, {0, 1, 1, -1}}}
	for range 2000 {
		row := make([]float64, 4)
		for _, part := range truth.Truth {
			f := rng.ExpFloat64() * float64(1-2*rng.IntN(2)) // far from normal
			for d := range row {
				row[d] += f * part[d]
			}
		}
		truth.Rows = append(truth.Rows, row)
	}
	if got, err := ICA(truth.Rows, 2, 1); err != nil || truth.Alike(got, true) != 2 {
		t.Errorf("ICA: %v, %v", got, err)
	}
}

// TestScenes: scenes have what they say, and the pursuit finds it where there is little noise.
func TestScenes(t *testing.T) {
	parts := [][]float64{{1, 1, 1, 0, 0, 1, 0, 0, 1}, {.8, 0, 0, .8, 0, 0, .8, .8, .8}}
	m := SceneModel(parts, 3, 12, .05)
	p, err := model.NewPursuit(m)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range 10 {
		s := NewScene(m, 2, rand.New(rand.NewPCG(uint64(i), 1)))
		e, err := p.Explain(s.Image)
		if err != nil {
			t.Fatal(err)
		}
		if s.Found(e.Picks) {
			found++
		}
		if s.Found(e.Picks[:len(e.Picks)-1]) || s.Found(nil) {
			t.Error("a scene is found without one of its parts")
		}
	}
	if found < 8 {
		t.Errorf("%d of 10 scenes without noise were found", found)
	}
}
