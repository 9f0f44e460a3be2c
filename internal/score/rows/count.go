package rows

import "math/bits"

// Counts holds sums over rows by expert and pixel, those of the root package's
// Counts. The slices are experts*pixels long; the lost ones may be nil under
// the max rule.
type Counts struct{ On, Seen, LostOn, LostSeen []int64 }

// counter counts in bytes, many pixels at a time. It must be flushed before a byte
// overflows.
type counter struct {
	pixels   int
	words    int      // of eight bytes, per expert
	seen, on []uint64 // pixel i of expert c is byte i%8 of word c*words+i/8
}

// newCounter returns a counter of the experts and pixels of a table.
func newCounter(t *Table) counter {
	n := 8 * t.words
	return counter{t.pixels, n, make([]uint64, t.experts*n), make([]uint64, t.experts*n)}
}

// add counts the pixels of mask, weight times: in bytes where weight fits,
// otherwise in seen and on.
func (c *counter) add(expert int, mask, x []uint64, weight int64, seen, on []int64) {
	if weight <= 255 {
		at := expert * c.words
		countBytes(c.seen[at:at+c.words], c.on[at:at+c.words], mask, x, uint64(weight))
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
	won, lost         counter
	pending           int        // no counter is larger
	met               int        // rows so far
	alone             division   // of a row that is like no other
	recent            []division // by a hash of the picks, where these often come again
	wonPart, lostPart []uint64
	taken             []uint64
}

// division says which pixels each pick of a row holds.
type division struct {
	picks              uint64   // a byte each, where they fit
	own, ownDown       []uint64 // by pick: the pixels whose largest, smallest, opinion it holds
	beaten, beatenDown []uint64 // the pixels whose largest, smallest, opinion lost
}

// Divisions are remembered where picks often come again: of few experts, in thousands of rows. They take
// at most a megabyte.
const (
	fewExperts = 16
	fewPicks   = 8
	fewWords   = 16
	manyRows   = 4096
	recentBits = 10
)

// prepare makes the memory.
func (k *counts) prepare() {
	k.won, k.taken = newCounter(k.Table), make([]uint64, k.words)
	if k.bank.TwoSided {
		k.lost, k.wonPart, k.lostPart = newCounter(k.Table), make([]uint64, k.words), make([]uint64, k.words)
	}
}

// remember makes the memory for divisions if n rows more pay for it.
func (k *counts) remember(n int) {
	if k.met += n; k.recent != nil || k.met < manyRows || k.experts > fewExperts || k.words > fewWords {
		return
	}
	k.recent = make([]division, 1<<recentBits)
	size := fewPicks * k.words
	slab := make([]uint64, len(k.recent)*size)
	for i := range k.recent {
		k.recent[i].own = slab[i*size : (i+1)*size : (i+1)*size]
	}
}

// add implements Explainer.Count.
func (k *counts) add(rows Packed, weights []int64, picked *Picked, c Counts) {
	if k.won.seen == nil {
		k.prepare()
	}
	k.remember(rows.N)
	for n := range rows.N {
		picks := picked.Expert[picked.From[n]:picked.From[n+1]]
		weight := int64(1)
		if weights != nil {
			weight = weights[n]
		}
		if len(picks) > 0 {
			k.addRow(picks, k.divided(rows, n, picks), k.row(rows.On, n, nil), weight, c)
		}
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

// divided returns the division of row n, which stays until the next.
func (k *counts) divided(rows Packed, n int, picks []int32) *division {
	if rows.Known != nil || k.recent == nil || len(picks) > fewPicks {
		k.divide(&k.alone, picks, k.row(rows.Known, n, k.all))
		return &k.alone
	}
	key := uint64(0)
	for _, c := range picks {
		key = key<<8 | uint64(c+1)
	}
	d := &k.recent[key*0x9e3779b97f4a7c15>>(64-recentBits)]
	if d.picks != key {
		d.picks = key
		k.divide(d, picks, k.all)
	}
	return d
}

// divide finds the pixels that each pick holds; a tie goes to the earlier one.
func (k *counts) divide(d *division, picks []int32, known []uint64) {
	n, w := len(picks)*k.words, k.words
	d.own = resize(d.own, n)
	if k.bank.TwoSided {
		d.ownDown = resize(d.ownDown, n)
	}
	for j, c := range picks {
		down := []uint64(nil)
		if k.bank.TwoSided {
			down = d.ownDown[j*w : (j+1)*w]
		}
		k.votes(int(c), picks[:j], known, d.own[j*w:(j+1)*w], down)
	}
	giveUp(d.own, k.taken)
	if k.bank.TwoSided {
		giveUp(d.ownDown, k.taken)
		k.contest(d, picks)
	}
}

// giveUp removes from each mask the pixels of later ones: there a later opinion is
// farther from abstention. taken is scratch, of the words of a mask.
func giveUp(masks []uint64, taken []uint64) {
	clear(taken)
	for end := len(masks); end > 0; end -= len(taken) {
		mask := masks[end-len(taken) : end]
		for w, m := range mask {
			mask[w] = m &^ taken[w]
			taken[w] |= m
		}
	}
}

// contest sets beaten and beatenDown: where two picks hold opposite opinions,
// the one that is not farther from abstention loses.
func (k *counts) contest(d *division, picks []int32) {
	if d.beaten == nil {
		d.beaten, d.beatenDown = make([]uint64, k.words), make([]uint64, k.words)
	}
	for w := range k.words {
		d.beaten[w], d.beatenDown[w] = 0, 0
		for j := range picks {
			for l := range picks {
				for both := d.own[j*k.words+w] & d.ownDown[l*k.words+w]; both != 0; both &= both - 1 {
					i, bit := 64*w+bits.TrailingZeros64(both), both&-both
					q := k.bank.Abstention(i)
					above, below := k.bank.Sprites[picks[j]].V[i]-q, q-k.bank.Sprites[picks[l]].V[i]
					if !(above > below) {
						d.beaten[w] |= bit
					}
					if !(below > above) {
						d.beatenDown[w] |= bit
					}
				}
			}
		}
	}
}

// addRow counts the divided row.
func (k *counts) addRow(picks []int32, d *division, x []uint64, weight int64, c Counts) {
	if light := int(min(weight, 256)); light <= 255 {
		if k.pending+light > 255 {
			k.flush(c)
		}
		k.pending += light
	}
	for j, expert := range picks {
		at, end := j*k.words, (j+1)*k.words
		if !k.bank.TwoSided {
			k.won.add(int(expert), d.own[at:end], x, weight, c.Seen, c.On)
			continue
		}
		won, lost := k.split(d.own[at:end], d.beaten)
		k.won.add(int(expert), won, x, weight, c.Seen, c.On)
		k.lost.add(int(expert), lost, x, weight, c.LostSeen, c.LostOn)
		won, lost = k.split(d.ownDown[at:end], d.beatenDown)
		k.won.add(int(expert), won, x, weight, c.Seen, c.On)
		k.lost.add(int(expert), lost, x, weight, c.LostSeen, c.LostOn)
	}
}

// split divides the pixels that a pick holds by whether they are beaten.
func (k *counts) split(own, beaten []uint64) (won, lost []uint64) {
	for w, m := range own {
		k.wonPart[w], k.lostPart[w] = m&^beaten[w], m&beaten[w]
	}
	return k.wonPart, k.lostPart
}
