// Package rbm is a restricted Boltzmann machine with binary visible and hidden
// units, learned by contrastive divergence (Hinton, "Training products of
// experts by minimizing contrastive divergence", 2002) or persistent
// contrastive divergence (Tieleman, 2008; scikit-learn's BernoulliRBM).
package rbm

import (
	"cmp"
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.com/patchwork/experiments/rivals/coding"
)

// Options of learning. The zero value, but for the rate and the seed, is what
// the comparison starts from.
type Options struct {
	Units      int     // hidden; 0 means 8
	Rate       float64 // learning rate, of the mean gradient of a minibatch; 0 means 0.1
	Momentum   float64 // 0 to below 1
	Epochs     int     // 0 means 100, the paper's
	Batch      int     // rows of a minibatch; 0 means 10
	Steps      int     // of Gibbs sampling; 0 means 1 (CD-1)
	Persistent bool    // chains go on from batch to batch
	Seed       uint64
}

func (o Options) withDefaults() Options {
	o.Units, o.Rate, o.Epochs = cmp.Or(o.Units, 8), cmp.Or(o.Rate, 0.1), cmp.Or(o.Epochs, 100)
	o.Batch, o.Steps = cmp.Or(o.Batch, 10), cmp.Or(o.Steps, 1)
	return o
}

// Model is a machine with K hidden and D visible units: energy
// E(v,h) = -h'Wv - b'h - c'v. It is immutable.
type Model struct {
	w    [][]float64 // K rows of D
	b, c []float64   // K hidden, D visible
}

var _ coding.Coder = (*Model)(nil)

// New returns a machine with the given weights (K rows of D), hidden and visible
// biases, which it keeps. It panics unless their sizes agree.
func New(w [][]float64, hidden, visible []float64) *Model {
	if len(w) != len(hidden) || len(w) == 0 || len(w[0]) != len(visible) {
		panic("rbm: weights and biases do not fit")
	}
	return &Model{w, hidden, visible}
}

// Units returns the number of hidden units.
func (m *Model) Units() int { return len(m.w) }

// Weights returns a copy of the weights, one row a hidden unit.
func (m *Model) Weights() [][]float64 { return coding.Clone(m.w) }

// Code writes P(h = 1 | v = x) of each hidden unit.
func (m *Model) Code(x, code []float64) { coding.Activations(code, m.w, m.b, x) }

// Decode writes P(v = 1 | h = code) of each visible unit: one step of mean
// field where the code is not binary.
func (m *Model) Decode(code, y []float64) { coding.Probabilities(y, m.w, m.c, code) }

// FreeEnergy is -log of the unnormalised probability of v:
// -c'v - sum over k of log(1+exp(b_k + W_k'v)).
func (m *Model) FreeEnergy(v []float64) float64 {
	e := -floats.Dot(m.c, v)
	for k, w := range m.w {
		e -= coding.Softplus(m.b[k] + floats.Dot(w, v))
	}
	return e
}

// PseudoLogLik returns the sum over the visible units of log P(v_d | the others), in
// nats.
func (m *Model) PseudoLogLik(v []float64) float64 {
	flipped := append([]float64(nil), v...)
	energy, sum := m.FreeEnergy(v), 0.0
	for d := range flipped {
		flipped[d] = 1 - v[d]
		sum -= coding.Softplus(energy - m.FreeEnergy(flipped))
		flipped[d] = v[d]
	}
	return sum
}

// gradient is of -FreeEnergy in the parameters.
type gradient struct {
	w    [][]float64
	b, c []float64
}

func newGradient(k, d int) *gradient {
	return &gradient{coding.Matrix(k, d), make([]float64, k), make([]float64, d)}
}

// add adds s times the gradient of -FreeEnergy at v, given the code of v.
func (g *gradient) add(s float64, v, code []float64) {
	for k, h := range code {
		g.b[k] += s * h
		floats.AddScaled(g.w[k], s*h, v)
	}
	floats.AddScaled(g.c, s, v)
}

// scale multiplies the gradient, to keep a share of it as momentum.
func (g *gradient) scale(s float64) {
	for k := range g.w {
		floats.Scale(s, g.w[k])
	}
	floats.Scale(s, g.b)
	floats.Scale(s, g.c)
}

// Fit learns a machine from rows of 0 and 1 (numbers between are taken as
// probabilities). Weights start from N(0, .01^2), biases from 0. The result
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
	rows   [][]float64
	o      Options
	rng    *rand.Rand
	step   *gradient // with momentum
	code   []float64
	chains [][]float64 // visible states, one a place in a batch
}

func newLearner(rows [][]float64, o Options) *learner {
	d := len(rows[0])
	l := &learner{rows: rows, o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x72626d)),
		step: newGradient(o.Units, d), code: make([]float64, o.Units), chains: coding.Matrix(o.Batch, d)}
	l.Model = New(coding.Matrix(o.Units, d), make([]float64, o.Units), make([]float64, d))
	for _, w := range l.w {
		for j := range w {
			w[j] = 0.01 * l.rng.NormFloat64()
		}
	}
	if o.Persistent { // chains start from no hidden unit on, as scikit-learn's do
		for _, v := range l.chains {
			l.sampleVisible(v)
		}
	}
	return l
}

// batch makes one step: up the free energy's slope at the data, down it at what
// the machine makes of them.
func (l *learner) batch(rows []int) {
	l.step.scale(l.o.Momentum)
	s := l.o.Rate / float64(len(rows))
	for place, i := range rows {
		l.Code(l.rows[i], l.code)
		l.step.add(s, l.rows[i], l.code)
		v := l.chains[place]
		if l.o.Persistent {
			l.Code(v, l.code)
		}
		for range l.o.Steps {
			sample(l.rng, l.code)
			l.sampleVisible(v)
			l.Code(v, l.code)
		}
		l.step.add(-s, v, l.code)
	}
	for k, w := range l.w {
		floats.Add(w, l.step.w[k])
	}
	floats.Add(l.b, l.step.b)
	floats.Add(l.c, l.step.c)
}

// sampleVisible draws v given the hidden states in code.
func (l *learner) sampleVisible(v []float64) {
	l.Decode(l.code, v)
	sample(l.rng, v)
}

// sample turns probabilities into draws.
func sample(rng *rand.Rand, p []float64) {
	for i, v := range p {
		p[i] = 0
		if rng.Float64() < v {
			p[i] = 1
		}
	}
}
