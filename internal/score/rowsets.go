package score

import (
	"math"
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
	on     bool
	lanes  int       // experts, rounded up to a multiple of 8
	costs  []float64 // by lane
	most   int       // tables there is room for
	made   int
	known  map[uint64]*set // by members, a bit each
	empty  *set
	active []*set // the sets that rows are at, and come to next
	next   []*set
	choice []int32
	gain   []float64

	// By row of the block: what was found. Picks and gains are by step, then row.
	depth         []int32 // picks, or -1: rare
	start, logLik []float64
	picks         [][]int32
	gains         [][]float64
}

// set is a set of experts, and the rows of the block that picked it.
type set struct {
	members uint64
	met     int  // rows that came here
	odd     bool // a pixel is or may become impossible
	gains   []float64
	logLik  []float64 // of the pixels, in the order of Total, by four and their values
	next    []*set    // by the expert that joins
	rows    []int32
}

const (
	setBytes  = 1 << 16 // no table may be larger: it must fit in the nearest cache but one
	allBytes  = 1 << 24 // all tables of a goroutine
	setLanes  = 32
	worthRows = 32 // rows that are worth making a table
)

func (r *Rows) prepareSets() {
	s := &r.sets
	s.lanes = (r.experts + 7) &^ 7
	size := r.quads * 64 * s.lanes * 8
	if s.on = r.experts <= setLanes && size <= setBytes; !s.on {
		return
	}
	s.most, s.known = allBytes/size, map[uint64]*set{}
	s.empty = s.find(0)
	s.costs = make([]float64, s.lanes)
	copy(s.costs, r.opt.Costs)
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

// explainSets explains rows [from, to), at most maxBlock.
func (r *Rows) explainSets(rows Packed, from, to int) {
	s, x := &r.sets, rows.On[from*r.words:to*r.words]
	s.choice, s.gain, s.depth = resize(s.choice, to-from), resize(s.gain, to-from), resize(s.depth, to-from)
	s.start, s.logLik = resize(s.start, to-from), resize(s.logLik, to-from)
	for n := range to - from {
		s.empty.rows = append(s.empty.rows, int32(n))
	}
	s.active = append(s.active[:0], s.empty)
	for step := 0; len(s.active) > 0; step++ {
		if step == len(s.picks) {
			s.picks, s.gains = append(s.picks, nil), append(s.gains, nil)
		}
		s.picks[step], s.gains[step] = resize(s.picks[step], to-from), resize(s.gains[step], to-from)
		s.next = s.next[:0]
		for _, t := range s.active {
			if r.ready(t) {
				r.stepSet(t, x, step)
			} else {
				for _, n := range t.rows {
					s.depth[n] = -1
				}
			}
			t.rows = t.rows[:0]
		}
		s.active, s.next = s.next, s.active
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
func (r *Rows) stepSet(t *set, x []uint64, step int) {
	s, need := &r.sets, r.opt.MinGain+Tie
	choice, gain := s.choice[:len(t.rows)], s.gain[:len(t.rows)]
	if step == 0 {
		for _, n := range t.rows {
			s.start[n] = fourSum(t.logLik, x[int(n)*r.words:])
		}
	}
	r.loops.Step(t.gains, s.costs, x, r.words, t.rows, r.quads, choice, gain)
	picks, gains := s.picks[step], s.gains[step]
	free := step == 0 && r.opt.Forced
	for i, n := range t.rows {
		c := choice[i]
		if step == r.opt.MaxPicks || step == r.experts || !(gain[i] > need || free) {
			s.depth[n], s.logLik[n] = int32(step), fourSum(t.logLik, x[int(n)*r.words:])
			continue
		}
		picks[n], gains[n] = c, gain[i]+s.costs[c]
		to := t.next[c]
		if to == nil {
			to = s.find(t.members | 1<<c)
			t.next[c] = to
		}
		if len(to.rows) == 0 {
			s.next = append(s.next, to)
		}
		to.rows = append(to.rows, n)
	}
}

// gather appends the picks of row n of the block, the next of out; not if it is
// rare.
func (s *sets) gather(n int, out *Picked) bool {
	depth := s.depth[n]
	if depth < 0 {
		return false
	}
	row := len(out.From) - 1
	for step := range depth {
		out.Expert = append(out.Expert, s.picks[step][n])
		out.Gain = append(out.Gain, s.gains[step][n])
	}
	out.From = append(out.From, len(out.Expert))
	out.Start[row], out.LogLik[row] = s.start[n], s.logLik[n]
	return true
}

// fourSum is the Total of the entries of a table by four pixels and their
// values for the pixels of a row.
func fourSum(table []float64, x []uint64) float64 {
	var s0, s1, s2, s3 float64
	for q := 0; len(table) >= 64; q++ {
		t := (*[64]float64)(table)
		b := x[q/4] >> (q % 4 * 16)
		s0 += t[b&15]
		s1 += t[16+b>>4&15]
		s2 += t[32+b>>8&15]
		s3 += t[48+b>>12&15]
		table = table[64:]
	}
	return s0 + s1 + (s2 + s3)
}

// makeSet makes the tables of a set.
func (r *Rows) makeSet(t *set) {
	lanes := r.sets.lanes
	t.gains, t.logLik = make([]float64, r.quads*64*lanes), make([]float64, r.quads*64)
	terms, logLiks := make([]float64, 8*lanes), make([]float64, 8) // by pixel of four, value and lane
	for g := range 4 * r.quads {
		clear(terms)
		clear(logLiks)
		for i := 4 * g; i < min(4*g+4, r.pixels); i++ {
			top, bottom := r.holders(t.members, i)
			for x := range 2 {
				at := 2*(i%4) + x
				logLiks[at] = r.logLik(uint8(x), i, top, bottom)
				r.exactGains(uint8(x), i, top, bottom, logLiks[at], terms[at*lanes:])
			}
		}
		for p, sum := range fourSums(logLiks, 1) {
			t.logLik[16*g+p] = sum
		}
		table := t.gains[16*lanes*g:][:16*lanes]
		for c := range lanes {
			for p, sum := range fourSums(terms[c:], lanes) {
				table[c/8*128+p*8+c%8] = sum
			}
		}
	}
	for at, v := range t.gains[:16*lanes] {
		c := at/128*8 + at%8
		t.odd = t.odd || v-v != 0
		if c >= r.experts || t.members>>c&1 != 0 {
			t.gains[at] = math.Inf(-1) // not a choice
		}
	}
	for _, v := range t.gains[16*lanes:] {
		t.odd = t.odd || v-v != 0
	}
}

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
func (t *Table) exactGains(x uint8, i, top, bottom int, now float64, row []float64) {
	hi, lo := t.opinion(top, i), t.opinion(bottom, i)
	for c := range t.experts {
		switch v := t.bank.Sprites[c].V[i]; {
		case v > hi:
			row[c] = t.logLik(x, i, c+1, bottom) - now
		case v < lo && t.bank.TwoSided:
			row[c] = t.logLik(x, i, top, c+1) - now
		}
	}
}
