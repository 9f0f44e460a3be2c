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
		o := Options{Starts: 2, Rule: Rule(rapid.IntRange(0, 2).Draw(t, "rule")), Predict: rapid.Bool().Draw(t, "predict")}
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

// TestOrderOfRows: the counts of rows, and the step from them, do not depend on the order of the rows.
func TestOrderOfRows(t *testing.T) {
	rows := mixedRows(60, 11)
	m := learned(t, newData(t, 1, 6, rows), Options{Starts: 1}).Model
	rapid.Check(t, func(t *rapid.T) {
		count := func(rows [][]float64) string {
			data := (&Stream{height: 1, width: 6, scales: m.Scales}).block(rows)
			tally, err := EStep(context.Background(), m, data, 1)
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
