package real

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// tallyOf returns the counts of rows under a model of a table, as bytes.
func tallyOf(t *rapid.T, m *Model, rows [][]float64) *Tally {
	t.Helper()
	data := (&Stream{height: m.Height, width: m.Width, scales: m.Scales}).block(rows)
	tally, err := EStep(context.Background(), m, data, 1)
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

// drawRows returns a model of a table on a grid, and rows of it.
func drawRows(t *rapid.T) (*Model, [][]float64) {
	m, _ := drawTable(t, Rule(rapid.IntRange(0, 2).Draw(t, "rule")))
	if m.Scales == nil {
		for range m.D() {
			m.Scales = append(m.Scales, Scale{Step: 1. / 64, Floor: .01})
		}
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	rows := make([][]float64, rapid.IntRange(1, 8).Draw(t, "n"))
	for i := range rows {
		rows[i] = m.Sample(rng)
		for d := range rows[i] {
			if rng.IntN(6) == 0 {
				rows[i][d] = math.NaN()
			}
		}
	}
	return m, rows
}

// TestRowsTwice: the counts of rows that come twice are twice their counts, to the last bit.
func TestRowsTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, rows := drawRows(t)
		once, twice := tallyOf(t, m, rows), tallyOf(t, m, append(slices.Clone(rows), rows...))
		if err := once.Merge(tallyOf(t, m, rows)); err != nil {
			t.Fatal(err)
		}
		a, _ := once.MarshalBinary()
		b, _ := twice.MarshalBinary()
		if !bytes.Equal(a, b) {
			t.Fatal("the counts of rows twice are not twice their counts")
		}
	})
}

// TestUnknownRowSaysNothing: a row of unknown values has the probability 1, is explained by nothing that has to pay,
// counts no value,
// and its prediction is what the model says of rows at large: between the extremes of all opinions.
func TestUnknownRowSaysNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, _ := drawRows(t)
		row := slices.Repeat([]float64{math.NaN()}, m.D())
		p := pursuitOf(t, m)
		e := explainOf(t, m, row)
		if len(e.Picks) != 0 || e.LogLik != 0 || e.StartLogLik != 0 {
			t.Fatalf("%+v", e)
		}
		post, err := p.Best(row, 1<<m.K())
		if err != nil {
			t.Fatal(err)
		}
		if post.Evidence > 1e-9 || post.Evidence < e.LogJoint-1e-9 {
			t.Fatalf("log-probability %v, of one explanation %v", post.Evidence, e.LogJoint)
		}
		said := post.Predict(row, .8)
		for d := range row {
			low, high := m.Background[d].Mean, m.Background[d].Mean
			for _, part := range m.Experts {
				if o := part[d]; o.Vote != Abstains {
					low, high = min(low, o.Mean), max(high, o.Mean)
				}
			}
			if x := said.Mean[d]; x < low-1e-9*(1+math.Abs(low)) || x > high+1e-9*(1+math.Abs(high)) {
				t.Fatalf("column %d: %v is outside %v to %v", d+1, x, low, high)
			}
		}
		tally := tallyOf(t, m, [][]float64{row})
		for d := range tally.All {
			if tally.All[d].N != 0 || tally.Free[d].N != 0 {
				t.Fatalf("column %d counts an unknown value", d+1)
			}
		}
	})
}

// TestColumnsStandByThemselves: columns in another order give the same log-likelihoods and explanations; so does a
// column more
// of which no part says anything, but for what the background says of it.
func TestColumnsStandByThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, rows := drawRows(t)
		order := rapid.Permutation(func() (all []int) {
			for d := range m.D() {
				all = append(all, d)
			}
			return all
		}()).Draw(t, "order")
		other := *m
		other.Background, other.Scales, other.Experts = nil, nil, nil
		for _, d := range order {
			other.Background, other.Scales = append(other.Background, m.Background[d]), append(other.Scales, m.Scales[d])
		}
		for _, e := range m.Experts {
			var next []Entry
			for _, d := range order {
				next = append(next, e[d])
			}
			other.Experts = append(other.Experts, append(next, Entry{}))
		}
		extra := Normal{3, 2}
		other.Width++
		other.Background, other.Scales = append(other.Background, extra), append(other.Scales, Scale{Step: 1})
		for _, row := range rows {
			var moved []float64
			for _, d := range order {
				moved = append(moved, row[d])
			}
			a, b := explainOf(t, m, row), explainOf(t, &other, append(moved, 5))
			if more := extra.LogDensity(5); !near(a.StartLogLik+more, b.StartLogLik) || !near(a.LogJoint+more, b.LogJoint) {
				t.Fatalf("%v: %v and %v, in another order and with a column more %v and %v", row, a.StartLogLik+more,
					a.LogJoint+more, b.StartLogLik, b.LogJoint)
			}
		}
	})
}

// TestFewRows: one row, the same row again and again, and two rows have no parts, and give a model that says them.
func TestFewRows(t *testing.T) {
	row := []float64{1.5, -2, math.NaN(), 0, 1e6}
	for _, rows := range [][][]float64{{row}, slices.Repeat([][]float64{row}, 30), {row, {2, -3, 1, 0, 1e6 + 1}},
		{slices.Repeat([]float64{math.NaN()}, 5)}} {
		for _, predict := range []bool{false, true} {
			m := learned(t, newData(t, 1, 5, rows), Options{Predict: predict}).Model
			if m.K() != 0 || m.Committee != nil {
				t.Errorf("%d rows: %d parts, and %d models beside it", len(rows), m.K(), len(m.Committee))
			}
			for d, x := range rows[0] {
				if b := m.Background[d]; !math.IsNaN(x) && math.Abs(b.Mean-x) > 3*math.Sqrt(b.Var)+1e-9 {
					t.Errorf("%d rows, column %d: the background %+v does not say %v", len(rows), d+1, b, x)
				}
			}
		}
	}
}
