package rows

import (
	"math"

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
	found
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
// log-likelihoods in out; gather appends the picks.
func (s *byCount) explain(rows Packed, from, to int, out *Picked) {
	n := to - from
	s.reset(s.loops, n)
	s.X, s.Depth, s.Free = rows.On[from*s.words:to*s.words], s.depth, resize(s.Free, n*s.words)
	s.List, s.Pixels = resize(s.List, n+16)[:n], resize(s.Pixels, s.PixelWords(n))
	copy(s.List, firstRows[:])
	s.startAll(s.X, out.Start[from:to])
	for s.Step = 0; len(s.List) > 0; s.Step++ {
		s.room(s.Step)
		if s.Least = s.Enough; s.Step == 0 && s.opt.Forced {
			s.Least = math.MinInt32
		}
		if s.Step >= min(s.opt.MaxPicks, s.experts) {
			s.Least = math.MaxInt32
		}
		s.Picks, s.Gains = s.step(s.Step)
		s.loops.CountStep(&s.Counting)
	}
	s.loops.CountSums(&s.logLik4, &s.last4, s.X, s.Free, s.words, s.groups, out.LogLik[from:to])
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
