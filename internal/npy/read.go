package npy

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// chunkBytes is the amount read at once: large enough to make system calls and
// checks negligible, small enough that a false header costs nothing.
const chunkBytes = 1 << 16

// Reader reads an array a few rows at a time, where a row is everything at one
// index of the first axis. A Reader is for one goroutine.
type Reader struct {
	r      io.Reader
	h      Header
	at     int64 // bytes read so far, for messages
	row    int   // elements of a row
	left   int   // rows not yet read
	all    []int // the shape, when all of it is read
	member string
	finish func() error // archive members: checks that follow the last element
	chunk  []byte
	bytes  []byte // of NextBytes
}

// NewReader reads the header of a .npy stream.
func NewReader(r io.Reader, limit int64) (*Reader, error) {
	h, n, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	d, err := NewRawReader(r, h, limit)
	if err != nil {
		return nil, err
	}
	d.at = n
	return d, nil
}

// NewRawReader reads bare elements described by h, for formats that store
// arrays like NumPy under headers of their own. The package must support the
// type in h.
func NewRawReader(r io.Reader, h Header, limit int64) (*Reader, error) {
	n, ok := product(h.Shape)
	limit = cmp.Or(limit, usual)
	if !ok || int64(n) > math.MaxInt64/int64(h.DType.Size) || int64(n)*int64(h.DType.Size) > limit {
		return nil, &FormatError{Msg: fmt.Sprintf("an array of shape %v and type %s is larger than the limit of %d bytes",
			h.Shape, h.DType, limit), Hint: "split it, or raise the limit if the size is right"}
	}
	d := &Reader{r: r, h: h, row: 1, left: 1}
	if len(h.Shape) > 0 {
		d.left = h.Shape[0]
		d.row, _ = product(h.Shape[1:])
		if n == 0 { // if one side is zero, no content bounds the others
			d.row, d.left = 0, 0
		}
	}
	return d, nil
}

// Header returns the description of the array. Its shape must not be changed.
func (d *Reader) Header() Header { return d.h }

// Next returns the next rows, at most n, as an array whose first side is their
// number, or io.EOF if none is left. It reads C order (and one-dimensional
// arrays, which have no other); use [Reader.All] for Fortran order. It panics
// for a scalar or n < 1 (misuse).
func (d *Reader) Next(n int) (*Array, error) {
	var data any
	n, err := d.rows(n, func(elements int) (err error) {
		data, err = d.elements(elements)
		return err
	})
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(d.h.Shape)
	shape[0] = n
	return &Array{Shape: shape, Data: data}, nil
}

// NextBytes does what [Reader.Next] does, for elements of one byte (bool, int8, uint8):
// it returns the bytes of the next rows as in the file. The next call
// overwrites them. It panics for larger elements (misuse).
func (d *Reader) NextBytes(n int) ([]byte, error) {
	if d.h.DType.Size != 1 {
		panic(fmt.Sprintf("npy: NextBytes of elements of type %v", d.h.DType))
	}
	_, err := d.rows(n, func(elements int) error {
		d.bytes = d.bytes[:0]
		for len(d.bytes) < elements { // grows with the bytes that arrive
			c := min(elements-len(d.bytes), chunkBytes)
			d.bytes = slices.Grow(d.bytes, min(elements, 2*len(d.bytes)+c)-len(d.bytes))
			buf := d.bytes[len(d.bytes) : len(d.bytes)+c]
			if err := d.fill(buf); err != nil {
				return err
			}
			d.bytes = d.bytes[:len(d.bytes)+c]
		}
		return nil
	})
	return d.bytes, err
}

// Skip skips the next rows, at most n, and returns how many. It accepts the
// same arrays as Next and panics like it. Of an [io.Seeker], such as a file, it
// reads only the last byte skipped, which shows that the rows are complete.
func (d *Reader) Skip(n int) (int, error) {
	return d.rows(n, func(elements int) error {
		got, err := pass(d.r, int64(elements)*int64(d.h.DType.Size))
		d.at += got
		if err == io.EOF {
			err = d.in(&FormatError{Msg: fmt.Sprintf("ends in the middle of the elements of an array of shape %v, type %s",
				d.h.Shape, d.h.DType)})
		}
		return err
	})
}

// pass skips the next n bytes. The error is io.EOF if there are fewer.
func pass(r io.Reader, n int64) (int64, error) {
	over := int64(0)
	if s, ok := r.(io.Seeker); ok && n > 1 {
		// A reader that fails to seek, such as a pipe, has not moved.
		if _, err := s.Seek(n-1, io.SeekCurrent); err == nil {
			over = n - 1
		}
	}
	got, err := io.CopyN(io.Discard, r, n-over)
	return over + got, err
}

// rows calls read for the elements of the next rows, at most n, and returns the
// number of rows.
func (d *Reader) rows(n int, read func(elements int) error) (int, error) {
	if len(d.h.Shape) == 0 || n < 1 {
		panic("npy: Next needs an array of rows and a positive number of them")
	}
	if d.h.Fortran && len(d.h.Shape) > 1 {
		return 0, &FormatError{Member: d.member, Msg: "rows of an array in Fortran order cannot be read one by one",
			Hint: "save it with numpy.ascontiguousarray"}
	}
	if d.left == 0 {
		return 0, io.EOF
	}
	n = min(n, d.left)
	if err := read(n * d.row); err != nil {
		return 0, err
	}
	d.left -= n
	if d.left == 0 && d.finish != nil {
		return n, d.finish()
	}
	return n, nil
}

// All returns all remaining rows, in C order.
func (d *Reader) All() (*Array, error) {
	shape := slices.Clone(d.h.Shape)
	if len(shape) > 0 && d.row > 0 {
		shape[0] = d.left
	}
	d.all = shape
	data, err := d.elements(d.left * d.row)
	if err != nil {
		return nil, err
	}
	d.left = 0
	if d.finish != nil {
		if err := d.finish(); err != nil {
			return nil, err
		}
	}
	return &Array{Shape: shape, Data: data}, nil
}

// elements reads the next n elements in file order.
func (d *Reader) elements(n int) (any, error) {
	var o binary.ByteOrder = binary.LittleEndian
	if d.h.DType.BigEndian {
		o = binary.BigEndian
	}
	switch t := d.h.DType; fmt.Sprintf("%c%d", t.Kind, t.Size) {
	case "b1":
		return decode(d, n, 1, func(b []byte) bool { return b[0] != 0 })
	case "i1":
		return decode(d, n, 1, func(b []byte) int8 { return int8(b[0]) })
	case "u1":
		return chunks(d, n, 1, func(out, b []uint8) []uint8 { return append(out, b...) }) // the common case of images
	case "i2":
		return decode(d, n, 2, func(b []byte) int16 { return int16(o.Uint16(b)) })
	case "u2":
		return decode(d, n, 2, o.Uint16)
	case "i4":
		return decode(d, n, 4, func(b []byte) int32 { return int32(o.Uint32(b)) })
	case "u4":
		return decode(d, n, 4, o.Uint32)
	case "i8":
		return decode(d, n, 8, func(b []byte) int64 { return int64(o.Uint64(b)) })
	case "u8":
		return decode(d, n, 8, o.Uint64)
	case "f2":
		return decode(d, n, 2, func(b []byte) float32 { return fromHalf(o.Uint16(b)) })
	case "f4":
		return decode(d, n, 4, func(b []byte) float32 { return math.Float32frombits(o.Uint32(b)) })
	case "f8":
		return decode(d, n, 8, func(b []byte) float64 { return math.Float64frombits(o.Uint64(b)) })
	}
	switch d.h.DType.Kind {
	case 'S':
		return decode(d, n, d.h.DType.Size, func(b []byte) string { return strings.TrimRight(string(b), "\x00") })
	case 'U':
		return decode(d, n, d.h.DType.Size, func(b []byte) string { return fromUTF32(b, o) })
	}
	panic(fmt.Sprintf("npy: type %v was let through", d.h.DType))
}

// decode reads n elements of the given size, one by one.
func decode[T any](d *Reader, n, size int, get func([]byte) T) ([]T, error) {
	return chunks(d, n, size, func(out []T, buf []byte) []T {
		for ; len(buf) > 0; buf = buf[size:] {
			out = append(out, get(buf[:size]))
		}
		return out
	})
}

// chunks reads n elements of the given size a chunk at a time. The slice grows
// with the bytes that arrive, so a header that claims too much costs one chunk.
func chunks[T any](d *Reader, n, size int, add func(out []T, buf []byte) []T) ([]T, error) {
	per := max(1, chunkBytes/size)
	if d.chunk == nil {
		d.chunk = make([]byte, min(n, per)*size)
	}
	if need := min(n, per) * size; len(d.chunk) < need {
		d.chunk = make([]byte, need)
	}
	out := make([]T, 0, min(n, per))
	for n > 0 {
		c := min(n, per)
		buf := d.chunk[:c*size]
		if err := d.fill(buf); err != nil {
			return nil, err
		}
		out = add(slices.Grow(out, c), buf)
		n -= c
	}
	if d.h.Fortran && len(d.all) > 1 {
		return transpose(out, d.all), nil
	}
	return out, nil
}

// fill reads the next elements unchanged.
func (d *Reader) fill(buf []byte) error {
	if err := readFull(d.r, buf, d.at, fmt.Sprintf("the elements of an array of shape %v, type %s", d.h.Shape,
		d.h.DType)); err != nil {
		return d.in(err)
	}
	d.at += int64(len(buf))
	return nil
}

// in adds the name of the archive member to an error about the content.
func (d *Reader) in(err error) error {
	if fe, ok := err.(*FormatError); ok && fe.Member == "" {
		fe.Member = d.member
	}
	return err
}

// fromUTF32 decodes fixed-width text, whose padding is NUL. Invalid characters
// (a surrogate, or beyond Unicode) become U+FFFD.
func fromUTF32(b []byte, o binary.ByteOrder) string {
	for len(b) >= 4 && o.Uint32(b[len(b)-4:]) == 0 {
		b = b[:len(b)-4]
	}
	out := make([]byte, 0, len(b)/4)
	for ; len(b) >= 4; b = b[4:] {
		c := o.Uint32(b)
		if c > utf8.MaxRune {
			c = utf8.RuneError
		}
		out = utf8.AppendRune(out, rune(c))
	}
	return string(out)
}

// fromHalf widens an IEEE 754 binary16 number exactly.
func fromHalf(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp, frac := uint32(h>>10)&31, uint32(h)&1023
	switch exp {
	case 0: // zero and subnormals: frac * 2^-24, exact in float32
		v := math.Float32bits(float32(frac) / (1 << 24))
		return math.Float32frombits(sign | v)
	case 31: // infinities and NaN
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// transpose converts Fortran order to C order: it walks the destination in C order and steps through the source by
// its Fortran strides: 1, n0, n0*n1, ...
func transpose[T any](src []T, shape []int) []T {
	dst := make([]T, len(src))
	index := make([]int, len(shape))
	from := 0
	for i := range dst {
		dst[i] = src[from]
		stride := len(src)
		for axis := len(shape) - 1; axis >= 0; axis-- {
			stride /= shape[axis]
			index[axis]++
			from += stride
			if index[axis] < shape[axis] {
				break
			}
			from -= stride * shape[axis]
			index[axis] = 0
		}
	}
	return dst
}
