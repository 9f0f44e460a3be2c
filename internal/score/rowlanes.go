package score

import (
	"math"
	"math/bits"
)

// lane is a row that is being explained, and memory for it.
type lane struct {
	x, known []uint64
	picks    []int32
	gains    []int32   // by lane
	l        []float64 // log-likelihood of each pixel, in nats
	units    []int32   // the same in units; under max only
	spare    []int32
	up, down []uint64 // where expert voter would be the extremal opinion
	voter    int
	odd      bool     // a pixel would be impossible
	near     []uint64 // the experts that may be the best
	exact    []candidate

	// Under max-minus-min: who holds the extremal opinions, by pixel.
	top, bottom []int32
	pairs       []float64 // log-likelihoods where both are held, 0: not known; see pair
	above       opposed
	below       opposed
}

func (r *Rows) prepareLane() {
	l := &r.lane
	l.near, l.gains = make([]uint64, (r.lanes.n+63)/64), make([]int32, r.lanes.n)
	l.l, l.up = make([]float64, 16*r.quads), make([]uint64, r.words)
	if !r.bank.TwoSided {
		l.units, l.spare = make([]int32, 16*r.quads), make([]int32, 16*r.quads)
		return
	}
	r.prepareOpposed()
}

// explainLane explains row n, and appends its picks to out. It is not ok where
// a pixel is or would be impossible.
func (r *Rows) explainLane(n int, x, known []uint64, out *Picked) (ok bool) {
	l := &r.lane
	r.begin(x, known)
	out.Start[n] = r.loops.Sum(l.l)
	for len(l.picks) < r.opt.MaxPicks && !l.odd {
		c, gain := r.next()
		if c < 0 {
			break
		}
		out.Expert = append(out.Expert, int32(c))
		out.Gain = append(out.Gain, gain+costOf(r.opt.Costs, c))
	}
	out.LogLik[n] = r.loops.Sum(l.l)
	return !l.odd
}

// begin sets the row to abstention.
func (r *Rows) begin(x, known []uint64) {
	l := &r.lane
	l.x, l.known, l.picks, l.voter, l.odd = x, known, l.picks[:0], -1, false
	r.loops.Begin(l.l, r.base[Off], r.base[On], x, known)
	copy(l.gains, r.lanes.start)
	r.loops.AddFours(l.gains, r.lanes.first, x, r.quads)
	if r.bank.TwoSided {
		clear(l.top)
		clear(l.bottom)
	} else {
		r.loops.BeginUnits(l.units, r.lanes.base[Off], r.lanes.base[On], x)
	}
	for w := range x {
		for unknown := r.all[w] &^ known[w]; unknown != 0; unknown &= unknown - 1 {
			i := 64*w + bits.TrailingZeros64(unknown)
			for c, gain := range r.lanes.hidden[i*r.lanes.n:][:r.lanes.n] {
				l.gains[c] -= gain
			}
		}
	}
}

// vote makes c the voter.
func (r *Rows) vote(c int) {
	l := &r.lane
	if l.voter != c {
		l.voter = c
		r.votes(c, l.picks, l.known, l.up, l.down)
	}
}

// next picks the best expert and returns it and its exact gain after its cost,
// or -1.
func (r *Rows) next() (int, float64) {
	l, need := &r.lane, r.opt.MinGain+Tie
	most := r.loops.Near(l.near, l.gains, r.lanes.slack, dead/2)
	free := r.opt.Forced && len(l.picks) == 0
	if most < dead/2 || !free && float64(most+r.lanes.wrong)/r.lanes.scale <= need {
		return -1, 0
	}
	c, gain := l.only(), 0.0
	if c < 0 || !free && float64(most-r.lanes.wrong)/r.lanes.scale <= need {
		if c, gain = r.bestNear(); l.odd || !free && !(gain > need) {
			return -1, 0
		}
	}
	r.vote(c)
	if r.bank.TwoSided {
		gain = r.joinBoth() - costOf(r.opt.Costs, c)
	} else {
		s := &r.bank.Sprites[c]
		gain = r.loops.Settle(l.l, s.Off, s.On, l.up, l.x) - costOf(r.opt.Costs, c)
		r.loops.Strengthen(l.gains, r.lanes.alone, l.units, l.spare, l.up, l.x, c)
	}
	l.picks, l.gains[c], l.voter = append(l.picks, int32(c)), dead, -1
	return c, gain
}

// only is the lane in near if there is only one, or -1.
func (l *lane) only() int {
	only := -1
	for w, m := range l.near {
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

// bestNear is the best of the experts in near, and its exact gain after its
// cost.
func (r *Rows) bestNear() (int, float64) {
	l, top := &r.lane, math.Inf(-1)
	l.exact = l.exact[:0]
	for w, m := range l.near {
		for ; m != 0; m &= m - 1 {
			c := 64*w + bits.TrailingZeros64(m)
			r.vote(c)
			gain := r.gainNow() - costOf(r.opt.Costs, c)
			l.exact = append(l.exact, candidate{c, gain})
			top = max(top, gain)
		}
	}
	for _, e := range l.exact {
		if e.gain >= top-Tie {
			return e.expert, e.gain
		}
	}
	return -1, 0 // odd
}

// candidate is an expert and what it gains.
type candidate struct {
	expert int
	gain   float64
}

// gainNow is the exact gain of the voter.
func (r *Rows) gainNow() float64 {
	l, s := &r.lane, &r.bank.Sprites[r.lane.voter]
	if !r.bank.TwoSided {
		return r.loops.Gain(l.l, s.Off, s.On, l.up, l.x)
	}
	var sum Total
	for w, up := range l.up {
		for votes := up | l.down[w]; votes != 0; votes &= votes - 1 {
			j := bits.TrailingZeros64(votes)
			i := 64*w + j
			sum.Add(i, r.after(i, up>>j&1 != 0)-l.l[i])
		}
	}
	return sum.Sum()
}
