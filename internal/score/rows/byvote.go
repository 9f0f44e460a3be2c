package rows

import (
	"math"
	"slices"
	"sync"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// byVote explains rows by their votes, one by one, of sixteen rows at a time, in units (see kernel.Voting). Once all
// rows of
// the block have their picks, what these gained is summed, row by row.
//
// When it is used: under the max rule, for up to 64 experts, for blocks without unknown pixels, once enough rows came
// to pay for the tables.
//
// Why its answers are the same: a gain in units is wrong by at most the error of its margin. Where another
// expert, or the least gain, is so near that it could be the other way, the row is left to byRow.
// What is told of the picks is summed in the order of score.Total from the terms
// that byRow adds.
type byVote struct {
	*Table
	*voteTables // nil: not used
	kernel.Voting
	*voteMemory // from take to release
	tellStep    kernel.Tell
	asked       int // rows to explain so far
	rare, all   int
}

// voteMemory is what byVote needs for the rows of a block. Explainers share it: a new one need not make it.
type voteMemory struct {
	picks         []uint8
	gains, losses []int32
	next, counts  [2][]int32 // the lists of a step and the next, by expert
}

var voteMemories = sync.Pool{New: func() any { return new(voteMemory) }}

// take takes memory for Stride rows, and release gives it back.
func (s *byVote) take() {
	m, n := voteMemories.Get().(*voteMemory), s.Stride
	m.picks, m.gains, m.losses = resize(m.picks, n*kernel.MostPicks), resize(m.gains, (n+1)*s.Lanes()),
		resize(m.losses, (n+15)&^15*s.experts)
	for i := range m.next {
		m.next[i], m.counts[i] = resize(m.next[i], (s.experts+1)*n), resize(m.counts[i], s.experts+1)
	}
	s.voteMemory, s.Picks, s.Gains, s.Losses = m, m.picks, m.gains, m.losses
}

func (s *byVote) release() {
	voteMemories.Put(s.voteMemory)
	s.voteMemory = nil
}

const (
	voteBlock  = 4096 // rows together
	fewForRare = 256  // rows after which too many rare ones count
)

// use prepares the engine for n rows if that pays, and reports whether it is ready.
func (s *byVote) use(t *Table, n int) bool {
	s.Table = t
	if s.voteTables == nil && t.votesPay(s.asked) {
		s.voteTables = t.voteTablesOnce()
	}
	if s.voteTables != nil && s.Stride < min(n, voteBlock) {
		s.prepare(min(n, voteBlock))
	}
	return s.voteTables != nil
}

// goesOn reports whether few enough rows are rare.
func (s *byVote) goesOn() bool { return s.all < fewForRare || 8*s.rare < s.all }

// block returns how many rows to explain next, at most.
func (s *byVote) block() int {
	if s.all < fewForRare {
		return min(fewForRare, s.Stride)
	}
	return s.Stride
}

// prepare makes ready for so many rows together.
func (s *byVote) prepare(rows int) {
	s.Voting = s.voting
	s.VoteMemory()
	s.Stride = rows
	s.tellStep = kernel.Tell{Experts: s.told, Scratch: make([]float64, 64*s.words+16), Masks: make([]uint8, 8*s.words),
		Width: s.words, Abstention: s.experts}
}

// explain finds the picks of rows [from, to), for which there is memory; gather says what they are.
func (s *byVote) explain(rows Packed, from, to int) {
	n := to - from
	s.X, s.Depth, s.Picked = rows.On[from*s.words:to*s.words], resize(s.Depth, n), resize(s.Picked, n)
	clear(s.Picked)
	all := s.next[1][:n]
	for i := range all {
		all[i] = int32(i)
	}
	for s.Step = 0; s.Step == 0 || s.pending(); s.Step++ {
		m, this := s.margins[s.Step], s.Step%2
		s.Slack, s.Low, s.High, s.End = m.slack, m.low, m.high, s.margins[s.Step+1].low
		if s.Step == 0 && s.opt.Forced {
			s.Low, s.High = excluded/2, excluded/2
		}
		switch {
		case s.Step >= s.opt.MaxPicks:
			s.Low = math.MaxInt32
		case s.Step == kernel.MostPicks-1:
			s.High = math.MaxInt32
		}
		s.Next, s.Counts = s.next[this], s.counts[this]
		clear(s.Counts)
		if s.Step == 0 {
			s.advance(-1, all)
			continue
		}
		for c, count := range s.counts[1-this][:s.experts] {
			s.advance(c, s.next[1-this][c*s.Stride:][:count])
		}
	}
	s.count()
}

// pending reports whether rows go on.
func (s *byVote) pending() bool { return slices.Max(s.Counts[:s.experts]) > 0 }

// advance lets rows take a step, all with the same last pick.
func (s *byVote) advance(last int, list []int32) {
	if s.Last, s.List = last, list; last >= 0 {
		s.Meetings = s.meet[last]
	}
	s.loops.VoteStep(&s.Voting)
}

// count counts the rows that are rare.
func (s *byVote) count() {
	for _, d := range s.Depth {
		if d < 0 {
			s.rare++
		}
	}
	s.all += len(s.Depth)
}

// gather appends what was found in the rows of the block, from row n on, the next of out, to row to, and
// returns the first that is rare, or to.
func (s *byVote) gather(n, to int, out *Picked) int {
	end, picks := n, 0
	for ; end < to && s.Depth[end] >= 0; end++ {
		picks += int(s.Depth[end])
	}
	if end == n {
		return n
	}
	row, told := len(out.From)-1, len(out.Gain)
	out.Expert = slices.Grow(out.Expert, picks+kernel.MostPicks)[:told+picks+kernel.MostPicks]
	at := told
	for i := n; i < end; i++ {
		experts := out.Expert[at:][:kernel.MostPicks] // more than there are, so that nothing has to be guessed
		for j, c := range s.Picks[kernel.MostPicks*i:][:kernel.MostPicks] {
			experts[j] = int32(c)
		}
		at += int(s.Depth[i])
		out.From = append(out.From, at)
	}
	out.Expert = out.Expert[:at]
	out.Gain = slices.Grow(out.Gain, picks)[:told+picks]
	t := &s.tellStep
	t.X, t.Depth, t.Picks = s.X[n*s.words:end*s.words], s.Depth[n:end], s.Picks[kernel.MostPicks*n:]
	t.Gains, t.Start, t.LogLik, t.N = out.Gain[told:], out.Start[row:], out.LogLik[row:], end-n
	s.loops.Tell(t)
	if s.opt.Costs != nil {
		for i := told; i < told+picks; i++ {
			cost := score.CostOf(s.opt.Costs, int(out.Expert[i]))
			out.Gain[i] = out.Gain[i] - cost + cost
		}
	}
	return end
}
