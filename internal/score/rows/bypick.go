package rows

import (
	"math"
	"slices"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// byPick explains rows by the last pick: all that made it correct the gains of all experts,
// in units, by one small table. What a pick h takes from expert c at a pixel is the smaller of
// their two ways there, so four votes of h and their 16 values make a row of that table; only
// where a pick before had gone some way already is something to be given back. Once all rows of
// the block have their picks, what these gained is summed, row by row.
//
// When it is used: under the max rule, for up to 64 experts whose votes are few enough for the tables, for
// blocks without unknown pixels, once enough rows came to pay for the tables.
//
// Why its answers are the same: a gain in units is wrong by at most wrong. Where another
// expert, or the least gain, is so near that it could be the other way, the row is left to byRow.
// What is told of the picks is summed in the order of score.Total from the terms
// that byRow adds.
type byPick struct {
	*Table
	*pickTables     // nil: not used
	asked       int // rows to explain so far
	size        int // rows that there is memory for
	step        kernel.Advance
	tellStep    kernel.Tell
	next        [2][]int32
	counts      [2][]int32
	spread      []byte
	changes     []int32
	depth       []int32 // picks of each row, or -1: it is left to byRow
	rare, all   int
}

// pickTables is what byPick needs to know of a table.
type pickTables struct {
	lanes         int
	margins       [kernel.MostPicks + 1]margin // by the number of picks
	start, signed []int32
	raises        []int32          // by expert picked and lane: what a gain can rise by
	masks         []uint64         // by expert
	groupsOf      [][]kernel.Fours // by expert; the last is for the first step
	tables        [][]int16
	tiles         bool
	matrices      []matrix
	told          []float64
}

const (
	pickBlock  = 4096    // rows together: their gains and one table are in the second cache
	stepRows   = 64      // rows at a time: their gains are in the first cache
	maxTables  = 1 << 22 // numbers of 2 bytes in tables
	fewForRare = 256     // rows after which too many rare ones count
)

// use prepares the engine if n rows more pay for that, and reports whether it is ready.
func (s *byPick) use(t *Table, n int) bool {
	s.Table = t
	if s.asked += n; s.pickTables == nil && t.picksPay(s.asked) {
		s.pickTables = t.pickTablesOnce()
	}
	if s.pickTables != nil && s.size < min(n, pickBlock) {
		s.prepare(min(n, pickBlock))
	}
	return s.pickTables != nil
}

// goesOn reports whether few enough rows are rare.
func (s *byPick) goesOn() bool { return s.all < fewForRare || 8*s.rare < s.all }

// block returns how many rows to explain next, at most.
func (s *byPick) block() int {
	if s.all < fewForRare {
		return min(fewForRare, s.size)
	}
	return s.size
}

// prepare makes the memory for so many rows together.
func (s *byPick) prepare(size int) {
	s.size = size
	lists := s.lanes + 3
	for i := range s.next {
		s.next[i], s.counts[i] = make([]int32, lists*s.size), make([]int32, lists)
	}
	if s.depth = make([]int32, s.size); s.tiles {
		depth := 0
		for _, m := range s.matrices {
			depth = max(depth, m.depth)
		}
		s.spread, s.changes = make([]byte, tileRows*64*depth+8), make([]int32, tileRows*3*s.lanes)
	}
	s.step = kernel.Advance{Signed: s.signed, Gains: make([]int32, s.size*s.lanes), Picked: make([]uint64, s.size),
		Votes: s.masks, Picks: make([]uint8, s.size*kernel.MostPicks), Scratch: make([]uint64, 5*s.words+16),
		Width: s.words, Stride: s.size, Lanes: s.lanes, Raises: s.raises}
	s.tellStep = kernel.Tell{Experts: s.told, Scratch: make([]float64, 64*s.words+16), Masks: make([]uint8, 8*s.words), Width: s.words, Abstention: s.experts}
}

// explain finds the picks of rows [from, to), for which there is memory; gather says what they are.
func (s *byPick) explain(rows Packed, from, to int) {
	n := to - from
	s.step.X = rows.On[from*s.words : to*s.words]
	all := s.next[0][:n]
	for i := range all {
		all[i] = int32(i)
		copy(s.step.Gains[i*s.lanes:], s.start)
	}
	s.advance(s.experts, -1, all, 0)
	for step := 0; s.pending(step); step++ {
		lists, counts := s.next[(step+1)%2], s.counts[(step+1)%2]
		clear(s.counts[step%2])
		for c := range s.experts {
			s.advance(c, step, lists[c*s.size:][:counts[c]], step%2)
		}
	}
	for _, d := range s.depth[:n] {
		if d < 0 {
			s.rare++
		}
	}
	s.all += n
}

// pending reports whether rows have been given a pick that they have to take.
func (s *byPick) pending(step int) bool {
	counts := s.counts[(step+1)%2]
	return slices.Max(counts[:s.experts]) > 0
}

// advance lets rows with the last pick c, their number step, take a step.
func (s *byPick) advance(c, step int, list []int32, to int) {
	if step < 0 {
		to = 1
		clear(s.counts[to])
	}
	if len(list) == 0 {
		return
	}
	a := &s.step
	a.Lane, a.Step = -1, step
	m := s.margins[step+1]
	a.Next, a.Counts, a.Slack, a.Low, a.High, a.End = s.next[to], s.counts[to], m.slack, m.low, m.high, s.margins[min(step+2, kernel.MostPicks)].low
	if step >= 0 {
		a.Lane = c
	} else if s.opt.Forced {
		a.Low, a.High = kernel.Excluded/2, kernel.Excluded/2
	}
	switch {
	case step+1 >= s.opt.MaxPicks:
		a.Low = math.MaxInt32
	case step+1 >= kernel.MostPicks:
		a.High = math.MaxInt32
	}
	if s.tiles {
		s.byTiles(c, list)
	} else {
		a.Groups, a.Table = s.groupsOf[c], s.tables[c]
		for a.List = range slices.Chunk(list, stepRows) {
			s.loops.Advance(a)
		}
	}
	for i, depth := range []int{step + 1, -1, step + 2} {
		for _, n := range a.Next[(s.lanes+i)*s.size:][:a.Counts[s.lanes+i]] {
			s.depth[n] = int32(depth)
		}
		a.Counts[s.lanes+i] = 0
	}
}

// tileRows is how many rows are multiplied together.
const tileRows = 32

// tilesFrom is how many numbers there are in tables where multiplying bytes is quicker.
var tilesFrom = 1 << 18

// byTiles corrects the gains by a product of bytes.
func (s *byPick) byTiles(c int, list []int32) {
	a, m := &s.step, &s.matrices[c]
	a.Always = m.always
	for some := range slices.Chunk(list, tileRows) {
		rows := (len(some) + 15) &^ 15
		s.loops.Spread(s.spread, 64*m.depth, s.groupsOf[c], a.X, s.words, some)
		s.loops.Multiply(s.spread[:64*m.depth*rows], m.depth, m.bytes, s.changes, s.lanes/16)
		a.List, a.Changes = some, s.changes
		s.loops.Advance(a)
	}
}

// gather appends what was found in the rows of the block, from row n on, the next of out, to row to, and
// returns the first that is rare, or to.
func (s *byPick) gather(n, to int, out *Picked) int {
	end, picks := n, 0
	for ; end < to && s.depth[end] >= 0; end++ {
		for _, c := range s.step.Picks[kernel.MostPicks*end:][:s.depth[end]] {
			out.Expert = append(out.Expert, int32(c))
		}
		picks += int(s.depth[end])
		out.From = append(out.From, len(out.Expert))
	}
	if end == n {
		return n
	}
	row := len(out.From) - 1 - (end - n)
	told := len(out.Gain)
	out.Gain = slices.Grow(out.Gain, picks)[:told+picks]
	t := &s.tellStep
	t.X, t.Depth, t.Picks = s.step.X[n*s.words:end*s.words], s.depth[n:end], s.step.Picks[kernel.MostPicks*n:]
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
