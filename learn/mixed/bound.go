package mixed

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// mostNodes is how many choices of parts, each in or out, are looked at to prove that a set is the best of a row. Rows
// of 20 parts need some 50; with more than this the best set so far stands.
const mostNodes = 200

// tie is what a set must be more probable by, in nats, to be a better one.
const tie = 1e-9

// bounds are what a search among all sets of parts knows. Parts are in, out or open, and no set of those in with some
// of the open ones is more probable than total.
type bounds struct {
	in, open []uint64    // by column, the voters that are
	most     []most      // by column
	share    [][]float64 // by column and voter, what an open part pays there of its odds, so that it is not free
	due      []float64   // by part, what it pays nowhere
	stack    []most
	size     []float64 // by part, how much it matters
	order    []int     // the parts that matter most first
	set      uint64    // of the parts that are in
	total    float64
	best     float64 // of the sets so far, and which it is
	bestSet  uint64
	left     int // nodes
}

// most is the most that may be said of a cell, and the voters who say it.
type most struct {
	gain  float64
	speak uint64
}

func newBounds(p *pursuit) *bounds {
	b := &bounds{in: make([]uint64, len(p.columns)), open: make([]uint64, len(p.columns)),
		most: make([]most, len(p.columns)), due: make([]float64, len(p.odds)), size: make([]float64, len(p.odds)),
		order: slices.Clone(p.all)}
	for d := range p.columns {
		b.share = append(b.share, make([]float64, len(p.columns[d].voters)))
	}
	return b
}

// prove makes the set the most probable one of all, by branch and bound from the one that it is, and reports whether it
// is another one now.
func (p *pursuit) prove(base float64) bool {
	b := p.bounds
	b.left, b.set, b.best, b.bestSet, b.total, b.stack = mostNodes, 0, p.joint, p.set, p.none+base, b.stack[:0]
	for k := range p.odds {
		p.split(k)
	}
	for d, gains := range p.gains {
		if gains != nil {
			b.in[d], b.open[d] = 0, 1<<len(p.columns[d].voters)-1
			b.most[d] = p.bound(d)
			b.total += b.most[d].gain
		}
	}
	slices.SortFunc(b.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(b.size[j], b.size[i]), cmp.Compare(i, j))
	})
	p.branch(0)
	before := p.set
	for diff := b.bestSet ^ p.set; diff != 0; diff &= diff - 1 {
		p.flip(bits.TrailingZeros64(diff))
	}
	return p.set != before
}

// alone returns what a voter says alone of a cell that is known.
func (p *pursuit) alone(at place) float64 {
	n := len(p.columns[at.column].voters)
	return p.gains[at.column][at.voter*(n+1)+n]
}

// split has an open part pay its odds, where these are against it, in the columns that speak for it.
func (p *pursuit) split(k int) {
	b, odds, gain, size := p.bounds, p.odds[k], 0.0, 0.0
	b.total += max(odds, 0)
	for _, at := range p.of[k] {
		if b.share[at.column][at.voter] = 0; p.gains[at.column] != nil {
			x := p.alone(at)
			b.share[at.column][at.voter] = max(x, 0)
			gain, size = gain+max(x, 0), size+math.Abs(x)
		}
	}
	if b.size[k], b.due[k] = size, min(odds, 0); gain == 0 {
		return
	}
	for _, at := range p.of[k] {
		b.share[at.column][at.voter] *= b.due[k] / gain
	}
	b.due[k] = 0
}

// bound returns the most that the voters of a column may say of its cell, with what open ones pay.
func (p *pursuit) bound(d int) (best most) {
	c, b := &p.columns[d], p.bounds
	n, in, open, gains, share := len(c.voters), b.in[d], b.open[d], p.gains[d], b.share[d]
	firsts := open
	if in != 0 {
		best.gain, firsts = math.Inf(-1), open&(in&-in-1)|in&-in
	}
	for ; firsts != 0; firsts &= firsts - 1 {
		first := bits.TrailingZeros64(firsts)
		against := c.voters[first].against & (^uint64(0) << first)
		second, seconds, pays := n, open&against, 0.0
		if s := in & against; s != 0 {
			second, seconds = bits.TrailingZeros64(s), seconds&(s&-s-1)
		}
		if open>>first&1 != 0 {
			pays = share[first]
		}
		if x := gains[first*(n+1)+second] + pays; x > best.gain {
			best = most{x, 1<<first | 1<<second}
		}
		for ; seconds != 0; seconds &= seconds - 1 {
			s := bits.TrailingZeros64(seconds)
			if x := gains[first*(n+1)+s] + pays + share[s]; x > best.gain {
				best = most{x, 1<<first | 1<<s}
			}
		}
	}
	return best
}

// branch decides the parts from a place of the order on, as in the best set first, as long as a set may be better.
func (p *pursuit) branch(from int) {
	b := p.bounds
	if b.left--; b.left < 0 {
		return
	}
	if from == len(b.order) {
		b.best, b.bestSet = b.total, b.set
		return
	}
	k, total, depth := b.order[from], b.total, len(b.stack)
	bit := uint64(1) << k
	for _, at := range p.of[k] {
		b.stack = append(b.stack, b.most[at.column])
	}
	for _, in := range [2]bool{p.set&bit != 0, p.set&bit == 0} {
		decided := p.decide(k, in)
		if b.total > b.best+tie {
			p.branch(from + 1)
		}
		b.set, b.total = b.set&^bit, total
		for i, at := range p.of[k][:decided] {
			d, voter := at.column, uint64(1)<<at.voter
			b.in[d], b.open[d], b.most[d] = b.in[d]&^voter, b.open[d]|voter, b.stack[depth+i]
		}
	}
	b.stack = b.stack[:depth]
}

// decide takes an open part in or out, column by column until no set can be better than the best, and returns in how
// many columns it did so.
func (p *pursuit) decide(k int, in bool) (columns int) {
	b := p.bounds
	if b.total -= max(p.odds[k], 0); in {
		b.set |= 1 << k
		b.total += max(p.odds[k], 0) + b.due[k]
	}
	for i, at := range p.of[k] {
		d, voter := at.column, uint64(1)<<at.voter
		if b.total <= b.best+tie {
			return i
		}
		if b.open[d] &^= voter; in {
			b.in[d] |= voter
			b.total += b.share[d][at.voter]
		}
		if p.gains[d] != nil && (in || b.most[d].speak&voter != 0) {
			before := b.most[d].gain
			b.most[d] = p.bound(d)
			b.total += b.most[d].gain - before
		}
	}
	return len(p.of[k])
}
