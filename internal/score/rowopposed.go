package score

import (
	"math"
	"math/bits"
)

// opposed remembers, for a pixel, its value and who holds the extremal opinion
// on one side, the log-likelihood of the pixel with each expert's opinion on
// the other side: in units, by lane, and negative where the pixel is off. An
// expert without such an opinion has a number that the clipping of Exchange
// takes for no gain.
type opposed struct {
	none int32
	met  []int32 // by slot: which state its row is of
	rows []int32
}

const (
	maxOpposed = 1 << 23 // numbers in opposed, each 4 bytes
	maxPairs   = 1 << 23 // numbers in pairs
	never      = 1 << 29 // as many units no log-likelihood has
)

func (r *Rows) prepareOpposed() {
	l, d := &r.lane, r.pixels
	l.down = make([]uint64, r.words)
	l.top, l.bottom = make([]int32, d), make([]int32, d)
	states := 2 * d * (r.experts + 1)
	if n := states * (r.experts + 1); n <= maxPairs {
		l.pairs = make([]float64, n)
	}
	slots := max(r.experts+1, min(states, maxOpposed/r.lanes.n)) // so many that the states of one pixel have their own
	for _, o := range []*opposed{&l.above, &l.below} {
		o.met, o.rows = make([]int32, slots), make([]int32, slots*r.lanes.n)
	}
	l.above.none, l.below.none = -never, never
}

// after is the log-likelihood of pixel i when the voter has joined, above or
// below the opinions so far.
func (r *Rows) after(i int, above bool) float64 {
	l, c := &r.lane, int32(r.lane.voter+1)
	var after float64
	if above {
		after = r.pair(i, c, l.bottom[i])
	} else {
		after = r.pair(i, l.top[i], c)
	}
	l.odd = l.odd || after < -math.MaxFloat64
	return after
}

// pair is logLik at pixel i of the row.
func (r *Rows) pair(i int, top, bottom int32) float64 {
	l, n := &r.lane, r.experts+1
	x := int(l.x[i/64] >> (i % 64) & 1)
	if top == 0 || bottom == 0 || l.pairs == nil {
		return r.logLik(uint8(x), i, int(top), int(bottom))
	}
	known := &l.pairs[((2*i+x)*n+int(top))*n+int(bottom)]
	if *known == 0 {
		*known = r.logLik(uint8(x), i, int(top), int(bottom))
	}
	return *known
}

// joinBoth lets the voter join under max-minus-min, brings the gains up to
// date, and returns the exact gain.
func (r *Rows) joinBoth() float64 {
	l, holder := &r.lane, int32(r.lane.voter+1)
	var sum Total
	for w, up := range l.up {
		for votes := up | l.down[w]; votes != 0; votes &= votes - 1 {
			j := bits.TrailingZeros64(votes)
			i, above := 64*w+j, up>>j&1 != 0
			after := r.after(i, above)
			sum.Add(i, after-l.l[i])
			top, bottom := l.top[i], l.bottom[i]
			if above {
				l.top[i] = holder
			} else {
				l.bottom[i] = holder
			}
			r.exchange(i, top, bottom, l.l[i], after)
			l.l[i] = after
		}
	}
	return sum.Sum()
}

// exchange brings the gains up to date at pixel i, whose extremal opinions top
// and bottom held before, and whose log-likelihood has changed.
func (r *Rows) exchange(i int, top, bottom int32, before, after float64) {
	l := &r.lane
	above := r.opposed(&l.above, i, bottom)
	below := r.opposed(&l.below, i, top)
	aboveNow, belowNow := above, below
	// Only one side has changed.
	if l.bottom[i] != bottom {
		aboveNow = r.opposed(&l.above, i, l.bottom[i])
	} else if l.top[i] != top {
		belowNow = r.opposed(&l.below, i, l.top[i])
	}
	was, is := r.lanes.round(before), r.lanes.round(after)
	if l.x[i/64]>>(i%64)&1 != 0 {
		r.loops.Exchange(l.gains, above, below, aboveNow, belowNow, was, is)
	} else { // all signs are turned: of the numbers, and of the gains
		r.loops.Exchange(l.gains, aboveNow, belowNow, above, below, -is, -was)
	}
}

// opposed is the row of o for pixel i where holder holds the other side.
func (r *Rows) opposed(o *opposed, i int, holder int32) []int32 {
	x := int(r.lane.x[i/64] >> (i % 64) & 1)
	state := (2*i+x)*(r.experts+1) + int(holder)
	slot := state % len(o.met)
	row := o.rows[slot*r.lanes.n:][:r.lanes.n]
	if o.met[slot] == int32(state+1) {
		return row
	}
	o.met[slot] = int32(state + 1)
	q, sign := r.bank.q(i), int32(2*x-1)
	for c := range row {
		row[c] = o.none
		if c >= r.experts {
			continue
		}
		switch v := r.bank.Sprites[c].V[i]; {
		case v > q && o.none < 0:
			row[c] = sign * r.lanes.round(r.pair(i, int32(c+1), holder))
		case v < q && o.none > 0:
			row[c] = sign * r.lanes.round(r.pair(i, holder, int32(c+1)))
		}
	}
	return row
}
