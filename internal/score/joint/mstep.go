package joint

import (
	"math"
	"slices"
	"sync"
)

// MStep holds the settings of a step.
type MStep struct {
	// Least is the least that a vote must gain over abstention, in nats.
	Least float64

	// More, by expert, is what one of its votes must gain beyond that; nil: nothing.
	More []float64

	// Marginal, by bit, is what the background is drawn to, as if by one row more.
	Marginal []float64

	// MinQ keeps the background away from certainty.
	MinQ float64

	// Pooled draws the votes of an expert to their own mean, as strongly as their
	// spread says (empirical Bayes), under noisy-or.
	Pooled bool
}

// Step returns the background and the opinions that follow from the counts of rows
// explained by e: bit by bit, first the background, then one expert after the other with
// the newest votes of the others, each by exact ascent (Ascent). Bits are independent;
// each calls work for all of them, in any order, at the same time if it likes.
func (g *Groups) Step(e *Experts, opt MStep, each func(bits int, work func(bit int))) (q []float64,
	opinions [][]float64) {
	s := newStep(g, opt, e)
	each(len(e.Q), s.bit)
	if opt.Pooled && e.Rule == NoisyOr {
		s.pool()
		each(len(e.Q), s.bit)
	}
	return s.q, s.opinions
}

func newStep(g *Groups, opt MStep, e *Experts) *step {
	s := &step{MStep: opt, e: e, groups: g.list(), of: make([][]int, len(e.Opinions)), q: make([]float64, len(e.Q))}
	for n, c := range s.groups {
		for _, k := range c.set {
			s.of[k] = append(s.of[k], n)
		}
	}
	s.opinions = make([][]float64, len(e.Opinions))
	for k := range s.opinions {
		s.opinions[k] = make([]float64, len(e.Q))
	}
	return s
}

// step is one M-step.
type step struct {
	MStep
	e        *Experts
	groups   []*group
	of       [][]int // by expert: its groups
	q        []float64
	opinions [][]float64
	votes    sync.Pool    // of *votes
	strength [][2]float64 // of the votes of each expert: pseudo-rows on and off; nil: the rule's
}

// counted are the rows of one set, or of several, in which a bit is known, in units.
type counted struct{ on, seen int64 }

// cell returns how many rows these are, without the state of the opinions.
func (c counted) cell() Cell {
	return Cell{On: float64(float64(c.on) / Unit), Off: float64(float64(c.seen-c.on) / Unit)}
}

// votes are the groups as one bit sees them: those in which the same experts vote on it are
// alike, and count as one.
type votes struct {
	rows  []counted // by group
	alike []int32   // by group: which kind it is of
	first []int32   // by kind: the first such group
	kinds map[uint64]int32
	all   []counted // by kind, over all groups
	own   []counted // by kind, over the groups of one expert
	met   []int32   // the kinds of these
}

// bit does the work for bit i.
func (s *step) bit(i int) {
	r := s.e.Rule
	params := make([]float64, len(s.e.params))
	for k, v := range s.e.params {
		params[k] = v[i]
	}
	v := s.counted(i)
	v.sort(s.groups, params, r.none(s.e.Q[i]))
	q := s.background(i, params, v)
	s.votes.Put(v)
	if r == Mean || r.Fold() { // who abstains says the background
		for k, p := range params {
			if p == r.none(s.e.Q[i]) {
				params[k] = q
			}
		}
	}
	s.beside(i, q, params, func(k int, a *Ascent) float64 {
		if s.strength != nil {
			a.Pseudo = &s.strength[k]
		}
		least := s.Least
		if s.More != nil {
			least += s.More[k]
		}
		p, _ := a.Best(least)
		return p
	})
	s.q[i] = q
}

// counted returns the groups as bit i sees them.
func (s *step) counted(i int) *votes {
	v, _ := s.votes.Get().(*votes)
	if v == nil {
		v = &votes{rows: make([]counted, len(s.groups)), alike: make([]int32, len(s.groups)), kinds: map[uint64]int32{}}
	}
	for n, c := range s.groups {
		v.rows[n] = counted{c.on[i], c.weight}
		if c.hidden != nil {
			v.rows[n].seen -= c.hidden[i]
		}
	}
	return v
}

// beside sets the opinions on bit i, of background q, to what choose says, one after the other
// beside the newest of the others, of which these are the parameters.
func (s *step) beside(i int, q float64, params []float64, choose func(k int, a *Ascent) float64) {
	r := s.e.Rule
	v := s.counted(i)
	defer s.votes.Put(v)
	v.sort(s.groups, params, r.none(q))
	b := bit{rule: r, q: q}
	a := Ascent{Rule: r, Q: q}
	for k := range params {
		a.Cells = a.Cells[:0]
		for _, kind := range v.of(s.of[k]) {
			c := v.own[kind].cell()
			if c.On+c.Off == 0 {
				continue
			}
			b.reset()
			for _, other := range s.groups[v.first[kind]].set {
				if int(other) != k {
					b.join(params[other])
				}
			}
			c.Rest = b.rest()
			a.Cells = append(a.Cells, c)
		}
		p := choose(k, &a)
		before := params[k]
		s.opinions[k][i], params[k] = p, r.parameter(p, q)
		if before == r.none(q) && params[k] != before { // groups with it are of a kind of their own now
			v.sort(s.groups, params, r.none(q))
		}
	}
}

// sort sorts the groups by which experts vote on the bit: whose parameters are not none.
func (v *votes) sort(groups []*group, params []float64, none float64) {
	flags, voters := make([]uint64, len(params)), 0
	for k, p := range params {
		if p != none {
			flags[k] = 1 << (voters % 64)
			voters++
		}
	}
	clear(v.kinds)
	v.first, v.all = v.first[:0], v.all[:0]
	for n, c := range groups {
		key := uint64(n)
		if voters <= 64 { // else each is a kind
			key = 0
			for _, k := range c.set {
				key |= flags[k]
			}
		}
		kind, ok := v.kinds[key]
		if !ok {
			kind = int32(len(v.first))
			v.kinds[key] = kind
			v.first, v.all = append(v.first, int32(n)), append(v.all, counted{})
		}
		v.alike[n] = kind
		v.all[kind].on += v.rows[n].on
		v.all[kind].seen += v.rows[n].seen
	}
	v.own = append(v.own[:0], make([]counted, len(v.first))...)
	v.met = v.met[:0]
}

// of sets own to the rows of some groups, and returns the kinds that these are of.
func (v *votes) of(groups []int) []int32 {
	for _, kind := range v.met {
		v.own[kind] = counted{}
	}
	v.met = v.met[:0]
	for _, n := range groups {
		kind, c := v.alike[n], v.rows[n]
		if c.seen == 0 {
			continue
		}
		own := &v.own[kind]
		if own.seen == 0 {
			v.met = append(v.met, kind)
		}
		own.on += c.on
		own.seen += c.seen
	}
	return v.met
}

// background returns the abstention value of bit i: by ascent over all groups where it
// is on whoever votes, else the share of rows in which the bit is on and nobody votes.
func (s *step) background(i int, params []float64, v *votes) float64 {
	r, q := s.e.Rule, s.e.Q[i]
	marginal := q
	if s.Marginal != nil {
		marginal = s.Marginal[i]
	}
	switch r {
	case NoisyOr, SumOfOdds, SumOfLogOdds: // the background is one more expert, active in all rows
		base := r.Abstention()
		b := bit{rule: r, q: base}
		a := Ascent{Rule: r, Q: base}
		for kind, n := range v.first {
			b.reset()
			if r == SumOfOdds {
				b.a = 0
			}
			for _, k := range s.groups[n].set {
				b.join(params[k])
			}
			cell := v.all[kind].cell()
			cell.Rest = b.rest()
			a.Cells = append(a.Cells, cell)
		}
		a.add()
		share, _ := a.climb(-reach, reach, marginal, 1-marginal)
		return min(max(share, s.MinQ), 1-s.MinQ)
	}
	on, seen := 0.0, 0.0
	for kind, n := range v.first {
		if slices.ContainsFunc(s.groups[n].set, func(k int16) bool { return params[k] != r.none(q) }) {
			continue
		}
		c := v.all[kind].cell()
		on, seen = on+c.On, seen+c.On+c.Off
	}
	return min(max((on+marginal)/(seen+1), s.MinQ), 1-s.MinQ)
}

// The bounds of the pseudo-rows by which an expert's votes are drawn to their mean.
const leastStrength, mostStrength = 1, 50

// pool sets how strongly the votes of each expert are drawn to their mean: as a Beta
// distribution of their spread says, beyond that of so few rows in which nothing else
// votes.
func (s *step) pool() {
	s.strength = make([][2]float64, len(s.opinions))
	for k, t := range s.opinions {
		s.strength[k] = [2]float64{-1}
		var p, rows []float64
		sum, total := 0.0, 0.0
		for i, v := range t {
			if v <= s.q[i] {
				continue
			}
			n := float64(s.alone(k, i))
			p, rows = append(p, (v-s.q[i])/(1-s.q[i])), append(rows, n)
			sum, total = sum+float64(n*p[len(p)-1]), total+n
		}
		if total <= 0 || len(p) < 2 {
			continue
		}
		mean, spread := sum/total, 0.0
		for j := range p {
			spread += float64(rows[j] / total * (p[j] - mean) * (p[j] - mean))
		}
		spread -= mean * (1 - mean) * float64(len(p)) / total
		strength := float64(mostStrength)
		if spread > 0 {
			strength = min(max(mean*(1-mean)/spread-1, leastStrength), mostStrength)
		}
		if !math.IsNaN(strength) {
			s.strength[k] = [2]float64{strength * mean, strength * (1 - mean)}
		}
	}
}

// alone returns in how many rows expert k alone votes on bit i.
func (s *step) alone(k, i int) float64 {
	n := int64(0)
	for _, at := range s.of[k] {
		c := s.groups[at]
		only := true
		for _, other := range c.set {
			only = only && (int(other) == k || s.opinions[other][i] <= s.q[i])
		}
		if only {
			n += c.weight
			if c.hidden != nil {
				n -= c.hidden[i]
			}
		}
	}
	return float64(n) / Unit
}
