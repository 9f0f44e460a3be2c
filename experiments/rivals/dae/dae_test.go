package dae

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/experiments/rivals/coding"
	"example.com/patchwork/experiments/rivals/coding/codingtest"
)

// parameters of a model, once each.
func (m *Model) parameters() (out []*float64) {
	rows := append([][]float64{m.b, m.c}, m.w...)
	if !m.tied() {
		rows = append(rows, m.v...)
	}
	for _, row := range rows {
		for j := range row {
			out = append(out, &row[j])
		}
	}
	return out
}

// The gradient of what is minimised, the cross-entropy of the clean row and
// the reconstruction from the corrupted one, against central differences.
func TestGradient(t *testing.T) {
	for _, untied := range []bool{false, true} {
		r := rand.New(rand.NewPCG(1, 2))
		m := newModel(7, Options{Units: 4, Untied: untied}, r)
		for _, p := range m.parameters() {
			*p = r.NormFloat64()
		}
		x, at := []float64{1, 0, 1, 1, 0, 0.25, 0}, newScratch(4, 7)
		corrupted := []float64{1, 0, 0, 1, 0, 0.25, 0}
		loss := func() float64 {
			code, y := make([]float64, 4), make([]float64, 7)
			m.Code(corrupted, code)
			m.Decode(code, y)
			return coding.CrossEntropy(x, y)
		}
		g := m.zero()
		copy(at.in, corrupted)
		m.gradient(g, 2, x, at)
		slopes := g.parameters()
		for i, p := range m.parameters() {
			const h = 1e-5
			old := *p
			*p = old + h
			up := loss()
			*p = old - h
			down := loss()
			*p = old
			if want := 2 * (up - down) / (2 * h); math.Abs(*slopes[i]-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("untied %v, parameter %d: gradient %v, by differences %v", untied, i, *slopes[i], want)
			}
		}
	}
}

// A minibatch of one goes its own, faster way: to the same place.
func TestOneRowAlone(t *testing.T) {
	rows := bars()
	for _, untied := range []bool{false, true} {
		o := Options{Untied: untied, Corruption: 0.3, Seed: 4}.withDefaults()
		fast, slow := newLearner(rows, o), newLearner(rows, o)
		for _, x := range rows {
			fast.alone(x)
			slow.corrupt(x)
			slow.gradient(slow.sum, -o.Rate, x, slow.at)
			slow.move()
		}
		want := slow.parameters()
		for i, p := range fast.parameters() {
			if math.Abs(*p-*want[i]) > 1e-12 {
				t.Fatalf("untied %v, parameter %d: %v and %v", untied, i, *p, *want[i])
			}
		}
	}
}

func TestCorruption(t *testing.T) {
	l := newLearner(bars(), Options{Corruption: 0.25, Seed: 1}.withDefaults())
	ones := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	off, n := 0.0, 4000
	for range n {
		l.corrupt(ones)
		for _, v := range l.at.in {
			if v != 0 && v != 1 {
				t.Fatalf("a pixel became %v", v)
			}
			off += 1 - v
		}
	}
	if share := off / float64(8*n); math.Abs(share-0.25) > 0.01 {
		t.Errorf("%v of the pixels were masked", share)
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
	for _, o := range []Options{{Seed: 1}, {Seed: 1, Untied: true, Corruption: 0.3}, {Seed: 1, Batch: 7, Rate: 0.5}, {Seed: 2, Untied: true, Batch: 40, Rate: 1}} {
		o.Units = 3
		m, err := Fit(t.Context(), bars(), o)
		if err != nil {
			t.Fatal(err)
		}
		code, y, x := make([]float64, 3), make([]float64, 8), bars()[0]
		m.Code(x, code)
		m.Decode(code, y)
		if e := coding.CrossEntropy(x, y); !(e < 1) {
			t.Errorf("%+v: cross-entropy %v of 5.5 without learning", o, e)
		}
		if m.tied() == o.Untied {
			t.Errorf("%+v: tied %v", o, m.tied())
		}
	}
}

func TestFit(t *testing.T) {
	codingtest.Fit(t, bars(), func(ctx context.Context, rows [][]float64, seed uint64) (*Model, error) {
		return Fit(ctx, rows, Options{Untied: true, Corruption: 0.1, Epochs: 5, Seed: seed})
	})
}
