package rows

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/score"
)

// Explainer explains one row at a time. Gains of all experts in fixed point propose
// and are corrected where a pick changed a pixel. It belongs to one goroutine; its memory is reused.
//
// Why its answers are the same: a gain in fixed point is wrong by at most one unit
// per pixel and one for the cost. Experts within twice that, and Tie, of the best are
// summed exactly, in the order of score.Total, and that decides.
type Explainer struct {
	*Table
	x, known []uint64
	picks    []int32
	gains    []int32   // by lane
	l        []float64 // log-likelihood of each pixel, in nats
	l32      []int32   // the same in units; under max only
	spare    []int32
	up, down []uint64 // where expert voter would hold the extremal opinion
	voter    int
	odd      bool     // a pixel would be impossible
	near     []uint64 // the experts that may be the best
	exact    []candidate
	found    Found

	// Under max-minus-min: the holders of the extremal opinions, by pixel.
	top, bottom []int32
	pairs       []float64 // log-likelihoods where both are held, 0: not known; see pair
	joinAbove   opposed
	joinBelow   opposed
}

// Found is what was found in a row: the picks in the order of the pursuit, and what each gained, in nats and without
// the costs. Start and LogLik are the log-likelihoods of abstention and of the picks.
type Found struct {
	Experts       []int32
	Gains         []float64
	Start, LogLik float64
}

// NewExplainer makes the scratch memory of one goroutine.
func NewExplainer(t *Table) *Explainer {
	e := &Explainer{Table: t}
	e.near, e.gains = make([]uint64, (t.units.n+63)/64), make([]int32, t.units.n)
	e.l, e.up = make([]float64, 16*t.quads), make([]uint64, t.words)
	if t.bank.TwoSided {
		e.prepareOpposed()
		return e
	}
	e.l32, e.spare = make([]int32, 16*t.quads), make([]int32, 16*t.quads)
	return e
}

// Explain explains a row of (pixels+63)/64 words: pixel i is bit i%64 of word i/64 of x, and whether it is known that
// of known, nil where every pixel is. An unknown pixel is off, and so are the bits behind the last pixel, in both. The
// result is overwritten by the next. It is not ok where a pixel is or would be impossible: score.Search has to explain
// such a row.
func (e *Explainer) Explain(x, known []uint64) (found *Found, ok bool) {
	if known == nil {
		known = e.all
	}
	e.begin(x, known)
	f := &e.found
	f.Experts, f.Gains, f.Start = f.Experts[:0], f.Gains[:0], score.Sum(e.l)
	for len(e.picks) < e.opt.MaxPicks && !e.odd {
		c, gain := e.next()
		if c < 0 {
			break
		}
		f.Experts, f.Gains = append(f.Experts, int32(c)), append(f.Gains, gain+score.CostOf(e.opt.Costs, c))
	}
	if f.LogLik = f.Start; len(f.Experts) > 0 {
		f.LogLik = score.Sum(e.l)
	}
	return f, !e.odd
}

// begin sets the row to abstention.
func (e *Explainer) begin(x, known []uint64) {
	e.x, e.known, e.picks, e.voter, e.odd = x, known, e.picks[:0], -1, false
	begin(e.l, e.base[score.Off], e.base[score.On], x, known)
	copy(e.gains, e.units.start)
	e.loops.AddFours(e.gains, e.units.first, x, e.quads)
	if e.bank.TwoSided {
		clear(e.top)
		clear(e.bottom)
	} else {
		beginUnits(e.l32, e.units.base[score.Off], e.units.base[score.On], x)
	}
	for w := range x {
		for unknown := e.all[w] &^ known[w]; unknown != 0; unknown &= unknown - 1 {
			i := 64*w + bits.TrailingZeros64(unknown)
			for c, gain := range e.units.hidden[i*e.units.n:][:e.units.n] {
				e.gains[c] -= gain
			}
		}
	}
}

// vote makes c the voter: up and down are where it votes.
func (e *Explainer) vote(c int) {
	if e.voter != c {
		e.voter = c
		e.votes(c, e.picks, e.known, e.up, e.down)
	}
}

// next picks the best expert and returns it and its exact gain after its cost,
// or -1.
func (e *Explainer) next() (int, float64) {
	need := e.opt.MinGain + score.Tie
	most := nearLanes(e.near, e.gains, e.units.slack, excluded/2)
	free := e.opt.Forced && len(e.picks) == 0
	if most < excluded/2 || !free && float64(most+e.units.wrong)/e.units.scale <= need {
		return -1, 0
	}
	c, gain := e.only(), 0.0
	if c < 0 || !free && float64(most-e.units.wrong)/e.units.scale <= need {
		if c, gain = e.bestNear(); e.odd || !free && !(gain > need) {
			return -1, 0
		}
	}
	e.vote(c)
	if e.bank.TwoSided {
		gain = e.joinBoth() - score.CostOf(e.opt.Costs, c)
	} else {
		s := &e.bank.Sprites[c]
		gain = settle(e.l, s.Off, s.On, e.up, e.x) - score.CostOf(e.opt.Costs, c)
		e.loops.Strengthen(e.gains, e.units.alone, e.l32, e.spare, e.up, e.x, c)
	}
	e.picks, e.gains[c], e.voter = append(e.picks, int32(c)), excluded, -1
	return c, gain
}

// only returns the lane in near if there is only one, or -1.
func (e *Explainer) only() int {
	only := -1
	for w, m := range e.near {
		if m == 0 {
			continue
		}
		if only >= 0 || m&(m-1) != 0 {
			return -1
		}
		only = 64*w + bits.TrailingZeros64(m)
	}
	return only
}

// bestNear returns the best of the experts in near, and its exact gain after its
// cost.
func (e *Explainer) bestNear() (int, float64) {
	top := math.Inf(-1)
	e.exact = e.exact[:0]
	for w, m := range e.near {
		for ; m != 0; m &= m - 1 {
			c := 64*w + bits.TrailingZeros64(m)
			e.vote(c)
			gain := e.gainNow() - score.CostOf(e.opt.Costs, c)
			e.exact = append(e.exact, candidate{c, gain})
			top = max(top, gain)
		}
	}
	for _, e := range e.exact {
		if e.gain >= top-score.Tie {
			return e.expert, e.gain
		}
	}
	return -1, 0 // odd
}

// candidate is an expert and its gain.
type candidate struct {
	expert int
	gain   float64
}

// gainNow returns the exact gain of the voter.
func (e *Explainer) gainNow() float64 {
	s := &e.bank.Sprites[e.voter]
	if !e.bank.TwoSided {
		return voteGain(e.l, s.Off, s.On, e.up, e.x)
	}
	var sum score.Total
	for w, up := range e.up {
		for votes := up | e.down[w]; votes != 0; votes &= votes - 1 {
			j := bits.TrailingZeros64(votes)
			i := 64*w + j
			sum.Add(i, e.after(i, up>>j&1 != 0)-e.l[i])
		}
	}
	return sum.Sum()
}
