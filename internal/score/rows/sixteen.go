package rows

import (
	"math"
	"math/bits"
)

// This file lets bySet propose picks in numbers of 16 bits.

// sixteen has what the experts of a set gain, for Propose. There are a multiple of four lanes; behind the choices, some
// gain nothing.
type sixteen struct {
	margin   margin
	halvings int16   // how often the scale is halved
	fives    []int32 // parts of five pixels, by lane as Propose takes them
	start    []int16
	numbers  []int64 // the experts of its lanes
}

// propose lets the rows at a set propose their next pick: they go to lists, and those that do to a choice have it
// among picks and gains. It returns the rows that are not sure, which are in no list yet.
func (s *bySet) propose(t *set, rows []int32, x []uint64, step int, picks []int8, gains []float64) (unsure []int32) {
	p, m := &s.proposal, t.margin
	if step == 0 && s.opt.Forced {
		m.low, m.high = math.MinInt16, math.MinInt16
	}
	p.Lists, p.Counts = s.lists, s.counts
	p.Table, p.Places, p.Start, p.Numbers, p.X, p.List, p.Slack, p.Low, p.High = s.units, t.fives, t.start, t.numbers, x,
		rows, m.slack, m.low, m.high
	s.loops.Propose(p)
	for l, c := range t.choices {
		s.loops.Told(s.sums, s.foursOf(t, l), t.costs[l], x, s.words, s.list(int(c)), int(c), picks, gains)
	}
	return s.list(s.lanes + 1)
}

// makeSixteen makes what Propose needs for a set, whose choices gain or lose at most so much, with their costs.
func (s *bySet) makeSixteen(t *set, most float64) {
	lanes := (len(t.choices) + 3) &^ 3
	t.start, t.numbers = s.shorts.take(lanes), s.integers.take(lanes)
	for l := range t.start {
		t.start[l] = math.MinInt16 // below all gains
	}
	copy(t.numbers, t.choices)
	if t.from == nil {
		s.scale = shortScale(s.pixels, most)
	}
	scale, wrong := s.scale, 0.0
	for ; scale > shortScale(s.pixels, most); scale /= 2 {
		t.halvings++
	}
	t.sixteen.fives = s.ints.take(lanes * s.fives)
	for l := range t.choices {
		cost := float64(t.costs[l] * scale)
		t.start[l] = -int16(math.RoundToEven(cost))
		wrong = max(wrong, s.makeFives(t, l, scale)+math.Abs(cost-math.RoundToEven(cost)))
	}
	t.margin = s.marginOf(scale, int(math.Ceil(wrong))+1, math.MinInt16, math.MaxInt16)
}

// makeFives finds the parts of five pixels of a choice, and returns by how many units they are wrong at most.
func (s *bySet) makeFives(t *set, l int, scale float64) (wrong float64) {
	c, at := int(t.choices[l]), s.laneOf(l)
	inherits := t.from != nil && t.from.halvings == t.halvings
	if inherits {
		was := s.laneOf(t.before(l))
		for f := range s.fives {
			t.fives[at+4*f] = t.from.fives[was+4*f]
		}
	}
	for w := range s.words {
		changed := s.all[w]
		if inherits {
			changed = s.changed(t, c, w)
		}
		for changed != 0 {
			f := min(bits.TrailingZeros64(changed)/5, wordFives-1)
			t.fives[at+4*(wordFives*w+f)] = s.five(c, wordFives*w+f, t.halvings, scale)
			changed &^= 31 << (5 * f)
		}
	}
	for f := range s.fives {
		wrong += s.wrong[t.fives[at+4*f]/32]
	}
	return wrong
}

// laneOf returns where the parts of a lane begin; they are four apart.
func (s *bySet) laneOf(l int) int { return l/4*4*s.fives + l%4 }
