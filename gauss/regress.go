package gauss

import (
	"math"

	"example.com/patchwork/internal/matrix"
)

// regression predicts the missing coordinates from the observed ones:
// missing = slope * observed + noise with covariance rest.
type regression struct {
	observed, missing []int
	slope             *matrix.Matrix // missing x observed; nil if either is empty
	rest              *matrix.Matrix // missing x missing; nil if none is missing
}

// regress splits a covariance (d*d, row-major) into observed and missing.
func regress(cov []float64, observed []bool) regression {
	d := len(observed)
	r := regression{}
	for i, o := range observed {
		if o {
			r.observed = append(r.observed, i)
		} else {
			r.missing = append(r.missing, i)
		}
	}
	u, o := len(r.missing), len(r.observed)
	if u == 0 {
		return r
	}
	r.rest = matrix.New(u, u)
	for i, a := range r.missing {
		for j := range i + 1 {
			r.rest.SetBoth(i, j, cov[a*d+r.missing[j]])
		}
	}
	if o == 0 {
		return r
	}
	between := matrix.New(u, o)
	for i, a := range r.missing {
		for j, b := range r.observed {
			between.Set(i, j, cov[a*d+b])
		}
	}
	r.slope = between.Times(pseudoInverse(cov, d, r.observed))
	explained := r.slope.TimesTurned(between)
	for i := range u {
		for j := range i + 1 {
			c := r.rest.At(i, j) - float64((explained.At(i, j)+explained.At(j, i))/2)
			if i == j {
				c = max(c, 0) // rounding only
			}
			r.rest.SetBoth(i, j, c)
		}
	}
	return r
}

// pseudoInverse inverts the block of a covariance that belongs to some
// coordinates, within its span. It works on the correlations, so that what
// counts as rounding does not depend on the unit of a coordinate (pixels,
// degrees).
func pseudoInverse(cov []float64, d int, coordinates []int) *matrix.Matrix {
	m := len(coordinates)
	scale := make([]float64, m) // 1 / standard deviation; 0 for a constant
	for i, a := range coordinates {
		if v := cov[a*d+a]; v > 0 {
			scale[i] = 1 / math.Sqrt(v)
		}
	}
	correlation := matrix.New(m, m)
	for i, a := range coordinates {
		for j := range i + 1 {
			correlation.SetBoth(i, j, scale[i]*cov[a*d+coordinates[j]]*scale[j])
		}
	}
	inverse := matrix.New(m, m)
	values, directions, ok := matrix.Eigen(correlation)
	if !ok {
		panic("gauss: eigenvalues of a correlation matrix did not converge")
	}
	column := make([]float64, m)
	for k, v := range values {
		if !(v > pseudoTolerance) {
			continue
		}
		for i := range column {
			column[i] = directions[k][i] * scale[i]
		}
		for i, x := range column {
			matrix.AddTo(inverse.Row(i), x/v, column)
		}
	}
	return inverse
}

// pseudoTolerance: a direction of a correlation matrix with a variance below
// this (one coordinate has 1) counts as constant. It is far below a pixel or
// degree; dividing by less would turn rounding errors into slopes.
const pseudoTolerance = 1e-7
