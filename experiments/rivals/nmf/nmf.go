// Package nmf is non-negative matrix factorisation X = WH: for squared error by
// coordinate descent (hierarchical alternating least squares; Cichocki and Phan
// 2009), for the generalised Kullback-Leibler divergence by multiplicative
// updates (Lee and Seung 2001).
package nmf

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.com/patchwork/experiments/rivals/coding"
)

// Loss is what the factorisation makes small.
type Loss uint8

const (
	Frobenius Loss = iota // half the squared error
	KL                    // sum of x log(x/y) - x + y
)

// Options of learning. The zero value, but for the seed, is the default.
type Options struct {
	Units      int // 0 means 8
	Loss       Loss
	Iterations int // 0 means 200
	Seed       uint64
}

func (o Options) withDefaults() Options {
	o.Units, o.Iterations = cmp.Or(o.Units, 8), cmp.Or(o.Iterations, 200)
	return o
}

// Model is H: K non-negative units of D numbers. It is immutable.
type Model struct {
	h    [][]float64
	loss Loss
}

var _ coding.Coder = (*Model)(nil)

// New returns a model of the given units, which it keeps.
func New(units [][]float64, loss Loss) *Model { return &Model{units, loss} }

// Units returns the number of rows of H.
func (m *Model) Units() int { return len(m.h) }

// Weights returns a copy of H.
func (m *Model) Weights() [][]float64 { return coding.Clone(m.h) }

// Decode writes the sum of the units weighted by the code.
func (m *Model) Decode(code, y []float64) { multiply(code, m.h, y) }

// multiply writes w'h to y.
func multiply(w []float64, h [][]float64, y []float64) {
	clear(y)
	for k, u := range w {
		if u != 0 {
			floats.AddScaled(y, u, h[k])
		}
	}
}

// Code writes the non-negative code of x of least loss, the units held fixed.
// Both losses are convex in the code.
func (m *Model) Code(x, code []float64) {
	const most, converged = 2000, 1e-8
	for k := range code {
		code[k] = 1 // not 0, which a product keeps
	}
	step := m.sweeper()
	for range most {
		if step(x, code) < converged {
			return
		}
	}
}

// sweeper returns a function that improves a code once and returns the largest
// change of a coefficient.
func (m *Model) sweeper() func(x, code []float64) float64 {
	if m.loss == KL {
		return func(x, code []float64) float64 { return multiplicative(x, m.h, code) }
	}
	gram := coding.Matrix(len(m.h), len(m.h))
	coding.Gram(gram, m.h)
	return func(x, code []float64) float64 { return sweep(x, m.h, gram, code) }
}

// Cost returns the loss of a reconstruction y of x.
func (m *Model) Cost(x, y []float64) float64 {
	if m.loss == Frobenius {
		return coding.SquaredError(x, y) / 2
	}
	sum := 0.0
	for d, v := range x {
		sum += y[d] - v
		if v > 0 {
			sum += v * math.Log(v/max(y[d], least))
		}
	}
	return sum
}

// least keeps quotients finite.
const least = 1e-12

// slope returns the derivative of half the squared error in coefficient k.
func slope(x []float64, h, gram [][]float64, w []float64, k int) float64 {
	return floats.Dot(gram[k], w) - floats.Dot(h[k], x)
}

// sweep sets every coefficient to its best non-negative value in turn.
func sweep(x []float64, h, gram [][]float64, w []float64) float64 {
	most := 0.0
	for k, u := range w {
		if gram[k][k] <= least {
			continue
		}
		w[k] = max(0, u-slope(x, h, gram, w, k)/gram[k][k])
		most = max(most, math.Abs(w[k]-u))
	}
	return most
}

// ratios returns the two parts of the divergence's slope in the coefficients,
// minus up plus down: up is of x/y, down of 1.
func ratios(x []float64, h [][]float64, w, up, down []float64) {
	y := make([]float64, len(x))
	multiply(w, h, y)
	for d, v := range x {
		y[d] = v / max(y[d], least)
	}
	for k, unit := range h {
		up[k], down[k] = floats.Dot(unit, y), floats.Sum(unit)
	}
}

// multiplicative multiplies every coefficient by the quotient of the parts.
func multiplicative(x []float64, h [][]float64, w []float64) float64 {
	parts := make([]float64, 2*len(w))
	up, down := parts[:len(w)], parts[len(w):]
	ratios(x, h, w, up, down)
	most := 0.0
	for k, u := range w {
		w[k] *= up[k] / max(down[k], least)
		most = max(most, math.Abs(w[k]-u))
	}
	return most
}

// Fit factorises the rows (numbers from 0 to 1), started at random. The result depends on the
// rows and the options only. The error is the rows' or the context's.
func Fit(ctx context.Context, rows [][]float64, o Options) (*Model, error) {
	o = o.withDefaults()
	return coding.Fit(ctx, rows, o.Iterations, func() (*Model, func()) {
		f := newFactors(rows, o)
		return New(f.h, o.Loss), f.iterate
	})
}

// factors is a factorisation under way, kept both ways round.
type factors struct {
	rows, columns [][]float64
	w, h, wt, ht  [][]float64
	loss          Loss
}

func newFactors(rows [][]float64, o Options) *factors {
	n, d := len(rows), len(rows[0])
	f := &factors{rows: rows, columns: coding.Matrix(d, n), loss: o.Loss,
		w: coding.Matrix(n, o.Units), h: coding.Matrix(o.Units, d), wt: coding.Matrix(o.Units, n), ht: coding.Matrix(d, o.Units)}
	coding.Transpose(f.columns, rows)
	mean := 0.0
	for _, x := range rows {
		mean += floats.Sum(x)
	}
	scale := math.Sqrt(mean / float64(n*d*o.Units))
	rng := rand.New(rand.NewPCG(o.Seed, 0x6e6d66))
	for _, m := range [][][]float64{f.w, f.h} {
		for _, row := range m {
			for j := range row {
				row[j] = scale * math.Abs(rng.NormFloat64())
			}
		}
	}
	return f
}

// iterate improves W with H fixed, then H with W fixed: the same, turned.
func (f *factors) iterate() {
	f.improve(f.rows, f.w, f.h)
	f.turn()
	f.improve(f.columns, f.ht, f.wt)
	f.back()
}

// improve sweeps once over the coefficients w of every row of x.
func (f *factors) improve(x, w, h [][]float64) {
	step := New(h, f.loss).sweeper()
	for i := range x {
		step(x[i], w[i])
	}
}

func (f *factors) turn() { coding.Transpose(f.wt, f.w); coding.Transpose(f.ht, f.h) }
func (f *factors) back() { coding.Transpose(f.h, f.ht) }
