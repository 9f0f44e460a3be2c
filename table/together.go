package table

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
)

const (
	blockSeeds  = 64
	blockRounds = 3
	blockLeast  = 2.0  // standard errors by which columns must go together
	blockShare  = 0.6  // of the mean, weighted by itself, of those of a block
	blockAlike  = 0.75 // share of columns of two blocks that are one
	pairRounds  = 6
	pairShare   = 0.25 // of the rows in which either of a pair is active, at first
)

// block is a set of columns whose residuals go together: those with a sign of -1 the other way
// round.
type block struct {
	sign     []float64 // by column; 0: not in it
	sum      []float64 // by row: of the signed residuals
	strength float64
}

// blocks returns the strongest sets of columns that go together in what the explanations leave:
// x - p, in units of its standard error.
func (g *growth) blocks(rng *rand.Rand, most int) []block {
	width := len(g.q)
	s, v := make([][]float64, width), make([][]float64, width) // by column and row
	for i := range s {
		s[i], v[i] = make([]float64, len(g.x)), make([]float64, len(g.x))
		for r, x := range g.x {
			if x[i] == joint.Unknown {
				continue
			}
			p := elem.Exp(-g.costs[i*g.groups+g.group[r]][0])
			s[i][r] = -p
			if x[i] == joint.On {
				s[i][r] = 1 - p
			}
			v[i][r] = float64(p * (1 - p))
		}
	}
	var all []block
	for _, seed := range rng.Perm(width)[:min(width, blockSeeds)] {
		if b := g.blockFrom(seed, s, v); b.size() >= 2 {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b block) int { return cmp.Compare(b.strength, a.strength) })
	var out []block
	for _, b := range all {
		if len(out) < most && !slices.ContainsFunc(out, b.alike) {
			out = append(out, b)
		}
	}
	return out
}

// blockFrom returns the columns that go together with one, by their residuals and the spread of
// these, by column and row: first those that go with it, then those that go with the others.
func (g *growth) blockFrom(seed int, s, v [][]float64) block {
	width := len(s)
	b := block{sign: make([]float64, width)}
	b.sign[seed] = 1
	t := make([]float64, width)
	for round := range blockRounds + 1 {
		b.sum = make([]float64, len(g.x))
		spread := make([]float64, len(g.x))
		for i, sign := range b.sign {
			if sign != 0 {
				for r := range b.sum {
					b.sum[r] += float64(sign * s[i][r])
					spread[r] += v[i][r]
				}
			}
		}
		squares, sizes := 0.0, 0.0
		for i := range t {
			dot, of := 0.0, 0.0
			for r, w := range g.weight {
				rest := b.sum[r] - float64(b.sign[i]*s[i][r])
				dot += float64(w * s[i][r] * rest)
				of += float64(w * v[i][r] * (spread[r] - float64(math.Abs(b.sign[i])*v[i][r])))
			}
			t[i] = 0
			if of > 0 {
				t[i] = dot / math.Sqrt(of)
			}
			if b.sign[i] != 0 || round == 0 {
				squares, sizes = squares+float64(t[i]*t[i]), sizes+math.Abs(t[i])
			}
		}
		least := blockLeast
		if round > 0 && sizes > 0 {
			least = max(least, blockShare*squares/sizes)
		}
		b.strength = 0
		for i, v := range t {
			switch {
			case i == seed && round == 0:
			case math.Abs(v) > least:
				b.sign[i] = math.Copysign(1, v)
				b.strength += math.Abs(v)
			default:
				b.sign[i] = 0
			}
		}
	}
	return b
}

func (b *block) size() int {
	n := 0
	for _, s := range b.sign {
		if s != 0 {
			n++
		}
	}
	return n
}

// alike reports whether two blocks have nearly the same columns.
func (b *block) alike(o block) bool {
	both, either := 0, 0
	for i, s := range b.sign {
		if s != 0 && o.sign[i] != 0 {
			both++
		}
		if s != 0 || o.sign[i] != 0 {
			either++
		}
	}
	return float64(both) > blockAlike*float64(either)
}

// votes returns votes on the columns of a block, or against them.
func (g *growth) votes(b block, side float64) []float64 {
	votes := slices.Clone(g.q)
	for i, s := range b.sign {
		switch {
		case s*side > 0:
			votes[i] = max(0.8, (1+g.q[i])/2)
		case s*side < 0:
			votes[i] = min(0.2, g.q[i]/2)
		}
	}
	return votes
}

// fitPair learns two candidates that are never active together, the columns of a block and
// their opposites, by a few iterations of EM over which of them is active.
func (g *growth) fitPair(b block) *candidate {
	one, two := &candidate{votes: g.votes(b, 1), share: pairShare}, &candidate{votes: g.votes(b, -1), share: pairShare}
	f, h := newFitting(g), newFitting(g)
	for range pairRounds {
		f.least, h.least = g.leastGain(one.votes), g.leastGain(two.votes)
		f.gain(one.votes, 0)
		h.gain(two.votes, 0)
		none := elem.Log1p(-min(one.share+two.share, 0.99))
		a, c := elem.Log(one.share)-none, elem.Log(two.share)-none
		f.rival, h.rival = rivals(h.gains, c), rivals(f.gains, a)
		f.count(a)
		h.count(c)
		one.share, two.share = (f.sum+0.5)/(g.total+1), (h.sum+0.5)/(g.total+1)
		one.votes, two.votes = make([]float64, len(g.q)), make([]float64, len(g.q))
		for i, q := range g.q {
			u, v := f.vote(i), h.vote(i)
			if (u-q)*(v-q) >= 0 { // not opposite
				u, v = q, q
			}
			one.votes[i], two.votes[i] = u, v
		}
	}
	f.gain(one.votes, impossible)
	h.gain(two.votes, impossible)
	for r := range f.gains {
		one.saved += float64(g.weight[r] * elem.Log1p(one.share*(elem.Exp(min(f.gains[r], 700))-1)+
			two.share*(elem.Exp(min(h.gains[r], 700))-1)))
	}
	one.saved -= g.price(one) + g.priceBeside(two, one)
	one.opposite = two
	return one
}

// rivals returns by row how much likelier it is that a rival is active, or nothing, than that
// nothing is.
func rivals(gains []float64, bias float64) []float64 {
	out := make([]float64, len(gains))
	for r, gain := range gains {
		if x := gain + bias; x > 30 {
			out[r] = x
		} else {
			out[r] = elem.Log1p(elem.Exp(x))
		}
	}
	return out
}

// pairs returns all pairs of opposites that blocks make, those that shorten the description,
// with no column in two of them: the best first.
func (g *growth) pairs(rng *rand.Rand) []*candidate {
	found := g.blocks(rng, blockSeeds)
	all := make([]*candidate, len(found))
	for i, b := range found {
		all[i] = g.fitPair(b)
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(b.saved, a.saved) })
	taken := make([]bool, len(g.q))
	var out []*candidate
	for _, c := range all {
		p := partOf(g.known, c.votes, 0)
		columns := slices.Concat(p.On, p.Off)
		if c.saved <= 0 || len(columns) == 0 || slices.ContainsFunc(columns, func(i int32) bool { return taken[i] }) {
			continue
		}
		for _, i := range columns {
			taken[i] = true
		}
		out = append(out, c)
	}
	return out
}
