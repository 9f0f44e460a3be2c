package rows

import (
	"math"

	"example.com/patchwork/internal/score/kernel"
)

// This file lets bySet propose picks in numbers of 16 bits.

// sixteen has what the experts of a set gain, for Propose.
type sixteen struct {
	margin  margin
	table   []int16
	start   []int16
	numbers []int64 // the experts of its lanes: the first are the choices
}

// fives returns how many fives of pixels there are, as Propose takes them.
func (s *bySet) fives() int {
	last := s.pixels - 64*(s.words-1)
	return wordFives*(s.words-1) + min((last+4)/5, wordFives)
}

// prepareSixteen prepares for rows of a table.
func (s *bySet) prepareSixteen() {
	for i := 0; i < len(s.lists); i += 1024 {
		s.lists[i] = -1 // stores that are masked out take very long where no memory has been written yet
	}
	s.ints = make([]int16, 2*s.pixels+10) // 0 where there is no pixel
	s.proposal = kernel.Propose{Lists: s.lists, Counts: s.counts, Width: s.words, Fives: s.fives(), End: s.lanes}
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
	for i, c := range s.choicesOf(t) {
		s.loops.Told(t.gains[16*i:], 16*len(t.choices), t.costs[i], x, s.words, s.lists[c*kernel.Block:][:s.counts[c]], s.groups, int(c), picks, gains)
	}
	return s.lists[(s.lanes+1)*kernel.Block:][:s.counts[s.lanes+1]]
}

// makeSixteen makes what Propose needs for a set, from terms, of which those of a choice come to most at most, with its cost.
func (s *bySet) makeSixteen(t *set, most float64) {
	t.start = s.shorts.take(len(t.numbers))
	for l := range t.start {
		t.start[l] = math.MinInt16 // below all gains
	}
	scale, wrong, fives := shortScale(s.pixels, most), 0.0, s.proposal.Fives
	t.table = s.shorts.take(32 * fives * len(t.numbers))
	for l, c := range s.choicesOf(t) {
		cost := float64(t.costs[l] * scale)
		t.start[l] = -int16(math.RoundToEven(cost))
		rounded := math.Abs(cost - math.RoundToEven(cost))
		terms := s.termsOf(int(c))
		for i := range s.pixels {
			off, on := terms[2*i], terms[2*i+1]
			if off != 0 || on != 0 {
				off, on = float64(off*scale), float64(on*scale)
				o, e := math.RoundToEven(off), math.RoundToEven(on)
				rounded += max(math.Abs(off-o), math.Abs(on-e))
				off, on = o, e
			}
			s.ints[2*i], s.ints[2*i+1] = int16(off), int16(on)
		}
		wrong = max(wrong, rounded)
		for f := range fives {
			at := 2 * (f/wordFives*64 + f%wordFives*5)
			fiveSums((*[32]int16)(t.table[((l/4*fives+f)*4+l%4)*32:]), (*[10]int16)(s.ints[at:]), f%wordFives == wordFives-1)
		}
	}
	t.margin = s.marginOf(scale, int(math.Ceil(wrong))+1, math.MinInt16, math.MaxInt16)
}

// fiveSums sets the sums for all 32 values of five pixels, of which a word has only four last; terms are by pixel and value.
func fiveSums(sums *[32]int16, terms *[10]int16, last bool) {
	fourSums((*[16]int16)(sums[:]), (*[8]int16)(terms[:]))
	off, on := terms[8], terms[9]
	if last {
		off, on = 0, 0
	}
	for p, sum := range sums[:16] {
		sums[p], sums[p+16] = sum+off, sum+on
	}
}
