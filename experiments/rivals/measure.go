package rivals

import (
	"math"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
)

// set holds images and their pixels as numbers.
type set struct {
	*synth.Set[*synth.QuadrantTruth]
	rows [][]float64
}

func draw(n int, seed uint64) (set, error) {
	s, err := synth.Quadrants(synth.QuadrantsOptions{N: n, Seed: seed})
	if err != nil {
		return set{}, err
	}
	return set{s, Rows(s.Images)}, err
}

// Rows returns the pixels of images as 0 and 1.
func Rows(images []*bitmap.Image) [][]float64 {
	out := make([][]float64, len(images))
	for i, img := range images {
		for _, on := range img.AppendBytes(nil) {
			out[i] = append(out[i], float64(on))
		}
	}
	return out
}

// crossEntropy is -sum over the pixels of log P(x | p), in nats, with p kept between least
// and 1-least.
func crossEntropy(x, p []float64, least float64) float64 {
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

// measure evaluates the model on the test images. truth is the cross-entropy of
// the true experts on them.
func (f *fitted) measure(test set, truth float64) Measure {
	m := Measure{Purity: purity(f.votes, test.Truth.Side)}
	n, least := float64(len(test.rows)), max(f.least, 1e-9)
	for i, x := range test.rows {
		m.CrossEntropy += crossEntropy(x, f.said[i], least) / n
		m.RoundedCrossEntropy += crossEntropy(x, f.rounded[i], least) / n
		m.L2 += SquaredError(x, f.said[i]) / n
		m.RoundedL2 += SquaredError(x, f.rounded[i]) / n
	}
	m.Excess = m.CrossEntropy - truth
	return m
}

// purity returns the mean over the units of the fraction of the absolute
// weights on the strongest quadrant. Units without weight do not count; it
// returns NaN if none has weight.
func purity(weights [][]float64, side int) float64 {
	sum, units := 0.0, 0.0
	for _, w := range weights {
		var quadrant [4]float64
		total := 0.0
		for d, v := range w {
			y, x := d/side, d%side
			quadrant[2*(2*y/side)+2*x/side] += math.Abs(v)
			total += math.Abs(v)
		}
		if total > 0 {
			sum += max(quadrant[0], quadrant[1], quadrant[2], quadrant[3]) / total
			units++
		}
	}
	return sum / units
}

// coefficients lists the numbers of nonzero coefficients that are measured.
var coefficients = []int{1, 2, 3, 4, 8}
