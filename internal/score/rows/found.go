package rows

import "slices"

// found is what was found in the rows of a block that take their steps together.
// Picks and gains are by eight steps each: step i of row n is entry 8*n+i%8 of slice i/8.
type found struct {
	depth []int32 // picks of each row, or -1: it is left to byRow
	picks [][]int8
	gains [][]float64

	alike bool // all rows have from 0 to 8 picks
}

// reset makes room for n rows.
func (s *found) reset(n int) { s.depth, s.alike = resize(s.depth, n), true }

// room makes room for a step.
func (s *found) room(step int) {
	if step/8 == len(s.picks) {
		s.picks, s.gains = append(s.picks, nil), append(s.gains, nil)
	}
	if s.alike = s.alike && step < 8; step%8 == 0 {
		s.picks[step/8], s.gains[step/8] = resize(s.picks[step/8], 8*len(s.depth)), resize(s.gains[step/8], 8*len(s.depth))
	}
}

// step returns the picks and gains of a step: those of row n are entries 8*n.
func (s *found) step(step int) ([]int8, []float64) {
	return s.picks[step/8][step%8:], s.gains[step/8][step%8:]
}

// end sets how many picks rows have.
func (s *found) end(rows []int32, depth int32) {
	s.alike = s.alike && (depth >= 0 || len(rows) == 0)
	for _, n := range rows {
		s.depth[n] = depth
	}
}

// gather appends what was found in the rows of the block from row n on, the next
// of out, and returns the first that is rare, or how many there are.
func (s *found) gather(n int, out *Picked) int {
	if s.alike {
		s.gatherEights(n, len(s.depth), out)
		return len(s.depth)
	}
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
	out.From = slices.Grow(out.From, end-n)[:row+1+end-n]
	most := 8 * (end - n + 1)
	if !out.has(most) {
		most = 8
		for _, d := range s.depth[n:] {
			if most += int(d); d < 0 { // and those of the rows behind, so that memory grows once
				most += 4
			}
		}
		all := most + most/16 // rare rows may have more
		out.Expert, out.Gain = slices.Grow(out.Expert, all), slices.Grow(out.Gain, all)
	}
	out.Expert, out.Gain = out.Expert[:at+most], out.Gain[:at+most]
	gatherEights(out.From[row:], s.depth[n:end], s.picks[0][8*n:], s.gains[0][8*n:], out.Expert, out.Gain)
	most = out.From[row+end-n]
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
