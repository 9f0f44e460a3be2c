package draw

import "math/rand/v2"

// Reservoir draws a uniform sample of a sequence whose length is not known: every set of n of its items with equal
// probability (algorithm R, Vitter 1985).
type Reservoir struct {
	n, seen int
	rng     *rand.Rand
}

// NewReservoir returns a reservoir for n items, at least 1.
func NewReservoir(n int, rng *rand.Rand) *Reservoir { return &Reservoir{n: n, rng: rng} }

// Next returns the place, 0 to n-1, that the next item of the sequence takes, whatever was there before; -1 if it is
// not
// drawn. The first n items take the places in order.
func (r *Reservoir) Next() int {
	slot := r.seen
	if r.seen++; slot >= r.n {
		if slot = r.rng.IntN(r.seen); slot >= r.n {
			return -1
		}
	}
	return slot
}

// Seen returns the number of items so far.
func (r *Reservoir) Seen() int { return r.seen }
