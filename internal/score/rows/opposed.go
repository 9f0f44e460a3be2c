package rows

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/score"
)

// opposed remembers, by pixel, its value and the expert that holds the extremal
// opinion on one side, the log-likelihood of the pixel with each expert's opinion
// on the other side: in units, by lane, and negative where the pixel is off. An
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

// prepareOpposed makes the memory for max-minus-min.
func (e *Explainer) prepareOpposed() {
	d := e.pixels
	e.down = make([]uint64, e.words)
	e.top, e.bottom = make([]int32, d), make([]int32, d)
	states := 2 * d * (e.experts + 1)
	if n := states * (e.experts + 1); n <= maxPairs {
		e.pairs = make([]float64, n)
	}
	slots := max(e.experts+1, min(states, maxOpposed/e.units.n)) // so many that the states of one pixel have their own
	for _, o := range []*opposed{&e.joinAbove, &e.joinBelow} {
		o.met, o.rows = make([]int32, slots), make([]int32, slots*e.units.n)
	}
	e.joinAbove.none, e.joinBelow.none = -never, never
}

// after returns the log-likelihood of pixel i when the voter has joined, above or
// below the opinions so far.
func (e *Explainer) after(i int, above bool) float64 {
	c := int32(e.voter + 1)
	var after float64
	if above {
		after = e.pair(i, c, e.bottom[i])
	} else {
		after = e.pair(i, e.top[i], c)
	}
	e.odd = e.odd || after < -math.MaxFloat64
	return after
}

// pair returns logLik at pixel i of the row, remembering where both sides are
// held.
func (e *Explainer) pair(i int, top, bottom int32) float64 {
	n := e.experts + 1
	x := int(e.x[i/64] >> (i % 64) & 1)
	if top == 0 || bottom == 0 || e.pairs == nil {
		return e.logLik(uint8(x), i, int(top), int(bottom))
	}
	known := &e.pairs[((2*i+x)*n+int(top))*n+int(bottom)]
	if *known == 0 {
		*known = e.logLik(uint8(x), i, int(top), int(bottom))
	}
	return *known
}

// joinBoth lets the voter join under max-minus-min, corrects the gains, and
// returns the exact gain.
func (e *Explainer) joinBoth() float64 {
	holder := int32(e.voter + 1)
	var sum score.Total
	for w, up := range e.up {
		for votes := up | e.down[w]; votes != 0; votes &= votes - 1 {
			j := bits.TrailingZeros64(votes)
			i, above := 64*w+j, up>>j&1 != 0
			after := e.after(i, above)
			sum.Add(i, after-e.l[i])
			top, bottom := e.top[i], e.bottom[i]
			if above {
				e.top[i] = holder
			} else {
				e.bottom[i] = holder
			}
			e.exchange(i, top, bottom, e.l[i], after)
			e.l[i] = after
		}
	}
	return sum.Sum()
}

// exchange corrects the gains at pixel i, whose extremal opinions top and bottom
// held before, and whose log-likelihood has changed.
func (e *Explainer) exchange(i int, top, bottom int32, before, after float64) {
	above := e.opposedRow(&e.joinAbove, i, bottom)
	below := e.opposedRow(&e.joinBelow, i, top)
	aboveNow, belowNow := above, below
	// Only one side has changed.
	if e.bottom[i] != bottom {
		aboveNow = e.opposedRow(&e.joinAbove, i, e.bottom[i])
	} else if e.top[i] != top {
		belowNow = e.opposedRow(&e.joinBelow, i, e.top[i])
	}
	was, is := e.units.round(before), e.units.round(after)
	if e.x[i/64]>>(i%64)&1 != 0 {
		e.loops.Exchange(e.gains, above, below, aboveNow, belowNow, was, is)
	} else { // all signs are turned: of the numbers, and of the gains
		e.loops.Exchange(e.gains, aboveNow, belowNow, above, below, -is, -was)
	}
}

// opposedRow returns the row of o for pixel i where holder holds the other side.
func (e *Explainer) opposedRow(o *opposed, i int, holder int32) []int32 {
	x := int(e.x[i/64] >> (i % 64) & 1)
	state := (2*i+x)*(e.experts+1) + int(holder)
	slot := state % len(o.met)
	row := o.rows[slot*e.units.n:][:e.units.n]
	if o.met[slot] == int32(state+1) {
		return row
	}
	o.met[slot] = int32(state + 1)
	q, sign := e.bank.Abstention(i), int32(2*x-1)
	for c := range row {
		row[c] = o.none
		if c >= e.experts {
			continue
		}
		switch v := e.bank.Sprites[c].V[i]; {
		case v > q && o.none < 0:
			row[c] = sign * e.units.round(e.pair(i, int32(c+1), holder))
		case v < q && o.none > 0:
			row[c] = sign * e.units.round(e.pair(i, holder, int32(c+1)))
		}
	}
	return row
}
