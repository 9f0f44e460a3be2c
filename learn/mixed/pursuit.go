package mixed

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/elem"
)

// pursuit looks for the sets of parts that explain a row; one for each goroutine.
type pursuit struct {
	*bank
	room  [][]float64 // of gains, for real columns
	gains [][]float64 // of the row's code, by column; nil where it is unknown or nobody votes
	there []uint64    // by column, which voters are in the set
	now   []float64   // by column, what they say, over the background
	set   uint64
	joint float64 // of the set and the row
	seen  []weighted
}

// weighted is a set of parts and, first, the logarithm of its joint probability with the row, then its probability, in
// units too.
type weighted struct {
	set    uint64
	weight float64
	units  int64
}

func newPursuit(b *bank) *pursuit {
	d := len(b.columns)
	p := &pursuit{bank: b, room: make([][]float64, d), gains: make([][]float64, d), there: make([]uint64, d),
		now: make([]float64, d)}
	for d := range b.columns {
		n := len(b.columns[d].voters)
		p.room[d] = make([]float64, n*(n+1))
	}
	return p
}

// load begins with a row, without parts.
func (p *pursuit) load(codes []float64) {
	p.set, p.joint, p.seen = 0, p.none, p.seen[:0]
	for d, x := range codes {
		p.there[d], p.now[d], p.gains[d] = 0, 0, nil
		if c := &p.columns[d]; len(c.voters) > 0 && !math.IsNaN(x) {
			p.gains[d] = c.ofCode(x, p.room[d])
		}
	}
	p.joint += p.base(codes)
}

// flip takes part k into the set, or out of it, and returns the joint probability.
func (p *pursuit) flip(k int) float64 {
	bit := uint64(1) << k
	p.set ^= bit
	if p.set&bit != 0 {
		p.joint += p.odds[k]
	} else {
		p.joint -= p.odds[k]
	}
	for _, at := range p.of[k] {
		d := at.column
		p.there[d] ^= 1 << at.voter
		if p.gains[d] == nil {
			continue
		}
		gain := p.columns[d].said(p.gains[d], p.there[d])
		p.joint += gain - p.now[d]
		p.now[d] = gain
	}
	return p.joint
}

// said returns the gain of the voters that are there.
func (c *bankColumn) said(gains []float64, there uint64) float64 {
	if there == 0 {
		return 0
	}
	first, n := bits.TrailingZeros64(there), len(c.voters)
	second := n
	if against := there & c.voters[first].against; against != 0 {
		second = bits.TrailingZeros64(against)
	}
	return gains[first*(n+1)+second]
}

const (
	enumerated = 6    // parts or less: all sets are looked at
	neighbours = 12   // parts of which pairs are flipped at the end
	doubtful   = 8    // nats that a flip may lose and its part is one of those
	least      = 1e-3 // sets of less probability do not count
	beyond     = 20   // nats that a set may be behind the best and count as seen
)

// explain finds the sets that explain a row, most probable first, with their probabilities, and returns the logarithm of
// the evidence: exactly, if there are few parts. The sets are valid until the next row.
func (p *pursuit) explain(codes []float64) (sets []weighted, evidence float64) {
	p.load(codes)
	if k := len(p.odds); k <= enumerated {
		p.keep()
		for i := uint64(1); i < 1<<k; i++ { // Gray's order: one part at a time
			p.flip(bits.TrailingZeros64(i))
			p.keep()
		}
	} else {
		p.climb()
		p.around()
		p.drop()
		slices.SortFunc(p.seen, func(a, b weighted) int { return cmp.Compare(a.set, b.set) })
		p.seen = slices.CompactFunc(p.seen, func(a, b weighted) bool { return a.set == b.set })
	}
	return p.posterior()
}

func (p *pursuit) keep() { p.seen = append(p.seen, weighted{p.set, p.joint, 0}) }

// try flips a part, keeps the set, and flips it back.
func (p *pursuit) try(k int) float64 {
	joint := p.flip(k)
	p.keep()
	p.flip(k)
	return joint
}

// climb flips parts, one or two at a time, as long as it helps.
func (p *pursuit) climb() {
	p.keep()
	for range 2 * len(p.odds) {
		best, most := -1, p.joint+1e-9
		for k := range p.odds {
			if joint := p.try(k); joint > most {
				best, most = k, joint
			}
		}
		if best >= 0 {
			p.flip(best)
			continue
		}
		if !p.swap(most) {
			return
		}
	}
}

// swap exchanges a part of the set for another, if that helps.
func (p *pursuit) swap(most float64) bool {
	one, two := -1, -1
	for s := p.set; s != 0; s &= s - 1 {
		k := bits.TrailingZeros64(s)
		p.flip(k)
		for j := range p.odds {
			if s0 := p.set >> j & 1; j == k || s0 != 0 {
				continue
			}
			if joint := p.try(j); joint > most {
				one, two, most = k, j, joint
			}
		}
		p.flip(k)
	}
	if one < 0 {
		return false
	}
	p.flip(one)
	p.flip(two)
	return true
}

// around looks at all sets that differ by two parts from the one that was climbed to, but for parts that are beyond
// doubt.
func (p *pursuit) around() {
	type flip struct {
		part  int
		joint float64
	}
	var near []flip
	for k := range p.odds {
		if joint := p.try(k); joint > p.joint-doubtful {
			near = append(near, flip{k, joint})
		}
	}
	slices.SortStableFunc(near, func(a, b flip) int { return cmp.Compare(b.joint, a.joint) })
	near = near[:min(len(near), neighbours)]
	for i := range near {
		p.flip(near[i].part)
		for j := range i {
			p.try(near[j].part)
		}
		p.flip(near[i].part)
	}
}

// drop drops sets that are far behind the best.
func (p *pursuit) drop() {
	top := math.Inf(-1)
	for _, s := range p.seen {
		top = max(top, s.weight)
	}
	p.seen = slices.DeleteFunc(p.seen, func(s weighted) bool { return s.weight < top-beyond })
}

// posterior makes joint probabilities of the sets seen probabilities.
func (p *pursuit) posterior() (sets []weighted, evidence float64) {
	top, sum := math.Inf(-1), 0.0
	for _, s := range p.seen {
		top = max(top, s.weight)
	}
	few := p.seen[:0]
	for _, s := range p.seen {
		w := elem.Exp(s.weight - top)
		sum += w
		if w > least {
			few = append(few, weighted{s.set, w, 0})
		}
	}
	counted := 0.0
	for _, s := range few {
		counted += s.weight
	}
	for i := range few {
		few[i].weight /= counted
		few[i].units = int64(math.Round(few[i].weight * unit))
	}
	slices.SortFunc(few, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.set, b.set))
	})
	return few, top + elem.Log(sum)
}
