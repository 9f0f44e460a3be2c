package synth

import (
	"fmt"
	"math"

	"example.com/patchwork/bitmap"
)

// The kinds of sets, by their names on the command line.
const (
	KindQuadrants = "quadrants"
	KindBars      = "bars"
	KindLetters   = "letters"
	KindScenes    = "scenes"
	KindSheet     = "sheet"
)

// MaxTotalPixels bounds N*Height*Width of a set, as a guard against typing
// errors that would fill the memory.
const MaxTotalPixels = 1 << 27

// Array is a named row-major array of numbers or strings. Data is one of
// []uint8, []int8, []int32, []float64 or []string; its length is the product
// of Shape.
type Array struct {
	Name  string
	Shape []int
	Data  any
}

// Truth is the ground truth of a set.
type Truth interface {
	// Arrays lists the truth as named arrays. The documentation of the
	// implementing type gives their names, shapes and types.
	Arrays() []Array
}

// Set is a synthetic set: N images of one size and their truth. It is plain
// data, safe for concurrent readers.
type Set[T Truth] struct {
	Kind   string // one of the Kind constants
	Images []*bitmap.Image
	Truth  T
}

// Arrays lists the arrays of an npz file of the set: x, then the ground truth.
// The data are copies. See [ImageArray] for the type of x.
func (s *Set[T]) Arrays() []Array {
	return append([]Array{ImageArray("x", s.Images)}, s.Truth.Arrays()...)
}

// ImageArray returns a stack of images of one size as an array (N,H,W): uint8
// 0/1 if every pixel is known, else float64 with NaN for unknown ones. Without
// images the shape is (0,0,0). It panics if the sizes differ.
func ImageArray(name string, images []*bitmap.Image) Array {
	if len(images) == 0 {
		return Array{name, []int{0, 0, 0}, []uint8{}}
	}
	h, w := images[0].Height(), images[0].Width()
	shape := []int{len(images), h, w}
	on := make([]uint8, 0, len(images)*h*w)
	complete := true
	for i, m := range images {
		if m.Height() != h || m.Width() != w {
			panic(fmt.Sprintf("synth: image %d is %d x %d, image 0 is %d x %d", i, m.Height(), m.Width(), h, w))
		}
		on = m.AppendBytes(on)
		complete = complete && m.Complete()
	}
	if complete {
		return Array{name, shape, on}
	}
	values := make([]float64, len(on))
	known := make([]uint8, 0, h*w)
	for i, m := range images {
		known = m.AppendKnown(known[:0])
		for d, k := range known {
			values[i*h*w+d] = float64(on[i*h*w+d])
			if k == 0 {
				values[i*h*w+d] = math.NaN()
			}
		}
	}
	return Array{name, shape, values}
}

// floats flattens rows of equal length n into an array (len(rows), tail...).
func floats(name string, rows [][]float64, tail ...int) Array {
	var data []float64
	for _, row := range rows {
		data = append(data, row...)
	}
	return Array{name, append([]int{len(rows)}, tail...), data}
}

// flags flattens rows of n booleans each into an array (len(rows), n) of 0/1.
func flags(name string, rows [][]bool, n int) Array {
	data := make([]uint8, 0, len(rows)*n)
	for _, row := range rows {
		for _, on := range row {
			v := uint8(0)
			if on {
				v = 1
			}
			data = append(data, v)
		}
	}
	return Array{name, []int{len(rows), n}, data}
}
