package rows

import (
	"math/bits"
	"slices"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// loopsOf returns the inner loops of a path: vector code where it has any.
func loopsOf(p *kernel.Path) *kernel.RowLoops {
	if vectors := kernel.RowVectors(p); vectors != nil {
		return vectors
	}
	return plainLoops
}

// plainLoops says what each loop does. The vector code gives the same bits.
var plainLoops = &kernel.RowLoops{AddFours: addFours, Strengthen: strengthen, Exchange: exchange}

func addFours(gains, table []int32, x []uint64, quads int) {
	n := len(gains)
	for g := range 4 * quads {
		p := int(x[g/16] >> (g % 16 * 4) & 15)
		row := table[(16*g+p)*n:][:n]
		for c, gain := range row {
			gains[c] += gain
		}
	}
}

// strengthen corrects the gains of the max rule where an opinion becomes the
// largest. What another one gains at the pixel falls by the part of its way that
// the pixel has gone.
func strengthen(gains, alone, units, _ []int32, up, x []uint64, c int) {
	n := len(gains)
	for w, m := range up {
		for ; m != 0; m &= m - 1 {
			j := bits.TrailingZeros64(m)
			i := 64*w + j
			row := alone[(2*i+int(x[w]>>j&1))*n:][:n]
			was, is := units[i], row[c]
			units[i] = is
			low, high := min(was, is), max(was, is)
			for k, u := range row {
				gains[k] += was - min(max(u, low), high)
			}
		}
	}
}

func exchange(gains, above0, below0, above1, below1 []int32, l0, l1 int32) {
	for c := range gains {
		gains[c] += max(above1[c]-l1, 0) + min(below1[c]-l1, 0) - max(above0[c]-l0, 0) - min(below0[c]-l0, 0)
	}
}

// begin sets l to on where x, else to off, and to 0 where a pixel is not known; l has 16*quads numbers.
func begin(l, off, on []float64, x, known []uint64) {
	clear(l[copy(l, off):])
	for w, ones := range x {
		for ; ones != 0; ones &= ones - 1 {
			i := 64*w + bits.TrailingZeros64(ones)
			l[i] = on[i]
		}
		for hidden := ^known[w]; hidden != 0; hidden &= hidden - 1 {
			if i := 64*w + bits.TrailingZeros64(hidden); i < len(off) {
				l[i] = 0
			}
		}
	}
}

// beginUnits sets units to on where x, else to off.
func beginUnits(units, off, on []int32, x []uint64) {
	copy(units, off)
	for w, ones := range x {
		for ; ones != 0; ones &= ones - 1 {
			i := 64*w + bits.TrailingZeros64(ones)
			units[i] = on[i]
		}
	}
}

// nearLanes returns the largest gain. It sets mask to the lanes that lie at most slack below it and not below least;
// bits behind the last lane stay 0.
func nearLanes(mask []uint64, gains []int32, slack, least int32) int32 {
	most := slices.Max(gains)
	clear(mask)
	for c, gain := range gains {
		if gain >= max(most-slack, least) {
			mask[c/64] |= 1 << (c % 64)
		}
	}
	return most
}

// settle sets l to on where up and x, and to off where up and not x, and returns the sum of what l rose by.
// voteGain only returns that.
func settle(l, off, on []float64, up, x []uint64) float64 {
	gain := voteGain(l, off, on, up, x)
	for w, m := range up {
		for ; m != 0; m &= m - 1 {
			i := 64*w + bits.TrailingZeros64(m)
			if l[i] = off[i]; x[w]&m&-m != 0 {
				l[i] = on[i]
			}
		}
	}
	return gain
}

func voteGain(l, off, on []float64, up, x []uint64) float64 {
	var sum score.Total
	for w, m := range up {
		for ; m != 0; m &= m - 1 {
			i := 64*w + bits.TrailingZeros64(m)
			after := off[i]
			if x[w]&m&-m != 0 {
				after = on[i]
			}
			sum.Add(i, after-l[i])
		}
	}
	return sum.Sum()
}

// greater sets mask to where a > b.
func greater(mask []uint64, a, b []float64) {
	clear(mask)
	for i, v := range a {
		if v > b[i] {
			mask[i/64] |= 1 << (i % 64)
		}
	}
}

// voters sets mask to the part of known that is in row 0 of order and in the rows 1+picks[...].
func voters(mask, known, order []uint64, picks []int32) {
	n := len(mask)
	for w := range mask {
		mask[w] = known[w] & order[w]
	}
	for _, p := range picks {
		row := order[(int(p)+1)*n:][:n]
		for w := range mask {
			mask[w] &= row[w]
		}
	}
}
