package rows

import (
	"math"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// equal is what byCount needs to know of a table all of whose votes are one value, above
// one abstention value: there the gain of an expert depends on two counts only, its pixels
// that are on and those that are off, of those that no pick has yet. In whole units gains
// are compared without error.
type equal struct {
	counting kernel.Counting // what is the same for all rows
	few      int             // up to so many experts the tables of bySet are quicker

	// What a pick gains from four pixels, see kernel.Counting.
	classes [256]uint8
	values  [32]float64

	// Log-likelihoods of four pixels by their values and those of them that a pick has,
	// four bits each, the values in the lower; and of the last four, which may be fewer.
	logLik4, last4 [256]float64
	start          []float64 // of four pixels in abstention, as kernel.RowLoops.Sums takes it
}

// equalVotes returns what byCount needs, or nil where it cannot be used: votes of several
// values, costs that differ, a least gain below 0, or gains that are so close to each
// other, or to the least gain, that counts need not decide as sums in float64 do.
func (t *Table) equalVotes() *equal {
	if t.bank.TwoSided || t.experts > math.MaxInt8+1 {
		return nil
	}
	e, vectors := &equal{}, kernel.RowVectors(kernel.Chosen())
	e.counting = kernel.Counting{Width: t.words, All: t.all, Classes: &e.classes, Values: &e.values}
	for _, c := range t.opt.Costs {
		if e.counting.Cost = t.opt.Costs[0]; c != e.counting.Cost {
			return nil
		}
	}
	var base, vote [2]float64
	for x := range base {
		base[x] = t.base[x][0]
		for _, v := range t.base[x] {
			if v != base[x] {
				return nil
			}
		}
	}
	most := 0 // votes of an expert
	for c := range t.experts {
		s := &t.bank.Sprites[c]
		n := 0
		for i, v := range s.V {
			if !(v > t.bank.Abstention(i)) {
				continue
			}
			if vote == [2]float64{} {
				vote = [2]float64{s.Off[i], s.On[i]}
			}
			if n++; vote != [2]float64{s.Off[i], s.On[i]} {
				return nil
			}
		}
		if n == 0 && t.opt.Forced {
			return nil // its gain of 0 may be the largest
		}
		most = max(most, n)
	}
	if most == 0 || most > math.MaxInt16 || !e.inUnits(t, vote[score.On]-base[score.On], base[score.Off]-vote[score.Off], most) {
		return nil
	}
	for c := range t.experts {
		at := c * (t.experts + 1) * t.words
		e.counting.Masks = append(e.counting.Masks, t.above[at:at+t.words]...)
	}
	e.counting.Arrange()
	e.sums(t, base, vote)
	if e.few = 12; vectors != nil && vectors.CountStep != nil {
		e.few = 0
	}
	return e
}

// inUnits sets what is counted in units. It reports whether for all counts up to most the
// units compare as sums in float64 do, in any order of their terms: whether two gains are
// equal (within score.Tie), which is larger, and whether one is enough.
func (e *equal) inUnits(t *Table, up, down float64, most int) bool {
	cost := e.counting.Cost
	need := t.opt.MinGain + score.Tie + cost
	if !(min(up, down) > 0 && need >= 0 && need <= math.MaxFloat32) {
		return false
	}
	// No sum is wrong by more: each term passes at most so many additions.
	wrong := float64(float64(t.groups/4+16) * 0x1p-52 * (float64(float64(most)*max(up, down)) + math.Abs(cost) + need))
	if wrong > score.Tie/8 {
		return false
	}
	alike := votesAlike{up, down, need, wrong, most}
	a, b := ratio(up/down, math.MaxInt16)
	least := min(math.Floor(need*(float64(a+b)/(up+down))), 1<<30)
	e.counting.Won, e.counting.Lost, e.counting.Enough = int32(a+b), int32(b), int32(least)
	return b > 0 && alike.decidedBy(a, b, int64(least))
}

// ratio returns the numbers of the best fraction for r > 0 whose numbers add up to at most most: the last convergent of its
// continued fraction, its numbers as large as they can be.
func ratio(r float64, most int64) (a, b int64) {
	a0, b0, a, b := int64(0), int64(1), int64(1), int64(0)
	for range 64 {
		whole := math.Floor(r)
		if whole > float64(most) {
			break
		}
		a2, b2 := int64(whole)*a+a0, int64(whole)*b+b0
		if a2+b2 > most {
			break
		}
		a0, b0, a, b = a, b, a2, b2
		if r -= whole; r <= 0 {
			break
		}
		r = 1 / r
	}
	times := most / (a + b)
	return a * times, b * times
}

// votesAlike are votes that gain up where a pixel is on and lose down where it is off, in nats; an expert has most at most, and
// must gain need, and no sum of them is wrong by more than wrong.
type votesAlike struct {
	up, down, need, wrong float64
	most                  int
}

// decidedBy reports whether units decide as nats do: a for up, b for down, and more than least to be enough.
func (v votesAlike) decidedBy(a, b, least int64) bool {
	for n := range v.most + 1 {
		// Gains fall with the number of pixels off, in nats and in units: only where
		// they change their sign, two numbers on, is there anything to test.
		for off := range near(float64(float64(n)*v.up/v.down), v.most) {
			nats, units := float64(float64(n)*v.up)-float64(float64(off)*v.down), int64(n)*a-int64(off)*b
			switch {
			case n == 0 && off == 0:
			case nats > score.Tie+float64(2*v.wrong) && units > 0, nats < -score.Tie-float64(2*v.wrong) && units < 0, math.Abs(nats) < score.Tie-float64(2*v.wrong) && units == 0:
			default:
				return false
			}
		}
		for off := range near((float64(float64(n)*v.up)-v.need)/v.down, v.most) {
			nats, units := float64(float64(n)*v.up)-float64(float64(off)*v.down)-v.need, int64(n)*a-int64(off)*b
			if !(nats > 2*v.wrong && units > least || nats < -2*v.wrong && units <= least) {
				return false
			}
		}
	}
	return true
}

// near yields the numbers from 0 to most next to v, two on each side.
func near(v float64, most int) func(yield func(int) bool) {
	first := int(min(max(math.Floor(v)-1, 0), float64(most)))
	return func(yield func(int) bool) {
		for i := first; i <= min(first+3, most) && yield(i); i++ {
		}
	}
}

// sums fills in the sums of four pixels.
func (e *equal) sums(t *Table, base, vote [2]float64) {
	known := map[float64]uint8{}
	for code := range 256 {
		var gains, logLik [8]float64 // as fourSums takes them
		var sums [16]float64
		for j := range 4 {
			for x := range 2 {
				if logLik[2*j+x] = base[x]; code>>(4+j)&1 != 0 {
					gains[2*j+x], logLik[2*j+x] = vote[x]-base[x], vote[x]
				}
			}
		}
		fourSums(&sums, &logLik)
		e.logLik4[code] = sums[code&15]
		clear(logLik[2*((t.pixels-1)%4+1):])
		fourSums(&sums, &logLik)
		e.last4[code] = sums[code&15]
		if code&15&^(code>>4) != 0 {
			continue // never asked for: a vote that is on is a vote
		}
		// At most four votes for or against in a row have 31 sums, and no vote has 0.
		fourSums(&sums, &gains)
		gain := sums[code&15]
		if _, ok := known[gain]; !ok {
			known[gain] = uint8(len(known))
			e.values[known[gain]] = gain
		}
		e.classes[code] = known[gain]
	}
	e.counting.Few = len(known) <= 16
	for g := range t.groups {
		sums := &e.logLik4
		if g == t.groups-1 {
			sums = &e.last4
		}
		e.start = append(e.start, sums[:16]...)
	}
}
