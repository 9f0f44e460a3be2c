// Package bitmap holds binary images and table rows, packed 64 pixels per word,
// with an optional plane that says which pixels are known.
//
// A row of a table is an image of height 1. An unknown pixel carries no
// evidence: it adds nothing to any likelihood and nothing to any count. The
// package is a leaf: it knows nothing of models or files.
package bitmap

import (
	"fmt"
	"math/bits"
	"slices"
)

// MaxPixels bounds Height*Width of an image. It guards against absurd sizes in
// hostile headers, far above any image Patchwork is meant for.
const MaxPixels = 1 << 28

// Image is a binary image of Height x Width pixels, row-major, y down, x to
// the right. Pixel (y, x) is bit x%64 of word y*Stride+x/64 of its plane.
//
// Invariants: bits beyond Width in the last word of a row are 0 in both
// planes; a pixel that is not known has value 0; a nil known plane means that
// every pixel is known. The zero Image is empty (0 x 0).
//
// An Image is safe for concurrent readers as long as nobody calls a Set method.
type Image struct {
	height, width int32     // as small as they can be: a table has very many images
	on            []uint64  // height*stride() words: value 1
	known         *[]uint64 // nil, or height*stride() words: value observed
}

// stride returns the number of words per row. It is computed, not stored,
// because table rows are small and each is an Image of its own.
func (m *Image) stride() int { return (m.Width() + 63) / 64 }

// New returns an all-off, all-known image. It panics if a side is negative or above MaxPixels, or
// the image has more than MaxPixels pixels (misuse: sizes from files are
// checked where files are read).
func New(height, width int) *Image {
	m := sized(height, width)
	m.on = make([]uint64, height*m.stride())
	return &m
}

// sized returns an image without planes.
func sized(height, width int) Image {
	if min(height, width) < 0 || max(height, width) > MaxPixels || height > MaxPixels/max(width, 1) {
		panic(fmt.Sprintf("bitmap: image size %d x %d is out of range", height, width))
	}
	return Image{height: int32(height), width: int32(width)}
}

// FromBytes returns the image whose pixel (y, x) is on where
// pix[y*width+x] != 0. It panics if len(pix) != height*width.
func FromBytes(height, width int, pix []uint8) *Image {
	if len(pix) != height*width {
		panic(fmt.Sprintf("bitmap: %d pixels for an image of %d x %d", len(pix), height, width))
	}
	m := New(height, width)
	for i, v := range pix {
		if v != 0 {
			m.Set(i/width, i%width, true)
		}
	}
	return m
}

// Parse reads an image from one string per row: '0', '.' or ' ' is off, '?' is
// unknown, anything else is on. It panics if the rows differ in length: it is
// meant for literals in tests and examples.
func Parse(rows ...string) *Image {
	if len(rows) == 0 {
		return New(0, 0)
	}
	m := New(len(rows), len(rows[0]))
	for y, row := range rows {
		if len(row) != m.Width() {
			panic(fmt.Sprintf("bitmap: row %d has %d pixels, row 0 has %d", y, len(row), m.Width()))
		}
		for x := range m.Width() {
			switch row[x] {
			case '0', '.', ' ':
			case '?':
				m.SetUnknown(y, x)
			default:
				m.Set(y, x, true)
			}
		}
	}
	return m
}

// Height returns the number of rows of pixels.
func (m *Image) Height() int { return int(m.height) }

// Width returns the number of pixels in a row.
func (m *Image) Width() int { return int(m.width) }

// Len returns Height*Width, the number of pixels.
func (m *Image) Len() int { return m.Height() * m.Width() }

func (m *Image) word(y, x int) (int, uint64) {
	if uint(y) >= uint(m.Height()) || uint(x) >= uint(m.Width()) {
		panic(fmt.Sprintf("bitmap: pixel (%d,%d) outside an image of %d x %d", y, x, m.Height(), m.Width()))
	}
	return y*m.stride() + x/64, 1 << (x % 64)
}

// At reports whether pixel (y, x) is on; an unknown pixel is not. It panics
// outside the image.
func (m *Image) At(y, x int) bool {
	i, b := m.word(y, x)
	return m.on[i]&b != 0
}

// Known reports whether pixel (y, x) was observed. It panics outside the image.
func (m *Image) Known(y, x int) bool {
	i, b := m.word(y, x)
	return m.known == nil || (*m.known)[i]&b != 0
}

// Set makes pixel (y, x) known, with the given value. It panics outside the image.
func (m *Image) Set(y, x int, on bool) {
	i, b := m.word(y, x)
	if m.known != nil {
		(*m.known)[i] |= b
	}
	if on {
		m.on[i] |= b
	} else {
		m.on[i] &^= b
	}
}

// SetUnknown makes pixel (y, x) unknown. It panics outside the image.
func (m *Image) SetUnknown(y, x int) {
	i, b := m.word(y, x)
	if m.known == nil {
		plane := m.fullPlane()
		m.known = &plane
	}
	(*m.known)[i] &^= b
	m.on[i] &^= b
}

// fullPlane returns a known plane in which every pixel is known.
func (m *Image) fullPlane() []uint64 {
	plane := make([]uint64, len(m.on))
	for y := range m.Height() {
		for i := range m.stride() {
			n := min(64, m.Width()-64*i)
			plane[y*m.stride()+i] = ^uint64(0) >> (64 - n)
		}
	}
	return plane
}

// Complete reports whether every pixel is known.
func (m *Image) Complete() bool { return m.CountKnown() == m.Len() }

// CountOn returns the number of pixels that are on.
func (m *Image) CountOn() int { return count(m.on) }

// CountKnown returns the number of known pixels.
func (m *Image) CountKnown() int {
	if m.known == nil {
		return m.Len()
	}
	return count(*m.known)
}

func count(plane []uint64) int {
	n := 0
	for _, w := range plane {
		n += bits.OnesCount64(w)
	}
	return n
}

// Clone returns an independent copy.
func (m *Image) Clone() *Image {
	c := *m
	c.on = slices.Clone(m.on)
	if m.known != nil {
		known := slices.Clone(*m.known)
		c.known = &known
	}
	return &c
}

// Equal reports whether two images have the same size, the same known pixels
// and the same values at them.
func (m *Image) Equal(o *Image) bool {
	return m.height == o.height && m.width == o.width && slices.Equal(m.on, o.on) &&
		slices.Equal(m.AppendKnownWords(nil), o.AppendKnownWords(nil))
}

// AppendBytes appends one byte per pixel to dst, row-major: 1 on, 0 off or
// unknown, and returns the extended slice.
func (m *Image) AppendBytes(dst []uint8) []uint8 { return m.appendBytes(dst, m.on) }

func (m *Image) appendBytes(dst []uint8, plane []uint64) []uint8 {
	for y := range m.Height() {
		row := plane[y*m.stride():]
		for x := range m.Width() {
			dst = append(dst, uint8(row[x/64]>>(x%64)&1))
		}
	}
	return dst
}

// AppendKnown appends one byte per pixel to dst, row-major: 1 known, 0 unknown,
// and returns the extended slice.
func (m *Image) AppendKnown(dst []uint8) []uint8 {
	if m.known == nil {
		for range m.Len() {
			dst = append(dst, 1)
		}
		return dst
	}
	return m.appendBytes(dst, *m.known)
}

// AppendValues appends one byte per pixel to dst, row-major: 1 on, 0 off, 2
// unknown, and returns the extended slice.
func (m *Image) AppendValues(dst []uint8) []uint8 {
	from := len(dst)
	if dst = m.AppendBytes(dst); m.known == nil {
		return dst
	}
	for i, known := range m.AppendKnown(nil) {
		if known == 0 {
			dst[from+i] = 2
		}
	}
	return dst
}

// String draws the image, one line per row: '#' on, '.' off, '?' unknown. Parse
// reads these lines back.
func (m *Image) String() string {
	buf, values := make([]byte, 0, m.Height()*(m.Width()+1)), m.AppendValues(nil)
	for y := range m.Height() {
		for _, v := range values[y*m.Width() : (y+1)*m.Width()] {
			buf = append(buf, ".#?"[v])
		}
		buf = append(buf, '\n')
	}
	return string(buf)
}
