package rows

import (
	"math"
	"slices"

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
	*equal          // nil: not used
	rows   []int32  // that have not ended
	ended  []int    // in this step, as indices into rows
	taken  []uint64 // by row of the block: the pixels that its picks have, once it has ended
	none   []uint64 // no pixel
	found

	// The pixels of rows, eight together as kernel.RowLoops.Best takes them, that are open, in
	// that no pick has them, and those that are on as well. Word w of row i is entry
	// 8*(i/8*words+w)+i%8.
	on, open []uint64
}

func (s *byCount) prepare(t *Table) {
	s.Table, s.equal = t, t.equal
	s.none = make([]uint64, t.words)
}

// explain explains rows [from, to), at most kernel.Block, and sets their
// log-likelihoods in out; gather appends the picks.
func (s *byCount) explain(rows Packed, from, to int, out *Picked) {
	x := rows.On[from*s.words : to*s.words]
	s.reset(s.loops, to-from)
	s.pack(x, to-from)
	s.startAll(x, out.Start[from:to])
	for step := 0; len(s.rows) > 0; step++ {
		s.room(step)
		s.stepAll(step)
	}
	for n := range to - from {
		out.LogLik[from+n] = s.sum(x[n*s.words:][:s.words], s.taken[n*s.words:][:s.words])
	}
}

// pack begins with n rows.
func (s *byCount) pack(x []uint64, n int) {
	size := (n + 7) &^ 7 * s.words
	s.rows, s.taken = resize(s.rows, n), resize(s.taken, len(x))
	s.on, s.open = resize(s.on, size), resize(s.open, size)
	for n := range s.rows {
		s.rows[n] = int32(n)
		to := n&^7*s.words + n%8
		for w, v := range x[n*s.words:][:s.words] {
			s.on[to], s.open[to] = v, s.all[w]
			to += 8
		}
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
func (s *byCount) stepAll(step int) {
	least := s.least
	if step == 0 && s.opt.Forced {
		least = math.MinInt64
	}
	if step >= min(s.opt.MaxPicks, s.experts) {
		least = math.MaxInt64
	}
	picks, gains := s.step(step)
	var gain, expert, second, off [8]int64
	var sums [8]float64
	s.ended = s.ended[:0]
	for at := 0; at < len(s.rows); at += 8 {
		on, open := s.on[at*s.words:][:8*s.words], s.open[at*s.words:][:8*s.words]
		if step == 0 {
			s.loops.BestFirst(s.masks, s.words, on, s.won, s.losses, &gain, &expert, &second)
		} else {
			s.loops.Best(s.masks, s.words, on, open, s.won, s.lost, &gain, &expert, &second)
		}
		s.loops.Take(s.masks, s.words, on, open, &gain, &expert, least, &s.classes, &s.values, s.fewValues, &sums, &off)
		for i, n := range s.rows[at:min(at+8, len(s.rows))] {
			depth := step
			if gain[i] > least {
				picks[8*n], gains[8*n] = int8(expert[i]), sums[i]-s.cost+s.cost
				if depth++; second[i]+off[i]*s.lost > s.least {
					continue // or no other can gain enough, even rid of all pixels that are off
				}
			}
			s.ended = append(s.ended, at+i)
			s.depth[n] = int32(depth)
		}
	}
	for i, at := range slices.Backward(s.ended) {
		s.finish(at, len(s.rows)-len(s.ended)+i)
	}
	s.rows = s.rows[:len(s.rows)-len(s.ended)]
}

// finish tells what the picks of the row at an index have taken, and puts the row at another in its place.
func (s *byCount) finish(at, last int) {
	n, at8, last8 := int(s.rows[at]), at&^7*s.words+at%8, last&^7*s.words+last%8
	s.rows[at] = s.rows[last]
	taken := s.taken[n*s.words:][:s.words]
	for w, all := range s.all[:len(taken)] {
		taken[w] = all &^ s.open[at8]
		s.on[at8], s.open[at8] = s.on[last8], s.open[last8]
		at8, last8 = at8+8, last8+8
	}
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
