package joint

import (
	"cmp"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Levels is what other opinions say about one bit in several groups of rows under max,
// prepared so that the best vote of one more expert is found for many counts of these
// groups: Ascent for cells of which only the counts change. It is immutable.
type Levels struct {
	order []int32      // groups, the lowest opinion first
	a     []float64    // by group: the largest opinion
	logs  [][2]float64 // of its being right about a bit that is on, and that is off
}

// NewLevels prepares the opinions of groups.
func NewLevels(groups []Rest) *Levels {
	l := &Levels{order: make([]int32, len(groups)), a: make([]float64, len(groups)), logs: make([][2]float64, len(groups))}
	for n, g := range groups {
		l.order[n], l.a[n] = int32(n), g.A
		l.logs[n] = [2]float64{elem.Log(max(g.A, least)), elem.Log(max(1-g.A, least))}
	}
	slices.SortStableFunc(l.order, func(i, j int32) int { return cmp.Compare(l.a[i], l.a[j]) })
	return l
}

// Best returns what Ascent.Best does, to the bit, where each group has so many rows in which
// the bit is on and off.
func (l *Levels) Best(q, least float64, on, off []float64) (opinion, gain float64) {
	opinion = q
	var ones, zeros, start, low float64
	some := false
	try := func(high float64) {
		p := min(max((ones+q)/(ones+zeros+1), low), high)
		if p <= q {
			return
		}
		if g := bernoulli(ones, zeros, p) - start; g > max(least, gain) {
			opinion, gain = p, g
		}
	}
	for _, n := range l.order {
		yes, no := on[n], off[n]
		if yes+no == 0 {
			continue
		}
		if a := l.a[n]; some && a != low {
			try(a)
		}
		some, low = true, l.a[n]
		ones, zeros = ones+yes, zeros+no
		s := 0.0
		if yes > 0 {
			s += float64(yes * l.logs[n][0])
		}
		if no > 0 {
			s += float64(no * l.logs[n][1])
		}
		start += s
	}
	if some && low != 1 {
		try(1)
	}
	return opinion, gain
}
