// Package logpca is logistic PCA, the exponential family's for bits (Collins,
// Dasgupta, Schapire 2001), learned as by Schein, Saul and Ungar, "A
// generalized linear model for principal component analysis of binary data"
// (2003): the log-odds of a row are u'V + bias, and u and V are improved in
// turn by a quadratic bound that touches the likelihood at the present place,
// so that no step can make it worse.
package logpca

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.com/patchwork/experiments/rivals/coding"
)

// Options of learning. The zero value, but for the seed, is the default.
type Options struct {
	Units      int     // components; 0 means 8
	Iterations int     // 0 means 50
	Ridge      float64 // half this times the squares of codes and components is added to the loss; 0 means 1: normal priors of variance 1
	Seed       uint64
}

func (o Options) withDefaults() Options {
	o.Units, o.Iterations, o.Ridge = cmp.Or(o.Units, 8), cmp.Or(o.Iterations, 50), cmp.Or(o.Ridge, 1)
	return o
}

// Model is K components and a bias of D log-odds. It is immutable.
type Model struct {
	v     [][]float64 // K rows of D
	bias  []float64
	ridge float64
}

var _ coding.Coder = (*Model)(nil)

// New returns a model of the given components and bias, which it keeps.
func New(v [][]float64, bias []float64, ridge float64) *Model { return &Model{v, bias, ridge} }

// Units returns the number of components.
func (m *Model) Units() int { return len(m.v) }

// Weights returns a copy of the components, in log-odds.
func (m *Model) Weights() [][]float64 { return coding.Clone(m.v) }

// Decode writes the probabilities sigmoid(code'V + bias).
func (m *Model) Decode(code, y []float64) { coding.Probabilities(y, m.v, m.bias, code) }

// Cost returns the loss of a code: the cross-entropy of x, in nats, and half the
// ridge times the code's squares.
func (m *Model) Cost(x, code []float64) float64 {
	t, sum := make([]float64, len(x)), m.ridge/2*floats.Dot(code, code)
	coding.LogOdds(t, m.v, m.bias, code)
	for d, v := range x {
		sum += coding.Softplus(t[d]) - v*t[d]
	}
	return sum
}

// Code writes the code of x of least [Model.Cost], which is convex: Newton's
// step where it makes the loss smaller, the bound's elsewhere.
func (m *Model) Code(x, code []float64) {
	const most, converged = 500, 1e-8
	clear(code)
	b, before := newBound(len(code), len(x)), make([]float64, len(code))
	cost := m.Cost(x, code)
	for range most {
		copy(before, code)
		change := b.step(x, m.v, m.bias, m.ridge, code, newton)
		next := m.Cost(x, code)
		if next > cost {
			copy(code, before)
			change = b.step(x, m.v, m.bias, m.ridge, code, jaakkola)
			next = m.Cost(x, code)
		}
		if change < converged {
			return
		}
		cost = next
	}
}

// bound is scratch for the steps of one side: a quadratic function that
// touches the loss at the present coefficients.
type bound struct {
	t    []float64 // log-odds
	a    *mat.SymDense
	u, g *mat.VecDense
	chol mat.Cholesky
}

func newBound(units, d int) *bound {
	return &bound{t: make([]float64, d), a: mat.NewSymDense(units, nil), u: mat.NewVecDense(units, nil), g: mat.NewVecDense(units, nil)}
}

// step goes to the minimum of the quadratic function and returns the largest
// change of a coefficient. offset is what the log-odds are without v.
func (b *bound) step(x []float64, v [][]float64, offset []float64, ridge float64, code []float64, curve func(float64) float64) float64 {
	b.fill(x, v, offset, ridge, code, curve)
	if !b.chol.Factorize(b.a) || b.chol.SolveVecTo(b.u, b.g) != nil {
		return 0 // curvature lost to rounding: the code stays
	}
	most := 0.0
	for k := range code {
		code[k] -= b.u.AtVec(k)
		most = max(most, math.Abs(b.u.AtVec(k)))
	}
	return most
}

// fill makes the slope g of the loss at the code, and the curvature a.
func (b *bound) fill(x []float64, v [][]float64, offset []float64, ridge float64, code []float64, curve func(float64) float64) {
	coding.LogOdds(b.t, v, offset, code)
	a, g := b.a.RawSymmetric(), b.g.RawVector().Data
	clear(a.Data)
	for k, u := range code {
		g[k] = ridge * u
		a.Data[k*a.Stride+k] = ridge
	}
	for d, t := range b.t {
		c, pull := curve(t), coding.Sigmoid(t)-x[d]
		for j := range code {
			g[j] += pull * v[j][d]
			s := c * v[j][d]
			for k := j; k < len(code); k++ { // the upper half is what is read
				a.Data[j*a.Stride+k] += s * v[k][d]
			}
		}
	}
}

// jaakkola is tanh(t/2)/(2t): with this curvature the quadratic function lies
// above the loss everywhere (Jaakkola and Jordan 1997).
func jaakkola(t float64) float64 {
	if math.Abs(t) < 1e-4 {
		return 0.25 - t*t/48
	}
	return math.Tanh(t/2) / (2 * t)
}

// newton returns the loss's own curvature.
func newton(t float64) float64 {
	p := coding.Sigmoid(t)
	return p * (1 - p)
}

// Fit learns components from rows of numbers from 0 to 1. The bias is the
// log-odds of the smoothed marginals. The result depends on the rows and the
// options only. The error is the rows' or the context's.
func Fit(ctx context.Context, rows [][]float64, o Options) (*Model, error) {
	o = o.withDefaults()
	return coding.Fit(ctx, rows, o.Iterations, func() (*Model, func()) {
		l := newLearner(rows, o)
		return New(l.v, l.bias, o.Ridge), l.iterate
	})
}

// learner is learning under way, kept both ways round.
type learner struct {
	o             Options
	rows, columns [][]float64
	u, v          [][]float64 // N x K, K x D
	ut, vt        [][]float64 // K x N, D x K
	bias          []float64
	level         []float64 // one column's bias, as often as there are rows
	row, column   *bound
}

func newLearner(rows [][]float64, o Options) *learner {
	n, d := len(rows), len(rows[0])
	l := &learner{o: o, rows: rows, columns: coding.Matrix(d, n), u: coding.Matrix(n, o.Units), v: coding.Matrix(o.Units, d),
		ut: coding.Matrix(o.Units, n), vt: coding.Matrix(d, o.Units), bias: make([]float64, d), level: make([]float64, n),
		row: newBound(o.Units, d), column: newBound(o.Units, n)}
	coding.Transpose(l.columns, rows)
	for j, c := range l.columns {
		p := (floats.Sum(c) + 1) / float64(n+2)
		l.bias[j] = math.Log(p / (1 - p))
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x706361))
	for _, row := range l.v {
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	return l
}

// iterate improves every row's code, then every column's components.
func (l *learner) iterate() {
	for i, x := range l.rows {
		l.row.step(x, l.v, l.bias, l.o.Ridge, l.u[i], jaakkola)
	}
	coding.Transpose(l.ut, l.u)
	coding.Transpose(l.vt, l.v)
	for j, x := range l.columns {
		for i := range l.level {
			l.level[i] = l.bias[j]
		}
		l.column.step(x, l.ut, l.level, l.o.Ridge, l.vt[j], jaakkola)
	}
	coding.Transpose(l.v, l.vt)
}
