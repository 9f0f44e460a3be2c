package lists

import (
	"math"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/described"
)

const (
	minQ        = 1e-6
	strongest   = 1 - 1e-6
	voteRounds  = 4
	sameNumber  = described.SameNumber
	leastActive = 0.5 // rows that a part must be active in
)

// background is what the columns say that no vote explains.
type background struct {
	on, cells []float64 // by column
	q         []float64
	shared    float64
	price     float64 // of a column's own number
}

// newBackground settles the background of cells that no vote explains.
func (l *learner) newBackground(on, cells []float64) *background {
	b := &background{on: on, cells: cells}
	b.q = joint.TiedLevels(l.means, l.number, minQ, joint.Max, func(i int) (float64, float64) { return on[i], cells[i] })
	b.settle(l.number)
	return b
}

// settle finds the number that most columns share, and what another takes.
func (b *background) settle(number float64) {
	var exceptions int
	b.shared, exceptions = described.Mode(b.q)
	b.price = number + max(0, elem.Log(float64(len(b.q)-exceptions)/float64(exceptions+1)))
}

// ownPrice returns the price of a background: none where it is the shared one.
func (b *background) ownPrice(q float64) float64 {
	if math.Abs(q-b.shared) < sameNumber {
		return 0
	}
	return b.price
}

// now returns the log-likelihood of a column's cells at its background, less its price.
func (b *background) now(d int32) float64 {
	return binomial(b.on[d], b.cells[d], b.q[d]) - b.ownPrice(b.q[d])
}

// beside returns the best background of column d for other cells, of which some are on: as it is,
// shared, or refitted; and their log-likelihood less its price.
func (b *background) beside(d int32, on, cells float64) (q, logLik float64) {
	logLik = math.Inf(-1)
	refitted := min(max((max(on, 0)+0.5)/(cells+1), minQ), 1-minQ)
	for _, p := range [...]float64{b.q[d], b.shared, refitted} {
		if v := binomial(on, cells, p) - b.ownPrice(p); v > logLik {
			q, logLik = p, v
		}
	}
	return q, logLik
}

// mstep returns the model that follows from the counts of another.
func (l *learner) mstep(s *state) *Model {
	on, cells := append([]float64(nil), l.on...), make([]float64, len(s.Q))
	rows := float64(l.t.Len())
	for d := range cells {
		cells[d] = rows
	}
	for k := range s.Parts {
		for vote := s.first[k]; vote < s.first[k+1]; vote++ {
			d := s.column[vote]
			on[d] -= s.right[vote]
			cells[d] -= s.active[k] - s.lost[vote]
		}
	}
	for d := range cells {
		on[d], cells[d] = max(on[d], 0), max(cells[d], 0)
		on[d] = min(on[d], cells[d])
	}
	b := l.newBackground(on, cells)
	out := &Model{Q: b.q}
	for k := range s.Parts {
		if p := l.votes(s, k, b); len(p.Columns) > 0 && s.active[k] >= leastActive {
			out.Parts = append(out.Parts, p)
			out.Usage = append(out.Usage, shareOf(s.active[k], rows))
		}
	}
	return out
}

// votes returns part k with the votes that pay beside no vote and the background refitted.
func (l *learner) votes(s *state, k int, b *background) Part {
	first, n := s.first[k], len(s.Parts[k].Columns)
	seen, keep, size := make([]float64, n), make([]bool, n), n
	without := make([]float64, n) // log-likelihood of the cells by the background
	for i, d := range s.Parts[k].Columns {
		seen[i], keep[i] = s.active[k]-s.lost[first+int32(i)], true
		_, all := b.beside(d, b.on[d]+s.right[first+int32(i)], b.cells[d]+seen[i])
		without[i] = all - b.now(d)
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
			is := strength > b.q[d] && binomial(s.right[first+int32(i)], seen[i], strength)-without[i] > least
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
			if own > s.Q[d] && binomial(right, seen[i], own)-binomial(right, seen[i], strength) > price {
				v = own
			}
		}
		p.Columns, p.P = append(p.Columns, d), append(p.P, v)
	}
	return p
}
