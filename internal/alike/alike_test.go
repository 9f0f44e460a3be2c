package alike

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSimilarity checks the laws of similarity: 1 for the same votes, 0 for opposite
// ones, the same both ways, and blind to a shift within reach.
func TestSimilarity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		votes := rapid.SliceOfN(rapid.Float64Range(-1, 1), 12, 12)
		x, y := votes.Draw(t, "x"), votes.Draw(t, "y")
		s := similarity(x, y, 3, 4, 0, 0, 0)
		if s < 0 || s > 1 || math.Abs(s-similarity(y, x, 3, 4, 0, 0, 0)) > 1e-12 {
			t.Errorf("similarity %v, the other way %v", s, similarity(y, x, 3, 4, 0, 0, 0))
		}
		x[0] = 1
		if s := similarity(x, x, 3, 4, 0, 0, 0); s != 1 {
			t.Errorf("of the same: %v", s)
		}
		for i := range y {
			y[i] = -x[i]
		}
		if s := similarity(x, y, 3, 4, 0, 0, 0); s != 0 {
			t.Errorf("of opposites: %v", s)
		}
	})
	a, b := make([]float64, 25), make([]float64, 25)
	a[6], a[7], b[12], b[13] = 1, 0.5, 1, 0.5 // one down, one to the right
	if s := similarity(a, b, 5, 5, 0, 0, 0); s != 0 {
		t.Errorf("apart: %v", s)
	}
	if s := similarity(a, b, 5, 5, 0, 0, 1); s != 1 {
		t.Errorf("shifted: %v", s)
	}
}

// TestPairs: counterparts are found in any order, wherever they lie, and one that is
// missing is told.
func TestPairs(t *testing.T) {
	bar := func(at ...int) []float64 {
		v := make([]float64, 64)
		for _, i := range at {
			v[i] = 0.9
		}
		return v
	}
	level, upright, moved := bar(9, 10, 11, 12), bar(3, 11, 19, 27), bar(30, 38, 46, 54)
	a := Votes{8, 8, [][]float64{level, upright}}
	for _, c := range []struct {
		b       [][]float64
		reach   int
		centred bool
		want    []Pair
	}{
		{[][]float64{upright, level}, 0, false, []Pair{{1, 1}, {0, 1}}},
		{[][]float64{level, moved}, 0, false, []Pair{{0, 1}, {1, 0}}},
		{[][]float64{level, moved}, 3, false, []Pair{{0, 1}, {1, 1}}},
		{[][]float64{level, moved}, 0, true, []Pair{{0, 1}, {1, 1}}},
		{[][]float64{upright}, 0, false, []Pair{{-1, 0}, {0, 1}}},
	} {
		if got := Pairs(a, Votes{8, 8, c.b}, c.reach, c.centred); !slices.Equal(got, c.want) {
			t.Errorf("reach %d, centred %v: %v, want %v", c.reach, c.centred, got, c.want)
		}
	}
}

// TestInside: the share of the smaller, the same both ways.
func TestInside(t *testing.T) {
	letter, bar, beside := []float64{1, 1, 1, 1, 0, 0}, []float64{0, 0, 1, 1, 0, 0}, []float64{-1, 0, 0, 0, 1, 0.5}
	for _, c := range []struct {
		x, y []float64
		want float64
	}{{letter, bar, 1}, {letter, beside, 0}, {letter, letter, 1}, {letter, make([]float64, 6), 0},
		{[]float64{0.5, 1, 0, 0, 0, 0}, letter, 1}, {[]float64{0, 0, 0, 1, 1, 0}, letter, 0.5}} {
		if got, back := Inside(c.x, c.y), Inside(c.y, c.x); got != c.want || back != c.want {
			t.Errorf("%v in %v: %v and %v, want %v", c.x, c.y, got, back, c.want)
		}
	}
}
