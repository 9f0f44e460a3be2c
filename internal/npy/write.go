package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Write writes a like numpy.save: version 1.0, C order, little endian, text as
// `U` of the longest element's length. The bytes depend on the content only. It
// fails for text that the format cannot represent: a trailing NUL, or bytes
// that are not UTF-8. It panics if a.Data is not a slice of [Element] or its
// length does not match a.Shape (misuse).
func Write(w io.Writer, a *Array) error {
	t, n, err := dtypeOf(a.Data)
	if err != nil {
		return err
	}
	if want, ok := product(a.Shape); !ok || want != n {
		panic(fmt.Sprintf("npy: %d elements for shape %v", n, a.Shape))
	}
	head, err := encodeHeader(t, a.Shape)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	return writeElements(w, a.Data, t.Size)
}

// HeaderOf returns the bytes with which [Write] begins an array of that shape whose
// elements have the type of data; WriteElements writes what follows, in as many
// pieces as one likes. Text cannot be written in pieces: its width must be known.
func HeaderOf(data any, shape ...int) ([]byte, error) {
	t, _, err := dtypeOf(data)
	if err != nil {
		return nil, err
	}
	return encodeHeader(t, shape)
}

// WriteElements writes numbers as they stand in an array, after its [HeaderOf].
func WriteElements(w io.Writer, data any) error {
	t, _, err := dtypeOf(data)
	if err != nil {
		return err
	}
	return writeElements(w, data, t.Size)
}

// dtypeOf returns the type that a slice is written as, and its length.
func dtypeOf(data any) (DType, int, error) {
	switch d := data.(type) {
	case []bool:
		return DType{Kind: 'b', Size: 1}, len(d), nil
	case []int8:
		return DType{Kind: 'i', Size: 1}, len(d), nil
	case []int16:
		return DType{Kind: 'i', Size: 2}, len(d), nil
	case []int32:
		return DType{Kind: 'i', Size: 4}, len(d), nil
	case []int64:
		return DType{Kind: 'i', Size: 8}, len(d), nil
	case []uint8:
		return DType{Kind: 'u', Size: 1}, len(d), nil
	case []uint16:
		return DType{Kind: 'u', Size: 2}, len(d), nil
	case []uint32:
		return DType{Kind: 'u', Size: 4}, len(d), nil
	case []uint64:
		return DType{Kind: 'u', Size: 8}, len(d), nil
	case []float32:
		return DType{Kind: 'f', Size: 4}, len(d), nil
	case []float64:
		return DType{Kind: 'f', Size: 8}, len(d), nil
	case []string:
		size, err := textSize(d)
		return DType{Kind: 'U', Size: size}, len(d), err
	}
	panic(fmt.Sprintf("npy: cannot write %T", data))
}

// textSize returns the fixed element size that holds every string.
func textSize(text []string) (int, error) {
	longest := 1 // NumPy has no text of width 0
	for i, s := range text {
		if !utf8.ValidString(s) || strings.HasSuffix(s, "\x00") {
			return 0, &FormatError{Msg: fmt.Sprintf("element %d, %q, cannot be stored as text", i, s),
				Hint: "it must be UTF-8 and not end in a NUL"}
		}
		longest = max(longest, utf8.RuneCountInString(s))
	}
	if longest > maxElementSize/4 {
		return 0, &FormatError{Msg: fmt.Sprintf("a text of %d characters is too long for an array", longest)}
	}
	return 4 * longest, nil
}

// encodeHeader pads the header with blanks so that the elements start at a
// multiple of 64, as NumPy does for memory mapping.
func encodeHeader(t DType, shape []int) ([]byte, error) {
	var b strings.Builder
	b.WriteString("{'descr': '" + t.String() + "', 'fortran_order': False, 'shape': (")
	for i, side := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(side))
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteString("), }")
	const lead = len(magic) + 2 + 2
	pad := 63 - (lead+b.Len())%64 // and one newline
	size := b.Len() + pad + 1
	if size > math.MaxUint16 || len(shape) > maxDims {
		return nil, &FormatError{Msg: fmt.Sprintf("an array of %d dimensions cannot be written", len(shape))}
	}
	head := append([]byte(magic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(size))
	head = append(head, b.String()...)
	head = append(head, strings.Repeat(" ", pad)...)
	return append(head, '\n'), nil
}

func writeElements(w io.Writer, data any, size int) error {
	switch d := data.(type) {
	case []uint8:
		_, err := w.Write(d)
		return err
	case []bool:
		_, err := w.Write(bits(d))
		return err
	case []int8:
		return encode(w, d, size)
	case []int16:
		return encode(w, d, size)
	case []uint16:
		return encode(w, d, size)
	case []int32:
		return encode(w, d, size)
	case []uint32:
		return encode(w, d, size)
	case []int64:
		return encodeWide(w, d, putInts)
	case []uint64:
		return encode(w, d, size)
	case []float32:
		return encode(w, d, size)
	case []float64:
		return encodeWide(w, d, putFloats)
	case []string:
		return encodeText(w, d, size)
	}
	panic(fmt.Sprintf("npy: cannot write %T", data))
}

// encode writes numbers of some bytes each through a small buffer.
func encode[T number](w io.Writer, data []T, size int) error {
	buf := make([]byte, min(chunkBytes, size*len(data)))
	for len(data) > 0 {
		part := data[:min(len(data), chunkBytes/size)]
		n, err := binary.Encode(buf, binary.LittleEndian, part)
		if err == nil {
			_, err = w.Write(buf[:n])
		}
		if err != nil {
			return err
		}
		data = data[len(part):]
	}
	return nil
}

// encodeWide is encode for numbers of eight bytes with a loop of their own, which takes
// a fifth of the time.
func encodeWide[T number](w io.Writer, data []T, put func([]byte, []T)) error {
	memory := buffers.Get().(*[chunkBytes]byte)
	defer buffers.Put(memory)
	buf := memory[:]
	for len(data) > 0 {
		part := data[:min(len(data), len(buf)/8)]
		put(buf, part)
		if _, err := w.Write(buf[:8*len(part)]); err != nil {
			return err
		}
		data = data[len(part):]
	}
	return nil
}

// buffers holds memory of chunkBytes, for those who write an array in many pieces.
var buffers = sync.Pool{New: func() any { return new([chunkBytes]byte) }}

func putFloats(b []byte, part []float64) {
	for _, v := range part {
		binary.LittleEndian.PutUint64(b, math.Float64bits(v))
		b = b[8:]
	}
}

func putInts(b []byte, part []int64) {
	for _, v := range part {
		binary.LittleEndian.PutUint64(b, uint64(v))
		b = b[8:]
	}
}

// encodeText writes text of a fixed size in bytes.
func encodeText(w io.Writer, data []string, size int) error {
	var buf []byte
	for i, v := range data {
		end := len(buf) + size
		for _, r := range v {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(r))
		}
		buf = append(buf, make([]byte, end-len(buf))...)
		if len(buf) >= chunkBytes || i == len(data)-1 {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	return nil
}
