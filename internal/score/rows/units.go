package rows

import (
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/score"
)

// units is the part of a Table that explainer.go uses: gains in fixed point, whose
// sums do not depend on an order, one lane per expert.
//
// What expert c gains at a pixel is the log-likelihood of the pixel when it has
// joined minus that before. Both are rounded to units, so the gain of an expert
// is wrong by at most one unit per pixel and one for its cost, however often it
// was corrected, and between experts whose gains differ by more than twice that
// the fixed-point gains decide.
type units struct {
	n     int     // experts, rounded up to a multiple of 16
	scale float64 // units per nat
	least float64 // stands for log 0, in nats
	wrong int32   // bounds the error of a gain, in units
	slack int32   // the best is at most so far below the largest gain

	start  []int32 // gains before any pixel: minus the costs
	first  []int32 // gains from abstention, by four pixels, their values and lane
	hidden []int32 // of an off pixel, by pixel and lane

	// Under the max rule: the log-likelihood of a pixel under an expert's
	// opinion, or abstention if that is above, by pixel, value and lane; and
	// under abstention, by value and pixel.
	alone []int32
	base  [2][]int32
}

// excluded is the gain of an expert that was picked, and of a lane without an
// expert; those of all others stay above a half of it.
const excluded = -1 << 30

// prepareUnits fills in units.
func (t *Table) prepareUnits() {
	l, d := &t.units, float64(t.pixels)
	l.least = t.leastLogLik()
	most := 0.0
	for _, c := range t.opt.Costs {
		most = max(most, math.Abs(c))
	}
	_, exp := math.Frexp(most - float64(d*l.least))
	l.scale, l.wrong = math.Ldexp(1, 27-exp), int32(t.pixels)+2
	l.start = make([]int32, l.n)
	for c := range l.start {
		if l.start[c] = excluded; c < t.experts {
			l.start[c] = -int32(math.Round(score.CostOf(t.opt.Costs, c) * l.scale))
		}
	}
	// Between two gains lie their errors and Tie.
	l.slack = 2*l.wrong + int32(min(math.Ceil(score.Tie*l.scale), 1<<20)) + 1
	t.prepareFirst()
	if !t.bank.TwoSided {
		t.prepareAlone()
	}
}

// leastLogLik bounds the log-likelihood of a possible pixel from below.
func (t *Table) leastLogLik() float64 {
	if t.bank.TwoSided {
		return t.bank.LeastLogLik()
	}
	least := min(slices.Min(t.base[score.Off]), slices.Min(t.base[score.On]))
	for c := range t.experts {
		for i, v := range t.bank.Sprites[c].V {
			if v > t.bank.Abstention(i) {
				least = min(least, t.logLik(score.Off, i, c+1, 0), t.logLik(score.On, i, c+1, 0))
			}
		}
	}
	return least
}

// round returns v nats in units.
func (l *units) round(v float64) int32 { return int32(math.Round(max(v, l.least) * l.scale)) }

// unitGains sets row to what the experts gain at pixel i of value x, whose
// extremal opinions top and bottom hold, in units.
func (t *Table) unitGains(x uint8, i, top, bottom int, row []int32) {
	hi, lo := t.opinion(top, i), t.opinion(bottom, i)
	now := t.units.round(t.logLik(x, i, top, bottom))
	clear(row)
	for c := range t.experts {
		switch v := t.bank.Sprites[c].V[i]; {
		case v > hi:
			row[c] = t.units.round(t.logLik(x, i, c+1, bottom)) - now
		case v < lo && t.bank.TwoSided:
			row[c] = t.units.round(t.logLik(x, i, top, c+1)) - now
		}
	}
}

// prepareFirst fills in first: the gains for four pixels are those for the same
// without the last pixel that is on, and what this one changes.
func (t *Table) prepareFirst() {
	l := &t.units
	l.first, l.hidden = make([]int32, t.quads*64*l.n), make([]int32, t.quads*16*l.n)
	on := make([]int32, 4*l.n)
	for g := range 4 * t.quads {
		table := l.first[g*16*l.n:][:16*l.n]
		clear(on)
		for j := range max(0, min(4, t.pixels-4*g)) {
			off := l.hidden[(4*g+j)*l.n:][:l.n]
			t.unitGains(score.Off, 4*g+j, 0, 0, off)
			t.unitGains(score.On, 4*g+j, 0, 0, on[j*l.n:][:l.n])
			for c, gain := range off {
				table[c] += gain
				on[j*l.n+c] -= gain
			}
		}
		for p := 1; p < 16; p++ {
			last := bits.Len(uint(p)) - 1
			less := p &^ (1 << last)
			for c := range l.n {
				table[p*l.n+c] = table[less*l.n+c] + on[last*l.n+c]
			}
		}
	}
}

// prepareAlone fills in alone and base.
func (t *Table) prepareAlone() {
	l, d := &t.units, t.pixels
	l.alone = make([]int32, 32*t.quads*l.n)
	for x := range l.base {
		l.base[x] = make([]int32, 16*t.quads)
		for i := range d {
			base := l.round(t.base[x][i])
			l.base[x][i] = base
			for c, row := 0, l.alone[(2*i+x)*l.n:][:l.n]; c < l.n; c++ {
				if row[c] = base; c < t.experts && t.bank.Sprites[c].V[i] > t.bank.Abstention(i) {
					row[c] = l.round(t.logLik(uint8(x), i, c+1, 0))
				}
			}
		}
	}
}
