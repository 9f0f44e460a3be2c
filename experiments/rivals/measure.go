package rivals

import (
	"math"

	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/rivals/coding"
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
	rows, err := coding.Rows(s.Images)
	return set{s, rows}, err
}

// measure evaluates the model on the test images. truth is the cross-entropy of
// the true experts on them.
func (f *fitted) measure(test set, truth float64) (Measure, error) {
	m := Measure{Purity: purity(f.votes, test.Truth.Side)}
	d := len(test.rows[0])
	y, rounded := make([]float64, d), make([]float64, d)
	n := float64(len(test.rows))
	least := max(f.least, 1e-9)
	for i, x := range test.rows {
		if err := f.reconstruct(test.Images[i], x, y, rounded); err != nil {
			return m, err
		}
		m.CrossEntropy += coding.ClippedCrossEntropy(x, y, least) / n
		m.RoundedCrossEntropy += coding.ClippedCrossEntropy(x, rounded, least) / n
		m.L2 += coding.SquaredError(x, y) / n
		m.RoundedL2 += coding.SquaredError(x, rounded) / n
	}
	m.Excess = m.CrossEntropy - truth
	return m, nil
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

// nonzeroErrors returns the dictionary's mean squared error on the rows for
// each number of coefficients.
func nonzeroErrors(f *fitted, rows [][]float64) []float64 {
	out := make([]float64, len(coefficients))
	code, y := make([]float64, units), make([]float64, len(rows[0]))
	for i, n := range coefficients {
		for _, x := range rows {
			f.atoms.OMP(x, n, code)
			f.atoms.Decode(code, y)
			out[i] += coding.SquaredError(x, y) / float64(len(rows))
		}
	}
	return out
}

// coefficients lists the numbers of nonzero coefficients that are measured.
var coefficients = []int{1, 2, 3, 4, 8}
