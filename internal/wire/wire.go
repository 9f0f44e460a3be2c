// Package wire writes numbers to bytes and reads them back. A format is one function that
// names its values in order; Marshal and Unmarshal both call it, so that they cannot differ.
package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"example.com/patchwork/internal/exact"
)

// Codec writes values, or reads them until the first error and zeros after it.
type Codec struct {
	data    []byte // written so far, or to be read
	at      int    // where reading is
	reading bool
	err     error
}

// Marshal returns the bytes that code writes.
func Marshal(code func(c *Codec)) []byte {
	var c Codec
	code(&c)
	return c.data
}

// Unmarshal lets code read data. It returns an error that names a byte if they are not what
// Marshal returns of the values that were read. What code allocates by [List] is no more
// than a small multiple of len(data).
func Unmarshal(data []byte, code func(c *Codec)) error {
	c := Codec{data: data, reading: true}
	code(&c)
	if c.Check(c.at == len(data), "%d bytes follow the end", len(data)-c.at); c.err != nil {
		return c.err
	}
	if !bytes.Equal(Marshal(code), data) {
		return errors.New("these numbers are written in other bytes")
	}
	return nil
}

// Reading reports whether c reads without an error so far.
func (c *Codec) Reading() bool { return c.reading && c.err == nil }

// Failed reports whether there was an error.
func (c *Codec) Failed() bool { return c.err != nil }

// Left returns how many bytes are left to read.
func (c *Codec) Left() int { return len(c.data) - c.at }

// Check ends the reading with an error if what was read cannot be.
func (c *Codec) Check(ok bool, format string, args ...any) {
	if c.Reading() && !ok {
		c.err = fmt.Errorf("byte %d: "+format, append([]any{c.at}, args...)...)
	}
}

// take returns the next n bytes of those that are read, or nil after an error.
func (c *Codec) take(n int) []byte {
	if c.Check(n <= c.Left(), "the end, where %d bytes more are needed", n-c.Left()); c.err != nil {
		return nil
	}
	c.at += n
	return c.data[c.at-n : c.at]
}

// Magic codes bytes that are always the same.
func (c *Codec) Magic(word string) {
	if !c.reading {
		c.data = append(c.data, word...)
		return
	}
	got := c.take(len(word))
	c.Check(string(got) == word, "%q, not %q", got, word)
}

// integer is any type of integers.
type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Fixed codes an integer in that many bytes, little-endian.
func Fixed[T integer](c *Codec, v *T, size int) {
	if !c.reading {
		c.data = append(c.data, binary.LittleEndian.AppendUint64(nil, uint64(*v))[:size]...)
		return
	}
	var word [8]byte
	copy(word[:], c.take(size))
	*v = T(binary.LittleEndian.Uint64(word[:]))
}

// Count codes an integer from 0 to most as an unsigned varint.
func Count[T integer](c *Codec, v *T, most uint64) {
	if !c.reading {
		c.data = binary.AppendUvarint(c.data, uint64(*v))
		return
	}
	n, size := binary.Uvarint(c.data[c.at:])
	if size <= 0 {
		c.Check(false, "ends in the middle of a number, or the number has more than 64 bits")
	} else if n > most {
		c.Check(false, "%d, where at most %d is possible", n, most)
	}
	if *v = 0; c.err == nil {
		*v = T(n)
		c.at += size
	}
}

// Counts codes integers from 0 to most.
func Counts[T integer](c *Codec, list []T, most uint64) {
	for i := range list {
		Count(c, &list[i], most)
	}
}

// Signed codes any integer as a varint.
func Signed[T integer](c *Codec, v *T) {
	zigzag := uint64(*v)<<1 ^ uint64(int64(*v)>>63)
	Count(c, &zigzag, math.MaxUint64)
	*v = T(int64(zigzag>>1) ^ -int64(zigzag&1))
}

// Float codes a number bit for bit.
func (c *Codec) Float(v *float64) {
	bits := math.Float64bits(*v)
	Fixed(c, &bits, 8)
	*v = math.Float64frombits(bits)
}

// Int128 codes an integer of 128 bits, low half first.
func (c *Codec) Int128(v *exact.Int128) {
	Fixed(c, &v.Lo, 8)
	Fixed(c, &v.Hi, 8)
}

// List makes a list of n zeros if c reads, and as many bytes at least are left.
func List[T any](c *Codec, list *[]T, n int) {
	if c.Check(n <= c.Left(), "the end, where %d values are to come", n); c.Reading() && n > 0 {
		*list = make([]T, n)
	}
}
