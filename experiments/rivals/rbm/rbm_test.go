package rbm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/experiments/rivals/coding"
	"example.com/patchwork/experiments/rivals/coding/codingtest"
)

// small is a machine with random parameters.
func small(k, d int, seed uint64) *Model {
	r := rand.New(rand.NewPCG(seed, 0))
	m := New(coding.Matrix(k, d), make([]float64, k), make([]float64, d))
	for _, p := range m.parameters() {
		*p = r.NormFloat64()
	}
	return m
}

func (m *Model) parameters() (out []*float64) {
	for _, row := range append([][]float64{m.b, m.c}, m.w...) {
		for j := range row {
			out = append(out, &row[j])
		}
	}
	return out
}

// flat is the gradient in the order of parameters.
func (g *gradient) flat() (out []float64) {
	for _, row := range append([][]float64{g.b, g.c}, g.w...) {
		out = append(out, row...)
	}
	return out
}

// states are all rows of d bits.
func states(d int) (out [][]float64) {
	for s := range 1 << d {
		v := make([]float64, d)
		for j := range v {
			v[j] = float64(s >> j & 1)
		}
		out = append(out, v)
	}
	return out
}

// slopes compares a gradient with central differences of f.
func slopes(t *testing.T, what string, m *Model, f func() float64, g []float64) {
	t.Helper()
	const h = 1e-5
	for i, p := range m.parameters() {
		old := *p
		*p = old + h
		up := f()
		*p = old - h
		down := f()
		*p = old
		if want := (up - down) / (2 * h); math.Abs(g[i]-want) > 1e-7*(1+math.Abs(want)) {
			t.Errorf("%s, parameter %d: gradient %v, by differences %v", what, i, g[i], want)
		}
	}
}

func TestFreeEnergyIsOfTheJoint(t *testing.T) {
	m := small(3, 4, 1)
	for _, v := range states(4) {
		sum := 0.0
		for _, h := range states(3) {
			e := 0.0
			for k, hk := range h {
				e += m.b[k] * hk
				for d, x := range v {
					e += hk * m.w[k][d] * x
				}
			}
			for d, x := range v {
				e += m.c[d] * x
			}
			sum += math.Exp(e)
		}
		if got := m.FreeEnergy(v); math.Abs(got+math.Log(sum)) > 1e-12 {
			t.Errorf("%v: free energy %v, by enumeration %v", v, got, -math.Log(sum))
		}
	}
}

func TestGradientOfFreeEnergy(t *testing.T) {
	m := small(3, 5, 2)
	code := make([]float64, 3)
	for _, v := range states(5) {
		g := newGradient(3, 5)
		m.Code(v, code)
		g.add(1, v, code)
		slopes(t, "free energy", m, func() float64 { return -m.FreeEnergy(v) }, g.flat())
	}
}

// The gradient of the log-likelihood is that at the data less that under the
// machine: the phases of contrastive divergence, summed exactly.
func TestGradientOfLogLikelihood(t *testing.T) {
	m := small(3, 5, 3)
	data := []float64{1, 0, 1, 1, 0}
	logLik := func() float64 { return -m.FreeEnergy(data) - m.logPartition() }
	g, code := newGradient(3, 5), make([]float64, 3)
	m.Code(data, code)
	g.add(1, data, code)
	z := m.logPartition()
	for _, v := range states(5) {
		m.Code(v, code)
		g.add(-math.Exp(-m.FreeEnergy(v)-z), v, code)
	}
	slopes(t, "log-likelihood", m, logLik, g.flat())
}

func (m *Model) logPartition() float64 {
	sum := 0.0
	for _, v := range states(len(m.c)) {
		sum += math.Exp(-m.FreeEnergy(v))
	}
	return math.Log(sum)
}

// The conditionals and the pseudo-likelihood are those of the joint.
func TestPseudoLogLik(t *testing.T) {
	m := small(3, 4, 4)
	for _, v := range states(4) {
		want := 0.0
		for d := range v {
			other := append([]float64(nil), v...)
			other[d] = 1 - other[d]
			p, q := math.Exp(-m.FreeEnergy(v)), math.Exp(-m.FreeEnergy(other))
			want += math.Log(p / (p + q))
		}
		if got := m.PseudoLogLik(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
}

// A chain with the model's own conditionals comes to the model's own
// distribution.
func TestGibbsSamplesTheMachine(t *testing.T) {
	m := small(2, 3, 5)
	l := &learner{Model: m, rng: rand.New(rand.NewPCG(1, 1)), code: make([]float64, 2)}
	v, counts := make([]float64, 3), make([]float64, 8)
	const draws = 100_000
	for range draws {
		l.Code(v, l.code)
		sample(l.rng, l.code)
		l.sampleVisible(v)
		counts[int(v[0]+2*v[1]+4*v[2])]++
	}
	z := m.logPartition()
	for i, s := range states(3) {
		if want, got := math.Exp(-m.FreeEnergy(s)-z), counts[i]/draws; math.Abs(got-want) > 0.015 {
			t.Errorf("%v: share %v, probability %v", s, got, want)
		}
	}
}

// bars are rows of two patterns.
func bars() [][]float64 {
	out := coding.Matrix(40, 8)
	for i, row := range out {
		for j := range row {
			row[j] = float64((j/4 + i) % 2)
		}
	}
	return out
}

func TestFitLearns(t *testing.T) {
	for _, o := range []Options{{Units: 2, Seed: 1}, {Units: 2, Seed: 1, Momentum: 0.5, Steps: 3}, {Units: 2, Seed: 2, Persistent: true, Epochs: 300}} {
		m, err := Fit(t.Context(), bars(), o)
		if err != nil {
			t.Fatal(err)
		}
		code, y, v := make([]float64, 2), make([]float64, 8), bars()[0]
		m.Code(v, code)
		m.Decode(code, y)
		if e := coding.CrossEntropy(v, y); !(e < 1) {
			t.Errorf("%+v: cross-entropy %v of 5.5 without learning", o, e)
		}
	}
}

func TestFit(t *testing.T) {
	codingtest.Fit(t, bars(), func(ctx context.Context, rows [][]float64, seed uint64) (*Model, error) {
		return Fit(ctx, rows, Options{Units: 3, Epochs: 5, Seed: seed})
	})
}
