package mat

import (
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"example.com/patchwork/internal/npy"
)

// Types of data elements, by their numbers in the format.
const (
	miInt8       = 1
	miUint8      = 2
	miInt16      = 3
	miUint16     = 4
	miInt32      = 5
	miUint32     = 6
	miSingle     = 7
	miDouble     = 9
	miInt64      = 12
	miUint64     = 13
	miMatrix     = 14
	miCompressed = 15
	miUTF8       = 16
	miUTF16      = 17
	miUTF32      = 18
)

// numbers are the element types of numeric arrays.
var numbers = map[uint32]npy.DType{
	miInt8: {Kind: 'i', Size: 1}, miUint8: {Kind: 'u', Size: 1}, miInt16: {Kind: 'i', Size: 2},
	miUint16: {Kind: 'u', Size: 2},
	miInt32:  {Kind: 'i', Size: 4}, miUint32: {Kind: 'u', Size: 4}, miSingle: {Kind: 'f', Size: 4},
	miDouble: {Kind: 'f', Size: 8},
	miInt64:  {Kind: 'i', Size: 8}, miUint64: {Kind: 'u', Size: 8},
}

// classes are the array classes, by their numbers in the format. Those that
// begin with ? are not read.
var classes = map[byte]string{1: "cell", 2: "?struct", 3: "?object", 4: "char", 5: "?sparse", 6: "double", 7: "single",
	8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64", 15: "uint64",
	16: "?function", 17: "?opaque"}

// Flags of an array.
const (
	flagLogical = 1 << 9
	flagComplex = 1 << 11
)

// elements reads data elements one after another.
type elements struct {
	r     io.Reader
	order binary.ByteOrder
	at    int64 // of the file, or of what a packed variable unpacks to
}

// tag is the header of a data element.
type tag struct {
	kind  uint32
	size  int64 // bytes of content, without padding
	small bool  // the content, of at most 4 bytes, is in the tag
	bytes [4]byte
}

func unpack(r io.Reader) (io.Reader, error) {
	z, err := zlib.NewReader(r)
	var pe *fs.PathError
	if err != nil && !errors.As(err, &pe) {
		return nil, damaged(err)
	}
	return z, err
}

func (e *elements) fill(b []byte, what string) error {
	n, err := io.ReadFull(e.r, b)
	e.at += int64(n)
	return e.cut(err, "inside "+what)
}

// cut returns the error of reading bytes that have to be there.
func (e *elements) cut(err error, where string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &npy.FormatError{Offset: e.at, Msg: "cut off " + where, Hint: "copy or save the file again",
			Err: io.ErrUnexpectedEOF}
	}
	return err
}

func (e *elements) tag() (tag, error) {
	var b [8]byte
	if err := e.fill(b[:], "the tag of an element"); err != nil {
		return tag{}, err
	}
	first := e.order.Uint32(b[:4])
	if n := first >> 16; n != 0 {
		if n > 4 {
			return tag{}, &npy.FormatError{Offset: e.at, Msg: fmt.Sprintf("an element of %d bytes in a tag, which holds 4", n),
				Hint: "copy or save the file again"}
		}
		return tag{kind: first & 0xffff, size: int64(n), small: true, bytes: [4]byte(b[4:])}, nil
	}
	return tag{kind: first, size: int64(e.order.Uint32(b[4:]))}, nil
}

// content returns the content of an element of at most most bytes and skips its
// padding.
func (e *elements) content(t tag, most int64, what string) ([]byte, error) {
	if t.size > most {
		return nil, &npy.FormatError{Offset: e.at, Msg: fmt.Sprintf("%d bytes of %s, more than %d", t.size, what, most)}
	}
	if t.small {
		return t.bytes[:t.size], nil
	}
	var b []byte
	for left := t.size; left > 0; { // the buffer grows with the bytes that arrive
		n := min(left, 1<<16)
		b = append(b, make([]byte, n)...)
		if err := e.fill(b[int64(len(b))-n:], what); err != nil {
			return nil, err
		}
		left -= n
	}
	return b, e.pad(t)
}

// pad skips the padding of an element to a multiple of 8 bytes.
func (e *elements) pad(t tag) error {
	var b [8]byte
	if t.small || t.size%8 == 0 {
		return nil
	}
	return e.fill(b[:8-t.size%8], "the padding of an element")
}

// array reads a matrix element of the given size up to its content. An element
// of no bytes is an empty array, with no class.
func (e *elements) array(size int64) (*array, error) {
	if size == 0 {
		return &array{elements: e, shape: []int{0, 0}}, nil
	}
	inner := &elements{r: io.LimitReader(e.r, size), order: e.order, at: e.at}
	a := &array{elements: inner}
	flags, err := inner.part(miUint32, 8, "the flags of an array")
	if err != nil {
		return nil, err
	}
	if len(flags) != 8 {
		return nil, &npy.FormatError{Offset: inner.at, Msg: fmt.Sprintf("flags of %d bytes", len(flags))}
	}
	bits := e.order.Uint32(flags)
	class, ok := classes[byte(bits)]
	if !ok {
		class = fmt.Sprintf("?class %d", byte(bits))
	}
	if class == "?opaque" { // laid out in another way
		a.class, a.shape = class, []int{0, 0}
		return a, nil
	}
	dims, err := inner.part(miInt32, 4*maxDims, "the sides of an array")
	if err != nil {
		return nil, err
	}
	name, err := inner.part(miInt8, maxName, "the name of an array")
	if err != nil {
		return nil, err
	}
	a.name = string(name)
	if a.shape, err = sides(dims, e.order); err != nil {
		err.(*npy.FormatError).Member = a.name
		return nil, err
	}
	switch {
	case class[0] == '?':
	case bits&flagComplex != 0:
		class = "complex"
	case bits&flagLogical != 0 && class == "uint8":
		class = "logical"
	}
	a.class = class
	return a, nil
}

// part reads an element that must have the given type.
func (e *elements) part(kind uint32, most int64, what string) ([]byte, error) {
	t, err := e.tag()
	if err != nil {
		return nil, err
	}
	if t.kind != kind {
		return nil, &npy.FormatError{Offset: e.at, Msg: fmt.Sprintf("an element of type %d where %s should be", t.kind, what),
			Hint: "copy or save the file again"}
	}
	return e.content(t, most, what)
}

func sides(b []byte, order binary.ByteOrder) ([]int, error) {
	if len(b) < 8 || len(b)%4 != 0 {
		return nil, &npy.FormatError{Msg: fmt.Sprintf("%d bytes for the sides of an array", len(b))}
	}
	shape := make([]int, len(b)/4)
	n := 1
	for i := range shape {
		shape[i] = int(int32(order.Uint32(b[4*i:])))
		if shape[i] < 0 || shape[i] > 0 && n > math.MaxInt/64/shape[i] {
			return nil, &npy.FormatError{Msg: fmt.Sprintf("an array of sides %v", shape[:i+1]),
				Hint: "copy or save the file again"}
		}
		n *= max(shape[i], 1)
	}
	return shape, nil
}

func product(shape []int) int {
	n := 1
	for _, side := range shape {
		n *= side
	}
	return n
}
