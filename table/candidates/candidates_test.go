package candidates

import (
	"math"
	"testing"
)

// TestBackground: the shared number costs nothing, another its price; cells are said by the best of three.
func TestBackground(t *testing.T) {
	b := &Background{On: []float64{10, 10, 60}, Cells: []float64{100, 100, 100}, Q: []float64{.1, .1, .6}, Least: 1e-3}
	b.Settle(2)
	if got := b.OwnPrice(0, .1); got != 0 {
		t.Errorf("the shared number costs %v", got)
	}
	if got, want := b.OwnPrice(2, .6), 2.0; got != want { // one of two that are left is an exception
		t.Errorf("another number costs %v, want %v", got, want)
	}
	if got, want := b.Now(2), 60*math.Log(.6)+40*math.Log(.4)-2; math.Abs(got-want) > 1e-12 {
		t.Errorf("column 3 is said with %v, want %v", got, want)
	}
	if q, _ := b.Beside(0, 12, 100); q != .1 {
		t.Errorf("12 of 100 are said by %v, which has a price", q)
	}
	if q, _ := b.Beside(0, 50, 100); q != 50.5/101 {
		t.Errorf("50 of 100 are said by %v", q)
	}
	if q, _ := b.Beside(0, 0, 1e9); q != b.Least {
		t.Errorf("none of very many are said by %v", q)
	}
}

// TestPairs: columns that come with another more than chance has it, the surest first, and counts are 0 again.
func TestPairs(t *testing.T) {
	b := &Background{On: []float64{20, 20, 20, 10}, Cells: []float64{100, 100, 100, 100}, Q: []float64{.2, .2, .2, .1}}
	counts := []float64{20, 18, 4, 10}
	pairs := b.Pairs(0, []int32{0, 1, 2, 3}, counts, 20, 20)
	if len(pairs) != 2 || pairs[0].Column != 1 || pairs[1].Column != 3 || !(pairs[0].Gain > pairs[1].Gain) {
		t.Errorf("column 1 comes with %v", pairs)
	}
	for e, c := range counts {
		if c != 0 {
			t.Errorf("the count of column %d is %v afterwards", e+1, c)
		}
	}
}
