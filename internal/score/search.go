package score

// Search finds the best candidates of an image by the engine that suits it,
// pick by pick. It belongs to one goroutine, its memory is reused from image to
// image, and it must not be copied.
type Search struct {
	candidates
	engine  engine // the one in force for the present image
	general general
	bounded bounded
}

// engine is one way to find the best candidate of the present image. The
// question and the composition are in its candidates.
type engine interface {
	// bestAbove implements Search.BestAbove.
	bestAbove(floor float64) (c int, g Gain)
	// place adds a candidate to the composition.
	place(c int)
	// propose sets near to a superset of the n best live candidates, in index
	// order.
	propose(n int)
	// takeBack implements Search.TakeBack.
	takeBack(j int)
	// putBack implements Search.PutBack.
	putBack(c int)
}

// Reset gives the search a new image of height x width (x row-major, copied),
// forgets all picks and chooses the engine.
func (s *Search) Reset(b *Bank, g Grid, height, width int, x []uint8) {
	s.candidates.reset(b, g, height, width, x)
	if s.bounded.reset(&s.candidates) {
		s.engine = &s.bounded
		return
	}
	s.general.reset(&s.candidates)
	s.engine = &s.general
}

// BestAbove returns the candidate with the largest gain after its expert's cost
// (nats per pick, or nil), the lowest index among those within Tie of it; -1 if
// no expert is live. Where none gains at least floor nats after costs it may return
// -1 and a gain of -Inf: to know that nothing gains enough is less work than to know
// what comes closest.
func (s *Search) BestAbove(floor float64, costs []float64, live func(expert int) bool) (int, Gain) {
	s.ask(costs, live)
	return s.engine.bestAbove(floor)
}

// Top appends to dst the n best candidates, best first, of all live experts;
// fewer where there are fewer. Gains are compared after the expert's cost
// (nats per pick, or nil); equals come in index order. A candidate that is
// already placed is left out: placed twice it changes nothing.
func (s *Search) Top(n int, costs []float64, live func(expert int) bool, dst []Ranked) []Ranked {
	s.ask(costs, live)
	s.engine.propose(n + len(s.picks))
	return s.rank(n, dst)
}

// Place adds candidate c to the composition.
func (s *Search) Place(c int) { s.engine.place(c) }

// TakeBack removes pick j.
func (s *Search) TakeBack(j int) { s.engine.takeBack(j) }

// PutBack undoes the TakeBack just done of candidate c: the composition does
// not depend on the order of the picks, so the gains are what they were. The
// pick becomes the last.
func (s *Search) PutBack(c int) { s.engine.putBack(c) }

// CopyFrom makes s a search of the same image in the state of o. The two share
// only the bank, and go on independently. It costs a copy of the gains or
// bounds, far less than making them. A TakeBack under way in o cannot be put back in s.
func (s *Search) CopyFrom(o *Search) {
	s.candidates.copyFrom(&o.candidates)
	if o.engine == &o.bounded {
		s.bounded.copyFrom(&s.candidates, &o.bounded)
		s.engine = &s.bounded
		return
	}
	s.general.copyFrom(&s.candidates, &o.general)
	s.engine = &s.general
}
