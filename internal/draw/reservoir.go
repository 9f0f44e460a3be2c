package draw

import (
	"math/rand/v2"
	"slices"
)

// Sample draws a uniform sample of a sequence whose length is not known: every set of n of its items with equal
// probability (algorithm R, Vitter 1985).
type Sample[T any] struct {
	n, seen int
	rng     *rand.Rand
	kept    []drawn[T]
}

// drawn is an item and its place in the sequence.
type drawn[T any] struct {
	at   int
	item T
}

// NewSample returns a sample for n items, at least 1.
func NewSample[T any](n int, rng *rand.Rand) *Sample[T] { return &Sample[T]{n: n, rng: rng} }

// Add takes the next item of the sequence, which is made only if it is drawn.
func (s *Sample[T]) Add(made func() T) {
	slot := s.seen
	if s.seen++; slot < s.n {
		s.kept = append(s.kept, drawn[T]{slot, made()})
	} else if slot = s.rng.IntN(s.seen); slot < s.n {
		s.kept[slot] = drawn[T]{s.seen - 1, made()}
	}
}

// Seen returns the number of items so far.
func (s *Sample[T]) Seen() int { return s.seen }

// Items returns the items that are drawn, in the order of the sequence.
func (s *Sample[T]) Items() (out []T) {
	slices.SortFunc(s.kept, func(a, b drawn[T]) int { return a.at - b.at })
	for _, d := range s.kept {
		out = append(out, d.item)
	}
	return out
}
