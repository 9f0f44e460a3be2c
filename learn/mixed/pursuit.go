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
	// all are the parts, order those the most doubtful first, losses what a flip of each loses.
	all, order []int
	losses     []float64
	bounds     *bounds
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
	for k := range b.odds {
		p.all = append(p.all, k)
	}
	p.order, p.losses = slices.Clone(p.all), make([]float64, len(p.all))
	p.bounds = newBounds(p)
	return p
}

// load begins with a row, without parts, and returns the logarithm of its density under the background.
func (p *pursuit) load(codes []float64) float64 {
	p.set, p.joint, p.seen = 0, p.none, p.seen[:0]
	for d, x := range codes {
		p.there[d], p.now[d], p.gains[d] = 0, 0, nil
		if c := &p.columns[d]; len(c.voters) > 0 && !math.IsNaN(x) {
			p.gains[d] = c.ofCode(x, p.room[d])
		}
	}
	base := p.base(codes)
	p.joint += base
	return base
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
	always     = 8    // parts or fewer are never taken for independent of each other
	enumerated = 6    // parts of which all sets are looked at, at most
	doubt      = 7    // nats that a flip may lose for its part to be one of these
	never      = 20   // nats that a part is beyond doubt by, so that sets without it, or with it, do not count
	least      = 3e-3 // sets of less probability do not count
)

// explain finds the sets that explain a row, most probable first, with their probabilities, and returns the logarithm
// of the evidence. If there are few parts, all sets are looked at; else those that differ by the most doubtful parts
// from the most probable one, and the others count as if they were independent. The sets are valid until the next
// row.
func (p *pursuit) explain(codes []float64) (sets []weighted, evidence float64) {
	base := p.load(codes)
	parts, others := p.all, p.all[:0]
	if len(p.all) > always {
		p.climb()
		if p.prove(base) {
			p.lose()
		}
		parts, others = p.doubtful()
	}
	p.keep()
	for i := uint64(1); i < 1<<len(parts); i++ { // Gray's order: one part at a time
		p.flip(parts[bits.TrailingZeros64(i)])
		p.keep()
	}
	if len(parts) > 0 { // back to the set that was found: in Gray's order the last differs by the last part
		p.flip(parts[len(parts)-1])
	}
	rest := 0.0
	first := len(p.seen)
	for _, k := range others {
		if p.losses[k] < never {
			rest += elem.Log1p(elem.Exp(-p.losses[k]))
			p.seen = append(p.seen, weighted{p.set ^ 1<<k, p.joint - p.losses[k], 0})
		}
	}
	sets, evidence = p.posterior(first)
	return sets, evidence + rest
}

func (p *pursuit) keep() { p.seen = append(p.seen, weighted{p.set, p.joint, 0}) }

// look returns the joint probability with a part flipped.
func (p *pursuit) look(k int) float64 {
	joint := p.joint + p.odds[k]
	if p.set>>k&1 != 0 {
		joint = p.joint - p.odds[k]
	}
	for _, at := range p.of[k] {
		if d := at.column; p.gains[d] != nil {
			joint += p.columns[d].said(p.gains[d], p.there[d]^1<<at.voter) - p.now[d]
		}
	}
	return joint
}

// lose sets what a flip of each part loses, and returns the one that gains most; -1 for none.
func (p *pursuit) lose() (best int) {
	best, least := -1, -tie
	for k := range p.losses {
		if p.losses[k] = p.joint - p.look(k); p.losses[k] < least {
			best, least = k, p.losses[k]
		}
	}
	return best
}

// climb flips one part at a time, as long as it helps.
func (p *pursuit) climb() {
	for range 2 * len(p.odds) {
		best := p.lose()
		if best < 0 {
			return
		}
		p.flip(best)
	}
}

// doubtful returns the parts whose flips lose little, and the others.
func (p *pursuit) doubtful() (few, others []int) {
	slices.SortFunc(p.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(p.losses[i], p.losses[j]), cmp.Compare(i, j))
	})
	n := 0
	for n < min(enumerated, len(p.order)) && p.losses[p.order[n]] < doubt {
		n++
	}
	return p.order[:n], p.order[n:]
}

// posterior makes joint probabilities of the sets seen probabilities, and returns the evidence of the first ones.
func (p *pursuit) posterior(first int) (sets []weighted, evidence float64) {
	top, sum, counted := math.Inf(-1), 0.0, 0.0
	for _, s := range p.seen {
		top = max(top, s.weight)
	}
	few := p.seen[:0]
	for i, s := range p.seen {
		w := 0.0
		if s.weight > top-never {
			w = elem.Exp(s.weight - top)
		}
		if i < first {
			sum += w
		}
		if w > least {
			few = append(few, weighted{s.set, w, 0})
			counted += w
		}
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
