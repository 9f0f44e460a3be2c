package pairs

import (
	"math/bits"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score/kernel"
)

// field is the size of a set of bits: height rows of width pixels, words 64-bit
// words a row.
type field struct{ height, width, words int }

func fieldOf(height, width int) field { return field{height, width, (width + 63) / 64} }

// plane holds one bit for every pixel of a field: pixel (y, x) is bit x%64 of word
// y*words+x/64. Zeros follow, so that the kernel may read past the last row.
type plane []uint64

func (f field) plane() plane { return make(plane, f.height*f.words+kernel.OverlapPad) }

// at reports whether a pixel inside the field is on.
func (f field) at(p plane, y, x int) bool { return p[y*f.words+x>>6]>>(x&63)&1 != 0 }

func (f field) set(p plane, y, x int) { p[y*f.words+x>>6] |= 1 << (x & 63) }

// window returns the 64 pixels of row y from column x on, which may be negative;
// those outside the field are 0. The row must be inside.
func (f field) window(p plane, y, x int) uint64 {
	row := p[y*f.words : (y+1)*f.words]
	at, shift := x>>6, x&63
	var v uint64
	if uint(at) < uint(len(row)) {
		v = row[at] >> shift
	}
	if shift != 0 && uint(at+1) < uint(len(row)) {
		v |= row[at+1] << (64 - shift)
	}
	return v
}

// planesOf returns the pixels of an image that are on, and those that are known.
func (f field) planesOf(img *bitmap.Image) (on, known plane) {
	on, known = f.plane(), f.plane()
	x, seen := img.AppendBytes(nil), img.AppendKnown(nil)
	for i := range x {
		if x[i] != 0 {
			f.set(on, i/f.width, i%f.width)
		}
		if seen[i] != 0 {
			f.set(known, i/f.width, i%f.width)
		}
	}
	return on, known
}

func ones(p plane) int {
	n := 0
	for _, w := range p {
		n += bits.OnesCount64(w)
	}
	return n
}

// shape is a binary template, trimmed to its ink: the bits of a field.
type shape struct {
	field
	bits plane
	n    int // pixels that are on
}

// trimmed returns the part of a plane that its on pixels span, and where it lies. A
// plane without any has the empty shape.
func (f field) trimmed(p plane) (s *shape, y, x int) {
	top, bottom, left, right := f.height, 0, f.width, 0
	for y := range f.height {
		for i, w := range p[y*f.words : (y+1)*f.words] {
			if w != 0 {
				top, bottom = min(top, y), y+1
				left, right = min(left, 64*i+bits.TrailingZeros64(w)), max(right, 64*i+64-bits.LeadingZeros64(w))
			}
		}
	}
	if bottom == 0 {
		return &shape{}, 0, 0
	}
	s = &shape{field: fieldOf(bottom-top, right-left)}
	s.bits = s.plane()
	for y := range s.height {
		for i := range s.words {
			w := f.window(p, top+y, left+64*i)
			if rest := s.width - 64*i; rest < 64 {
				w &= 1<<rest - 1
			}
			s.bits[y*s.words+i] = w
			s.n += bits.OnesCount64(w)
		}
	}
	return s, top, left
}

// key returns a text that two shapes share only if they are equal.
func (s *shape) key() string {
	b := []byte{byte(s.width), byte(s.width >> 8)}
	for _, w := range s.bits[:s.height*s.words] {
		for range 8 {
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b)
}

func (s *shape) equal(o *shape) bool {
	return s.field == o.field && s.n == o.n && slices.Equal(s.bits, o.bits)
}

// image returns the shape as an image.
func (s *shape) image() *bitmap.Image {
	m := bitmap.New(s.height, s.width)
	for y := range s.height {
		for x := range s.width {
			if s.at(s.bits, y, x) {
				m.Set(y, x, true)
			}
		}
	}
	return m
}

// row returns the 64 pixels from column from on of the field into which row r of a
// shape falls that is placed at column x.
func (s *shape) row(r, from, x int) uint64 { return s.window(s.bits, r, from-x) }

// stamp calls do with the words of a plane that a shape at (y, x) meets, and the
// bits of the shape there. The shape must lie inside the field.
func (f field) stamp(s *shape, y, x int, do func(at int, bits uint64)) {
	first, last := x>>6, (x+s.width-1)>>6
	for r := range s.height {
		for i := first; i <= last; i++ {
			if w := s.row(r, 64*i, x); w != 0 {
				do((y+r)*f.words+i, w)
			}
		}
	}
}

// overlaps counts, for the places of a shape in rows y0 to y1-1 and columns x0 to
// x1-1 (of its top left pixel), the on pixels of p under the shape: those of column
// x are out[(x-x0)*stride:], from row y0 on; the entries that follow the last row, up
// to a multiple of 8, have no meaning. spare is of the length of a plane with one word a row.
func (f field) overlaps(out []uint16, stride int, p plane, s *shape, y0, y1, x0, x1 int, spare plane) {
	if f.words == 1 {
		kernel.Chosen().Overlaps(out, stride, p[y0:], s.bits[:s.height], x0, x1-x0, y1-y0)
		return
	}
	width := s.width // of the strips into which the shape is cut, so that a word holds many places of one
	if width > 48 {
		width = 32
	}
	f.strip(out, stride, p, s, 0, width, y0, y1, x0, x1, spare)
	if width == s.width {
		return
	}
	part := make([]uint16, (x1-x0)*stride)
	for at := width; at < s.width; at += width {
		f.strip(part, stride, p, s, at, width, y0, y1, x0, x1, spare)
		for i, n := range part {
			out[i] += n
		}
	}
}

// strip is overlaps for the columns of a shape from column at on, so many of them.
func (f field) strip(out []uint16, stride int, p plane, s *shape, at, width, y0, y1, x0, x1 int, spare plane) {
	bits := make([]uint64, s.height)
	for r := range bits {
		bits[r] = s.window(s.bits, r, at) & span(0, width)
	}
	columns := 65 - width // as many places of the strip fit in a word
	for x := x0; x < x1; x += columns {
		for y := y0; y < min(y1+s.height-1, f.height); y++ {
			spare[y] = f.window(p, y, x+at)
		}
		kernel.Chosen().Overlaps(out[(x-x0)*stride:], stride, spare[y0:], bits, 0, min(columns, x1-x), y1-y0)
	}
}
