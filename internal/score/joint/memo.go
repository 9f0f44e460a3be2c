package joint

import "slices"

// memo remembers what the experts do to rows beside the sets that a search comes to, which
// many rows share: a tree of sequences of experts in the order in which they joined.
type memo struct {
	root *visited
	left int // how many ratios may still be kept
}

// visited is a sequence of experts that a search has come to.
type visited struct {
	last    int16
	visits  int32
	factors []*Factors // by expert, nil for those of the sequence; nil: not prepared
	next    []*visited // by expert; nil: none
}

const (
	// worthwhile is at how many visits the factors of a sequence are prepared, which takes
	// as long as two rows do.
	worthwhile = 4
	// mostRatios bounds the ratios that a search keeps.
	mostRatios = 1 << 20
)

// at returns the sequence with one more expert, and counts the visit; nil if it is not kept.
func (m *memo) at(v *visited, k int16, experts int) *visited {
	if v == nil {
		return nil
	}
	if v.next == nil {
		if m.left < experts {
			return nil
		}
		m.left -= experts
		v.next = make([]*visited, experts)
	}
	next := v.next[k]
	if next == nil {
		next = &visited{last: k}
		v.next[k] = next
	}
	next.visits++
	return next
}

// prepare prepares the factors of a sequence that is visited often, and reports whether it
// has them. What does not vote where the last one does has the factors that it had before.
func (s *Search) prepare(v, parent *visited, path []int16) bool {
	if v == nil || v.factors != nil {
		return v != nil
	}
	e := s.experts
	if v.visits < worthwhile || s.memo.left < len(s.costs) {
		return false
	}
	s.memo.left -= len(s.costs)
	v.factors = make([]*Factors, len(s.costs))
	s.beside.Reset(e, path)
	for k := range v.factors {
		if slices.Contains(path, int16(k)) {
			continue
		}
		if parent != nil && parent.factors != nil && parent.factors[k] != nil && !e.meet(int(v.last), k) {
			v.factors[k] = parent.factors[k]
			continue
		}
		v.factors[k] = s.beside.Factors(new(Factors), e.columns[k], e.packed[k])
		s.memo.left -= values * len(e.columns[k])
	}
	return true
}

// meet reports whether two experts vote on a bit in common.
func (e *Experts) meet(j, k int) bool {
	for w, v := range e.planes[j] {
		if v&e.planes[k][w] != 0 {
			return true
		}
	}
	return false
}

// plane returns the bits of columns as a set of width bits.
func plane(columns []int32, width int) []uint64 {
	out := make([]uint64, (width+63)/64)
	for _, i := range columns {
		out[i/64] |= 1 << (i % 64)
	}
	return out
}
