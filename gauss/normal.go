package gauss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/matrix"
)

const (
	// rankTolerance: a principal variance below this fraction of the largest is
	// rounding error and counts as 0.
	rankTolerance = 1e-12
	// matrixTolerance bounds, relative to the variances, how far a covariance
	// may be from symmetric, or below 0 in any direction, before it is refused.
	matrixTolerance = 1e-9
)

// Normal is a Gaussian over 1 <= Dim <= 3*MaxExperts coordinates. It may be
// singular; all its mass is then in the affine span of its Rank principal
// directions through the mean. It is immutable and safe for concurrent use. The
// zero Normal is not valid; use [New] or [Moments.Fit].
type Normal struct {
	mean []float64
	cov  []float64 // d*d, row-major, exactly symmetric

	// The eigen-decomposition of cov, restricted to its span: falling variances
	// and orthonormal directions, one per row.
	variances  []float64
	directions [][]float64
}

// New returns the Gaussian with the given mean and covariance, which is
// row-major, d*d for a mean of d numbers; both are copied. The covariance must
// be finite, symmetric and positive semi-definite up to a relative 1e-9; the
// error says where it is not. If it is exactly symmetric, Cov returns it bit
// for bit.
func New(mean, cov []float64) (*Normal, error) {
	d := len(mean)
	if d < 1 || d > PerExpert*MaxExperts {
		return nil, fmt.Errorf("gauss: a mean of %d numbers; it needs 1 to %d", d, PerExpert*MaxExperts)
	}
	if len(cov) != d*d {
		return nil, fmt.Errorf("gauss: a covariance of %d numbers; a mean of %d needs %d x %d", len(cov), d, d, d)
	}
	for i, m := range mean {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return nil, fmt.Errorf("gauss: mean of coordinate %d is %v", i, m)
		}
	}
	n := &Normal{mean: slices.Clone(mean), cov: slices.Clone(cov)}
	if err := n.symmetrize(); err != nil {
		return nil, err
	}
	lowest, err := n.factorize(0)
	if err != nil {
		return nil, err
	}
	if n.Rank() == 0 && lowest < 0 || n.Rank() > 0 && lowest < -matrixTolerance*n.variances[0] {
		return nil, fmt.Errorf("gauss: the covariance is not positive semi-definite: the variance in one direction is %v",
			lowest)
	}
	return n, nil
}

// newRounded is like New for a mean and covariance that are valid up to
// rounding, as those of a fit are. Directions with a variance not above noise are
// removed.
func newRounded(mean, cov []float64, noise float64) (*Normal, error) {
	n := &Normal{mean: mean, cov: cov}
	if _, err := n.factorize(noise); err != nil {
		return nil, err
	}
	if again, err := New(mean, cov); err == nil && again.Rank() == n.Rank() {
		return again, nil // keeps the bits
	}
	clear(n.cov)
	d := n.Dim()
	for k, u := range n.directions {
		for i := range d {
			for j := range d {
				n.cov[i*d+j] += float64(n.variances[k] * (u[i] * u[j]))
			}
		}
	}
	return n, nil
}

// symmetrize checks the entries of the covariance and averages pairs that
// differ by rounding.
func (n *Normal) symmetrize() error {
	d := n.Dim()
	for i := range d {
		if v := n.cov[i*d+i]; !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("gauss: variance of coordinate %d is %v", i, v)
		}
	}
	for i := range d {
		for j := range i {
			a, b := n.cov[i*d+j], n.cov[j*d+i]
			if math.IsNaN(a+b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
				return fmt.Errorf("gauss: covariance of coordinates %d and %d is %v and %v", i, j, a, b)
			}
			scale := math.Sqrt(n.cov[i*d+i]) * math.Sqrt(n.cov[j*d+j])
			if math.Abs(a-b) > matrixTolerance*scale {
				return fmt.Errorf("gauss: covariance is not symmetric: row %d, column %d is %v, but row %d, column %d is %v",
					i, j, a, j, i, b)
			}
			if a != b {
				mid := float64(a/2) + float64(b/2)
				n.cov[i*d+j], n.cov[j*d+i] = mid, mid
			}
		}
	}
	return nil
}

// factorize finds the principal directions: those with a variance above noise
// and above a fraction of the largest. It returns the lowest eigenvalue, which
// is negative if the matrix is not a covariance. Gonum's own Normal uses
// Cholesky and refuses singular matrices; eigenvalues do not.
func (n *Normal) factorize(noise float64) (lowest float64, err error) {
	d := n.Dim()
	values, directions, ok := matrix.Eigen(&matrix.Matrix{Rows: d, Columns: d, Data: n.cov})
	if !ok {
		return 0, fmt.Errorf(
			"gauss: the covariance is too large for float64, or not finite: its %d eigenvalues were not found", d)
	}
	largest := values[d-1]
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return 0, fmt.Errorf("gauss: the covariance is too large for float64: a principal variance is %v", largest)
	}
	for i := d - 1; i >= 0 && values[i] > max(noise, rankTolerance*largest); i-- {
		direction := directions[i]
		fixSign(direction)
		n.variances = append(n.variances, values[i])
		n.directions = append(n.directions, direction)
	}
	return values[0], nil
}

// fixSign makes the largest component positive; among components of equal size
// (up to rounding) the first one decides.
func fixSign(v []float64) {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	for _, x := range v {
		if math.Abs(x) >= largest*(1-1e-9) {
			if x < 0 {
				for i := range v {
					v[i] = -v[i]
				}
			}
			return
		}
	}
}

// Dim returns the number of coordinates: 3K for K experts.
func (n *Normal) Dim() int { return len(n.mean) }

// Rank returns the dimension of the span, 0 <= Rank <= Dim: the number of
// principal directions whose variance is more than rounding, 1e-12 of the
// largest.
func (n *Normal) Rank() int { return len(n.variances) }

// Mean returns a copy of the Dim means.
func (n *Normal) Mean() []float64 { return slices.Clone(n.mean) }

// Cov returns a copy of the covariance, row-major, Dim*Dim, exactly symmetric.
func (n *Normal) Cov() []float64 { return slices.Clone(n.cov) }

// Principal returns the i-th principal direction, a unit vector of length Dim
// whose largest component is positive, and the standard deviation along it.
// They are sorted by falling standard deviation: the first are the main
// deformations of the class. It panics unless 0 <= i < Rank.
func (n *Normal) Principal(i int) (direction []float64, sd float64) {
	return slices.Clone(n.directions[i]), math.Sqrt(n.variances[i])
}

// Sample draws a vector:
//
//	mean + sum_i u_i sqrt(v_i) (u_i . z)
//
// for Dim standard normal deviates z from rng, one per coordinate in rising
// order. This is the symmetric root of the covariance, which unlike single
// directions does not jump when two variances are equal, so that a seed gives
// the same samples on every machine, up to rounding. The sample is in the span.
func (n *Normal) Sample(rng *rand.Rand) []float64 {
	z := make([]float64, n.Dim())
	for i := range z {
		z[i] = elem.Normal(rng)
	}
	x := slices.Clone(n.mean)
	for i, u := range n.directions {
		along := math.Sqrt(n.variances[i]) * matrix.Dot(u, z)
		for j := range x {
			x[j] += float64(along * u[j])
		}
	}
	return x
}
