// Package coding holds what the comparison models of the paper share: rows
// of numbers made from images, the errors they are measured by, and codes
// rounded to one bit per unit. The models are the folders beside it. They know images,
// not our model; they are built to be compared with, not to serve.
package coding

import (
	"fmt"
	"math"

	"example.com/patchwork/bitmap"
)

// Coder is a fitted model that describes a row by a code and makes a
// reconstruction from it. Implementations are immutable and safe for
// concurrent use.
type Coder interface {
	// Units is the length of a code.
	Units() int

	// Code writes the code of the row x to code.
	Code(x, code []float64)

	// Decode writes the reconstruction from a code to y, of the length of a
	// row: probabilities, or for models of squared error any numbers.
	Decode(code, y []float64)

	// Weights is a copy of the units' weights, each of the length of a row.
	Weights() [][]float64
}

// Rows returns the pixels of the images, row-major, as 0 and 1. All must have one
// size and no unknown pixels, which these models cannot take; the error names
// the first that does not fit.
func Rows(images []*bitmap.Image) ([][]float64, error) {
	if len(images) == 0 {
		return nil, fmt.Errorf("coding: no images")
	}
	d := images[0].Len()
	out := Matrix(len(images), d)
	var pix []uint8
	for i, m := range images {
		if m.Len() != d || !m.Complete() {
			return nil, fmt.Errorf("coding: image %d has %d pixels, %d of them known; every image must have %d known pixels",
				i, m.Len(), m.CountKnown(), d)
		}
		pix = m.AppendBytes(pix[:0])
		for j, on := range pix {
			out[i][j] = float64(on)
		}
	}
	return out, nil
}

// Check says what is wrong with training rows: none, empty ones, unequal ones.
func Check(rows [][]float64) error {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return fmt.Errorf("coding: no data to learn from")
	}
	for i, r := range rows {
		if len(r) != len(rows[0]) {
			return fmt.Errorf("coding: row %d has %d numbers, row 0 has %d", i, len(r), len(rows[0]))
		}
		for j, v := range r {
			if !(v >= 0 && v <= 1) {
				return fmt.Errorf("coding: row %d, number %d is %v; give numbers from 0 to 1", i, j, v)
			}
		}
	}
	return nil
}

// Sigmoid returns the logistic function.
func Sigmoid(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// Softplus is log(1+e^t), without overflow.
func Softplus(t float64) float64 {
	return max(t, 0) + math.Log1p(math.Exp(-math.Abs(t)))
}

// leastProb keeps the cross-entropy finite.
const leastProb = 1e-9

// CrossEntropy is -sum over the pixels of log P(x | p), in nats, with p kept
// between 1e-9 and 1-1e-9.
func CrossEntropy(x, p []float64) float64 { return ClippedCrossEntropy(x, p, leastProb) }

// ClippedCrossEntropy returns the cross-entropy with p kept between least and
// 1-least: for reconstructions that are not probabilities.
func ClippedCrossEntropy(x, p []float64, least float64) float64 {
	sum := 0.0
	for i, v := range x {
		q := min(max(p[i], least), 1-least)
		sum -= v*math.Log(q) + (1-v)*math.Log1p(-q)
	}
	return sum
}

// SquaredError returns the sum of the squared differences.
func SquaredError(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += (v - y[i]) * (v - y[i])
	}
	return sum
}
