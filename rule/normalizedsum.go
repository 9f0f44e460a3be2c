package rule

import "math"

// NormalizedSum composes to the votes for "on" over the votes cast (section
// 2.2.3; Saund 1995). For opinions that are 0, 1/2 or 1 it is
//
//	gamma(p...) = (sum (p-1/2) / sum |p-1/2| + 1) / 2,  0/0 -> 1/2
//
// and multilinear interpolation in between. Disagreement gives uncertainty:
// equally many votes for and against give 1/2. Abstention value 1/2.
//
// The paper calls the interpolation too costly, but it is an expectation that
// takes polynomial time. Interpolating between the corners {0, 1/2, 1} means
// that each expert independently votes with probability |2p-1|, for "on" if p >
// 1/2 and for "off" if p < 1/2. With V votes for and A against,
//
//	gamma(p...) = E[V/(V+A)],  0/0 -> 1/2,
//
// and V and A are independent sums of coin tosses.
type NormalizedSum struct{}

// Compose returns the multilinear interpolation, exact up to rounding for any
// number of opinions; 1/2 for none. It takes O(K^2) time and O(K) space.
func (NormalizedSum) Compose(opinions ...float64) float64 {
	var space [2][24]float64 // keeps the usual few opinions off the heap
	votesFor, against := append(space[0][:0], 1), append(space[1][:0], 1)
	for _, p := range opinions {
		checkOpinion(p)
		switch {
		case p > 0.5:
			votesFor = Toss(votesFor, float64(2*p)-1)
		case p < 0.5:
			against = Toss(against, 1-float64(2*p))
		}
	}
	sum := votesFor[0] * against[0] * 0.5 // nobody votes
	for v := 1; v < len(votesFor); v++ {
		share := 0.0
		for a, prob := range against {
			share += prob * float64(v) / float64(v+a)
		}
		sum += float64(votesFor[v] * share)
	}
	return clamp(sum)
}

// Toss adds a coin that shows heads with probability p to the distribution of
// the number of heads, where dist[i] is P(i heads), and returns the longer
// distribution. It works in place, from the top; {1} is no coin.
func Toss(dist []float64, p float64) []float64 {
	n := len(dist)
	dist = append(dist, dist[n-1]*p)
	for i := n - 1; i > 0; i-- {
		dist[i] = float64(dist[i]*(1-p)) + float64(dist[i-1]*p)
	}
	dist[0] *= 1 - p
	return dist
}

// Abstain returns 1/2.
func (NormalizedSum) Abstain() (q float64, ok bool) { return 0.5, true }

// Symmetric returns true.
func (NormalizedSum) Symmetric() bool { return true }

// Name returns "normalized-sum".
func (NormalizedSum) Name() string { return nameNormalizedSum }

// String returns "normalized-sum".
func (NormalizedSum) String() string { return nameNormalizedSum }

// NormalizedSumPrinted applies to any opinions the formula that the paper
// prints for opinions 0, 1/2 and 1: (sum (p-1/2) / sum |p-1/2| + 1) / 2, with
// 0/0 -> 1/2. Between those values it differs from [NormalizedSum] by up to
// 1/2: one opinion of 0.6 gives 1. It is kept for comparison and is not a
// [Rule], because it does not return a single opinion unchanged. It panics on
// an opinion outside [0, 1].
func NormalizedSumPrinted(opinions ...float64) float64 {
	sum, abs := 0.0, 0.0
	for _, p := range opinions {
		checkOpinion(p)
		sum += p - 0.5
		abs += math.Abs(p - 0.5)
	}
	if abs == 0 {
		return 0.5
	}
	return clamp((sum/abs + 1) / 2)
}
