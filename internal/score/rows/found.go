package rows

import (
	"slices"

	"example.com/patchwork/internal/score/kernel"
)

// found is what was found in the rows of a block that take their steps together.
// Picks and gains are by eight steps each: step i of row n is entry 8*n+i%8 of slice i/8.
type found struct {
	gatherLoop *kernel.RowLoops
	depth      []int32 // picks of each row, or -1: it is left to byRow
	picks      [][]int8
	gains      [][]float64
}

// reset makes room for n rows.
func (s *found) reset(loops *kernel.RowLoops, n int) {
	s.gatherLoop, s.depth = loops, resize(s.depth, n)
}

// room makes room for a step.
func (s *found) room(step int) {
	if step/8 == len(s.picks) {
		s.picks, s.gains = append(s.picks, nil), append(s.gains, nil)
	}
	if step%8 == 0 {
		s.picks[step/8], s.gains[step/8] = resize(s.picks[step/8], 8*len(s.depth)), resize(s.gains[step/8], 8*len(s.depth))
	}
}

// step returns the picks and gains of a step: those of row n are entries 8*n.
func (s *found) step(step int) ([]int8, []float64) {
	return s.picks[step/8][step%8:], s.gains[step/8][step%8:]
}

// end sets how many picks rows have.
func (s *found) end(rows []int32, depth int32) {
	for _, n := range rows {
		s.depth[n] = depth
	}
}

// gather appends what was found in the rows of the block from row n on, the next
// of out, and returns the first that is rare, or how many there are.
func (s *found) gather(n int, out *Picked) int {
	for n < len(s.depth) && s.depth[n] >= 0 {
		end := n
		for end < len(s.depth) && uint32(s.depth[end]) <= 8 {
			end++
		}
		s.gatherEights(n, end, out)
		for ; end < len(s.depth) && s.depth[end] > 8; end++ {
			s.gatherDeep(end, out)
		}
		n = end
	}
	return n
}

// gatherEights gathers rows [n, end), which have at most eight picks.
func (s *found) gatherEights(n, end int, out *Picked) {
	row, at := len(out.From)-1, len(out.Expert)
	most := at
	for _, d := range s.depth[n:end] {
		most += int(d)
	}
	out.From = slices.Grow(out.From, end-n)[:row+1+end-n]
	out.room(most + 8 - at)
	out.Expert, out.Gain = out.Expert[:most+8], out.Gain[:most+8]
	s.gatherLoop.Gather(out.From[row:], s.depth[n:end], s.picks[0][8*n:], s.gains[0][8*n:], out.Expert, out.Gain)
	out.Expert, out.Gain = out.Expert[:most], out.Gain[:most]
}

// gatherDeep gathers a row with more than eight picks.
func (s *found) gatherDeep(n int, out *Picked) {
	for step := range int(s.depth[n]) {
		out.Expert = append(out.Expert, int32(s.picks[step/8][8*n+step%8]))
		out.Gain = append(out.Gain, s.gains[step/8][8*n+step%8])
	}
	out.From = append(out.From, len(out.Expert))
}
