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

	// By pixel and lane: opinions, and the log-likelihood of a pixel, by its
	// value, where the only opinion is that.
	opinions []float64
	alone    [2][]float64

	// Memory for what lanes gain by pixel, value and lane, to a multiple of four pixels, in nats; and for the
	// log-likelihoods.
	terms, logLiks []float64
	proposal       kernel.Propose

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
	s.terms, s.logLiks, s.opinions = make([]float64, 8*s.groups*s.lanes), make([]float64, 8*s.groups), make([]float64, s.pixels*s.lanes)
	s.alone = [2][]float64{make([]float64, len(s.opinions)), make([]float64, len(s.opinions))}
	for at := range s.opinions {
		i, c := at/s.lanes, at%s.lanes
		if s.opinions[at] = s.bank.Abstention(i); c < s.experts {
			sprite := &s.bank.Sprites[c]
			s.opinions[at], s.alone[score.Off][at], s.alone[score.On][at] = sprite.V[i], sprite.Off[i], sprite.On[i]
		}
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
		s.room(step)
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
	if step < s.opt.MaxPicks && step < s.experts {
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
	t.logLik = make([]float64, s.groups*16)
	s.chooseLanes(t)
	clear(s.terms)
	clear(s.logLiks)
	for i := range s.pixels {
		top, bottom := s.holders(t.members, i)
		for x := range 2 {
			at := 2*i + x
			s.logLiks[at] = s.logLik(uint8(x), i, top, bottom)
			s.exactGains(uint8(x), i, top, bottom, s.logLiks[at], s.terms[at*s.lanes:][:s.lanes])
		}
	}
	for _, v := range s.terms {
		t.odd = t.odd || v-v != 0
	}
	for g := range s.groups {
		*(*[16]float64)(t.logLik[16*g:]) = fourSums(s.logLiks[8*g:], 1)
		if s.loops.Across != nil {
			s.fillAcross(t, g)
		} else {
			s.fill(t, g)
		}
	}
	if s.loops.Across != nil && !t.odd {
		s.makeSixteen(t)
	}
}

// chooseLanes makes room for the gains of a set. Across takes only the experts that
// may still be picked.
func (s *bySet) chooseLanes(t *set) {
	if s.loops.Across == nil {
		t.gains = make([]float64, s.groups*16*s.lanes)
		return
	}
	for c := range s.experts {
		if t.members>>c&1 == 0 {
			t.choices, t.costs = append(t.choices, int64(c)), append(t.costs, s.costs[c])
		}
	}
	n, lanes := len(t.choices), len(t.choices)
	if n > 8 {
		lanes = (n + 7) &^ 7
	}
	padded := append(t.choices, make([]int64, 8)...)
	t.choices, t.numbers, t.costs = padded[:lanes], padded[:(n+3)&^3], append(t.costs, make([]float64, lanes-n)...)
	t.gains = make([]float64, s.groups*16*len(t.choices))
}

// choicesOf returns the experts that may still be picked, without lanes that have none.
func (s *bySet) choicesOf(t *set) []int64 { return t.choices[:s.experts-bits.OnesCount64(t.members)] }

// fillAcross fills in the gains of group g.
func (s *bySet) fillAcross(t *set, g int) {
	choices := len(s.choicesOf(t))
	table := t.gains[16*len(t.choices)*g:][:16*len(t.choices)]
	for i, c := range t.choices {
		sums := fourSums(s.terms[8*g*s.lanes+int(c):], s.lanes)
		if i >= choices {
			sums = noChoice
		}
		*(*[16]float64)(table[16*i:]) = sums
	}
}

// fill does the work of fillAcross in the order of Step.
func (s *bySet) fill(t *set, g int) {
	table := t.gains[16*s.lanes*g:][:16*s.lanes]
	for c := range s.lanes {
		sums := fourSums(s.terms[8*g*s.lanes+c:], s.lanes)
		if g == 0 && (c >= s.experts || t.members>>c&1 != 0) {
			sums = noChoice
		}
		for p, sum := range sums {
			table[c/8*128+8*p+c%8] = sum
		}
	}
}

// noChoice holds the gains of an expert that cannot be picked.
var noChoice = [16]float64(slices.Repeat([]float64{math.Inf(-1)}, 16))

// fourSums returns the sums, from left to right, for all 16 values of four pixels;
// term (2*j+x)*stride is that of pixel j of value x.
func fourSums[T int16 | float64](terms []T, stride int) (sums [16]T) {
	for j := range 4 {
		off, on := terms[2*j*stride], terms[(2*j+1)*stride]
		n := 1 << j // sums of the pixels before
		for p := range n {
			sums[p+n] = sums[p] + on
			sums[p] += off
		}
	}
	return sums
}

// holders returns the members with the extremal opinions at pixel i, as in logLik.
func (t *Table) holders(members uint64, i int) (top, bottom int) {
	for h := 1; members != 0; members, h = members>>1, h+1 {
		if members&1 == 0 {
			continue
		}
		switch v := t.opinion(h, i); {
		case v > t.opinion(top, i):
			top = h
		case v < t.opinion(bottom, i) && t.bank.TwoSided:
			bottom = h
		}
	}
	return top, bottom
}

// exactGains does the work of unitGains in nats; now is the present log-likelihood.
func (s *bySet) exactGains(x uint8, i, top, bottom int, now float64, row []float64) {
	hi, lo := s.opinion(top, i), s.opinion(bottom, i)
	after := s.alone[x][i*len(row):][:len(row)]
	for c, v := range s.opinions[i*len(row):][:len(row)] {
		switch {
		case v > hi && bottom == 0:
			row[c] = after[c] - now
		case v > hi:
			row[c] = s.logLik(x, i, c+1, bottom) - now
		case v < lo && s.bank.TwoSided:
			row[c] = s.logLik(x, i, top, c+1) - now
		}
	}
}
