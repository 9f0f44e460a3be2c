package report

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/internal/alike"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// TestAssociation compares lift and z with the hypergeometric distribution, summed up.
func TestAssociation(t *testing.T) {
	choose := func(n, k int64) float64 {
		c := 1.0
		for i := range k {
			c = c * float64(n-i) / float64(i+1)
		}
		return c
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(2, 30).Draw(t, "all")
		a, b := rapid.Int64Range(1, n-1).Draw(t, "a"), rapid.Int64Range(1, n-1).Draw(t, "b")
		low, high := max(0, a+b-n), min(a, b)
		both := rapid.Int64Range(low, high).Draw(t, "both")
		mean, square := 0.0, 0.0
		for x := low; x <= high; x++ {
			p := choose(a, x) * choose(n-a, b-x) / choose(n, b)
			mean += p * float64(x)
			square += p * float64(x*x)
		}
		lift, z := association(both, a, b, n)
		sd := math.Sqrt(square - mean*mean)
		if math.Abs(float64(lift)-float64(both)/mean) > 1e-9 || math.Abs(float64(z)-(float64(both)-mean)/sd) > 1e-6*(1+1/sd) {
			t.Errorf("lift %v, z %v; want %v, %v", lift, z, float64(both)/mean, (float64(both)-mean)/sd)
		}
	})
	if lift, z := association(0, 0, 5, 10); !math.IsNaN(float64(lift)) || !math.IsNaN(float64(z)) {
		t.Errorf("of nothing: %v, %v", lift, z)
	}
}

// TestQuality checks that all methods predict the same cells, that the column means
// have the loss that the shares of the other rows give, and that planted parts beat
// them.
func TestQuality(t *testing.T) {
	m, set := planted(t, 120)
	r := build(t, m, set, Options{Stability: -1, Workers: 2})
	q := r.Quality
	if q == nil || len(q.By) != 3 || q.Rows != 120 || q.Folds != 5 {
		t.Fatalf("quality %+v, %s", q, r.NoQuality)
	}
	if parts, means := q.By[0], q.By[1]; parts.LogLoss >= means.LogLoss || parts.Sizes[0] != 2 ||
		!near(float64(parts.Bits), float64(parts.LogLoss)/math.Ln2) {
		t.Errorf("parts %+v, means %+v", parts, means)
	}
	// One fold by hand.
	l, why := relearner(m, true)
	if l == nil {
		t.Fatal(why)
	}
	var train, test []int
	for i := range set.Images {
		if i%4 == 0 {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	hidden := posterior.Exclusive(nil).HideBits(rows.Part(set.Data, test), hiddenShare, 1, 9)
	s, err := scoreFold(context.Background(), l, rows.Part(set.Data, train), hidden, 9)
	if err != nil {
		t.Fatal(err)
	}
	total, n := 0.0, 0.0
	for i, img := range hidden.Data.Images {
		for j := range 10 {
			if !img.Known(0, j) || hidden.Visible[i].Known(0, j) {
				continue
			}
			on, known := 0.0, 0.0
			for _, k := range train {
				if set.Images[k].Known(0, j) {
					w := float64(set.Weights[k])
					known += w
					if set.Images[k].At(0, j) {
						on += w
					}
				}
			}
			marginal := (on + 0.5) / (known + 1)
			p, low := (on+marginal)/(known+1), 0.5/float64(len(train)+1)
			w := float64(hidden.Data.Weights[i])
			if p = min(max(p, low), 1-low); !img.At(0, j) {
				p = 1 - p
			}
			total -= w * math.Log(p)
			n += w
		}
	}
	if s.of[1].Bits != int64(n) || s.of[0].Bits != s.of[1].Bits || s.of[2].Bits != s.of[1].Bits ||
		!near(s.of[1].LogLoss, total/n) {
		t.Errorf("%d, %d, %d cells, means %v; want %v, %v", s.of[0].Bits, s.of[1].Bits, s.of[2].Bits, s.of[1].LogLoss, n,
			total/n)
	}
}

// TestStabilityOfPlanted checks that planted parts come back, that their counterparts
// are found under other numbers, and that a part that is not there has none.
func TestStabilityOfPlanted(t *testing.T) {
	m, set := planted(t, 150)
	r := build(t, m, set, Options{Stability: 2, Workers: 2})
	for _, p := range r.Stability.Parts {
		if Worst(p.Restarts) < same || Mean(p.Bootstrap) < same || Back(p.Restarts) != 2 {
			t.Errorf("part %d comes back with %v, %v", p.Part, p.Restarts, p.Bootstrap)
		}
	}
	swapped, err := patchwork.NewModel(m.Config(), [][]float64{m.Template(1), m.Template(0)})
	if err != nil {
		t.Fatal(err)
	}
	if got := compare(alike.Placed(m), alike.Placed(swapped), 0); got[0] != 1 || got[1] != 1 {
		t.Errorf("swapped parts are %v similar", got)
	}
	single, err := patchwork.NewModel(m.Config(), [][]float64{m.Template(1)})
	if err != nil {
		t.Fatal(err)
	}
	if got := compare(alike.Placed(m), alike.Placed(single), 0); got[0] != 0 || got[1] != 1 {
		t.Errorf("with one part: %v", got)
	}
}

// TestRelearner checks which records can be followed.
func TestRelearner(t *testing.T) {
	m, _ := planted(t, 10)
	for _, c := range []struct {
		record patchwork.Record
		tables bool
		ok     bool
	}{
		{patchwork.Record{Method: "soft", Mode: "predict"}, true, true},
		{patchwork.Record{Method: "soft", Mode: "predict"}, false, false},
		{patchwork.Record{Method: "both"}, false, true},
		{patchwork.Record{Method: "magic"}, true, false},
		{patchwork.Record{}, true, false},
	} {
		e := m.Extras()
		e.Record = c.record
		with, err := m.WithExtras(e)
		if err != nil {
			t.Fatal(err)
		}
		if l, why := relearner(with, c.tables); (l != nil) != c.ok || (why == "") != c.ok {
			t.Errorf("%+v, tables %v: %v, %q", c.record, c.tables, l, why)
		}
	}
}

// TestMixtureOfOneIsTheMeans checks what the column means of a report rest on.
func TestMixtureOfOneIsTheMeans(t *testing.T) {
	_, set := planted(t, 30)
	x, err := table.FitMixture(context.Background(), set.Data, 1, rand.Uint64())
	if err != nil {
		t.Fatal(err)
	}
	if p := x.Predict(set.Images[0]); !slices.EqualFunc(p, x.Components[0], near) {
		t.Errorf("one component predicts %v, it is %v", p, x.Components[0])
	}
}
