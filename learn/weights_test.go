package learn_test

import (
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
)

// A weight of a billion takes as long as one of some hundreds, counts a billion times, and
// comes to what so many repetitions tend to; small weights are repetitions.
func TestOnlineWeights(t *testing.T) {
	images := []*bitmap.Image{bitmap.Parse("111000000"), bitmap.Parse("000000111"), bitmap.Parse("111000111")}
	pass := func(weight int64, alone bool) *patchwork.Model {
		t.Helper()
		o, err := learn.NewOnline(patchwork.NewConfig(patchwork.RuleMax, 1, 9, pose.Grid{}), learn.OnlineOptions{Experts: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, img := range images {
			for range map[bool]int64{true: weight, false: 1}[alone] {
				if _, err := o.Add(img, map[bool]int64{true: 1, false: weight}[alone]); err != nil {
					t.Fatal(err)
				}
			}
		}
		return o.Model()
	}
	for _, weight := range []int64{1, 2, 7, 60} {
		a, b := pass(weight, false), pass(weight, true)
		for k := range a.K() {
			if !slices.Equal(a.Template(k), b.Template(k)) {
				t.Errorf("weight %d: part %d is %v, and %v by repetition", weight, k, a.Template(k), b.Template(k))
			}
		}
	}
	const much = 1_000_000_000
	m := pass(much, false)
	if rows := m.Extras().Counts.Rows(); rows != 3*much {
		t.Errorf("%d rows are counted, want %d", rows, int64(3*much))
	}
	near := pass(3000, true)
	for k := range m.K() {
		for i, p := range m.Template(k) {
			if q := near.Template(k)[i]; p-q > .01 || q-p > .01 {
				t.Errorf("part %d, column %d: %v, and %v by repetition", k, i, p, q)
			}
		}
	}
}

// Numbers of starts that could not be kept are refused before any work.
func TestTooManyStarts(t *testing.T) {
	data := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("101")}}
	for _, err := range learn.Run(t.Context(), data, patchwork.NewConfig(patchwork.RuleMax, 1, 3, pose.Grid{}), learn.Options{Experts: 1, Starts: learn.MaxStarts + 1}) {
		if err == nil {
			t.Fatal("accepted")
		}
	}
}
