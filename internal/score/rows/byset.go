package rows

import (
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// bySet explains rows by the set of experts picked so far. What an expert gains
// depends on the set and on the row, pixel by pixel, so for one set a table by
// four pixels and their values holds what each expert gains there, in the order
// of score.Total: exact gains of all experts are a few additions of a vector.
//
// All rows of a block take a step together, set by set, so that its table stays
// in the cache. Tables are made for sets that enough rows have come to, while
// there is room; other rows are rare, and left to byRow.
//
// When it is used: for blocks without unknown pixels, at most 32 experts and
// tables of at most 64 KB.
//
// Why its answers are the same: its sums are exact, term by term and in the order
// of score.Field.Gain. A set in which a pixel is or may become impossible is left
// to byRow.
type bySet struct {
	*Table
	on    bool
	lanes int       // experts, rounded up to a multiple of 8
	costs []float64 // by lane

	abstentions, apart []float64 // by pixel; and the log-likelihoods under them, as logLiks

	// Of the set whose tables are made: by pixel, the extremal opinions and who holds them; by pixel and value, to a multiple of four pixels, the log-likelihoods; and what experts gain, see termsOf.
	highest, lowest []float64
	top, bottom     []int32
	logLiks, terms  []float64

	floats   memory[float64] // for tables
	shorts   memory[int16]
	integers memory[int64]
	ints     []int16 // terms in units
	proposal kernel.Propose

	most   int // tables there is room for
	made   int
	known  map[uint64]*set // by members, one bit each
	empty  *set
	active []*set // the sets that rows are at, and come to next
	next   []*set
	lists  []int32 // by lane and one more: the rows that come to it in a step
	counts []int32

	found // -1 picks: the row is rare
}

// set is a set of experts and the rows of the block that picked it.
type set struct {
	members uint64
	met     int  // rows that came here
	odd     bool // a pixel is or may become impossible
	gains   []float64
	choices []int64   // where Across is used: the experts of its lanes
	costs   []float64 // and their costs
	sixteen           // where Propose is used
	logLik  []float64 // of the pixels, in the order of Total, by four and their values
	next    []*set    // by the expert that joins
	rows    []int32
}

const (
	setBytes  = 1 << 16 // the largest table: it must fit in L2
	allBytes  = 1 << 24 // of all tables of a goroutine
	setLanes  = 32
	worthRows = 8 // rows for which a table is made
)

// prepare makes the memory for rows of a table.
func (s *bySet) prepare(t *Table) {
	s.Table = t
	s.lanes = (s.experts + 7) &^ 7
	size := s.groups * 16 * s.lanes * 8
	if s.on = s.experts <= setLanes && size <= setBytes; !s.on {
		return
	}
	s.most, s.known = allBytes/(size+64*s.fives()*s.lanes), map[uint64]*set{}
	s.empty = s.find(0)
	s.costs = make([]float64, s.lanes)
	copy(s.costs, s.opt.Costs)
	s.abstentions, s.highest, s.lowest = make([]float64, s.pixels), make([]float64, s.pixels), make([]float64, s.pixels)
	s.top, s.bottom = make([]int32, s.pixels), make([]int32, s.pixels)
	s.apart, s.logLiks, s.terms = make([]float64, 8*s.groups), make([]float64, 8*s.groups), make([]float64, 8*s.groups*s.experts)
	for i := range s.pixels {
		s.abstentions[i], s.apart[2*i], s.apart[2*i+1] = s.bank.Abstention(i), s.base[score.Off][i], s.base[score.On][i]
	}
	s.lists, s.counts = make([]int32, (s.lanes+2)*kernel.Block), make([]int32, s.lanes+2)
	if s.loops.Across != nil {
		s.prepareSixteen()
	}
}

// find returns the set of these members.
func (s *bySet) find(members uint64) *set {
	t := s.known[members]
	if t == nil {
		t = &set{members: members, next: make([]*set, s.lanes)}
		s.known[members] = t
	}
	return t
}

// explain explains rows [from, to), at most kernel.Block, and sets their
// log-likelihoods in out; gather appends the picks.
func (s *bySet) explain(rows Packed, from, to int, out *Picked) {
	x := rows.On[from*s.words : to*s.words]
	start, logLik := out.Start[from:to], out.LogLik[from:to]
	s.reset(s.loops, to-from)
	for n := range to - from {
		s.empty.rows = append(s.empty.rows, int32(n))
	}
	s.active = append(s.active[:0], s.empty)
	for step := 0; len(s.active) > 0; step++ {
		if step == 0 || step < s.mostPicks() {
			s.room(step)
		}
		s.next = s.next[:0]
		for _, t := range s.active {
			if s.ready(t) {
				s.stepSet(t, x, step, start, logLik)
			} else {
				s.end(t.rows, -1)
			}
			t.rows = t.rows[:0]
		}
		s.active, s.next = s.next, s.active
	}
}

// mostPicks is how many picks a row has at most.
func (s *bySet) mostPicks() int { return min(s.opt.MaxPicks, s.experts) }

// ready reports whether the set has its table, and makes it if it is time.
func (s *bySet) ready(t *set) bool {
	if t.met += len(t.rows); t.gains == nil && !t.odd && t.met >= worthRows && s.made < s.most {
		s.made++
		s.makeSet(t)
	}
	return t.gains != nil && !t.odd
}

// stepSet lets the rows at a set take a step: on to another set, or to the end.
func (s *bySet) stepSet(t *set, x []uint64, step int, start, logLik []float64) {
	need := s.opt.MinGain + score.Tie
	if step == 0 {
		s.loops.Sums(t.logLik, x, s.words, t.rows, s.groups, start)
		if s.opt.Forced {
			need = math.Inf(-1)
		}
	}
	ended := t.rows
	if step < s.mostPicks() {
		clear(s.counts)
		picks, gains := s.step(step)
		if s.loops.Across != nil {
			unsure := s.propose(t, x, step, picks, gains)
			s.loops.Across(t.gains, t.costs, t.choices, s.lanes, need, x, s.words, unsure, s.groups, picks, gains, s.lists, s.counts)
		} else {
			s.loops.Step(t.gains, s.costs, need, x, s.words, t.rows, s.groups, picks, gains, s.lists, s.counts)
		}
		for c := range s.experts {
			s.send(t, c, s.lists[c*kernel.Block:][:s.counts[c]])
		}
		ended = s.lists[s.lanes*kernel.Block:][:s.counts[s.lanes]]
	}
	s.loops.Sums(t.logLik, x, s.words, ended, s.groups, logLik)
	s.end(ended, int32(step))
}

// send moves rows from a set to the one that expert c has joined.
func (s *bySet) send(from *set, c int, rows []int32) {
	if len(rows) == 0 {
		return
	}
	to := from.next[c]
	if to == nil {
		to = s.find(from.members | 1<<c)
		from.next[c] = to
	}
	if len(to.rows) == 0 {
		s.next = append(s.next, to)
	}
	to.rows = append(to.rows, rows...)
}

// makeSet makes the tables of a set.
func (s *bySet) makeSet(t *set) {
	s.chooseLanes(t)
	s.hold(t.members)
	most := 0.0 // what any choice gains or loses at most, with its cost
	for c := range s.experts {
		if t.members>>c&1 == 0 {
			sum, odd := s.gainsOf(c)
			most, t.odd = max(most, sum+math.Abs(s.costs[c])), t.odd || odd
		}
	}
	if t.odd {
		return
	}
	t.logLik = s.floats.take(s.groups * 16)
	for g := range s.groups {
		fourSums((*[16]float64)(t.logLik[16*g:]), (*[8]float64)(s.logLiks[8*g:]))
	}
	if s.loops.Across != nil {
		s.fillAcross(t)
		s.makeSixteen(t, most)
	} else {
		s.fill(t)
	}
}

// chooseLanes makes room for the gains of a set. Across takes only the experts that
// may still be picked.
func (s *bySet) chooseLanes(t *set) {
	if s.loops.Across == nil {
		t.gains = s.floats.take(s.groups * 16 * s.lanes)
		return
	}
	n := s.experts - bits.OnesCount64(t.members)
	lanes := n
	if n > 8 {
		lanes = (n + 7) &^ 7
	}
	t.numbers, t.costs = s.integers.take(lanes + 8)[:0], s.floats.take(lanes)[:0]
	for c := range s.experts {
		if t.members>>c&1 == 0 {
			t.numbers, t.costs = append(t.numbers, int64(c)), append(t.costs, s.costs[c])
		}
	}
	t.choices, t.numbers, t.costs = t.numbers[:lanes], t.numbers[:(n+3)&^3], t.costs[:lanes]
	t.gains = s.floats.take(s.groups * 16 * lanes)
}

// choicesOf returns the experts that may still be picked, without lanes that have none.
func (s *bySet) choicesOf(t *set) []int64 { return t.choices[:s.experts-bits.OnesCount64(t.members)] }

// termsOf returns what an expert gains, in nats, by pixel and value, to a multiple of four pixels.
func (s *bySet) termsOf(c int) []float64 { return s.terms[8*s.groups*c:][:8*s.groups] }

// fillAcross fills in the gains of a set, from terms, by four pixels, choice and values.
func (s *bySet) fillAcross(t *set) {
	size := 16 * len(t.choices)
	for l := range t.choices {
		if l >= len(s.choicesOf(t)) {
			for at := 16 * l; at < len(t.gains); at += size {
				*(*[16]float64)(t.gains[at:]) = noChoice
			}
			continue
		}
		terms := s.termsOf(int(t.choices[l]))
		for g := range s.groups {
			fourSums((*[16]float64)(t.gains[size*g+16*l:]), (*[8]float64)(terms[8*g:]))
		}
	}
}

// fill does the work of fillAcross in the order of Step.
func (s *bySet) fill(t *set) {
	size := 16 * s.lanes
	for c := range s.lanes {
		first, sums := c/8*128+c%8, noChoice
		if c >= s.experts || t.members>>c&1 != 0 {
			for p, sum := range sums {
				t.gains[first+8*p] = sum
			}
			continue
		}
		terms := s.termsOf(c)
		for g := range s.groups {
			fourSums(&sums, (*[8]float64)(terms[8*g:]))
			for p, sum := range sums {
				t.gains[size*g+first+8*p] = sum
			}
		}
	}
}

// noChoice holds the gains of an expert that cannot be picked.
var noChoice = [16]float64(slices.Repeat([]float64{math.Inf(-1)}, 16))

// fourSums sets the sums, from left to right, for all 16 values of four pixels; terms are by
// pixel and value.
func fourSums[T int16 | float64](sums *[16]T, terms *[8]T) {
	sums[0] = 0
	for j := range 4 {
		off, on := terms[2*j], terms[2*j+1]
		n := 1 << j // sums of the pixels before
		less, more := sums[:n], sums[n:][:n]
		for p, sum := range less {
			less[p], more[p] = sum+off, sum+on
		}
	}
}

// hold notes who holds the extremal opinions at each pixel among members, as logLik has it, and
// the log-likelihoods.
func (s *bySet) hold(members uint64) {
	copy(s.highest, s.abstentions)
	copy(s.lowest, s.abstentions)
	copy(s.logLiks, s.apart)
	clear(s.top)
	clear(s.bottom)
	for c := range s.experts {
		if members>>c&1 == 0 {
			continue
		}
		e := &s.bank.Sprites[c]
		for i, v := range e.V {
			switch {
			case v > s.highest[i]:
				s.highest[i], s.top[i] = v, int32(c+1)
				s.logLiks[2*i], s.logLiks[2*i+1] = e.Off[i], e.On[i]
			case v < s.lowest[i] && s.bank.TwoSided:
				s.lowest[i], s.bottom[i] = v, int32(c+1)
			}
		}
	}
	if !s.bank.TwoSided {
		return
	}
	for i, b := range s.bottom {
		if b != 0 {
			s.logLiks[2*i], s.logLiks[2*i+1] = s.logLik(score.Off, i, int(s.top[i]), int(b)), s.logLik(score.On, i, int(s.top[i]), int(b))
		}
	}
}

// gainsOf sets the terms of an expert that joins those that hold now. It returns what they come to at
// most, and whether one is no number.
func (s *bySet) gainsOf(c int) (most float64, odd bool) {
	terms, e := s.termsOf(c), &s.bank.Sprites[c]
	for i, v := range e.V {
		var off, on float64
		switch {
		case v > s.highest[i] && s.bottom[i] == 0:
			off, on = e.Off[i], e.On[i]
		case v > s.highest[i]:
			off, on = s.logLik(score.Off, i, c+1, int(s.bottom[i])), s.logLik(score.On, i, c+1, int(s.bottom[i]))
		case v < s.lowest[i] && s.bank.TwoSided:
			off, on = s.logLik(score.Off, i, int(s.top[i]), c+1), s.logLik(score.On, i, int(s.top[i]), c+1)
		default:
			terms[2*i], terms[2*i+1] = 0, 0
			continue
		}
		off, on = off-s.logLiks[2*i], on-s.logLiks[2*i+1]
		terms[2*i], terms[2*i+1] = off, on
		most, odd = most+max(math.Abs(off), math.Abs(on)), odd || off-off != 0 || on-on != 0
	}
	return most, odd
}

// memory hands out parts of larger pieces, all zero.
type memory[T any] []T

// take returns n of them.
func (m *memory[T]) take(n int) []T {
	if n > len(*m) {
		*m = make([]T, max(n, 1<<13))
	}
	part := (*m)[:n:n]
	*m = (*m)[n:]
	return part
}
