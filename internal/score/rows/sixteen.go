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

// makeSixteen makes what Propose needs for a set, from terms.
func (s *bySet) makeSixteen(t *set) {
	t.start = make([]int16, len(t.numbers))
	for l := range t.start {
		t.start[l] = math.MinInt16 // below all gains
	}
	scale := s.scaleOf(s.choicesOf(t))
	ints, wrong := make([]int16, 2*s.pixels+10), 0.0 // 0 where there is no pixel
	t.table = make([]int16, 32*s.proposal.Fives*len(t.numbers))
	for l, c := range s.choicesOf(t) {
		cost := float64(t.costs[l] * scale)
		t.start[l] = -int16(math.Round(cost))
		rounded := math.Abs(cost - math.Round(cost))
		for i := range s.pixels {
			off, on := float64(s.terms[2*i*s.lanes+int(c)]*scale), float64(s.terms[(2*i+1)*s.lanes+int(c)]*scale)
			o, e := math.Round(off), math.Round(on)
			ints[2*i], ints[2*i+1] = int16(o), int16(e)
			rounded += max(math.Abs(off-o), math.Abs(on-e))
		}
		wrong = max(wrong, rounded)
		for f := range s.proposal.Fives {
			first, last := f/wordFives*64+f%wordFives*5, f%wordFives == wordFives-1
			*(*[32]int16)(t.table[((l/4*s.proposal.Fives+f)*4+l%4)*32:]) = fiveSums(ints[2*first:], last)
		}
	}
	t.margin = s.marginOf(scale, int(math.Ceil(wrong))+1, math.MinInt16, math.MaxInt16)
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
	return shortScale(s.pixels, most)
}

// fiveSums returns the sums for all 32 values of five pixels, of which a word has only four last; terms are by pixel and value.
func fiveSums(terms []int16, last bool) (sums [32]int16) {
	off, on := terms[8], terms[9]
	if last {
		off, on = 0, 0
	}
	for p, sum := range fourSums(terms, 1) {
		sums[p], sums[p+16] = sum+off, sum+on
	}
	return sums
}
