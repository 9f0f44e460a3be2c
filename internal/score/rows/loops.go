package rows

import (
	"math/bits"
	"reflect"
	"slices"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
)

// loopsOf returns the inner loops of a path: vector code where it has any.
func loopsOf(p *kernel.Path) *kernel.RowLoops {
	loops, vector := *plainLoops, kernel.RowVectors(p)
	if vector == nil {
		return &loops
	}
	to, from := reflect.ValueOf(&loops).Elem(), reflect.ValueOf(*vector)
	for i := range from.NumField() {
		if !from.Field(i).IsNil() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return &loops
}

// plainLoops says what each loop does. The vector code gives the same bits.
var plainLoops = &kernel.RowLoops{
	AddFours: addFours, Strengthen: strengthen, Exchange: exchange, Step: step, Sums: rowSums, VoteStep: voteStep,
	Tell: tell,
}

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
	clear(l[len(off):])
	for i := range off {
		v := off[i]
		if x[i/64]>>(i%64)&1 != 0 {
			v = on[i]
		}
		if known[i/64]>>(i%64)&1 == 0 {
			v = 0
		}
		l[i] = v
	}
}

// beginUnits sets units to on where x, else to off.
func beginUnits(units, off, on []int32, x []uint64) {
	for i := range units {
		if units[i] = off[i]; x[i/64]>>(i%64)&1 != 0 {
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

// spread holds, in byte b of entry v, bit b of v.
var spread = func() (s [256]uint64) {
	for v := range s {
		for b := range 8 {
			s[v] |= uint64(v>>b&1) << (8 * b)
		}
	}
	return s
}()

// countBytes adds weight, at most 255, to the bytes of seen where mask, and to those of on where mask and x: pixel i
// is byte i%8 of word i/8, and there are as many of them as bits in mask. The bytes must not overflow.
func countBytes(seen, on, mask, x []uint64, weight uint64) {
	for w, m := range mask {
		for o, j := m&x[w], 8*w; m != 0; m, o, j = m>>8, o>>8, j+1 {
			seen[j] += spread[m&255] * weight
			on[j] += spread[o&255] * weight
		}
	}
}

func step(table, costs []float64, need float64, x []uint64, words int, list []int32, groups int, picks []int8,
	gains []float64, lists, counts []int32) {
	var totals [32]float64
	for _, n := range list {
		row := x[int(n)*words:][:words]
		most := 0.0
		for first := 0; first < len(costs); first += 8 {
			total := addUp(table[16*first:], 16*len(costs), row, groups)
			for c := range total {
				total[c] -= costs[first+c]
				if totals[first+c] = total[c]; total[c] > most || first+c == 0 {
					most = total[c]
				}
			}
		}
		c := 0
		for !(totals[c] >= most-kernel.Tie) {
			c++
		}
		picks[8*n], gains[8*n] = int8(c), totals[c]+costs[c]
		if !(totals[c] > need) {
			c = len(costs)
		}
		lists[c*kernel.Block+int(counts[c])] = n
		counts[c]++
	}
}

// addUp returns the totals of eight lanes.
func addUp(table []float64, group int, row []uint64, groups int) (total [8]float64) {
	var sums [4][8]float64
	for g := range groups {
		p := int(row[g/16] >> (g % 16 * 4) & 15)
		part := table[g*group+8*p:][:8:8]
		s := &sums[g&3]
		for c, v := range part {
			s[c] += v
		}
	}
	for c := range total {
		total[c] = sums[0][c] + sums[1][c] + (sums[2][c] + sums[3][c])
	}
	return total
}

func rowSums(table []float64, x []uint64, words int, list []int32, groups int, out []float64) {
	if list == nil {
		for n := range out {
			list = append(list, int32(n))
		}
	}
	for _, n := range list {
		row, sums := x[int(n)*words:][:words], [4]float64{}
		for g := range groups {
			sums[g&3] += table[16*g+int(row[g/16]>>(g%16*4)&15)]
		}
		out[n] = sums[0] + sums[1] + (sums[2] + sums[3])
	}
}

// gatherEights copies depth[i], at most eight, of the eight numbers from 8*i on to
// from[i] on, in both, and sets from[i+1] to behind them.
func gatherEights(from []int, depth []int32, picks []int8, gains []float64, outPicks []int32, outGains []float64) {
	for i, d := range depth {
		for j, c := range picks[8*i:][:d] {
			outPicks[from[i]+j] = int32(c)
		}
		copy(outGains[from[i]:], gains[8*i:][:d])
		from[i+1] = from[i] + int(d)
	}
}
