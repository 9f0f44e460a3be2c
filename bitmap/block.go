package bitmap

import (
	"encoding/binary"
	"fmt"
)

// NewBlock returns n images of one size, all off and all known, that share one
// allocation: for images that live and die together, such as a block of a
// stream. Keeping one of them keeps them all in memory; Clone it instead. It
// panics like New, and for a negative n.
func NewBlock(n, height, width int) []*Image {
	if n < 0 {
		panic(fmt.Sprintf("bitmap: %d images", n))
	}
	empty := sized(height, width)
	size := height * empty.stride()
	words, images, out := make([]uint64, n*size), make([]Image, n), make([]*Image, n)
	for i := range images {
		images[i], out[i] = empty, &images[i]
		images[i].on = words[i*size : (i+1)*size : (i+1)*size]
	}
	return out
}

// SetBytes sets every pixel, row-major, from a byte that is 0 or 1. It returns
// -1, or the index of the first byte that is neither; the image is then partly
// set. It panics if len(pix) != Height*Width.
func (m *Image) SetBytes(pix []uint8) int {
	if len(pix) != m.Len() {
		panic(fmt.Sprintf("bitmap: %d pixels for an image of %d x %d", len(pix), m.Height(), m.Width()))
	}
	m.known = nil
	for y := range m.Height() {
		row := m.on[y*m.stride() : (y+1)*m.stride()]
		if i := packRow(row, pix[y*m.Width():(y+1)*m.Width()]); i >= 0 {
			return y*m.Width() + i
		}
	}
	return -1
}

// packRow packs bytes of 0 and 1 into words, eight at a time: the product moves
// the low bit of byte i to bit 56+i, and no two of its terms overlap.
func packRow(words []uint64, pix []uint8) int {
	const low, gather = 0x0101010101010101, 0x0102040810204080
	clear(words)
	x := 0
	for ; x+8 <= len(pix); x += 8 {
		v := binary.LittleEndian.Uint64(pix[x:])
		if v&^low != 0 {
			break
		}
		words[x/64] |= v * gather >> 56 << (x % 64)
	}
	for ; x < len(pix); x++ {
		if pix[x] > 1 {
			return x
		}
		words[x/64] |= uint64(pix[x]) << (x % 64)
	}
	return -1
}
