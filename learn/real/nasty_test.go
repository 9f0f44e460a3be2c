package real

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestLearnTakesAnything: whatever finite or unknown values there are, a valid model comes out, and it can be used:
// densities are numbers, predictions too, and samples fit the model.
func TestLearnTakesAnything(t *testing.T) {
	value := rapid.SampledFrom([]float64{0, 0, 1, 1, -1, 2, .5, math.Pi, math.NaN(), math.NaN(), 1e150, -1e150, 1e-300,
		1e9, 1e9 + 1, .1, math.Copysign(0, -1)})
	rapid.Check(t, func(t *rapid.T) {
		h, w := rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "height"), rapid.IntRange(1, 4).Draw(t, "width")
		rows := rapid.SliceOfN(rapid.SliceOfN(value, h*w, h*w), 1, 9).Draw(t, "rows")
		o := Options{Starts: 2, Rule: Rule(rapid.IntRange(0, 2).Draw(t, "rule")), Predict: rapid.Bool().Draw(t, "predict"),
			MeansOnly: rapid.Bool().Draw(t, "means")}
		data, err := NewData(h, w, rows)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Learn(context.Background(), data, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Model.Check(); err != nil {
			t.Fatal(err)
		}
		p, err := NewPursuit(r.Model)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range data.Rows {
			e, err := p.Explain(row)
			if err != nil || math.IsNaN(e.LogJoint) || math.IsInf(e.LogJoint, 0) {
				t.Fatalf("%v: joint %v, %v", row, e.LogJoint, err)
			}
			post, err := p.Best(row, 4)
			if err != nil || post.Evidence < e.LogJoint-1e-6*(1+math.Abs(e.LogJoint)) {
				t.Fatalf("%v: evidence %v below one explanation, %v (%v)", row, post.Evidence, e.LogJoint, err)
			}
			out := post.Predict(row, .9)
			for d := range row {
				if !(out.Deviation[d] >= 0) || !(out.Low[d] <= out.High[d]) || math.IsInf(out.Mean[d], 0) {
					t.Fatalf("%v: column %d is %v ± %v, from %v to %v", row, d+1, out.Mean[d], out.Deviation[d], out.Low[d],
						out.High[d])
				}
			}
		}
		if err := r.Model.CheckImage(r.Model.Sample(rand.New(rand.NewPCG(1, 1)))); err != nil {
			t.Fatal(err)
		}
	})
}

// TestUnitsDoNotMatter: columns in other units give the same parts, in these units.
func TestUnitsDoNotMatter(t *testing.T) {
	rows := quadrants(120, 2, .5, 4)
	other := make([][]float64, len(rows))
	scale := func(d int) float64 { return math.Ldexp(1, d%7-3) }
	for i, row := range rows {
		for d := range row {
			row[d] = math.Round(row[d]*1024) / 1024
			other[i] = append(other[i], row[d]*scale(d))
		}
	}
	a := learned(t, newData(t, 1, 16, rows), Options{Starts: 2}).Model
	b := learned(t, newData(t, 1, 16, other), Options{Starts: 2}).Model
	if a.K() != b.K() || a.K() == 0 {
		t.Fatalf("%d parts, in other units %d", a.K(), b.K())
	}
	for k := range a.Experts {
		for d, e := range a.Experts[k] {
			if o := b.Experts[k][d]; o.Vote != e.Vote || e.Vote != Abstains && math.Abs(o.Mean-e.Mean*scale(d)) > 1e-3*scale(d) {
				t.Errorf("part %d, column %d: %+v, in other units %+v (times %v)", k, d+1, e, o, scale(d))
			}
		}
	}
}

// TestColumnsWithoutVariance: a column of one value, or of no value, has no part in anything and breaks nothing.
func TestColumnsWithoutVariance(t *testing.T) {
	rows := quadrants(120, 2, 1, 5)
	for i := range rows {
		rows[i] = append(rows[i], 7, math.NaN())
	}
	m := learned(t, newData(t, 1, 18, rows), Options{Starts: 1}).Model
	if m.K() == 0 {
		t.Error("no parts")
	}
	for k, e := range m.Experts {
		if e[16].Vote != Abstains || e[17].Vote != Abstains {
			t.Errorf("part %d speaks of a column where there is nothing to say: %+v, %+v", k, e[16], e[17])
		}
	}
	if b := m.Background[16]; b.Mean != 7 {
		t.Errorf("the background of a column of sevens is %v", b)
	}
}

// TestOrderOfRows: the counts of rows, and the step from them, do not depend on the order of the rows.
func TestOrderOfRows(t *testing.T) {
	rows := mixedRows(60, 11)
	m := learned(t, newData(t, 1, 6, rows), Options{Starts: 1}).Model
	rapid.Check(t, func(t *rapid.T) {
		count := func(rows [][]float64) string {
			data := (&Stream{height: 1, width: 6, scales: m.Scales}).block(rows)
			tally, err := EStep(context.Background(), m, data, 4, 1)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := tally.MarshalBinary()
			return string(text)
		}
		if count(rows) != count(rapid.Permutation(rows).Draw(t, "rows")) {
			t.Fatal("another order, another tally")
		}
	})
}
