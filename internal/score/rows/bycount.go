package rows

import (
	"math"
	"slices"
	"sync"

	"example.com/patchwork/internal/score/kernel"
)

// byCount explains rows all of whose votes are one value, see equal.
//
// When it is used: wherever there is an equal, for blocks without unknown pixels.
//
// Why its answers are the same: that counts decide as sums do is shown once for each
// model, for all counts (inUnits). What is told of a pick is summed in the order of
// score.Total, four pixels at a time, from the terms that the others add.
type byCount struct {
	*Table
	*equal // nil: not used
	kernel.Counting
	*countMemory
}

// countMemory is what byCount needs for the rows of a block. Explainers share it: a new one need not make it.
type countMemory struct {
	list, depth  []int32
	pixels, free []uint64
	steps        []countedStep
}

var countMemories = sync.Pool{New: func() any { return new(countMemory) }}

// countedStep is what was found in a step: the rows that have taken an expert, which, and what it gains, in nats.
type countedStep struct {
	rows, picks []int32
	gains       []float64
}

// countBlock is the number of rows that byCount explains together: what is found in them stays in the caches.
const countBlock = 1024

func (s *byCount) prepare(t *Table) {
	s.Table, s.equal = t, t.equal
	s.Counting = t.equal.counting
}

// firstRows are the numbers of the rows of a block.
var firstRows = func() (rows [countBlock]int32) {
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}()

// explain explains rows [from, to), at most countBlock, and sets their
// log-likelihoods in out, and appends the picks.
func (s *byCount) explain(rows Packed, from, to int, out *Picked) {
	n := to - from
	m := countMemories.Get().(*countMemory)
	defer countMemories.Put(m)
	m.list, m.depth, m.pixels, m.free = resize(m.list, n+16), resize(m.depth, n), resize(m.pixels, s.PixelWords(n)), resize(m.free, n*s.words)
	s.countMemory, s.X, s.List, s.Depth, s.Pixels, s.Free = m, rows.On[from*s.words:to*s.words], m.list[:n], m.depth, m.pixels, m.free
	copy(s.List, firstRows[:])
	s.startAll(s.X, out.Start[from:to])
	for s.Step = 0; len(s.List) > 0; s.Step++ {
		if s.Step == len(s.steps) {
			s.steps = append(s.steps, countedStep{})
		}
		if s.Least = s.Enough; s.Step == 0 && s.opt.Forced {
			s.Least = math.MinInt32
		}
		if s.Step >= min(s.opt.MaxPicks, s.experts) {
			s.Least = math.MaxInt32
		}
		found, room := &s.steps[s.Step], len(s.List)+16
		s.Rows, s.Picks, s.Gains = resize(found.rows, room), resize(found.picks, room), resize(found.gains, room)
		s.loops.CountStep(&s.Counting)
		found.rows, found.picks, found.gains = s.Rows, s.Picks, s.Gains
	}
	s.gather(out)
	s.loops.CountSums(&s.logLik4, &s.last4, s.X, s.Free, s.words, s.groups, out.LogLik[from:to])
}

// gather appends the picks.
func (s *byCount) gather(out *Picked) {
	row, first := len(out.From)-1, len(out.Expert)
	end := first
	out.From = slices.Grow(out.From, len(s.Depth))[:row+1+len(s.Depth)]
	from := out.From[row:]
	for i, d := range s.Depth {
		end += int(d)
		from[i+1] = end
	}
	out.Expert, out.Gain = slices.Grow(out.Expert, end-first)[:end], slices.Grow(out.Gain, end-first)[:end]
	for step := range s.Step {
		if found := &s.steps[step]; len(found.rows) > 0 {
			s.loops.CountPlace(found.rows, from, found.picks, found.gains, out.Expert[step:], out.Gain[step:])
		}
	}
}

// startAll sets the log-likelihoods of abstention.
func (s *byCount) startAll(x []uint64, start []float64) {
	if s.words <= kernel.MostWords {
		s.loops.Sums(s.start, x, s.words, nil, s.groups, start)
		return
	}
	for n := range start { // all are free
		copy(s.Free[n*s.words:][:s.words], s.all)
	}
	s.loops.CountSums(&s.logLik4, &s.last4, x, s.Free, s.words, s.groups, start)
}
