package stack

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/matrix"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// drawn returns rows whose columns go up and down with a level, and come in two kinds; some bits are unknown.
func drawn(rows, columns int, unknown float64, seed uint64) (data patchwork.Data) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range rows {
		x := bitmap.New(1, columns)
		level, kind := rng.NormFloat64(), rng.IntN(2)
		for i := range columns {
			if p := sigmoid(1.5*level + float64(2*((i+kind)%2)) - 1); rng.Float64() < p {
				x.Set(0, i, true)
			}
			if rng.Float64() < unknown {
				x.SetUnknown(0, i)
			}
		}
		data.Images = append(data.Images, x)
	}
	return data
}

// partsOf learns parts.
func partsOf(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
	return table.Learn(ctx, data, patchwork.Config{Height: 1, Width: data.Images[0].Len()}, table.Options{})
}

// TestFit: what is fitted predicts hidden bits of other rows as well as the parts, and better than the column means, and is the
// same for any number of workers.
func TestFit(t *testing.T) {
	for rows, unknown := range map[int]float64{100: 0, 900: .2} {
		data, tests := drawn(rows, 10, unknown, 4), drawn(400, 10, 0, 2)
		p, held, err := Fit(t.Context(), data, Options{Parts: partsOf, Seed: 3, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil || p.Len() != 10 || held.Bits < 500 || (p.Weights[byParts] > 0) != (rows == 100) {
			t.Errorf("%v, %d columns, %d bits", err, p.Len(), held.Bits)
		}
		other, _, err := Fit(t.Context(), data, Options{Parts: partsOf, Seed: 3, Workers: 3})
		if err != nil || !reflect.DeepEqual(p.Mixtures, other.Mixtures) || p.Weights != other.Weights ||
			!reflect.DeepEqual(p.Covariance, other.Covariance) {
			t.Errorf("three workers fit something else (%v)", err)
		}
		if rows == 100 {
			continue
		}
		m, err := partsOf(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		hidden := posterior.Exclusive(nil).HideBits(tests, .2, 1, 1)
		parts := make([][]float64, len(tests.Images))
		if err := posterior.Predict(t.Context(), m, hidden.Visible, posterior.Options{}, 1,
			func(i int, p []float64, _ *posterior.Posterior) { parts[i] = p }); err != nil {
			t.Fatal(err)
		}
		loss := func(predict func(i int) []float64) float64 {
			s, err := posterior.ScorePredictions(hidden, predict)
			if err != nil {
				t.Fatal(err)
			}
			return s.LogLoss
		}
		alone, means := loss(func(i int) []float64 { return parts[i] }), loss(func(int) []float64 { return p.Means })
		got := loss(func(i int) []float64 { return p.Predict(hidden.Visible[i], parts[i]) })
		if !(got < alone+.002 && got < means-.1) || math.Abs(got-held.LogLoss) > .03 {
			t.Errorf("loss %.4f, said %.4f, by the parts %.4f, by the means %.4f", got, held.LogLoss, alone, means)
		}
	}
}

// TestFewRows: of rows that tell nothing there is no predictor, and columns that never change do no harm.
func TestFewRows(t *testing.T) {
	for _, data := range []patchwork.Data{drawn(leastRows-1, 5, 0, 1), drawn(50, 1, 0, 1)} {
		if p, held, err := Fit(t.Context(), data, Options{}); p != nil || held != nil || err != nil {
			t.Errorf("%d rows: %v, %v", len(data.Images), p, err)
		}
	}
	if _, _, err := Fit(t.Context(), patchwork.Data{}, Options{}); err == nil {
		t.Error("no rows, no error")
	}
	data := drawn(60, 6, .3, 5)
	for _, x := range data.Images {
		x.Set(0, 2, true)
		x.SetUnknown(0, 3)
	}
	p, _, err := Fit(t.Context(), data, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range p.Predict(bitmap.FromBytes(1, 6, make([]uint8, 6)), []float64{1, 1, 1, 1, 1, 1}) {
		if v != 1 {
			t.Errorf("a known bit is predicted at %v, not as the parts say", v)
		}
	}
	row := bitmap.New(1, 6)
	for i := range 6 {
		row.SetUnknown(0, i)
	}
	for i, v := range p.Predict(row, []float64{.5, .5, .5, .5, .5, .5}) {
		if !(v > 0 && v < 1) || i == 2 && v < .9 {
			t.Errorf("column %d of a row without known bits is predicted at %v", i, v)
		}
	}
}

// TestCandidates: what is tried is no more than a file holds, and than there are rows for.
func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		rows    int64
		columns int
		sizes   int
		shrunk  bool
	}{{1000, 16, 7, true}, {30, 16, 4, true}, {1, 2, 1, true}, {1000, 600, 7, false}, {1e6, 1 << 17, 4, false},
		{1e6, 1 << 28, 1, false}} {
		got := candidatesOf(c.rows, c.columns)
		if len(got.sizes) != c.sizes || (got.shares != nil) != c.shrunk || (got.ranks != nil) != c.shrunk {
			t.Errorf("%d x %d: %+v", c.rows, c.columns, got)
		}
	}
}

// TestGaussian: both ways to the mean of the unknown numbers are the same, and those of a matrix written out.
func TestGaussian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 12).Draw(t, "d")
		means := rapid.SliceOfN(rapid.Float64Range(.1, .9), d, d).Draw(t, "means")
		m := Moments{means, make([]float64, d*d)}
		for range rapid.IntRange(0, d+3).Draw(t, "rank") {
			x := rapid.SliceOfN(rapid.Float64Range(-.5, .5), d, d).Draw(t, "x")
			for i := range x {
				matrix.AddTo(m.Covariance[i*d:(i+1)*d], x[i], x)
			}
		}
		row := bitmap.FromBytes(1, d, rapid.SliceOfN(rapid.Uint8Range(0, 1), d, d).Draw(t, "row"))
		for i := range d {
			if rapid.Bool().Draw(t, "unknown") {
				row.SetUnknown(0, i)
			}
		}
		x, axes := newRow(row, means), m.directions()
		for _, s := range []*matrix.Matrix{axes.shrunk(.1), axes.few(2)} {
			g, ok := newGaussian(means, s)
			if !ok {
				t.Fatal("no Gaussian")
			}
			a, b := g.byPrecision(x), g.byCovariance(x)
			for i := range a {
				if math.Abs(a[i]-b[i]) > 1e-7*(1+math.Abs(a[i])) {
					t.Fatalf("by the precision %v, by the covariance %v", a, b)
				}
			}
			// The normal equations: what is left of the unknown numbers goes with no known one.
			solved, ok := matrix.Solve(s.Part(x.known, x.known), x.above)
			if !ok {
				t.Fatal("the known numbers have no covariance")
			}
			for j, i := range x.hidden {
				want := 0.0
				for k, at := range x.known {
					want += s.At(i, at) * solved[k]
				}
				if math.Abs(want-a[j]) > 1e-7*(1+math.Abs(want)) {
					t.Fatalf("number %d: %v, not %v", i, a[j], want)
				}
			}
		}
	})
}

// TestCovariance: it is that of the definition, of the rows that know both columns.
func TestCovariance(t *testing.T) {
	data := drawn(80, 5, .25, 4)
	data.Weights = make([]int64, 80)
	for i := range data.Weights {
		data.Weights[i] = int64(1 + i%3)
	}
	means := []float64{.3, .5, .4, .6, .5}
	got := covariance(data, means)
	for i := range 5 {
		for j := range 5 {
			sum, n := 0.0, 0.0
			for r, row := range data.Images {
				x, known := row.AppendBytes(nil), row.AppendKnown(nil)
				if known[i]*known[j] != 0 {
					w := float64(data.Weights[r])
					sum, n = sum+w*(float64(x[i])-means[i])*(float64(x[j])-means[j]), n+w
				}
			}
			if math.Abs(got[5*i+j]-sum/n) > 1e-12 {
				t.Errorf("%d, %d: %v, not %v", i, j, got[5*i+j], sum/n)
			}
		}
	}
}

// TestWeights: no other weights do better by the measure that they are found by.
func TestWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		kinds, on, weight := make([][]float64, 3), make([]bool, 200), make([]float64, 200)
		for i := range on {
			p := rng.Float64()
			on[i], weight[i] = rng.Float64() < p, 1
			for f := range kinds {
				kinds[f] = append(kinds[f], sigmoid(logOdds(p)*[]float64{1, .5, 0}[f]+rng.NormFloat64()))
			}
		}
		measure := func(w []float64) float64 {
			sum := 0.0
			for f := range w {
				sum += closeness * (w[f] - 1./3) * (w[f] - 1./3)
			}
			for i := range on {
				z := 0.0
				for f := range w {
					z += w[f] * logOdds(kinds[f][i])
				}
				if on[i] {
					z = -z
				}
				sum += math.Log1p(math.Exp(z))
			}
			return sum
		}
		weights, _ := added(kinds, on, weight)
		best := measure(weights)
		for f := range weights {
			for _, step := range []float64{-1e-3, 1e-3} {
				other := append([]float64(nil), weights...)
				if other[f] = max(0, other[f]+step); measure(other) < best-1e-9 {
					t.Fatalf("weights %v are better than %v", other, weights)
				}
			}
		}
		c := cells{weight, on, kinds}
		mixed, said := c.averaged(0, 3)
		if sum := mixed[0] + mixed[1] + mixed[2]; math.Abs(sum-1) > 1e-12 || len(said) != len(on) {
			t.Fatalf("weights %v", mixed)
		}
	})
}
