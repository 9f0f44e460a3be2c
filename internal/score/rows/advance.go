package rows

import (
	"math/bits"

	"example.com/patchwork/internal/score/kernel"
)

// This file has Advance and Tell in plain Go.

func advance(a *kernel.Advance) {
	for k, n := range a.List {
		x, gains := a.X[int(n)*a.Width:][:a.Width], a.Gains[int(n)*a.Lanes:][:a.Lanes]
		for g, f := range a.Groups {
			row := a.Table[(16*g+pick4(x[f.Word], f.Mask))*a.Lanes:][:len(gains)]
			for c, v := range row {
				gains[c] += int32(v)
			}
		}
		if a.Changes != nil {
			change(a, gains, a.Changes[3*k*a.Lanes:][:3*a.Lanes])
		}
		if a.Lane >= 0 {
			hold(a, x, gains, int(n))
		} else {
			a.Picked[n] = 0
		}
		for m := a.Picked[n]; m != 0; m &= m - 1 {
			gains[bits.TrailingZeros64(m)] = kernel.Excluded
		}
		c := choose(a, gains)
		if c < a.Lanes {
			a.Picks[kernel.MostPicks*int(n)+a.Step+1] = uint8(c)
			if ends(a, gains, c) {
				c = a.Lanes + 2
			}
		}
		a.Next[c*a.Stride+int(a.Counts[c])] = n
		a.Counts[c]++
	}
}

// change adds the changes of a row.
func change(a *kernel.Advance, gains, changes []int32) {
	for c := range gains {
		v := changes[c] + changes[a.Lanes+c]<<8 + changes[2*a.Lanes+c]<<16
		if a.Lane >= 0 {
			v = -v
		}
		gains[c] += v + a.Always[c]
	}
}

// spreadBytes is Spread in plain Go.
func spreadBytes(a []byte, stride int, groups []kernel.Fours, x []uint64, width int, list []int32) {
	for k, n := range list {
		at := k * stride
		for _, f := range groups {
			for m := f.Mask; m != 0; m &= m - 1 {
				if a[at] = 0; x[int(n)*width+f.Word]&m&-m != 0 {
					a[at] = 1
				}
				at++
			}
		}
	}
}

// multiply is Multiply in plain Go.
func multiply(a []byte, depth int, b []byte, out []int32, vectors int) {
	for k := range len(a) / (64 * depth) {
		row := a[64*depth*k:][:64*depth]
		for p := range 3 * vectors {
			v, p := p/3, p%3
			sums := out[(3*k+p)*16*vectors+16*v:][:16]
			clear(sums)
			for i, on := range row {
				if on == 0 {
					continue
				}
				for c := range sums {
					sums[c] += int32(on) * int32(b[1024*((v*depth+i/64)*3+p)+i%64/4*64+4*c+i%4])
				}
			}
		}
	}
}

// pick4 returns the bits of x where mask, at most four, brought together.
func pick4(x, mask uint64) (p int) {
	for bit := 1; mask != 0; mask, bit = mask&(mask-1), bit<<1 {
		if x&mask&-mask != 0 {
			p |= bit
		}
	}
	return p
}

// hold makes the expert a pick of row n.
func hold(a *kernel.Advance, x []uint64, gains []int32, n int) {
	picks := a.Picks[kernel.MostPicks*n:][:a.Step+1]
	picks[a.Step] = uint8(a.Lane)
	a.Picked[n] |= 1 << a.Lane
	for w, votes := range a.Votes[a.Lane*a.Width:][:a.Width] {
		held := uint64(0)
		for _, c := range picks[:a.Step] {
			held |= a.Votes[int(c)*a.Width+w]
		}
		for m := votes & held; m != 0; m &= m - 1 {
			i := 64*w + bits.TrailingZeros64(m)
			at := 2 * i * a.Lanes
			if x[w]&m&-m != 0 {
				at += a.Lanes
			}
			row := a.Signed[at:][:len(gains)]
			low, high := int32(0), int32(0)
			for _, c := range picks[:a.Step] {
				low, high = min(low, row[c]), max(high, row[c])
			}
			low, high = max(low, min(row[a.Lane], 0)), min(high, max(row[a.Lane], 0))
			for c, v := range row {
				gains[c] += min(max(v, low), high)
			}
		}
	}
}

// choose returns the list that a row of these gains goes to.
func choose(a *kernel.Advance, gains []int32) int {
	best, most := 0, gains[0]
	for c, g := range gains {
		if g > most {
			best, most = c, g
		}
	}
	switch {
	case int(most) <= a.Low:
		return a.Lanes
	case int(most) <= a.High:
		return a.Lanes + 1
	}
	for c, g := range gains {
		if c != best && int(g) >= int(most)-a.Slack {
			return a.Lanes + 1
		}
	}
	return best
}

func tell(t *kernel.Tell) {
	l, size, told := t.Scratch[:64*t.Width], 128*t.Width, 0
	for n := range t.N {
		x := t.X[n*t.Width:][:t.Width]
		base := t.Experts[t.Abstention*size:][:size]
		for at := range l {
			off := base[tellAt(at):]
			if l[at] = off[0]; tellOn(x, at) {
				l[at] = off[8]
			}
		}
		t.Start[n] = tellSum(l)
		for _, c := range t.Picks[kernel.MostPicks*n:][:t.Depth[n]] {
			t.Gains[told] = tellPick(l, t.Experts[int(c)*size:][:size], x)
			told++
		}
		t.LogLik[n] = tellSum(l)
	}
}

// tellAt returns where number at of l, as Tell.Experts has 64 pixels, is for a pixel that is off.
func tellAt(at int) int { return at/8*16 + at%8 }

// tellOn reports whether the pixel of number at of l is on.
func tellOn(x []uint64, at int) bool {
	i := at%8*4 + at/8%4 + at%64/32*32
	return x[at/64]>>i&1 != 0
}

// tellPick lets an expert join l, and returns what that gains.
func tellPick(l, expert []float64, x []uint64) float64 {
	var sums [4]float64
	for at := 0; at < len(l); at += 32 { // eight groups
		for g := range 8 {
			part := 0.0
			for j := range 4 {
				k := at + 8*j + g
				v := expert[tellAt(k):]
				before, after := l[k], 0.0
				if tellOn(x, k) {
					after = max(before, v[8])
				} else {
					after = min(before, v[0])
				}
				part, l[k] = part+(after-before), after
			}
			sums[g%4] += part
		}
	}
	return sums[0] + sums[1] + (sums[2] + sums[3])
}

// tellSum returns the sum of l.
func tellSum(l []float64) float64 {
	var sums [4]float64
	for at := 0; at < len(l); at += 32 {
		for g := range 8 {
			sums[g%4] += l[at+g] + l[at+8+g] + l[at+16+g] + l[at+24+g]
		}
	}
	return sums[0] + sums[1] + (sums[2] + sums[3])
}

// ends reports whether no gain can be enough once expert c is picked.
func ends(a *kernel.Advance, gains []int32, c int) bool {
	for i, raise := range a.Raises[c*a.Lanes:][:len(gains)] {
		if i != c && int(gains[i]+raise) > a.End {
			return false
		}
	}
	return true
}
