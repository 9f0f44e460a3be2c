package table

import (
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
)

// fit learns a candidate by a few iterations of EM over whether it is active; the
// explanations by the other experts stay as they are.
func (g *growth) fit(votes []float64) *candidate {
	s := &candidate{votes: votes, share: candidateShare}
	f := newFitting(g)
	for range candidateIterations {
		f.least = g.leastGain(s.votes)
		bias := elem.Log(s.share) - elem.Log1p(-s.share)
		f.gain(s.votes, elem.Exp(-unlikely-bias))
		f.count(bias)
		s.share = (f.sum + 0.5) / (g.total + 1)
		s.votes = make([]float64, len(g.q))
		for i := range s.votes {
			s.votes[i] = f.vote(i)
		}
	}
	f.gain(s.votes, impossible)
	for r, gain := range f.gains {
		s.saved += float64(g.weight[r] * elem.Log1p(s.share*(elem.Exp(min(gain, 700))-1)))
	}
	s.saved -= g.price(s)
	return s
}

// leastGain returns the least that one more vote must gain beside others, on these rows.
func (g *growth) leastGain(votes []float64) float64 {
	n := 0
	for i, v := range votes {
		if v != g.q[i] {
			n++
		}
	}
	return g.scale * (tiedVote + joint.OneVoteMore(len(g.q), n))
}

// tiedVote is by how much the probability of a vote fits its rows by chance, in nats, where it
// will be one with others.
const tiedVote = 0.5

// price returns what the description of a candidate takes, on these rows.
func (g *growth) price(s *candidate) float64 {
	n := 0.0
	for i, v := range s.votes {
		if v != g.q[i] {
			n++
		}
	}
	p := partOf(g.known, s.votes, float64(s.share*g.known.Rows))
	return float64(g.scale * (g.known.Price(&p) + float64(tiedVote*n)))
}

// priceBeside returns what a candidate takes beside another.
func (g *growth) priceBeside(s, other *candidate) float64 {
	known := g.known
	beside := *known
	beside.Parts = append(slices.Clip(known.Parts), partOf(known, other.votes, float64(other.share*known.Rows)))
	g.known = &beside
	defer func() { g.known = known }()
	return g.price(s)
}

const (
	// unlikely is a log odds below which a candidate is active in less of a row than
	// minWeight, so that the row is not counted.
	unlikely = 7
	// impossible is a ratio of likelihoods from which 1 less is -1.
	impossible = 1e-18
)

// fitting counts the rows in which a candidate is active.
type fitting struct {
	*growth
	factors joint.Factors
	gains   []float64 // by row
	on, off []float64 // by group and bit
	active  []float64 // by group
	sum     float64   // over all groups
	least   float64   // that a vote must gain
	rival   []float64 // by row: log odds of a candidate that excludes this one, or none; nil: no such
	ascent  joint.Ascent
	live    []int32   // groups in which it is active
	yes     []float64 // of one bit, by the first of twin groups: rows in which it is on
	no      []float64 // and off
	kinds   []int     // of one bit, the first of twin groups in which it is active
}

func newFitting(g *growth) *fitting {
	f := &fitting{growth: g, gains: make([]float64, len(g.x)), active: make([]float64, g.groups)}
	f.on, f.off = make([]float64, g.groups*len(g.q)), make([]float64, g.groups*len(g.q))
	f.ascent.Rule = g.rule
	f.yes, f.no = make([]float64, g.groups), make([]float64, g.groups)
	return f
}

// gain sets gains to how many nats better each row is explained if the votes join its
// explanation; -Inf for a likelihood that becomes less than tiny of what it was.
func (f *fitting) gain(votes []float64, tiny float64) {
	columns, params := joint.Votes(f.rule, f.q, votes)
	for n, set := range f.sets {
		if set == nil {
			for _, r := range f.rowsOf[n] {
				f.gains[r] = f.states[r].GainOf(columns, params)
			}
			continue
		}
		set.Factors(&f.factors, columns, params)
		for _, r := range f.rowsOf[n] {
			f.gains[r] = f.factors.GainAbove(f.x[r], tiny)
		}
	}
}

// count counts the rows by how likely the candidate is active in them: its gain there,
// and the log odds of its being active at all.
func (f *fitting) count(bias float64) {
	clear(f.on)
	clear(f.off)
	clear(f.active)
	f.sum = 0
	for r, gain := range f.gains {
		if math.IsInf(gain, -1) {
			continue
		}
		odds := gain + bias
		if f.rival != nil {
			odds -= f.rival[r]
		}
		p := 1 / (1 + elem.Exp(-odds))
		if p < minWeight {
			continue
		}
		p = float64(p * f.weight[r])
		n := f.group[r]
		f.active[n] += p
		f.sum += p
		on, off := f.on[n*len(f.q):][:len(f.q)], f.off[n*len(f.q):][:len(f.q)]
		for _, i := range f.ones[r] {
			on[i] += p
		}
		for _, i := range f.unknown[r] { // less than nothing: made up for by vote
			off[i] -= p
		}
	}
	f.live = f.live[:0]
	for n, active := range f.active {
		if active != 0 {
			f.live = append(f.live, int32(n))
		}
	}
}

// vote returns the candidate's vote on bit i: the best, or none, if it gains too little.
func (f *fitting) vote(i int) float64 {
	q, most := f.q[i], 0.0 // that a vote can gain
	costs, twin := f.costs[i*f.groups:][:f.groups], f.twin[i*f.groups:][:f.groups]
	clear(f.yes)
	clear(f.no)
	for _, n := range f.live {
		on := f.on[int(n)*len(f.q)+i]
		f.yes[twin[n]] += on
		f.no[twin[n]] += max(f.off[int(n)*len(f.q)+i]+f.active[n]-on, 0)
	}
	f.kinds = f.kinds[:0]
	for n, on := range f.yes {
		off := f.no[n]
		if on+off == 0 {
			continue
		}
		f.kinds = append(f.kinds, n)
		if on > 0 {
			most += float64(on * costs[n][0])
		}
		if off > 0 && f.rule.TwoSided() {
			most += float64(off * costs[n][1])
		}
	}
	if most <= f.least {
		return q
	}
	if f.levels != nil {
		v, _ := f.levels[i].Best(q, f.least, f.yes, f.no)
		return v
	}
	a := &f.ascent
	a.Q, a.Cells = q, a.Cells[:0]
	for n, on := range f.yes {
		if off := f.no[n]; on+off != 0 {
			a.Cells = append(a.Cells, joint.Cell{On: on, Off: off, Rest: f.rests[i*f.groups+n]})
		}
	}
	v, _ := a.Best(f.least)
	return v
}
