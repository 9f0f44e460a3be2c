package score

import (
	"cmp"
	"math"
	"slices"
)

// This file is what a beam pursuit needs beyond Best: the n best candidates
// instead of one, and a way to branch.

// Ranked is a candidate and its exact gain, before any cost.
type Ranked struct {
	Candidate int
	Gain      Gain
}

// Compare orders gains, the larger first: by Possible, then by Nats in steps of
// Tie, so that sums that differ by rounding alone are equal and the order of
// discovery decides between them. It is a strict weak order, fit for sorting.
func (g Gain) Compare(o Gain) int {
	if c := cmp.Compare(o.Possible, g.Possible); c != 0 {
		return c
	}
	return cmp.Compare(math.Round(o.Nats/Tie), math.Round(g.Nats/Tie))
}

// Top appends to dst the n best candidates, best first, of all live experts;
// fewer where there are fewer. Gains are compared after the expert's cost
// (nats a pick, or nil); equals come in index order. A candidate that is
// already placed is left out: placed twice it says nothing more.
//
// As in Best the fast gains propose and Field.Gain decides: whatever lies
// within the error bound of the n-th fast gain is scored exactly.
func (s *Search) Top(n int, costs []float64, live func(expert int) bool, dst []Ranked) []Ranked {
	s.wake()
	s.near, s.exact = s.near[:0], s.exact[:0]
	if s.bounded.active {
		s.proposeBounded(n+len(s.picks), costs, live)
	} else {
		s.propose(n+len(s.picks), costs, live)
	}
	first := len(dst)
	for _, c := range s.near {
		if p := s.grid.At(c); !slices.Contains(s.picks, p) {
			dst = append(dst, Ranked{c, s.Gain(p)})
		}
	}
	slices.SortStableFunc(dst[first:], func(a, b Ranked) int {
		return pay(a.Gain, costs, s.expert(a.Candidate)).Compare(pay(b.Gain, costs, s.expert(b.Candidate)))
	})
	return dst[:min(len(dst), first+n)]
}

// expert is the expert of candidate c.
func (s *Search) expert(c int) int { return s.Bank.Sprites[c/s.grid.Shifts()].Expert }

// propose sets near to a superset of the n best live candidates, in index
// order.
func (s *Search) propose(n int, costs []float64, live func(expert int) bool) {
	candidates := 0
	for k := range s.sprites {
		if live(k) {
			candidates += len(s.of(k))
		}
	}
	// Where all are wanted anyway, bringing the fast gains up to date would be
	// work for nothing.
	least := math.Inf(-1)
	if candidates > n {
		least = s.nth(n, costs, live) - Tie - 2*s.errorBound() - s.spread(costs)
	}
	for k := range s.sprites {
		if !live(k) {
			continue
		}
		from, cost := s.sprites[k].first*s.grid.Shifts(), costOf(costs, k)
		for i, g := range s.of(k) {
			if math.IsInf(least, -1) || g-cost >= least {
				s.near = append(s.near, from+i)
			}
		}
	}
}

// nth is the n-th largest fast gain, after its cost, of the live candidates,
// of which there are more than n.
func (s *Search) nth(n int, costs []float64, live func(expert int) bool) float64 {
	if cap(s.largest) < n {
		s.largest = make([]float64, 0, n)
	}
	top := s.largest[:0] // ascending
	s.syncLive(live)
	for k := range s.sprites {
		if !live(k) {
			continue
		}
		cost := costOf(costs, k)
		for _, g := range s.of(k) {
			g -= cost
			if len(top) == n && g <= top[0] {
				continue
			}
			at, _ := slices.BinarySearch(top, g)
			if len(top) < n {
				top = slices.Insert(top, at, g)
				continue
			}
			copy(top[:at-1], top[1:at])
			top[at-1] = g
		}
	}
	return top[0]
}

// CopyFrom makes s a search of the same image that stands where o stands. The
// two share nothing but the bank, and go their own ways from here. It costs a
// copy of the gains, far less than scoring them; a search without shifts has to
// score them first, once. A TakeBack under way in o
// cannot be put back in s.
func (s *Search) CopyFrom(o *Search) {
	o.wake()
	s.still.on = false
	s.Field.copyFrom(&o.Field)
	s.grid, s.updates = o.grid, o.updates
	s.bounded.active = false
	if o.bounded.active {
		for i := range o.Bank.Sprites {
			o.bound(i)
		}
		s.bounded.copyFrom(&o.bounded)
	} else {
		s.gains = append(s.gains[:0], o.gains...)
	}
	s.sprites = append(s.sprites[:0], o.sprites...)
	s.log = append(s.log[:0], o.log...)
	s.synced = append(s.synced[:0], o.synced...)
	s.slot = resize(s.slot, len(o.slot))
	s.mark, s.movesFrom = -1, -1
}

func (f *Field) copyFrom(o *Field) {
	f.Bank, f.Height, f.Width = o.Bank, o.Height, o.Width
	f.resize(len(o.L))
	copy(f.X, o.X)
	copy(f.Hi, o.Hi)
	copy(f.Lo, o.Lo)
	copy(f.L, o.L)
	f.picks = append(f.picks[:0], o.picks...)
}
