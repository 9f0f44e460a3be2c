package score

import (
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/score/kernel"
)

// sets explains rows by the set of experts picked so far. What an expert gains
// depends on the set and on the row, pixel by pixel, so for one set a table by
// four pixels and their values holds what each expert gains there, in the order
// of Total: exact gains of all experts are a few additions of a vector.
//
// All rows of a block take a step together, set by set, so that its table stays
// in the cache. Tables are made for sets that enough rows have come to, while
// there is room; other rows are rare, and left to rowlanes.go.
type sets struct {
	on    bool
	lanes int       // experts, rounded up to a multiple of 8
	costs []float64 // by lane

	// By pixel and lane: opinions, and the log-likelihood of a pixel, by its
	// value, where the only opinion is that.
	opinions []float64
	alone    [2][]float64
	terms    []float64 // memory for eight numbers a lane

	most   int // tables there is room for
	made   int
	known  map[uint64]*set // by members, a bit each
	empty  *set
	active []*set // the sets that rows are at, and come to next
	next   []*set
	lists  []int32 // by lane and one more: the rows that come to it in a step
	counts []int32

	// By row of the block: what was found. Picks and gains are by eight steps
	// each: step i of row n is entry 8*n+i%8 of slice i/8.
	depth []int32 // picks, or -1: rare
	picks [][]int8
	gains [][]float64
}

// set is a set of experts, and the rows of the block that picked it.
type set struct {
	members uint64
	met     int  // rows that came here
	odd     bool // a pixel is or may become impossible
	gains   []float64
	choices []int64   // where Across is used: the experts of its lanes
	costs   []float64 // and their costs
	logLik  []float64 // of the pixels, in the order of Total, by four and their values
	next    []*set    // by the expert that joins
	rows    []int32
}

const (
	setBytes  = 1 << 16 // no table may be larger: it must fit in the nearest cache but one
	allBytes  = 1 << 24 // all tables of a goroutine
	setLanes  = 32
	worthRows = 8 // rows that are worth making a table
)

func (r *Rows) prepareSets() {
	s := &r.sets
	s.lanes = (r.experts + 7) &^ 7
	size := r.groups * 16 * s.lanes * 8
	if s.on = r.experts <= setLanes && size <= setBytes; !s.on {
		return
	}
	s.most, s.known = allBytes/size, map[uint64]*set{}
	s.empty = s.find(0)
	s.costs = make([]float64, s.lanes)
	copy(s.costs, r.opt.Costs)
	s.terms, s.opinions = make([]float64, 8*s.lanes), make([]float64, r.pixels*s.lanes)
	s.alone = [2][]float64{make([]float64, len(s.opinions)), make([]float64, len(s.opinions))}
	for at := range s.opinions {
		i, c := at/s.lanes, at%s.lanes
		if s.opinions[at] = r.bank.q(i); c < r.experts {
			sprite := &r.bank.Sprites[c]
			s.opinions[at], s.alone[Off][at], s.alone[On][at] = sprite.V[i], sprite.Off[i], sprite.On[i]
		}
	}
	s.lists, s.counts = make([]int32, (s.lanes+1)*kernel.Block), make([]int32, s.lanes+1)
}

// find is the set of these members.
func (s *sets) find(members uint64) *set {
	t := s.known[members]
	if t == nil {
		t = &set{members: members, next: make([]*set, s.lanes)}
		s.known[members] = t
	}
	return t
}

// explainSets explains rows [from, to), at most kernel.Block, and tells out their
// log-likelihoods.
func (r *Rows) explainSets(rows Packed, from, to int, out *Picked) {
	s, x := &r.sets, rows.On[from*r.words:to*r.words]
	start, logLik := out.Start[from:to], out.LogLik[from:to]
	s.depth = resize(s.depth, to-from)
	for n := range to - from {
		s.empty.rows = append(s.empty.rows, int32(n))
	}
	s.active = append(s.active[:0], s.empty)
	for step := 0; len(s.active) > 0; step++ {
		if step/8 == len(s.picks) {
			s.picks, s.gains = append(s.picks, nil), append(s.gains, nil)
		}
		if step%8 == 0 {
			s.picks[step/8], s.gains[step/8] = resize(s.picks[step/8], 8*(to-from)), resize(s.gains[step/8], 8*(to-from))
		}
		s.next = s.next[:0]
		for _, t := range s.active {
			if r.ready(t) {
				r.stepSet(t, x, step, start, logLik)
			} else {
				s.end(t.rows, -1)
			}
			t.rows = t.rows[:0]
		}
		s.active, s.next = s.next, s.active
	}
}

// end says how many picks rows have.
func (s *sets) end(rows []int32, depth int32) {
	for _, n := range rows {
		s.depth[n] = depth
	}
}

// ready reports whether the set has its table, and makes it if it is time.
func (r *Rows) ready(t *set) bool {
	if t.met += len(t.rows); t.gains == nil && !t.odd && t.met >= worthRows && r.sets.made < r.sets.most {
		r.sets.made++
		r.makeSet(t)
	}
	return t.gains != nil && !t.odd
}

// stepSet lets the rows at a set take a step: on to another set, or to the end.
func (r *Rows) stepSet(t *set, x []uint64, step int, start, logLik []float64) {
	s, need := &r.sets, r.opt.MinGain+Tie
	if step == 0 {
		r.loops.Sums(t.logLik, x, r.words, t.rows, r.groups, start)
		if r.opt.Forced {
			need = math.Inf(-1)
		}
	}
	ended := t.rows
	if step < r.opt.MaxPicks && step < r.experts {
		clear(s.counts)
		picks, gains := s.picks[step/8][step%8:], s.gains[step/8][step%8:]
		if r.loops.Across != nil {
			r.loops.Across(t.gains, t.costs, t.choices, s.lanes, need, x, r.words, t.rows, r.groups, picks, gains, s.lists, s.counts)
		} else {
			r.loops.Step(t.gains, s.costs, need, x, r.words, t.rows, r.groups, picks, gains, s.lists, s.counts)
		}
		for c := range r.experts {
			s.send(t, c, s.lists[c*kernel.Block:][:s.counts[c]])
		}
		ended = s.lists[s.lanes*kernel.Block:][:s.counts[s.lanes]]
	}
	r.loops.Sums(t.logLik, x, r.words, ended, r.groups, logLik)
	s.end(ended, int32(step))
}

// send sends rows from a set to that which expert c has joined.
func (s *sets) send(from *set, c int, rows []int32) {
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

// gather appends what was found in the rows of the block from row n on, the next
// of out, and returns the first that is rare, or how many there are.
func (r *Rows) gather(n int, out *Picked) int {
	s := &r.sets
	for n < len(s.depth) && s.depth[n] >= 0 {
		end := n
		for end < len(s.depth) && uint32(s.depth[end]) <= 8 {
			end++
		}
		r.gatherEights(n, end, out)
		for ; end < len(s.depth) && s.depth[end] > 8; end++ {
			s.gatherDeep(end, out)
		}
		n = end
	}
	return n
}

// gatherEights is gather of rows [n, end), which have at most eight picks.
func (r *Rows) gatherEights(n, end int, out *Picked) {
	s, row, at := &r.sets, len(out.From)-1, len(out.Expert)
	most := at
	for _, d := range s.depth[n:end] {
		most += int(d)
	}
	out.From = slices.Grow(out.From, end-n)[:row+1+end-n]
	out.Expert, out.Gain = slices.Grow(out.Expert, most+8-at)[:most+8], slices.Grow(out.Gain, most+8-at)[:most+8]
	r.loops.Gather(out.From[row:], s.depth[n:end], s.picks[0][8*n:], s.gains[0][8*n:], out.Expert, out.Gain)
	out.Expert, out.Gain = out.Expert[:most], out.Gain[:most]
}

// gatherDeep is gather of a row with more than eight picks.
func (s *sets) gatherDeep(n int, out *Picked) {
	for step := range int(s.depth[n]) {
		out.Expert = append(out.Expert, int32(s.picks[step/8][8*n+step%8]))
		out.Gain = append(out.Gain, s.gains[step/8][8*n+step%8])
	}
	out.From = append(out.From, len(out.Expert))
}

// makeSet makes the tables of a set.
func (r *Rows) makeSet(t *set) {
	lanes := r.sets.lanes
	t.logLik = make([]float64, r.groups*16)
	r.chooseLanes(t)
	terms, logLiks := r.sets.terms, make([]float64, 8) // by pixel of four, value and lane
	for g := range r.groups {
		clear(terms)
		clear(logLiks)
		for i := 4 * g; i < min(4*g+4, r.pixels); i++ {
			top, bottom := r.holders(t.members, i)
			for x := range 2 {
				at := 2*(i%4) + x
				logLiks[at] = r.logLik(uint8(x), i, top, bottom)
				r.exactGains(uint8(x), i, top, bottom, logLiks[at], terms[at*lanes:][:lanes])
			}
		}
		for _, v := range terms {
			t.odd = t.odd || v-v != 0
		}
		*(*[16]float64)(t.logLik[16*g:]) = fourSums(logLiks, 1)
		if r.loops.Across != nil {
			r.fillAcross(t, g)
		} else {
			r.fill(t, g)
		}
	}
}

// chooseLanes makes room for the gains of a set. Across goes only through the
// experts that are still to be picked.
func (r *Rows) chooseLanes(t *set) {
	if r.loops.Across == nil {
		t.gains = make([]float64, r.groups*16*r.sets.lanes)
		return
	}
	for c := range r.experts {
		if t.members>>c&1 == 0 {
			t.choices, t.costs = append(t.choices, int64(c)), append(t.costs, r.sets.costs[c])
		}
	}
	if n := len(t.choices); n > 8 {
		more := (n+7)&^7 - n
		t.choices, t.costs = append(t.choices, make([]int64, more)...), append(t.costs, make([]float64, more)...)
	}
	t.gains = make([]float64, r.groups*16*len(t.choices))
}

// fillAcross fills in the gains of group g.
func (r *Rows) fillAcross(t *set, g int) {
	choices := r.experts - bits.OnesCount64(t.members)
	table := t.gains[16*len(t.choices)*g:][:16*len(t.choices)]
	for i, c := range t.choices {
		sums := fourSums(r.sets.terms[c:], r.sets.lanes)
		if i >= choices {
			sums = noChoice
		}
		*(*[16]float64)(table[16*i:]) = sums
	}
}

// fill is fillAcross in the order of Step.
func (r *Rows) fill(t *set, g int) {
	table := t.gains[16*r.sets.lanes*g:][:16*r.sets.lanes]
	for c := range r.sets.lanes {
		sums := fourSums(r.sets.terms[c:], r.sets.lanes)
		if g == 0 && (c >= r.experts || t.members>>c&1 != 0) {
			sums = noChoice
		}
		for p, sum := range sums {
			table[c/8*128+8*p+c%8] = sum
		}
	}
}

// noChoice is the gains of an expert that cannot be picked.
var noChoice = [16]float64(slices.Repeat([]float64{math.Inf(-1)}, 16))

// fourSums is the sums, from left to right, for all 16 values of four pixels;
// term (2*j+x)*stride is that of pixel j of value x.
func fourSums(terms []float64, stride int) (sums [16]float64) {
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

// holders are the members with the extremal opinions at pixel i, as in logLik.
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

// exactGains is gain in nats; now is the present log-likelihood.
func (r *Rows) exactGains(x uint8, i, top, bottom int, now float64, row []float64) {
	hi, lo := r.opinion(top, i), r.opinion(bottom, i)
	after := r.sets.alone[x][i*len(row):][:len(row)]
	for c, v := range r.sets.opinions[i*len(row):][:len(row)] {
		switch {
		case v > hi && bottom == 0:
			row[c] = after[c] - now
		case v > hi:
			row[c] = r.logLik(x, i, c+1, bottom) - now
		case v < lo && r.bank.TwoSided:
			row[c] = r.logLik(x, i, top, c+1) - now
		}
	}
}
