package lists

import (
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/candidates"
	"example.com/patchwork/table/described"
)

const (
	minQ        = 1e-6
	strongest   = 1 - 1e-6
	voteRounds  = 4
	leastActive = 0.5 // rows that a part must be active in
)

// newBackground settles the background of cells that no vote explains.
func (l *learner) newBackground(on, cells []float64) *candidates.Background {
	b := &candidates.Background{On: on, Cells: cells, Least: minQ}
	b.Q = joint.TiedLevels(l.means, l.number, minQ, joint.Max, func(i int) (float64, float64) { return on[i], cells[i] })
	b.Settle(l.number)
	return b
}

// mstep returns the model that follows from the counts of another. A level turns cells into how
// often the background is expected on in them, beside all rows.
func (l *learner) mstep(s *state) *Model {
	on, cells := append([]float64(nil), l.on...), make([]float64, len(s.Q))
	rows, shown := float64(l.t.Len()), 0.0
	for _, v := range s.times {
		shown += v
	}
	for d := range cells {
		cells[d] = shown
	}
	for r := range s.times {
		for _, d := range l.unknownIn(r) {
			cells[d] -= s.times[r]
		}
	}
	for k := range s.Parts {
		for vote := s.first[k]; vote < s.first[k+1]; vote++ {
			d := s.column[vote]
			on[d] -= s.right[vote]
			cells[d] -= s.hidden(k, vote)
		}
	}
	for d := range cells {
		on[d], cells[d] = max(on[d], 0), max(cells[d], 0)
		on[d] = min(on[d], cells[d])
	}
	b := l.newBackground(on, cells)
	out := &Model{}
	out.Level, out.Q = s.Level.next(b.Q, s.levels, shown/rows)
	for k := range s.Parts {
		if p := l.votes(s, k, b); len(p.Columns) > 0 && s.active[k] >= leastActive {
			out.Parts = append(out.Parts, p)
			out.Usage = append(out.Usage, described.ShareOf(s.active[k], rows))
		}
	}
	return out.sound()
}

// hidden returns how often the background was expected on where part k votes, and nothing stronger.
func (s *state) hidden(k int, vote int32) float64 {
	if s.active[k] == 0 {
		return 0
	}
	return float64(s.shown[k] * (1 - s.lost[vote]/s.active[k]))
}

// votes returns part k with the votes that pay beside no vote and the background refitted.
func (l *learner) votes(s *state, k int, b *candidates.Background) Part {
	first, n := s.first[k], len(s.Parts[k].Columns)
	seen, keep, size := make([]float64, n), make([]bool, n), n
	without := make([]float64, n) // log-likelihood of the cells by the background
	for i, d := range s.Parts[k].Columns {
		seen[i], keep[i] = s.active[k]-s.lost[first+int32(i)], true
		_, all := b.Beside(d, b.On[d]+s.right[first+int32(i)], b.Cells[d]+s.hidden(k, first+int32(i)))
		without[i] = all - b.Now(d)
		if s.active[k] > 0 {
			without[i] += float64(s.right[first+int32(i)] * s.logs[k] / s.active[k])
		}
	}
	strength := 0.0
	for range voteRounds {
		right, of := 0.0, 0.0
		for i := range n {
			if keep[i] {
				right, of = right+s.right[first+int32(i)], of+seen[i]
			}
		}
		strength = min((max(right, 0)+0.5)/(of+1), strongest)
		least, changed := joint.OneVoteMore(len(s.Q), max(size, 1)), false
		for i, d := range s.Parts[k].Columns {
			is := strength > b.Q[d] && candidates.Binomial(s.right[first+int32(i)], seen[i], strength)-without[i] > least
			if is != keep[i] {
				keep[i], changed = is, true
				size += map[bool]int{true: 1, false: -1}[is]
			}
		}
		if !changed {
			break
		}
	}
	return l.part(s, k, keep, seen, strength)
}

// part returns part k with some of its votes: of the strength that they share, or in the last
// phase of one that a vote has for itself where that pays.
func (l *learner) part(s *state, k int, keep []bool, seen []float64, strength float64) (p Part) {
	size := 0
	for _, is := range keep {
		if is {
			size++
		}
	}
	price := described.NumberPrice(s.active[k], float64(l.t.Len())) + elem.Log(float64(size+1))
	for i, d := range s.Parts[k].Columns {
		if !keep[i] {
			continue
		}
		v := strength
		if l.own {
			right := s.right[s.first[k]+int32(i)]
			own := min((max(right, 0)+0.5)/(seen[i]+1), strongest)
			gain := candidates.Binomial(right, seen[i], own) - candidates.Binomial(right, seen[i], strength)
			if own > s.mean[d] && gain > price {
				v = own
			}
		}
		p.Columns, p.P = append(p.Columns, d), append(p.P, v)
	}
	return p
}
