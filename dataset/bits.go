package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
)

// rule turns a number into a pixel.
type rule struct {
	threshold *float64
	auto      bool // Otsu's threshold of each image of an array
	invert    bool

	missing []float64 // numbers that say that nothing is known
}

// pixel states; the first two are the values of a bit.
const (
	off uint8 = iota
	on
	unknown
	notBinary
)

// of returns the pixel state of a number by definition: NaN is unknown, greater
// than the threshold is on; without a threshold only 0 and 1 are valid.
func (r rule) of(v float64) uint8 {
	var bit uint8
	switch {
	case math.IsNaN(v), r.missing != nil && slices.Contains(r.missing, v):
		return unknown
	case r.threshold != nil:
		if v > *r.threshold {
			bit = on
		}
	case v == 1:
		bit = on
	case v != 0:
		return notBinary
	}
	return r.bit(bit)
}

// bit is like of for values that are already bits, such as true or `y`, to
// which no threshold applies.
func (r rule) bit(bit uint8) uint8 {
	if r.invert {
		return bit ^ 1
	}
	return bit
}

// fill sets the pixels of m, row-major, from as many numbers, and returns the
// index of the first invalid one, or -1.
func fill(m *bitmap.Image, src []float64, r rule) int {
	w := m.Width()
	for i, v := range src {
		switch r.of(v) {
		case on:
			m.Set(i/w, i%w, true)
		case unknown:
			m.SetUnknown(i/w, i%w)
		case notBinary:
			return i
		}
	}
	return -1
}

// needThreshold returns the error text for a number that is not a bit. The
// position is given in words, for example "row 3, column 5 of the image".
func needThreshold(v string, where string) (msg, hint string) {
	if where != "" {
		where = " at " + where
	}
	hint = "give --threshold T to convert it to bits (greater than T is on)"
	// of an array: the other values are not known
	if number, err := strconv.ParseFloat(v, 64); strings.HasPrefix(where, " at column") && err == nil {
		switch {
		case number > 0 && number < 1:
			hint += ", such as 0.5"
		case number > 1 && number == math.Trunc(number) && number < 256:
			hint += "; if these are counts, --threshold 0 makes presences of them"
		}
	}
	return fmt.Sprintf("value %s%s is neither 0 nor 1", v, where), hint
}

// budget keeps a set within a bound on memory.
type budget struct {
	left int64
	max  int64
	real bool // of real values, not of bits
}

// cost returns the memory of an image: of bits packed, of real values as numbers.
func (b *budget) cost(height, width int) int64 {
	if b.real {
		return 8*int64(height)*int64(width) + 24
	}
	return imageCost(height, width)
}

// imageOverhead is the memory of an image in addition to its pixels: the
// struct, its pointer, and its row number.
const imageOverhead = 128

// imageCost returns the memory of a packed image.
func imageCost(height, width int) int64 {
	return imageOverhead + 8*int64(height)*int64((width+63)/64)
}

// refill restores the budget for the next part of a stream, since earlier parts
// are gone.
func (b *budget) refill() { b.left = b.max }

// spend subtracts the cost of n images of the given size, or returns an error.
func (b *budget) spend(n, height, width int) error {
	cost := b.cost(height, width)
	if int64(n) > b.left/cost && b.real {
		return &FormatError{Msg: fmt.Sprintf("more real values than fit in %d bytes", b.max),
			Hint: "read fewer rows or columns, or allow more memory", memory: true}
	}
	if int64(n) > b.left/cost {
		what := fmt.Sprintf("images of %d x %d", height, width)
		if height == 1 {
			what = fmt.Sprintf("rows of %d columns", width)
		}
		return &FormatError{Msg: fmt.Sprintf("more %s than fit in %d bytes of memory", what, b.max),
			Hint: "read fewer files at once, or allow more memory if the size is right", memory: true}
	}
	b.left -= int64(n) * cost
	return nil
}

// spendBytes subtracts the cost of other memory that grows with the input.
func (b *budget) spendBytes(n int) error {
	if int64(n) > b.left {
		return &FormatError{Msg: fmt.Sprintf("more text than fits in %d bytes of memory", b.max),
			Hint: "carry fewer columns as metadata", memory: true}
	}
	b.left -= int64(n)
	return nil
}

// checkSize rejects absurd image sizes.
func checkSize(height, width int) error {
	if height < 1 || width < 1 || height > bitmap.MaxPixels/width {
		return &FormatError{Msg: fmt.Sprintf("images of %d x %d pixels cannot be used", height, width),
			Hint: fmt.Sprintf("they have at least one and at most %d pixels", bitmap.MaxPixels)}
	}
	return nil
}
