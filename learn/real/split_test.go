package real

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// crosses returns rows of two bars of a 6 x 6 image, each in a third of the rows, under noise, and a model whose only part is both.
func crosses(n int) ([][]float64, *Model) {
	rng := rand.New(rand.NewPCG(6, 6))
	rows := make([][]float64, n)
	for i := range rows {
		row, on := rng.IntN(3) == 0, rng.IntN(3) == 0
		for d := range 36 {
			x := .3 * rng.NormFloat64()
			if d/6 == 2 && row || d%6 == 4 && on {
				x++
			}
			rows[i] = append(rows[i], x)
		}
	}
	m := &Model{Height: 6, Width: 6, Pi: []float64{.5}, Experts: [][]Entry{make([]Entry, 36)}}
	for d := range 36 {
		m.Background = append(m.Background, Normal{0, .1})
		if d/6 == 2 || d%6 == 4 {
			m.Experts[0][d] = Entry{MeanOnly, Normal{.8, .1}}
		}
	}
	return rows, m
}

// TestSplitOfACross: a part that is two bars becomes a part for each, one that is one bar stays one, and where no more parts are
// allowed nothing is split.
func TestSplitOfACross(t *testing.T) {
	rows, m := crosses(120)
	data := newData(t, 6, 6, rows)
	m.Scales = data.Scales
	split := func(o Options, m *Model) *state {
		l, err := newLearner(t.Context(), data, o)
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.explain(m)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = l.split(s, l.terms(), func(string, *state) {}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	two := split(Options{}, m)
	if two.m.K() != 2 {
		t.Fatalf("%d parts of a cross", two.m.K())
	}
	for k, e := range two.m.Experts {
		bars := [2]int{}
		for d, o := range e {
			if o.Vote != Abstains && d != 2*6+4 {
				bars[bitInt(d%6 == 4)]++
			}
		}
		if bars != [2]int{5, 0} && bars != [2]int{0, 5} {
			t.Errorf("part %d has %v pixels of the two bars", k, bars)
		}
	}
	if again := split(Options{}, two.m); !reflect.DeepEqual(again.m, two.m) {
		t.Errorf("bars are split: %d parts", again.m.K())
	}
	if one := split(Options{Experts: 1}, m); one.m.K() != 1 {
		t.Errorf("%d parts where one is allowed", one.m.K())
	}
}

func bitInt(b bool) int { return int(bitIf(b)) }

// TestTwoGroups: vectors of two kinds fall into these kinds whatever their order, with some signs wrong; of one kind alone, or where
// none differ, there is one group.
func TestTwoGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		kinds := [2][]float64{}
		for i := range 60 {
			kinds[0] = append(kinds[0], float64(1-2*(i%2)))
			kinds[1] = append(kinds[1], float64(1-2*(i/2%2)))
		}
		n := rapid.IntRange(4, 12).Draw(t, "n")
		var vectors [][]float64
		var there, kind []int
		for f := range n {
			k := f % 2
			v := slices.Clone(kinds[k])
			for range 5 {
				v[rng.IntN(60)] *= -1
			}
			vectors, there, kind = append(vectors, v), append(there, f), append(kind, k)
		}
		second := twoGroups(vectors, there)
		if second == nil {
			t.Fatal("one group")
		}
		for f := range n {
			if (second[f] == second[0]) != (kind[f] == kind[0]) {
				t.Fatalf("vector %d of kind %d is with the others: %v", f, kind[f], second)
			}
		}
		if got := twoGroups(slices.Repeat([][]float64{kinds[0]}, n), there); got != nil {
			t.Fatalf("equal vectors fall into two groups: %v", got)
		}
	})
}
