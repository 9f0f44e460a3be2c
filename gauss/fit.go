package gauss

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"example.com/patchwork/internal/matrix"
)

// A fit ends when no mean moved by more than tolerance standard deviations and no
// correlation by more than this, or after maxIterations: typically too few images for
// the covariance.
const (
	tolerance     = 1e-9
	maxIterations = 1000
)

// ErrNoConfigurations reports moments in which no expert was ever present.
var ErrNoConfigurations = errors.New("gauss: nothing to fit: no configuration has a part in it")

// Fit returns the Gaussian over all 3K coordinates by maximum likelihood,
// experts missing at random: whether an expert is missing must not depend on
// where it would have been.
//
// If every configuration has the same experts, it is the sample mean and
// covariance, computed exactly and rounded once: N configurations give a rank
// of at most N-1. Otherwise it is the EM algorithm for incomplete normal data
// (Dempster, Laird, Rubin 1977, section 4.1.3), started from the means and
// variances of the coordinates present; the unbiased covariance is then the
// maximum likelihood one times N/(N-1). One iteration takes O(sets d^2 m) time,
// for d = 3K coordinates of which m are present in a set. The result is
// deterministic and m is unchanged. An expert that was never present has mean and
// covariance 0.
//
// The error is [ErrNoConfigurations], or says that EM did not stay finite.
func (m *Moments) Fit() (*Normal, error) {
	e := newEM(m)
	if e.total == 0 {
		return nil, ErrNoConfigurations
	}
	noise := 0.0
	if e.complete() {
		e.step() // nothing to predict: the sample moments, whatever the start
	} else {
		for i := range maxIterations {
			moved := e.step()
			if math.IsNaN(moved) || math.IsInf(moved, 0) {
				return nil, fmt.Errorf("gauss: EM gave a number that is not finite in iteration %d", i)
			}
			if moved <= tolerance {
				break
			}
		}
		noise = matrixTolerance * e.largestVariance() // regression is not exact
	}
	mean, cov := e.spread(PerExpert*m.k, max(e.total-1, 1))
	return newRounded(mean, cov, noise)
}

// em is the state of the EM algorithm over the coordinates that occur.
type em struct {
	coordinates []int // of the whole vector, rising
	patterns    []pattern
	total       float64 // number of configurations

	mean    []float64
	scatter []float64 // total * covariance, d*d: undivided, so that no later step has to undo a division
}

// pattern is one set of experts as real numbers: of n configurations, the mean
// and the scatter (sum of squares and products about that mean) of the
// coordinates present.
type pattern struct {
	n        float64
	present  []bool // by em coordinate
	mean     []float64
	scatter  *matrix.Matrix
	complete bool // every coordinate is present
}

func newEM(m *Moments) *em {
	var seen uint64
	for mask := range m.sets {
		seen |= mask
	}
	e := &em{}
	for k := range m.k {
		if seen>>k&1 == 1 {
			e.coordinates = append(e.coordinates, PerExpert*k, PerExpert*k+1, PerExpert*k+2)
		}
	}
	for _, mask := range m.masks() {
		if mask == 0 {
			continue
		}
		p := pattern{n: float64(m.sets[mask].n), complete: mask == seen}
		var own []int // the coordinates present
		for _, c := range e.coordinates {
			here := mask>>(c/PerExpert)&1 == 1
			p.present = append(p.present, here)
			if here {
				own = append(own, c)
			}
		}
		p.mean, p.scatter = m.sets[mask].centre(own)
		e.patterns = append(e.patterns, p)
		e.total += p.n
	}
	e.start()
	return e
}

// centre moves exact sums to their mean. It is exact up to one final rounding,
// so placements far away lose no digits.
func (s *sums) centre(coordinates []int) (mean []float64, scatter *matrix.Matrix) {
	n := big.NewInt(s.n)
	quotient := func(numerator *big.Int) float64 {
		x, _ := new(big.Rat).SetFrac(numerator, n).Float64()
		return x
	}
	mean = make([]float64, len(s.first))
	scatter = matrix.New(len(s.first), len(s.first))
	first := make([]*big.Int, len(s.first))
	at := 0
	for i, c := range coordinates {
		first[i] = s.first[i].Big()
		mean[i] = quotient(first[i]) * unitSize(c)
		for j, b := range coordinates[:i+1] {
			// n sum xy - sum x sum y, over n
			x := s.products[at].Big()
			at++
			x.Mul(x, n)
			x.Sub(x, new(big.Int).Mul(first[i], first[j]))
			scatter.SetBoth(i, j, quotient(x)*unitSize(c)*unitSize(b))
		}
	}
	return mean, scatter
}

// start sets the mean and variance of each coordinate to those of the
// configurations that have it, and all covariances to 0.
func (e *em) start() {
	d := len(e.coordinates)
	e.mean, e.scatter = make([]float64, d), make([]float64, d*d)
	count, squares := make([]float64, d), make([]float64, d)
	for _, p := range e.patterns {
		for j, i := range p.observed() {
			count[i] += p.n
			e.mean[i] += float64(p.n * p.mean[j])
		}
	}
	for i := range d {
		e.mean[i] /= count[i]
	}
	for _, p := range e.patterns {
		for j, i := range p.observed() {
			off := p.mean[j] - e.mean[i]
			squares[i] += p.scatter.At(j, j) + float64(p.n*off*off)
		}
	}
	for i := range d {
		e.scatter[i*d+i] = e.total * squares[i] / count[i]
	}
}

// observed lists the em coordinates that are present.
func (p *pattern) observed() []int {
	var out []int
	for i, here := range p.present {
		if here {
			out = append(out, i)
		}
	}
	return out
}

// complete reports whether nothing is missing.
func (e *em) complete() bool { return len(e.patterns) == 1 && e.patterns[0].complete }

// largestVariance returns the largest variance of a single coordinate.
func (e *em) largestVariance() float64 {
	d, largest := len(e.mean), 0.0
	for i := range d {
		largest = max(largest, e.scatter[i*d+i]/e.total)
	}
	return largest
}

// spread expands the result to all d coordinates, 0 for those never seen.
func (e *em) spread(d int, divisor float64) (mean, cov []float64) {
	mean, cov = make([]float64, d), make([]float64, d*d)
	for i, a := range e.coordinates {
		mean[a] = e.mean[i]
		for j, b := range e.coordinates {
			cov[a*d+b] = e.scatter[i*len(e.coordinates)+j] / divisor
		}
	}
	return mean, cov
}
