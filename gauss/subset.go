package gauss

import (
	"fmt"
	"math"
)

// Marginal returns the Gaussian of the given coordinates, in the order given.
// It panics on a coordinate that does not exist or comes twice, and on none.
func (n *Normal) Marginal(coordinates []int) *Normal {
	n.checkCoordinates(coordinates)
	if len(coordinates) == 0 {
		panic("gauss: a marginal needs at least one coordinate")
	}
	d, m := n.Dim(), len(coordinates)
	mean, cov := make([]float64, m), make([]float64, m*m)
	for i, a := range coordinates {
		mean[i] = n.mean[a]
		for j, b := range coordinates {
			cov[i*m+j] = n.cov[a*d+b]
		}
	}
	return mustRounded(mean, cov, rankTolerance*n.largest())
}

// Condition returns the Gaussian of all other coordinates, in rising order,
// given the values of these:
//
//	mean_u + C_uo C_oo^+ (values - mean_o),  C_uu - C_uo C_oo^+ C_ou
//
// where ^+ is the pseudo-inverse: only the part of the values that lies in the
// span counts. Use it to draw the missing experts of an image. It panics on a
// coordinate that does not exist or comes twice, on values that are not finite
// or not as many, and if no coordinate is left.
func (n *Normal) Condition(coordinates []int, values []float64) *Normal {
	n.checkCoordinates(coordinates)
	if len(values) != len(coordinates) {
		panic(fmt.Sprintf("gauss: %d values for %d coordinates", len(values), len(coordinates)))
	}
	if len(coordinates) == n.Dim() {
		panic("gauss: no coordinate is left without a value")
	}
	observed := make([]bool, n.Dim())
	shift := make([]float64, n.Dim())
	for i, c := range coordinates {
		if math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
			panic(fmt.Sprintf("gauss: value of coordinate %d is %v", c, values[i]))
		}
		observed[c] = true
		shift[c] = values[i] - n.mean[c]
	}
	r := regress(n.cov, observed)
	m := len(r.missing)
	mean, cov := make([]float64, m), make([]float64, m*m)
	for i, u := range r.missing {
		mean[i] = n.mean[u]
		for j, o := range r.observed {
			mean[i] += float64(r.slope.at(i, j) * shift[o])
		}
		for j := range m {
			cov[i*m+j] = r.rest.at(i, j)
		}
	}
	return mustRounded(mean, cov, r.noise*n.largest())
}

// mustRounded calls newRounded on results computed from a valid Normal, for
// which it cannot fail.
func mustRounded(mean, cov []float64, noise float64) *Normal {
	n, err := newRounded(mean, cov, noise)
	if err != nil {
		panic("gauss: internal error: " + err.Error())
	}
	return n
}

// largest returns the largest principal variance.
func (n *Normal) largest() float64 {
	if n.Rank() == 0 {
		return 0
	}
	return n.variances[0]
}

func (n *Normal) checkCoordinates(coordinates []int) {
	seen := make([]bool, n.Dim())
	for _, c := range coordinates {
		if c < 0 || c >= n.Dim() {
			panic(fmt.Sprintf("gauss: coordinate %d of a Gaussian over %d", c, n.Dim()))
		}
		if seen[c] {
			panic(fmt.Sprintf("gauss: coordinate %d comes twice", c))
		}
		seen[c] = true
	}
}

// regression predicts the missing coordinates from the observed ones:
// missing = slope * observed + noise with covariance rest.
type regression struct {
	observed, missing []int
	slope             *matrix // missing x observed; nil if either is empty
	rest              *matrix // missing x missing; nil if none is missing

	rank  int     // of the observed coordinates, as far as they were used
	noise float64 // relative size of the rounding in rest
}

// regress splits a covariance (d*d, row-major) into observed and missing.
func regress(cov []float64, observed []bool) regression {
	d := len(observed)
	r := regression{noise: rankTolerance}
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
	r.rest = newMatrix(u, u)
	for i, a := range r.missing {
		for j := range i + 1 {
			r.rest.setBoth(i, j, cov[a*d+r.missing[j]])
		}
	}
	if o == 0 {
		return r
	}
	between := newMatrix(u, o)
	for i, a := range r.missing {
		for j, b := range r.observed {
			between.set(i, j, cov[a*d+b])
		}
	}
	inverse, rank, weakest := pseudoInverse(cov, d, r.observed)
	r.slope = between.times(inverse)
	r.rank, r.noise = rank, max(rankTolerance, 1e-14/weakest)
	explained := r.slope.timesTurned(between)
	for i := range u {
		for j := range i + 1 {
			c := r.rest.at(i, j) - float64((explained.at(i, j)+explained.at(j, i))/2)
			if i == j {
				c = max(c, 0) // rounding only
			}
			r.rest.setBoth(i, j, c)
		}
	}
	return r
}

// pseudoInverse inverts the block of a covariance that belongs to some
// coordinates, within its span. It works on the correlations, so that what
// counts as rounding does not depend on the unit of a coordinate (pixels,
// degrees). It also returns the dimension of that span and the least variance
// in it, at most 1: dividing by it enlarges rounding errors.
func pseudoInverse(cov []float64, d int, coordinates []int) (inverse *matrix, rank int, weakest float64) {
	m := len(coordinates)
	scale := make([]float64, m) // 1 / standard deviation; 0 for a constant
	for i, a := range coordinates {
		if v := cov[a*d+a]; v > 0 {
			scale[i] = 1 / math.Sqrt(v)
		}
	}
	correlation := newMatrix(m, m)
	for i, a := range coordinates {
		for j := range i + 1 {
			correlation.setBoth(i, j, scale[i]*cov[a*d+coordinates[j]]*scale[j])
		}
	}
	inverse, weakest = newMatrix(m, m), 1
	values, directions, ok := eigen(correlation)
	if !ok {
		panic("gauss: eigenvalues of a correlation matrix did not converge")
	}
	column := make([]float64, m)
	for k, v := range values {
		if !(v > pseudoTolerance) {
			continue
		}
		rank, weakest = rank+1, min(weakest, v)
		for i := range column {
			column[i] = directions[k][i] * scale[i]
		}
		for i, x := range column {
			addTo(inverse.row(i), x/v, column)
		}
	}
	return inverse, rank, weakest
}

// pseudoTolerance: a direction of a correlation matrix with a variance below
// this (one coordinate has 1) counts as constant. It is far below a pixel or
// degree; dividing by less would turn rounding errors into slopes.
const pseudoTolerance = 1e-7
