package answers

import (
	"math"

	"example.com/patchwork/internal/matrix"
	"example.com/patchwork/internal/score/joint"
)

// Interval is that of a share at 95 %: with it a sample of as many rows has the share that is estimated.
type Interval [2]float64

// mostProducts is how many products of numbers of a row the errors of classes are found of at most.
const mostProducts = 1e9

// errors sets the intervals of the sizes and shares of classes in an order, from the outer product of the rows' scores:
// none if there are too few rows for so many numbers. A share at a bound has no interval but itself.
func (x *Indices) errors(m *states, t *answers, order []int) {
	k, width := len(m.Votes), t.width()
	if free := float64(m.numbers()); free*free*float64(len(t.x)) > mostProducts || free > t.n/2 {
		return
	}
	r, score, sum := m.newRow(), make([]float64, k*(width+1)), matrix.New(k*(width+1), k*(width+1))
	for n, row := range t.x {
		m.explain(r, t, n)
		clear(score)
		for c, w := range r.weight {
			score[c] = w - m.Share[c] // of the log odds, as a softmax has them
			for d, v := range row {
				if v != joint.Unknown {
					score[k+c*width+d] = w * (float64(v) - m.Votes[c][d])
				}
			}
		}
		for i, s := range score {
			if s *= t.times[n]; s != 0 {
				matrix.AddTo(sum.Row(i), s, score)
			}
		}
	}
	var free []int // the last class's size follows from the others
	for i := range score {
		if i != k-1 && sum.At(i, i) > 1e-6 {
			free = append(free, i)
		}
	}
	covariance, ok := matrix.Inverse(sum.Part(free, free))
	if !ok {
		return
	}
	at := make([]int, len(score))
	for i := range at {
		at[i] = -1
	}
	for j, i := range free {
		at[i] = j
	}
	for _, c := range order {
		x.SizeIntervals = append(x.SizeIntervals, interval(m.Share[c], sizeVariance(m.Share, c, at, covariance)))
		var shares []Interval
		for d, v := range m.Votes[c] {
			variance := 0.0
			if j := at[k+c*width+d]; j >= 0 {
				variance = covariance.At(j, j)
			}
			shares = append(shares, interval(v, variance))
		}
		x.ShareIntervals = append(x.ShareIntervals, shares)
	}
}

// sizeVariance returns the variance of the log odds of a class's size, of which log odds beside the last class's are known.
func sizeVariance(share []float64, c int, at []int, covariance *matrix.Matrix) (sum float64) {
	slope := func(i int) float64 { // of the log odds of share c by those of class i
		if i == c {
			return 1
		}
		return -share[i] / (1 - share[c])
	}
	for i := range share {
		for j := range share {
			if at[i] >= 0 && at[j] >= 0 {
				sum += float64(slope(i) * slope(j) * covariance.At(at[i], at[j]))
			}
		}
	}
	return sum
}

// interval returns that of a share whose log odds have a variance.
func interval(share, variance float64) Interval {
	middle, wide := logit(min(max(share, 1e-12), 1-1e-12)), 1.96*math.Sqrt(max(variance, 0))
	return Interval{sigmoid(middle - wide), sigmoid(middle + wide)}
}
