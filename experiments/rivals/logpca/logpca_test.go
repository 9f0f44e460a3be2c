package logpca

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.com/patchwork/experiments/rivals/coding"
	"example.com/patchwork/experiments/rivals/coding/codingtest"
)

func random(k, d, n int, ridge float64, seed uint64) (*Model, [][]float64) {
	r := rand.New(rand.NewPCG(seed, 0))
	m := New(coding.Matrix(k, d), make([]float64, d), ridge)
	for _, row := range append([][]float64{m.bias}, m.v...) {
		for j := range row {
			row[j] = 2 * r.NormFloat64()
		}
	}
	rows := coding.Matrix(n, d)
	for _, x := range rows {
		for j := range x {
			x[j] = float64(r.IntN(2))
		}
	}
	return m, rows
}

// The slope that every step starts from, and Newton's curvature, against
// central differences of the cost.
func TestGradientAndCurvature(t *testing.T) {
	m, rows := random(4, 9, 10, 0.5, 1)
	b, code := newBound(4, 9), []float64{.3, -1, 0, .7}
	slope := func(x []float64) []float64 {
		b.fill(x, m.v, m.bias, m.ridge, code, newton)
		return append([]float64(nil), b.g.RawVector().Data...)
	}
	for _, x := range rows {
		g := slope(x)
		for k := range code {
			const h = 1e-5
			old := code[k]
			code[k] = old + h
			up, gUp := m.Cost(x, code), slope(x)
			code[k] = old - h
			down, gDown := m.Cost(x, code), slope(x)
			code[k] = old
			if want := (up - down) / (2 * h); math.Abs(g[k]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("gradient %v, by differences %v", g[k], want)
			}
			slope(x)
			for j := range code {
				if got, want := b.a.At(j, k), (gUp[j]-gDown[j])/(2*h); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("curvature %v, by differences %v", got, want)
				}
			}
		}
	}
}

// The bound is one: it touches softplus(t) - xt at t0 and lies above it.
func TestJaakkolaIsABound(t *testing.T) {
	for _, at := range []float64{-30, -2, -1e-4, -1e-5, 0, 1e-9, 1e-4, .5, 8} {
		for _, to := range []float64{-40, -9, -1, 0, .1, 3, 25} {
			d := to - at
			bound := coding.Softplus(at) + coding.Sigmoid(at)*d + jaakkola(at)/2*d*d
			if coding.Softplus(to) > bound+1e-9*math.Abs(bound) {
				t.Errorf("from %v to %v: bound %v, function %v", at, to, bound, coding.Softplus(to))
			}
		}
	}
	if math.Abs(jaakkola(0.99e-4)-jaakkola(1.01e-4)) > 1e-9 {
		t.Error("the two formulas do not meet")
	}
}

// The cost is convex in the code: where its slope is 0 it is the least. Nasty:
// components so large that a code saturates.
func TestCodeIsTheBest(t *testing.T) {
	for _, ridge := range []float64{1e-3, 0.1, 1} {
		m, rows := random(4, 9, 30, ridge, 2)
		floats.Scale(10, m.v[0])
		b, code := newBound(4, 9), make([]float64, 4)
		for _, x := range rows {
			m.Code(x, code)
			b.fill(x, m.v, m.bias, ridge, code, newton)
			for k := range code {
				if g := b.g.AtVec(k); math.Abs(g) > 1e-5 {
					t.Errorf("ridge %v: slope %v", ridge, g)
				}
			}
		}
	}
}

// cost is the loss of all rows.
func (l *learner) cost() float64 {
	m, sum := New(l.v, l.bias, l.o.Ridge), 0.0
	for i, x := range l.rows {
		sum += m.Cost(x, l.u[i])
	}
	for _, v := range l.v {
		sum += l.o.Ridge / 2 * floats.Dot(v, v)
	}
	return sum
}

func TestTheLossNeverRises(t *testing.T) {
	for _, ridge := range []float64{1e-6, 0.1, 1} {
		_, rows := random(1, 10, 30, ridge, 3)
		l := newLearner(rows, Options{Units: 3, Ridge: ridge, Seed: 1})
		first := l.cost()
		last := first
		for range 30 {
			l.iterate()
			now := l.cost()
			if now > last+1e-9 {
				t.Fatalf("ridge %v: rose from %v to %v", ridge, last, now)
			}
			last = now
		}
		if last > 0.9*first {
			t.Errorf("ridge %v: fell from %v only to %v", ridge, first, last)
		}
	}
}

// One pattern and its opposite: one component tells them apart.
func TestFitFindsTheComponent(t *testing.T) {
	rows := coding.Matrix(40, 6)
	for i, x := range rows {
		for d := range x {
			x[d] = float64((i + d) % 2)
		}
	}
	m, err := Fit(t.Context(), rows, Options{Units: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	code, y := make([]float64, 1), make([]float64, 6)
	for _, x := range rows[:2] {
		m.Code(x, code)
		m.Decode(code, y)
		if e := coding.CrossEntropy(x, y); e > 1 {
			t.Errorf("%v became %v: cross-entropy %v of 4.2", x, y, e)
		}
	}
}

func TestFit(t *testing.T) {
	_, rows := random(1, 6, 9, 1, 4)
	codingtest.Fit(t, rows, func(ctx context.Context, rows [][]float64, seed uint64) (*Model, error) {
		return Fit(ctx, rows, Options{Units: 3, Iterations: 5, Seed: seed})
	})
}
