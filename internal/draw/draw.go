// Package draw draws indices at random with probabilities proportional to weights.
package draw

import "math/rand/v2"

// ByWeight returns an index with a probability proportional to its weight,
// skipping weights <= 0; -1 if there is no weight above 0. It draws one number.
func ByWeight(rng *rand.Rand, weights []float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	at, last := rng.Float64()*total, -1
	for i, w := range weights {
		if w <= 0 {
			continue
		}
		last = i
		if at -= w; at < 0 {
			break
		}
	}
	return last
}

// ByCount returns one of n indices with a probability proportional to its count;
// the counts are >= 0 and add up to total > 0. It panics if they do not.
func ByCount(rng *rand.Rand, n int, total int64, count func(i int) int64) int {
	at := rng.Int64N(total)
	for i := range n {
		if at -= count(i); at < 0 {
			return i
		}
	}
	panic("draw: the counts add up to less than their total")
}
