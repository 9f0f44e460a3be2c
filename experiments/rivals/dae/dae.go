// Package dae is a denoising autoencoder with one layer of sigmoid units
// (Vincent, Larochelle, Bengio, Manzagol, "Extracting and composing robust
// features with denoising autoencoders", 2008): a row is corrupted by setting
// pixels to 0, encoded, decoded, and judged by the cross-entropy to the row
// before corruption. Learning is by stochastic gradient descent.
package dae

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.com/patchwork/experiments/rivals/coding"
)

// Options of learning. The zero value, but for the seed, is a fair start.
type Options struct {
	Units      int     // hidden; 0 means 8
	Untied     bool    // the decoder has weights of its own
	Corruption float64 // probability that a pixel is set to 0 on the way in, 0 to below 1
	Rate       float64 // learning rate, of the mean gradient of a minibatch; 0 means 0.1
	Epochs     int     // 0 means 100, the paper's
	Batch      int     // rows of a minibatch; 0 means 1
	Seed       uint64
}

func (o Options) withDefaults() Options {
	o.Units, o.Rate, o.Epochs, o.Batch = cmp.Or(o.Units, 8), cmp.Or(o.Rate, 0.1), cmp.Or(o.Epochs, 100), cmp.Or(o.Batch, 1)
	return o
}

// Model is an autoencoder with K hidden units for rows of D numbers: code
// h = sigmoid(Wx + b), reconstruction y = sigmoid(V'h + c), with V = W if tied.
// It is immutable.
type Model struct {
	w, v [][]float64 // K rows of D; the same rows if tied
	b, c []float64
}

var _ coding.Coder = (*Model)(nil)

// Units returns the number of hidden units.
func (m *Model) Units() int { return len(m.w) }

// Weights returns a copy of the decoder's weights, one row a hidden unit: what the
// unit adds to the log-odds of the pixels.
func (m *Model) Weights() [][]float64 { return coding.Clone(m.v) }

// Code writes the activations of the hidden units for x, not corrupted.
func (m *Model) Code(x, code []float64) { coding.Activations(code, m.w, m.b, x) }

// Decode writes the probabilities that the pixels are on.
func (m *Model) Decode(code, y []float64) { coding.Probabilities(y, m.v, m.c, code) }

// newModel has weights uniform in +-4 sqrt(6/(D+K)), the usual start for
// sigmoid units (Glorot and Bengio 2010), and biases 0.
func newModel(d int, o Options, rng *rand.Rand) *Model {
	draw := func() [][]float64 {
		w, reach := coding.Matrix(o.Units, d), 4*math.Sqrt(6/float64(d+o.Units))
		for _, row := range w {
			for j := range row {
				row[j] = reach * (2*rng.Float64() - 1)
			}
		}
		return w
	}
	m := &Model{w: draw(), b: make([]float64, o.Units), c: make([]float64, d)}
	if m.v = m.w; o.Untied {
		m.v = draw()
	}
	return m
}

// tied is whether the decoder's weights are the encoder's.
func (m *Model) tied() bool { return &m.w[0] == &m.v[0] }

// scratch is what one row needs on its way through and back.
type scratch struct {
	in, code, out []float64 // corrupted row, code, reconstruction
	back          []float64 // slope at the hidden units before the sigmoid
}

func newScratch(k, d int) *scratch {
	return &scratch{make([]float64, d), make([]float64, k), make([]float64, d), make([]float64, k)}
}

// gradient adds s times the gradient of the cross-entropy of x and the
// reconstruction from the corrupted row in s.in to g, which has the shape of m.
func (m *Model) gradient(g *Model, s float64, x []float64, at *scratch) {
	m.Code(at.in, at.code)
	m.Decode(at.code, at.out)
	slope := at.out // d loss / d (V'h + c) = y - x
	floats.Sub(slope, x)
	for k, h := range at.code { // all slopes before a tied gradient is changed
		at.back[k] = floats.Dot(m.v[k], slope) * h * (1 - h)
	}
	floats.AddScaled(g.c, s, slope)
	for k, h := range at.code {
		floats.AddScaled(g.v[k], s*h, slope)
		g.b[k] += s * at.back[k]
		floats.AddScaled(g.w[k], s*at.back[k], at.in)
	}
}

// Fit learns an autoencoder from rows of numbers from 0 to 1. The result
// depends on the rows and the options only. The error is the rows' or the context's.
func Fit(ctx context.Context, rows [][]float64, o Options) (*Model, error) {
	o = o.withDefaults()
	return coding.Fit(ctx, rows, o.Epochs, func() (*Model, func()) {
		l := newLearner(rows, o)
		return l.Model, coding.Minibatches(l.rng, len(rows), o.Batch, l.batch)
	})
}

// learner is learning under way.
type learner struct {
	*Model
	rows [][]float64
	o    Options
	rng  *rand.Rand
	at   *scratch
	sum  *Model // the gradient of a minibatch
}

func newLearner(rows [][]float64, o Options) *learner {
	d := len(rows[0])
	l := &learner{rows: rows, o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x646165)), at: newScratch(o.Units, d)}
	l.Model = newModel(d, o, l.rng)
	l.sum = l.zero()
	return l
}

// zero has the shape of m, and shares rows where m does.
func (m *Model) zero() *Model {
	k, d := len(m.w), len(m.c)
	z := &Model{w: coding.Matrix(k, d), b: make([]float64, k), c: make([]float64, d)}
	if z.v = z.w; !m.tied() {
		z.v = coding.Matrix(k, d)
	}
	return z
}

// batch makes one step against the mean gradient of these rows.
func (l *learner) batch(rows []int) {
	if len(rows) == 1 {
		l.alone(l.rows[rows[0]])
		return
	}
	for _, i := range rows {
		l.corrupt(l.rows[i])
		l.gradient(l.sum, -l.o.Rate/float64(len(rows)), l.rows[i], l.at)
	}
	l.move()
}

// alone learns from a minibatch of one: the gradient goes straight into the model,
// which has all of its slopes by then.
func (l *learner) alone(x []float64) {
	l.corrupt(x)
	l.gradient(l.Model, -l.o.Rate, x, l.at)
}

// corrupt writes x to the scratch with pixels set to 0.
func (l *learner) corrupt(x []float64) {
	copy(l.at.in, x)
	if l.o.Corruption == 0 {
		return
	}
	for j := range l.at.in {
		if l.rng.Float64() < l.o.Corruption {
			l.at.in[j] = 0
		}
	}
}

// move adds the gradient of the batch, which has the step's size and sign.
func (l *learner) move() {
	add := func(to, from [][]float64) {
		for k := range to {
			floats.Add(to[k], from[k])
			clear(from[k])
		}
	}
	add(l.w, l.sum.w)
	if !l.tied() {
		add(l.v, l.sum.v)
	}
	add([][]float64{l.b, l.c}, [][]float64{l.sum.b, l.sum.c})
}
