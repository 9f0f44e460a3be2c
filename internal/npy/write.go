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
	e, err := elementsOf(a.Data)
	if err != nil {
		return err
	}
	if want, ok := product(a.Shape); !ok || want != e.n {
		panic(fmt.Sprintf("npy: %d elements for shape %v", e.n, a.Shape))
	}
	head, err := encodeHeader(e.DType, a.Shape)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	return e.write(w)
}

// HeaderOf returns the bytes with which [Write] begins an array of that shape whose
// elements have the type of data; WriteElements writes what follows, in as many
// pieces as one likes. Text cannot be written in pieces: its width must be known.
func HeaderOf(data any, shape ...int) ([]byte, error) {
	e, err := elementsOf(data)
	if err != nil {
		return nil, err
	}
	return encodeHeader(e.DType, shape)
}

// WriteElements writes numbers as they stand in an array, after its [HeaderOf].
func WriteElements(w io.Writer, data any) error {
	e, err := elementsOf(data)
	if err != nil {
		return err
	}
	return e.write(w)
}

// elements are a slice that is to be written: the type that it is written as, its length, and what writes it.
type elements struct {
	DType
	n     int
	write func(w io.Writer) error
}

func elementsOf(data any) (elements, error) {
	var e elements
	switch d := data.(type) {
	case []bool:
		e = numbers('b', 1, bits(d), writeBytes)
	case []int8:
		e = numbers('i', 1, d, encode)
	case []int16:
		e = numbers('i', 2, d, encode)
	case []int32:
		e = numbers('i', 4, d, encode)
	case []int64:
		e = numbers('i', 8, d, encodeInts)
	case []uint8:
		e = numbers('u', 1, d, writeBytes)
	case []uint16:
		e = numbers('u', 2, d, encode)
	case []uint32:
		e = numbers('u', 4, d, encode)
	case []uint64:
		e = numbers('u', 8, d, encode)
	case []float32:
		e = numbers('f', 4, d, encode)
	case []float64:
		e = numbers('f', 8, d, encodeFloats)
	case []string:
		size, err := textSize(d)
		return elements{DType{Kind: 'U', Size: size}, len(d), func(w io.Writer) error { return encodeText(w, d, size) }}, err
	default:
		panic(fmt.Sprintf("npy: cannot write %T", data))
	}
	return e, nil
}

func numbers[T any](kind byte, size int, data []T, write func(w io.Writer, data []T, size int) error) elements {
	return elements{DType{Kind: kind, Size: size}, len(data), func(w io.Writer) error { return write(w, data, size) }}
}

func writeBytes(w io.Writer, data []uint8, _ int) error {
	_, err := w.Write(data)
	return err
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

// encode writes numbers of some bytes each.
func encode[T number](w io.Writer, data []T, size int) error {
	return pieces(w, data, size, func(b []byte, part []T) {
		_, _ = binary.Encode(b, binary.LittleEndian, part) // there is room
	})
}

// encodeInts and encodeFloats have loops of their own, which take a fifth of the time.
func encodeInts(w io.Writer, data []int64, size int) error {
	return pieces(w, data, size, func(b []byte, part []int64) {
		for i, v := range part {
			binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
		}
	})
}

func encodeFloats(w io.Writer, data []float64, size int) error {
	return pieces(w, data, size, func(b []byte, part []float64) {
		for i, v := range part {
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
		}
	})
}

// pieces writes numbers through a small buffer, which put fills.
func pieces[T number](w io.Writer, data []T, size int, put func([]byte, []T)) error {
	memory := buffers.Get().(*[chunkBytes]byte)
	defer buffers.Put(memory)
	for len(data) > 0 {
		part := data[:min(len(data), chunkBytes/size)]
		buf := memory[:size*len(part)]
		put(buf, part)
		if _, err := w.Write(buf); err != nil {
			return err
		}
		data = data[len(part):]
	}
	return nil
}

// buffers holds memory of chunkBytes, for those who write an array in many pieces.
var buffers = sync.Pool{New: func() any { return new([chunkBytes]byte) }}

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
