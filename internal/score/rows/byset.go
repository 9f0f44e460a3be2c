package rows

import (
	"math"
	"math/bits"
	"slices"
	"sync"

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
// there is room, or at once where there are few sets and very many rows; other rows are rare, and left to byRow.
//
// When it is used: for blocks without unknown pixels, at most 32 experts and
// tables of at most 64 KB.
//
// Why its answers are the same: its sums are exact, term by term and in the order
// of score.Field.Gain. A set in which a pixel is or may become impossible is left
// to byRow.
type bySet struct {
	parts
	on    bool
	lanes int       // experts, rounded up to a multiple of 8
	costs []float64 // by lane

	floats memory[float64] // for tables
	ints   memory[int32]

	size   int             // bytes of tables
	sets   map[uint64]*set // by members, one bit each
	empty  *set
	atOnce bool   // each set has its table at once
	active []*set // the sets that rows are at, and come to next
	next   []*set

	*setMemory // from take to release
}

// setMemory is what bySet needs for the rows of a block. Explainers share it: a new one need not make it.
type setMemory struct {
	lists  []int32 // by lane and one more: the rows that come to it in a step
	counts []int32

	found // -1 picks: the row is rare
}

var setMemories = sync.Pool{New: func() any { return new(setMemory) }}

// take takes memory for the rows of a block, and release gives it back.
func (s *bySet) take() {
	s.setMemory = setMemories.Get().(*setMemory)
	s.lists, s.counts = resize(s.lists, (s.lanes+1)*kernel.Block), resize(s.counts, s.lanes+1)
}

func (s *bySet) release() {
	setMemories.Put(s.setMemory)
	s.setMemory = nil
}

// set is a set of experts and the rows of the block that picked it.
type set struct {
	members uint64
	from    *set // a set whose tables were made before, and the expert that joined it; nil: the empty set
	joined  int
	met     int  // rows that came here
	made    bool // its tables
	odd     bool // a pixel is or may become impossible

	choices []int32   // the experts that may still be picked
	costs   []float64 // theirs
	fours   []int32   // and their parts of four pixels, by choice
	gains   []float64 // the same as Step takes it
	logLik  []float64 // of the pixels, in the order of Total, by four and their values

	next []*set // by the expert that joins
	rows []int32
}

const (
	setBytes  = 1 << 16 // the largest table: it must fit in L2
	allBytes  = 1 << 24 // of all tables of a goroutine
	setLanes  = 32      // as many bits of a part say who holds an opinion
	worthRows = 8       // rows for which a table is made
)

// prepare makes the memory for rows of a table.
func (s *bySet) prepare(t *Table) {
	s.Table = t
	s.lanes = (s.experts + 7) &^ 7
	size := s.groups * 16 * s.lanes * 8
	if s.on = s.experts <= setLanes && size <= setBytes; !s.on {
		return
	}
	s.parts.prepare(t)
	s.sets = map[uint64]*set{}
	s.empty = s.find(0, nil, 0)
	s.costs = make([]float64, s.lanes)
	copy(s.costs, s.opt.Costs)
}

// find returns the set of these members, to which rows come from another that an expert joins.
func (s *bySet) find(members uint64, from *set, joins int) *set {
	t := s.sets[members]
	if t == nil {
		t = &set{members: members, from: from, joined: joins, next: make([]*set, s.lanes)}
		s.sets[members] = t
	}
	return t
}

// explain explains rows [from, to), at most Block, and sets their
// log-likelihoods in out; gather appends the picks.
func (s *bySet) explain(rows Packed, from, to int, out *Picked) {
	x := rows.On[from*s.words : to*s.words]
	start, logLik := out.Start[from:to], out.LogLik[from:to]
	s.reset(to - from)
	s.empty.rows = slices.Grow(s.empty.rows, to-from)
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

// ready reports whether the rows at a set take their step by its table, and makes that if it is time.
func (s *bySet) ready(t *set) bool {
	if t.met += len(t.rows); !t.made && (t.met >= worthRows || s.atOnce) && s.size+s.bytes() < allBytes {
		s.makeSet(t)
	}
	return t.made && !t.odd
}

// stepSet lets the rows at a set take a step: on to another set, or to the end.
func (s *bySet) stepSet(t *set, x []uint64, step int, start, logLik []float64) {
	need := s.opt.MinGain + score.Tie
	if step == 0 {
		s.loops.Sums(t.logLik, x, s.words, nil, s.groups, start)
		if s.opt.Forced {
			need = math.Inf(-1)
		}
	}
	for rows := range slices.Chunk(t.rows, kernel.Block) {
		if step < s.mostPicks() {
			rows = s.pick(t, rows, x, step, need)
		}
		s.loops.Sums(t.logLik, x, s.words, rows, s.groups, logLik)
		s.end(rows, int32(step))
	}
}

// pick lets rows at a set, at most kernel.Block, pick an expert where that gains more than need, and returns the
// others.
func (s *bySet) pick(t *set, rows []int32, x []uint64, step int, need float64) (ended []int32) {
	clear(s.counts)
	picks, gains := s.step(step)
	s.loops.Step(t.gains, s.costs, need, x, s.words, rows, s.groups, picks, gains, s.lists, s.counts)
	for c := range s.experts {
		s.send(t, c, s.list(c))
	}
	return s.list(s.lanes)
}

// list returns the rows that pick made come to a lane, or behind the last: that end.
func (s *bySet) list(c int) []int32 { return s.lists[c*kernel.Block:][:s.counts[c]] }

// send moves rows from a set to the one that expert c has joined.
func (s *bySet) send(from *set, c int, rows []int32) {
	if len(rows) == 0 {
		return
	}
	to := from.next[c]
	if to == nil {
		to = s.find(from.members|1<<c, from, c)
		from.next[c] = to
	}
	if len(to.rows) == 0 {
		s.next = append(s.next, to)
	}
	if cap(to.rows)-len(to.rows) < len(rows) {
		to.rows = slices.Grow(to.rows, 2*len(rows)) // others may have as many
	}
	to.rows = append(to.rows, rows...)
}

// makeSet makes the tables of a set.
func (s *bySet) makeSet(t *set) {
	t.made = true
	s.hold(t.members)
	n := s.experts - bits.OnesCount64(t.members)
	t.choices, t.costs = s.ints.take(n)[:0], s.floats.take(n)[:0]
	for c := range s.experts {
		if t.members>>c&1 == 0 {
			t.choices, t.costs = append(t.choices, int32(c)), append(t.costs, s.costs[c])
		}
	}
	t.fours = s.ints.take(n * s.groups)
	most := 0.0 // what any choice gains or loses at most, with its cost
	for l := range n {
		most = max(most, s.makeFours(t, l)+math.Abs(t.costs[l]))
	}
	if t.odd = !(most <= math.MaxFloat64); t.odd {
		return
	}
	t.logLik = s.floats.take(s.groups * 16)
	s.logLik4(t.logLik)
	s.fill(t)
	s.size += 8*(len(t.gains)+len(t.logLik)) + 4*len(t.fours)
}

// makeFours finds the parts of four pixels of a choice, and returns what they come to at most.
func (s *bySet) makeFours(t *set, l int) (most float64) {
	c, fours := int(t.choices[l]), t.fours[s.groups*l:][:s.groups]
	if t.from != nil {
		copy(fours, t.from.fours[s.groups*t.before(l):])
	}
	for w := range s.words {
		for changed := s.changed(t, c, w); changed != 0; {
			at := bits.TrailingZeros64(changed) / 4
			fours[16*w+at] = s.four(c, 16*w+at)
			changed &^= 15 << (4 * at)
		}
	}
	for _, at := range fours {
		most += s.most[at/16]
	}
	return most
}

// before returns which choice of the set that rows come from choice l of this one was.
func (t *set) before(l int) int {
	if int(t.choices[l]) > t.joined {
		return l + 1
	}
	return l
}

// changed returns the pixels of a word where the parts of expert c are not those of the set that rows come from.
func (s *bySet) changed(t *set, c, w int) uint64 {
	if t.from == nil {
		return s.all[w]
	}
	return s.opinions[c*s.words+w] & s.opinions[t.joined*s.words+w]
}

// fill brings the gains of a set in the order of Step.
func (s *bySet) fill(t *set) {
	size := 16 * s.lanes
	t.gains = s.floats.take(s.groups * size)
	for c, l := 0, 0; c < s.lanes; c++ {
		first, chosen := c/8*128+c%8, l < len(t.choices) && int(t.choices[l]) == c
		for g := range s.groups {
			sums := noChoice[:]
			if chosen {
				sums = s.sums[t.fours[s.groups*l+g]:][:16]
			}
			for p, sum := range sums {
				t.gains[size*g+first+8*p] = sum
			}
		}
		if chosen {
			l++
		}
	}
}

// noChoice holds the gains of an expert that cannot be picked.
var noChoice = [16]float64(slices.Repeat([]float64{math.Inf(-1)}, 16))

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
