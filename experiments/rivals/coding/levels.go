package coding

import "slices"

// Levels is two values a unit: what is left of a real-valued code when a unit
// may send one bit.
type Levels struct {
	Low, High []float64
}

// Bits returns the levels of units that are probabilities: 0 and 1.
func Bits(units int) Levels {
	l := Levels{make([]float64, units), make([]float64, units)}
	for k := range l.High {
		l.High[k] = 1
	}
	return l
}

// FitLevels chooses for each unit the two levels of least squared error to the
// codes of the rows (two means in one dimension, exact).
func FitLevels(c Coder, rows [][]float64) Levels {
	codes := Matrix(len(rows), c.Units())
	for i, x := range rows {
		c.Code(x, codes[i])
	}
	l := Levels{make([]float64, c.Units()), make([]float64, c.Units())}
	column := make([]float64, len(rows))
	for k := range c.Units() {
		for i := range codes {
			column[i] = codes[i][k]
		}
		l.Low[k], l.High[k] = twoMeans(column)
	}
	return l
}

// twoMeans splits the values, which it sorts, where the squared error is least.
func twoMeans(v []float64) (low, high float64) {
	slices.Sort(v)
	total := 0.0
	for _, t := range v {
		total += t
	}
	n := float64(len(v))
	low, high = total/n, total/n
	// Least error is the most sum of size * mean^2.
	best, below := total*total/n, 0.0
	for i := 1; i < len(v); i++ {
		below += v[i-1]
		m, above := float64(i), total-below
		if gain := below*below/m + above*above/(n-m); gain > best {
			best, low, high = gain, below/m, above/(n-m)
		}
	}
	return low, high
}

// Round moves every number of the code to the nearer of its unit's levels.
func (l Levels) Round(code []float64) {
	for k, v := range code {
		if v > (l.Low[k]+l.High[k])/2 {
			code[k] = l.High[k]
		} else {
			code[k] = l.Low[k]
		}
	}
}
