package rows

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// This file lets bySet propose picks in numbers of 16 bits.

// sixteen has what the experts of a set gain, for Propose.
type sixteen struct {
	scale   float64 // units per nat
	margin  margin
	table   []int16
	start   []int16
	numbers []int64 // the experts of its lanes: the first are the choices
}

// margin says how near gains, in units, may be the other way round: two that differ by at most slack, and
// one above low and up to high, which may be enough.
type margin struct{ slack, low, high int }

// fives returns how many fives of pixels there are, as Propose takes them.
func (s *bySet) fives() int {
	last := s.pixels - 64*(s.words-1)
	return wordFives*(s.words-1) + min((last+4)/5, wordFives)
}

// propose lets the rows at a set propose their next pick: they go to lists, and those that do to a choice have it
// among picks and gains. It returns the rows that are not sure, which are in no list yet.
func (s *bySet) propose(t *set, x []uint64, step int, picks []int8, gains []float64) (unsure []int32) {
	p, m := &s.proposal, t.margin
	if step == 0 && s.opt.Forced {
		m.low, m.high = math.MinInt16, math.MinInt16
	}
	p.Table, p.Start, p.Numbers, p.X, p.List, p.Slack, p.Low, p.High = t.table, t.start, t.numbers, x, t.rows, m.slack, m.low, m.high
	s.loops.Propose(p)
	for i, c := range t.choices[:s.experts-bits.OnesCount64(t.members)] {
		s.loops.Told(t.gains[16*i:], 16*len(t.choices), t.costs[i], x, s.words, s.lists[c*kernel.Block:][:s.counts[c]], s.groups, int(c), picks, gains)
	}
	return s.lists[(s.lanes+1)*kernel.Block:][:s.counts[s.lanes+1]]
}

// makeSixteen makes what Propose needs for a set, from terms.
func (s *bySet) makeSixteen(t *set) {
	choices := s.experts - bits.OnesCount64(t.members)
	t.numbers = make([]int64, (max(choices, 1)+3)&^3)
	copy(t.numbers, t.choices[:choices])
	t.start = make([]int16, len(t.numbers))
	for l := range t.start {
		t.start[l] = math.MinInt16 // below all gains
	}
	if s.sixteen != nil {
		t.scale, t.margin = s.sixteen.scale, s.sixteen.margin
	} else {
		t.scale = s.scaleOf(t.choices[:choices])
	}
	ints, wrong := make([]int16, 2*s.pixels+10), 0.0
	t.table = make([]int16, 32*s.proposal.Fives*len(t.numbers))
	for l, c := range t.choices[:choices] {
		cost := float64(t.costs[l] * t.scale)
		t.start[l] = -int16(math.Round(cost))
		rounded := math.Abs(cost - math.Round(cost))
		for i := range s.pixels {
			off, on := float64(s.terms[2*i*s.lanes+int(c)]*t.scale), float64(s.terms[(2*i+1)*s.lanes+int(c)]*t.scale)
			o, e := math.Round(off), math.Round(on)
			ints[2*i], ints[2*i+1] = int16(o), int16(e)
			rounded += max(math.Abs(off-o), math.Abs(on-e))
		}
		wrong = max(wrong, rounded)
		for f := range s.proposal.Fives {
			first, n := f/wordFives*64+f%wordFives*5, 5
			if f%wordFives == wordFives-1 {
				n = 4
			}
			*(*[32]int16)(t.table[((l/4*s.proposal.Fives+f)*4+l%4)*32:]) = fiveSums(ints[2*first:], min(n, s.pixels-first))
		}
	}
	if s.sixteen == nil {
		t.margin = s.marginOf(t.scale, int(math.Ceil(wrong))+1)
	}
}

// scaleOf returns the scale at which no sum of terms of lanes exceeds 16 bits.
func (s *bySet) scaleOf(choices []int64) float64 {
	most := 0.0
	for _, c := range choices {
		sum := math.Abs(s.costs[c])
		for at := int(c); at < 2*s.pixels*s.lanes; at += 2 * s.lanes {
			sum += max(math.Abs(s.terms[at]), math.Abs(s.terms[at+s.lanes]))
		}
		most = max(most, sum)
	}
	return min(float64(math.MaxInt16-1-s.pixels)/most, 1<<20)
}

// marginOf returns the margin of gains that are wrong by at most so many units.
func (s *bySet) marginOf(scale float64, wrong int) margin {
	need := float64((s.opt.MinGain + score.Tie) * scale)
	inside := func(v float64) int { return int(min(max(v, math.MinInt16), math.MaxInt16)) }
	return margin{inside(float64(2*wrong) + math.Ceil(float64(score.Tie*scale)) + 1), inside(math.Floor(need) - float64(wrong)), inside(math.Ceil(need) + float64(wrong))}
}

// equalSixteen returns the scale and the margin of tables whose votes are equal if 16 bits decide without error there,
// as counts do; or nil.
func (s *bySet) equalSixteen() *sixteen {
	e := s.equal
	if e == nil || s.loops.Across == nil {
		return nil
	}
	scale := float64(math.MaxInt16-1-s.pixels) / (float64(float64(e.most)*max(e.up, e.down)) + math.Abs(e.cost))
	a, b, cost := int(math.Round(e.up*scale)), int(math.Round(e.down*scale)), int(math.Round(e.cost*scale))
	need := int(min(max(math.Floor((s.opt.MinGain+score.Tie)*scale), math.MinInt16), math.MaxInt16))
	for on := -e.most; on <= e.most; on++ {
		for off := -e.most; off <= e.most; off++ {
			units, gain := int64(on)*(e.won-e.lost)-int64(off)*e.lost, on*a-off*b
			if (units > 0) != (gain > 0) || (units < 0) != (gain < 0) || on >= 0 && off >= 0 && (units > e.least) != (gain-cost > need) {
				return nil
			}
		}
	}
	return &sixteen{scale: scale, margin: margin{-1, need, need}}
}

// fiveSums returns the sums for all 32 values of five pixels, of which there are n; terms are by pixel and value.
func fiveSums(terms []int16, n int) (sums [32]int16) {
	for j := range 5 {
		off, on := terms[2*j], terms[2*j+1]
		if j >= n {
			off, on = 0, 0
		}
		size := 1 << j
		for p := range size {
			sums[p+size] = sums[p] + on
			sums[p] += off
		}
	}
	return sums
}
