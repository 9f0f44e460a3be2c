package rows

import (
	"math/bits"

	"example.com/patchwork/internal/score/kernel"
)

// Counts holds sums over rows by expert and pixel, those of the root package's
// Counts. The slices are experts*pixels long; the lost ones may be nil under
// the max rule.
type Counts struct{ On, Seen, LostOn, LostSeen []int64 }

// counter counts in bytes, many pixels at a time. It must be flushed before a byte
// overflows.
type counter struct {
	loops    *kernel.RowLoops
	pixels   int
	words    int      // of eight bytes, per expert
	seen, on []uint64 // pixel i of expert c is byte i%8 of word c*words+i/8
}

// newCounter returns a counter of the experts and pixels of a table.
func newCounter(t *Table) counter {
	n := 8 * t.words
	return counter{t.loops, t.pixels, n, make([]uint64, t.experts*n), make([]uint64, t.experts*n)}
}

// add counts the pixels of mask, weight times: in bytes where weight fits,
// otherwise in seen and on.
func (c *counter) add(expert int, mask, x []uint64, weight int64, seen, on []int64) {
	if weight <= 255 {
		at := expert * c.words
		c.loops.Count(c.seen[at:at+c.words], c.on[at:at+c.words], mask, x, uint64(weight))
		return
	}
	first := expert * c.pixels
	for w, m := range mask {
		for ; m != 0; m &= m - 1 {
			j := bits.TrailingZeros64(m)
			seen[first+64*w+j] += weight
			on[first+64*w+j] += weight * int64(x[w]>>j&1)
		}
	}
}

// flush moves the counts to 64-bit ones.
func (c *counter) flush(seen, on []int64) {
	for at, s := range c.seen {
		if s == 0 {
			continue
		}
		o := c.on[at]
		c.seen[at], c.on[at] = 0, 0
		for i := at/c.words*c.pixels + at%c.words*8; s != 0; s, o, i = s>>8, o>>8, i+1 {
			seen[i] += int64(s & 255)
			on[i] += int64(o & 255)
		}
	}
}

// counts counts rows. Its memory is made when it first does.
type counts struct {
	*Table
	won, lost          counter
	pending            int        // no counter is larger
	own, ownDown       [][]uint64 // by pick: the pixels whose largest, smallest, opinion it holds
	beaten, beatenDown []uint64   // the pixels whose largest, smallest, opinion lost
	wonPart, lostPart  []uint64
	taken              []uint64
}

// prepare makes the memory.
func (k *counts) prepare() {
	k.won, k.taken = newCounter(k.Table), make([]uint64, k.words)
	if k.bank.TwoSided {
		k.lost = newCounter(k.Table)
		for _, mask := range []*[]uint64{&k.beaten, &k.beatenDown, &k.wonPart, &k.lostPart} {
			*mask = make([]uint64, k.words)
		}
	}
}

// add implements Explainer.Count.
func (k *counts) add(rows Packed, weights []int64, picked *Picked, c Counts) {
	if k.won.seen == nil {
		k.prepare()
	}
	for n := range rows.N {
		picks := picked.Expert[picked.From[n]:picked.From[n+1]]
		weight := int64(1)
		if weights != nil {
			weight = weights[n]
		}
		if len(picks) == 0 {
			continue
		}
		k.divide(picks, k.row(rows.Known, n, k.all))
		k.addRow(picks, k.row(rows.On, n, nil), weight, c)
	}
	k.flush(c)
}

// flush moves all counts to 64-bit ones.
func (k *counts) flush(c Counts) {
	k.won.flush(c.Seen, c.On)
	if k.bank.TwoSided {
		k.lost.flush(c.LostSeen, c.LostOn)
	}
	k.pending = 0
}

// divide finds the pixels that each pick holds; a tie goes to the earlier one.
func (k *counts) divide(picks []int32, known []uint64) {
	for len(k.own) < len(picks) {
		k.own, k.ownDown = append(k.own, make([]uint64, k.words)), append(k.ownDown, nil)
		if k.bank.TwoSided {
			k.ownDown[len(k.own)-1] = make([]uint64, k.words)
		}
	}
	for j, c := range picks {
		k.votes(int(c), picks[:j], known, k.own[j], k.ownDown[j])
	}
	giveUp(k.own[:len(picks)], k.taken)
	if k.bank.TwoSided {
		giveUp(k.ownDown[:len(picks)], k.taken)
	}
	if k.bank.TwoSided {
		k.contest(picks)
	}
}

// giveUp removes from each mask the pixels of later ones: there a later opinion is
// farther from abstention. taken is scratch.
func giveUp(masks [][]uint64, taken []uint64) {
	clear(taken)
	for j := len(masks) - 1; j >= 0; j-- {
		mask := masks[j][:len(taken)]
		for w, m := range mask {
			mask[w] = m &^ taken[w]
			taken[w] |= m
		}
	}
}

// contest sets beaten and beatenDown: where two picks hold opposite opinions,
// the one that is not farther from abstention loses.
func (k *counts) contest(picks []int32) {
	for w := range k.words {
		k.beaten[w], k.beatenDown[w] = 0, 0
		for j := range picks {
			for l := range picks {
				for both := k.own[j][w] & k.ownDown[l][w]; both != 0; both &= both - 1 {
					i, bit := 64*w+bits.TrailingZeros64(both), both&-both
					q := k.bank.Abstention(i)
					above, below := k.bank.Sprites[picks[j]].V[i]-q, q-k.bank.Sprites[picks[l]].V[i]
					if !(above > below) {
						k.beaten[w] |= bit
					}
					if !(below > above) {
						k.beatenDown[w] |= bit
					}
				}
			}
		}
	}
}

// addRow counts the divided row.
func (k *counts) addRow(picks []int32, x []uint64, weight int64, c Counts) {
	if light := int(min(weight, 256)); light <= 255 {
		if k.pending+light > 255 {
			k.flush(c)
		}
		k.pending += light
	}
	for j, expert := range picks {
		won, lost := k.own[j], []uint64(nil)
		if k.bank.TwoSided {
			won, lost = k.split(k.own[j], k.beaten)
			k.lost.add(int(expert), lost, x, weight, c.LostSeen, c.LostOn)
		}
		k.won.add(int(expert), won, x, weight, c.Seen, c.On)
		if k.bank.TwoSided {
			won, lost = k.split(k.ownDown[j], k.beatenDown)
			k.won.add(int(expert), won, x, weight, c.Seen, c.On)
			k.lost.add(int(expert), lost, x, weight, c.LostSeen, c.LostOn)
		}
	}
}

// split divides the pixels that a pick holds by whether they are beaten.
func (k *counts) split(own, beaten []uint64) (won, lost []uint64) {
	for w, m := range own {
		k.wonPart[w], k.lostPart[w] = m&^beaten[w], m&beaten[w]
	}
	return k.wonPart, k.lostPart
}
