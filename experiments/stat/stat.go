// Package stat describes numbers by a few: their mean, spread and quantiles.
package stat

import (
	"math"
	"slices"
)

// Mean returns the mean of the values; NaN if there are none.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// SD returns the standard deviation of a sample; 0 for fewer than two values.
func SD(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, sum := Mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}

// Quantile returns the q-quantile, 0 <= q <= 1, of the values that are not NaN:
// the value at place q * (n - 1) of the n sorted ones, counted from 0, and
// between two places interpolated linearly, as in NumPy. NaN if there are none.
func Quantile(values []float64, q float64) float64 {
	x := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(x) == 0 {
		return math.NaN()
	}
	slices.Sort(x)
	at := q * float64(len(x)-1)
	i := int(at)
	if i+1 == len(x) {
		return x[i]
	}
	return x[i] + (at-float64(i))*(x[i+1]-x[i])
}

// Median returns the quantile in the middle.
func Median(values []float64) float64 { return Quantile(values, 0.5) }
