package sheets

import (
	"math/bits"
	"slices"

	"example.com/patchwork/bitmap"
)

// plane is a page of bits. Rows start at a word and have spare words behind them, all 0.
type plane struct {
	h, w, stride int
	bits         []uint64
}

func newPlane(h, w, spare int) *plane {
	stride := (w+63)/64 + spare
	return &plane{h, w, stride, make([]uint64, h*stride+spare)}
}

func (p *plane) clone() *plane { return &plane{p.h, p.w, p.stride, slices.Clone(p.bits)} }

func (p *plane) at(y, x int) bool { return p.bits[y*p.stride+x>>6]>>(x&63)&1 != 0 }

// planes returns the ink and the unknown pixels of an image.
func planes(m *bitmap.Image, spare int) (on, unknown *plane) {
	on, unknown = newPlane(m.Height(), m.Width(), spare), newPlane(m.Height(), m.Width(), spare)
	for y := range m.Height() {
		ink, known := m.Row(y)
		copy(on.bits[y*on.stride:], ink)
		for i, w := range known {
			unknown.bits[y*on.stride+i] = ^w & (^uint64(0) >> (64 - min(64, m.Width()-64*i)))
		}
	}
	return on, unknown
}

// padded returns the plane with n pixels more on all sides, fewer than 64, that are bits of one kind.
func (p *plane) padded(n, spare int, bit bool) *plane {
	out := newPlane(p.h+2*n, p.w+2*n, spare)
	for y := range p.h {
		row := out.bits[(y+n)*out.stride:]
		for i, w := range p.bits[y*p.stride:][:(p.w+63)/64] {
			row[i] |= w << n
			row[i+1] |= w >> (64 - n)
		}
	}
	for y := range out.h {
		for x := 0; x < out.w && bit; x++ {
			if y >= n && y < out.h-n && x == n {
				x = out.w - n
			}
			out.bits[y*out.stride+x>>6] |= 1 << (x & 63)
		}
	}
	return out
}

// transposed returns the plane with rows and columns swapped.
func (p *plane) transposed(spare int) *plane {
	out := newPlane(p.w, p.h, spare)
	var block [64]uint64
	for y := 0; y < p.h; y += 64 {
		for i := range (p.w + 63) / 64 {
			any := uint64(0)
			for r := range block {
				block[r] = 0
				if y+r < p.h {
					block[r] = p.bits[(y+r)*p.stride+i]
				}
				any |= block[r]
			}
			if any == 0 {
				continue
			}
			transpose(&block)
			for c := 0; c < 64 && i*64+c < p.w; c++ {
				out.bits[(i*64+c)*out.stride+y/64] = block[c]
			}
		}
	}
	return out
}

// transpose transposes 64 x 64 bits: Warren, Hacker's Delight, section 7-3.
func transpose(a *[64]uint64) {
	mask := uint64(0x00000000ffffffff)
	for j := 32; j != 0; j, mask = j>>1, mask^mask<<(j>>1) {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (a[k]>>j ^ a[k+j]) & mask
			a[k] ^= t << j
			a[k+j] ^= t
		}
	}
}

// Lines are found by windows of a row: at least lineShare of their pixels are ink.
const lineShare = 0.86

// lines marks in mask the pixels of horizontal strokes of length pixels, 63 or more.
func (p *plane) lines(mask *plane, length int) {
	least := int(float64(lineShare*float64(length)) + 0.999)
	// Of the aligned half words inside such a window, one has at least the mean share of ink.
	half := 32 - (length-least)/((length-31)/32)
	for y := range p.h {
		row := p.bits[y*p.stride:][:p.stride]
		done := 0 // windows that begin before it are decided
		for i, w := range row {
			if bits.OnesCount32(uint32(w)) < half && bits.OnesCount32(uint32(w>>32)) < half {
				continue
			}
			last := min(i*64+32, p.w-length)
			p.windows(mask, y, max(done, i*64+32-length), last, length, least)
			done = max(done, last+1)
		}
	}
}

// windows marks the windows of row y that begin at first to last and have enough ink.
func (p *plane) windows(mask *plane, y, first, last, length, least int) {
	if first > last {
		return
	}
	row, marked := p.bits[y*p.stride:], mask.bits[y*mask.stride:]
	n := 0
	for x := first; x < first+length; x++ {
		n += int(row[x>>6] >> (x & 63) & 1)
	}
	to := first // marked up to here
	for x := first; ; x++ {
		if n >= least {
			for j := max(to, x); j < x+length; j++ {
				marked[j>>6] |= 1 << (j & 63)
			}
			to = x + length
		}
		if x == last {
			return
		}
		n += int(row[(x+length)>>6]>>((x+length)&63)&1) - int(row[x>>6]>>(x&63)&1)
	}
}

// takeLines makes the pixels of long straight strokes unknown and returns how many
// pixels of ink they had.
func takeLines(on, unknown *plane, length, spare int) (taken int) {
	mask := newPlane(on.h, on.w, spare)
	on.lines(mask, length)
	across := on.transposed(spare)
	down := newPlane(on.w, on.h, spare)
	across.lines(down, length)
	down = down.transposed(spare)
	for i := range on.bits {
		m := mask.bits[i] | down.bits[i]
		taken += bits.OnesCount64(on.bits[i] & m)
		on.bits[i] &^= m
		unknown.bits[i] |= m
	}
	return taken
}

// Rates are the rates of a page, as probabilities.
type Rates struct {
	Flip  float64 `json:"flip"`  // a pixel of bare paper is ink, by specks that stand alone
	Page  float64 `json:"page"`  // ink anywhere
	Miss  float64 `json:"miss"`  // a pixel of a symbol's stroke has no ink
	Extra float64 `json:"extra"` // a pixel of a symbol's paper has ink
}

// learnRates returns the rates of a page: flips are counted as ink whose eight
// neighbours are bare, among all pixels with bare neighbours.
func learnRates(on, unknown *plane) Rates {
	alone, bare, ink, known := 0, 0, 0, 0
	whole := (on.w + 63) / 64
	around := func(y, i int) (with, without uint64) { // bits of row y and of its neighbours to both sides
		if y < 0 || y >= on.h {
			return 0, 0
		}
		row := on.bits[y*on.stride:]
		w := row[i]
		side := w<<1 | w>>1
		if i > 0 {
			side |= row[i-1] >> 63
		}
		side |= row[i+1] << 63
		return w, side
	}
	for y := range on.h {
		for i := range whole {
			w, side := around(y, i)
			up, upSide := around(y-1, i)
			down, downSide := around(y+1, i)
			valid := ^unknown.bits[y*on.stride+i]
			if i == whole-1 && on.w&63 != 0 {
				valid &= 1<<(on.w&63) - 1
			}
			free := ^(side | up | upSide | down | downSide) & valid
			alone += bits.OnesCount64(free & w)
			bare += bits.OnesCount64(free)
			ink += bits.OnesCount64(w & valid)
			known += bits.OnesCount64(valid)
		}
	}
	r := Rates{Flip: float64(alone+1) / float64(bare+100), Page: float64(ink+1) / float64(known+100)}
	r.Flip = min(max(r.Flip, 0.001), 0.2)
	return r.complete()
}

// complete derives the rates that the search needs from those of flips and ink.
func (r Rates) complete() Rates {
	r.Page = min(max(r.Page, r.Flip+0.01, 0.02), 0.3)
	r.Miss = min(max(r.Flip+0.01, 0.02), 0.25)
	r.Extra = max(r.Flip, r.Page/4)
	return r
}
