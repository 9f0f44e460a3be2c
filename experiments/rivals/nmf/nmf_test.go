package nmf

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/experiments/rivals/coding"
	"example.com/patchwork/experiments/rivals/coding/codingtest"
)

// random is k units of d positive numbers and n rows of d bits.
func random(k, d, n int, loss Loss, seed uint64) (*Model, [][]float64) {
	r := rand.New(rand.NewPCG(seed, 0))
	h, rows := coding.Matrix(k, d), coding.Matrix(n, d)
	for _, unit := range h {
		for j := range unit {
			unit[j] = r.Float64()
		}
	}
	for _, x := range rows {
		for j := range x {
			x[j] = float64(r.IntN(2))
		}
	}
	return New(h, loss), rows
}

// slopeAt is the central difference of the cost in code[k].
func slopeAt(m *Model, x, code []float64, k int) float64 {
	const h = 1e-6
	y := make([]float64, len(x))
	cost := func(v float64) float64 {
		old := code[k]
		code[k] = v
		m.Decode(code, y)
		code[k] = old
		return m.Cost(x, y)
	}
	return (cost(code[k]+h) - cost(code[k]-h)) / (2 * h)
}

// The slopes that the updates use, against central differences.
func TestGradients(t *testing.T) {
	m, rows := random(4, 9, 10, Frobenius, 1)
	kl, gram := New(m.h, KL), coding.Matrix(4, 4)
	coding.Gram(gram, m.h)
	code, up, down := []float64{.3, .1, 1.2, .7}, make([]float64, 4), make([]float64, 4)
	for _, x := range rows {
		ratios(x, m.h, code, up, down)
		for k := range code {
			if got, want := slope(x, m.h, gram, code, k), slopeAt(m, x, code, k); math.Abs(got-want) > 1e-7 {
				t.Errorf("squared error: gradient %v, by differences %v", got, want)
			}
			if got, want := down[k]-up[k], slopeAt(kl, x, code, k); math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("divergence: gradient %v, by differences %v", got, want)
			}
		}
	}
}

// Both losses are convex in the code: a code is the best if its slopes are 0
// where it is positive, and not negative where it is 0.
func TestCodeIsTheBest(t *testing.T) {
	for _, loss := range []Loss{Frobenius, KL} {
		m, rows := random(4, 9, 20, loss, 2)
		code, zeros := make([]float64, 4), 0
		for _, x := range rows {
			m.Code(x, code)
			for k, u := range code {
				s := slopeAt(m, x, code, k)
				if u < 1e-4 {
					zeros++
				}
				if u < 0 || s < -2e-3 || u > 1e-2 && s > 2e-3 {
					t.Errorf("loss %d: coefficient %v with slope %v", loss, u, s)
				}
			}
		}
		if zeros == 0 {
			t.Errorf("loss %d: no coefficient at the bound", loss)
		}
	}
}

// No update makes the loss larger (Lee and Seung 2001; Cichocki and Phan 2009).
func TestTheLossNeverRises(t *testing.T) {
	for _, loss := range []Loss{Frobenius, KL} {
		_, rows := random(1, 10, 30, loss, 3)
		f := newFactors(rows, Options{Units: 4, Loss: loss, Seed: 1})
		cost := func() float64 {
			m, y, sum := New(f.h, loss), make([]float64, 10), 0.0
			for i, x := range rows {
				m.Decode(f.w[i], y)
				sum += m.Cost(x, y)
			}
			return sum
		}
		last := cost()
		first := last
		for range 40 {
			f.improve(f.rows, f.w, f.h)
			half := cost()
			f.turn()
			f.improve(f.columns, f.ht, f.wt)
			f.back()
			now := cost()
			if half > last+1e-9 || now > half+1e-9 {
				t.Fatalf("loss %d rose: %v, %v, %v", loss, last, half, now)
			}
			last = now
		}
		if last > 0.8*first {
			t.Errorf("loss %d fell from %v only to %v", loss, first, last)
		}
	}
}

// A matrix that is such a product is found again, if not from every start:
// the loss is not convex in both factors.
func TestFitIsExactWhereItCanBe(t *testing.T) {
	truth := [][]float64{{1, 1, 0, 0, 0, 0}, {0, 0, 1, 1, 0, 0}, {0, 0, 0, 0, 1, 1}}
	rows := coding.Matrix(8, 6)
	for i, x := range rows {
		for k, unit := range truth {
			for d, v := range unit {
				x[d] += float64(i>>k&1) * v
			}
		}
	}
	for _, loss := range []Loss{Frobenius, KL} {
		least := math.Inf(1)
		for seed := range uint64(5) {
			least = min(least, worst(t, rows, Options{Units: 3, Loss: loss, Iterations: 500, Seed: seed}))
		}
		if least > 1e-6 {
			t.Errorf("loss %d: squared error %v in the best of 5 starts", loss, least)
		}
	}
}

// worst is the largest squared error of a row.
func worst(t *testing.T, rows [][]float64, o Options) float64 {
	t.Helper()
	m, err := Fit(t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	code, y, most := make([]float64, o.Units), make([]float64, len(rows[0])), 0.0
	for _, x := range rows {
		m.Code(x, code)
		m.Decode(code, y)
		most = max(most, coding.SquaredError(x, y))
	}
	return most
}

func TestFit(t *testing.T) {
	_, rows := random(1, 6, 9, KL, 4)
	codingtest.Fit(t, rows, func(ctx context.Context, rows [][]float64, seed uint64) (*Model, error) {
		return Fit(ctx, rows, Options{Units: 3, Iterations: 5, Seed: seed})
	})
}

func TestFitOfNothing(t *testing.T) {
	// Pixels that are never on, and rows of nothing.
	m, err := Fit(t.Context(), [][]float64{{0, 0, 0}, {1, 0, 0}}, Options{Units: 2, Loss: KL})
	if err != nil {
		t.Fatal(err)
	}
	code, y := make([]float64, 2), make([]float64, 3)
	m.Code([]float64{0, 1, 0}, code)
	m.Decode(code, y)
	for _, v := range append(code, y...) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("code %v, reconstruction %v", code, y)
		}
	}
}
