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
	*equal            // nil: not used
	free     []uint64 // by row of the block: the pixels that no pick has
	rows     []int32  // that have not ended
	on, open []uint64 // of eight rows, as kernel.RowLoops.Best takes them
	none     []uint64 // no pixel
	found
}

func (s *byCount) prepare(t *Table) {
	s.Table, s.equal = t, t.equal
	s.on, s.open, s.none = make([]uint64, 8*t.words), make([]uint64, 8*t.words), make([]uint64, t.words)
}

// explain explains rows [from, to), at most kernel.Block, and sets their
// log-likelihoods in out; gather appends the picks.
func (s *byCount) explain(rows Packed, from, to int, out *Picked) {
	x := rows.On[from*s.words : to*s.words]
	s.reset(s.loops, to-from)
	s.free, s.rows = resize(s.free, len(x)), resize(s.rows, to-from)
	for n := range s.rows {
		s.rows[n] = int32(n)
		copy(s.free[n*s.words:], s.all)
	}
	s.startAll(x, out.Start[from:to])
	for step := 0; len(s.rows) > 0; step++ {
		s.room(step)
		s.stepAll(x, step)
	}
	for n := range to - from {
		free := s.free[n*s.words:][:s.words]
		for w, all := range s.all {
			free[w] ^= all // what the picks have
		}
		out.LogLik[from+n] = s.sum(x[n*s.words:][:s.words], free)
	}
}

// startAll sets the log-likelihoods of abstention.
func (s *byCount) startAll(x []uint64, start []float64) {
	if s.words <= kernel.MostWords {
		s.loops.Sums(s.start, x, s.words, s.rows, s.groups, start)
		return
	}
	clear(s.none)
	for n := range start {
		start[n] = s.sum(x[n*s.words:][:s.words], s.none)
	}
}

// stepAll lets all rows that have not ended take a step.
func (s *byCount) stepAll(x []uint64, step int) {
	least := s.least
	if step == 0 && s.opt.Forced {
		least = math.MinInt64
	}
	if step >= min(s.opt.MaxPicks, s.experts) {
		least = math.MaxInt64
	}
	picks, gains := s.step(step)
	var gain, expert [8]int64
	var sums [8]float64
	left := s.rows[:0]
	for at := 0; at < len(s.rows); at += 8 {
		eight := s.rows[at:min(at+8, len(s.rows))]
		for i, n := range eight {
			row := x[int(n)*s.words:][:s.words]
			for w, free := range s.free[int(n)*s.words:][:len(row)] {
				s.on[8*w+i], s.open[8*w+i] = row[w]&free, free
			}
		}
		if step == 0 {
			s.loops.BestFirst(s.masks, s.words, s.on, s.won, s.losses, &gain, &expert)
		} else {
			s.loops.Best(s.masks, s.words, s.on, s.open, s.won, s.lost, &gain, &expert)
		}
		s.loops.BestSums(s.masks, s.words, s.on, s.open, &expert, &s.classes, &s.values, &sums)
		for i, n := range eight {
			if s.depth[n] = int32(step); gain[i] <= least {
				continue
			}
			picks[8*n], gains[8*n] = int8(expert[i]), sums[i]-s.cost+s.cost
			left = append(left, n)
			mask, free := s.masks[int(expert[i])*s.words:], s.free[int(n)*s.words:][:s.words]
			for w := range free {
				free[w] &^= mask[w]
			}
		}
	}
	s.rows = left
}

// sum returns the log-likelihood of a row of which picks have some pixels, in the order
// of score.Total.
func (s *byCount) sum(x, votes []uint64) float64 {
	table, last := &s.logLik4, &s.last4
	var s0, s1, s2, s3 float64
	quads, w := (s.groups-1)/4, 0 // without the last four pixels
	for ; quads >= 4; quads -= 4 {
		even, odd := fours(x[w], votes[w])
		for range 4 {
			s0 += table[uint8(even)]
			s1 += table[uint8(odd)]
			s2 += table[uint8(even>>8)]
			s3 += table[uint8(odd>>8)]
			even, odd = even>>16, odd>>16
		}
		w++
	}
	even, odd := fours(x[w], votes[w])
	for range quads {
		s0 += table[uint8(even)]
		s1 += table[uint8(odd)]
		s2 += table[uint8(even>>8)]
		s3 += table[uint8(odd>>8)]
		even, odd = even>>16, odd>>16
	}
	switch (s.groups - 1) % 4 {
	case 0:
		s0 += last[uint8(even)]
	case 1:
		s0 += table[uint8(even)]
		s1 += last[uint8(odd)]
	case 2:
		s0 += table[uint8(even)]
		s1 += table[uint8(odd)]
		s2 += last[uint8(even>>8)]
	case 3:
		s0 += table[uint8(even)]
		s1 += table[uint8(odd)]
		s2 += table[uint8(even>>8)]
		s3 += last[uint8(odd>>8)]
	}
	return s0 + s1 + (s2 + s3)
}
