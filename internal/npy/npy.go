// Package npy reads and writes NumPy arrays: single .npy streams and .npz zip
// archives of them.
//
// It reads header versions 1 to 3, little and big endian, C and Fortran order,
// bool, all integer types, float16/32/64, and text (`U` and `S`); it never
// unpickles. It writes the bytes that numpy.save writes (version 1.0, little
// endian, C order), and archives whose bytes depend only on their content:
// fixed member order, fixed time stamps.
//
// Input is not trusted. Memory grows with the bytes read, never with what a
// header claims, and a limit for the bytes of one array, or of one other member of an
// archive, bounds both; 0 is 1 GiB. Errors about the content are
// [*FormatError]; errors of the underlying reader are passed on unchanged.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
package npy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Element lists the Go types an array can hold. NumPy's float16 is read as
// float32, which holds every one of its values; its text types are strings.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | string
}

// Array is an N-dimensional array in C (row-major) order.
//
// Data is a slice of one of the types of [Element] with the product of Shape
// as its length; an empty Shape is a scalar of one element. Arrays share
// nothing with the reader they came from.
type Array struct {
	Shape []int
	Data  any
}

// New returns an array with the given elements in row-major order. It keeps
// both slices. It panics if len(data) is not the product of shape (misuse).
func New[T Element](data []T, shape ...int) *Array {
	if n, ok := product(shape); !ok || n != len(data) {
		panic(fmt.Sprintf("npy: %d elements for shape %v", len(data), shape))
	}
	return &Array{Shape: shape, Data: data}
}

// Len returns the number of elements.
func (a *Array) Len() int {
	n, _ := product(a.Shape)
	return n
}

// Float64s returns the elements as float64, in row-major order: false and true
// become 0 and 1, and integers beyond 2^53 are rounded. Text is an error.
// A float64 array returns its own Data, not a copy.
func (a *Array) Float64s() ([]float64, error) {
	switch d := a.Data.(type) {
	case []float64:
		return d, nil
	case []float32:
		return convert[float32, float64](d), nil
	case []bool:
		return convert[uint8, float64](bits(d)), nil
	case []uint64:
		return convert[uint64, float64](d), nil
	case []string:
		return nil, &FormatError{Msg: "holds text, not numbers"}
	}
	ints, err := a.Int64s()
	if err != nil {
		return nil, err
	}
	return convert[int64, float64](ints), nil
}

// Int64s returns the elements of a bool or integer array as int64, in
// row-major order. Floats, text, and unsigned values above the range of int64
// are errors. An int64 array returns its own Data, not a copy.
func (a *Array) Int64s() ([]int64, error) {
	switch d := a.Data.(type) {
	case []int64:
		return d, nil
	case []bool:
		return convert[uint8, int64](bits(d)), nil
	case []int8:
		return convert[int8, int64](d), nil
	case []int16:
		return convert[int16, int64](d), nil
	case []int32:
		return convert[int32, int64](d), nil
	case []uint8:
		return convert[uint8, int64](d), nil
	case []uint16:
		return convert[uint16, int64](d), nil
	case []uint32:
		return convert[uint32, int64](d), nil
	case []uint64:
		for i, v := range d {
			if v > math.MaxInt64 {
				return nil, &FormatError{Msg: fmt.Sprintf("element %d is %d, beyond the range of int64", i, v)}
			}
		}
		return convert[uint64, int64](d), nil
	case []string:
		return nil, &FormatError{Msg: "holds text, not integers"}
	}
	return nil, &FormatError{Msg: "holds floating-point numbers, not integers"}
}

// Strings returns the elements as text: numbers in their shortest decimal
// form, booleans as "false" and "true". A text array returns its own Data.
func (a *Array) Strings() []string {
	switch d := a.Data.(type) {
	case []string:
		return d
	case []bool:
		return format(d, strconv.FormatBool)
	case []float32:
		return format(d, func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) })
	case []float64:
		return format(d, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
	case []uint64:
		return format(d, func(v uint64) string { return strconv.FormatUint(v, 10) })
	}
	ints, _ := a.Int64s() // cannot fail: every other type fits
	return format(ints, func(v int64) string { return strconv.FormatInt(v, 10) })
}

type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

func convert[F, T number](src []F) []T {
	dst := make([]T, len(src))
	for i, v := range src {
		dst[i] = T(v)
	}
	return dst
}

func format[T any](src []T, f func(T) string) []string {
	dst := make([]string, len(src))
	for i, v := range src {
		dst[i] = f(v)
	}
	return dst
}

func bits(src []bool) []uint8 {
	dst := make([]uint8, len(src))
	for i, v := range src {
		if v {
			dst[i] = 1
		}
	}
	return dst
}

// product multiplies the sides of a shape; ok is false when one is negative or
// the product overflows.
func product(shape []int) (n int, ok bool) {
	n = 1
	for _, side := range shape {
		if side < 0 {
			return 0, false
		}
		if side > 0 && n > math.MaxInt/side {
			return 0, false
		}
		n *= side
	}
	return n, true
}

// Bounds that no real file reaches. Version 2 headers exist for structured
// types with very many fields, which are refused anyway.
const (
	maxHeader      = 1 << 20
	maxDims        = 32      // NumPy's own NPY_MAXDIMS until 2.0
	maxElementSize = 1 << 20 // bytes of one text element
	maxMembers     = 4096    // of an archive
)

// usual is the limit of bytes where none is given.
const usual = 1 << 30

// FormatError reports content that is not a readable array or archive.
type FormatError struct {
	Path   string // file, where it is known
	Member string // archive member, "" outside an archive
	Field  string // of the member
	Offset int64  // byte of the stream (of the member) where reading stopped; 0 if not known
	Msg    string // what is wrong
	Hint   string // what to do about it, may be ""
	Err    error  // cause, may be nil
}

// Error returns all facts on one line: where, what, and what to do.
func (e *FormatError) Error() string {
	var b strings.Builder
	for _, where := range []struct{ label, name string }{{"", e.Path}, {"", e.Member}, {"field ", e.Field}} {
		if where.name != "" {
			b.WriteString(where.label + where.name + ": ")
		}
	}
	b.WriteString(e.Msg)
	if e.Offset > 0 {
		fmt.Fprintf(&b, " (byte %d)", e.Offset)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(b.String())
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }
