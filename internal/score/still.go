package score

import "math"

// Where nothing moves and few experts vote both ways (tables under
// max-minus-min), the composed probability of a pixel depends on two numbers:
// who holds the largest opinion and who the smallest. This file keeps the
// logarithm of every such pair it has met, and scores all candidates from
// the state of the field, pixel by pixel, with hardly a logarithm. Its sums
// have the terms of Field.Gain in the order of Field.Gain, so they are exact
// and need no second look.

// maxPairs bounds the table of pairs, in numbers of 8 bytes: it must stay in
// the cache, and be cheap to empty for a new bank.
const maxPairs = 1 << 15

// still is the state of a search in which every sprite stays where it is.
type still struct {
	on   bool  // in force for the present image
	bank *Bank // the bank that pairs and columns are of

	columns []float64    // opinions by pixel, then sprite
	logs    [2][]float64 // log-likelihoods of an Off and an On pixel under them, alike
	pairs   []float64    // see pair; NaN where not met yet

	top, bottom []int32 // by pixel: 1 + the sprite that holds Hi, Lo; 0 for none
	gains       []float64
	impossible  bool // a pair of opinions makes a pixel impossible
}

// rest decides whether the search can take this way and prepares it.
func (s *Search) rest() bool {
	b, g, t := s.Bank, s.grid, &s.still
	n, d := len(b.Sprites), b.Height*b.Width
	t.on = b.still && g.Shifts() == 1 && g.DY0 == 0 && g.DX0 == 0 &&
		s.Height == b.Height && s.Width == b.Width && 2*d*(n+1)*(n+1) <= maxPairs
	if !t.on {
		return false
	}
	if t.bank != b {
		s.learnBank()
	}
	t.top, t.bottom = resize(t.top, d), resize(t.bottom, d)
	clear(t.top)
	clear(t.bottom)
	t.gains, t.impossible = resize(t.gains, n), false
	return true
}

// learnBank turns the sprites into columns and forgets the pairs of another bank.
func (s *Search) learnBank() {
	b, t := s.Bank, &s.still
	n, d := len(b.Sprites), b.Height*b.Width
	t.bank = b
	t.columns = resize(t.columns, n*d)
	t.logs = [2][]float64{resize(t.logs[Off], n*d), resize(t.logs[On], n*d)}
	for c := range b.Sprites {
		sp := &b.Sprites[c]
		for i, v := range sp.V {
			t.columns[i*n+c], t.logs[Off][i*n+c], t.logs[On][i*n+c] = v, sp.Off[i], sp.On[i]
		}
	}
	t.pairs = resize(t.pairs, 2*d*(n+1)*(n+1))
	for i := range t.pairs {
		t.pairs[i] = math.NaN()
	}
}

// pair is the place in pairs of the log-likelihood of value x of pixel i when
// sprite hi-1 holds the largest opinion and sprite lo-1 the smallest.
func (s *Search) pair(x uint8, i int, hi, lo int32) int {
	n := len(s.Bank.Sprites) + 1
	return ((int(x)*len(s.L)+i)*n+int(hi))*n + int(lo)
}

// meet is the log-likelihood of pixel i under the opinions hi and lo; at is
// their pair.
func (s *Search) meet(at, i int, hi, lo float64) float64 {
	l := s.still.pairs[at]
	if l != l {
		l = pixelLogLik(s.X[i], compose(hi, lo, s.Bank.q(i)))
		s.still.pairs[at] = l
	}
	s.still.impossible = s.still.impossible || math.IsInf(l, -1)
	return l
}

// scoreStill sets gains to the exact gain of every candidate.
func (s *Search) scoreStill() {
	t, n := &s.still, len(s.Bank.Sprites)
	gains := t.gains
	clear(gains)
	for i, x := range s.X {
		if x == Unknown {
			continue
		}
		logs, l := t.logs[x][i*n:(i+1)*n], s.L[i]
		if t.top[i] == 0 && t.bottom[i] == 0 { // who abstains has the logarithm l
			for c, after := range logs {
				gains[c] += after - l
			}
			continue
		}
		s.contest(i, t.columns[i*n:(i+1)*n], logs, gains)
	}
}

// contest adds to gains what each candidate would gain at pixel i, where
// others have voted.
func (s *Search) contest(i int, column, logs, gains []float64) {
	t := &s.still
	x, l, hi, lo := s.X[i], s.L[i], s.Hi[i], s.Lo[i]
	top, bottom := t.top[i], t.bottom[i]
	for c, v := range column {
		switch {
		case v > hi:
			after := logs[c]
			if bottom > 0 {
				after = s.meet(s.pair(x, i, int32(c+1), bottom), i, v, lo)
			}
			gains[c] += after - l
		case v < lo:
			after := logs[c]
			if top > 0 {
				after = s.meet(s.pair(x, i, top, int32(c+1)), i, hi, v)
			}
			gains[c] += after - l
		}
	}
}

// bestStill is Best; not ok where a pixel is impossible, which sums of
// logarithms cannot say.
func (s *Search) bestStill(costs []float64, live func(expert int) bool) (best int, g Gain, ok bool) {
	s.scoreStill()
	if s.still.impossible {
		return -1, Gain{}, false
	}
	gains, most := s.still.gains, math.Inf(-1)
	for c := range gains {
		gains[c] -= costOf(costs, c)
		if live(c) && gains[c] > most {
			most = gains[c]
		}
	}
	for c, nats := range gains {
		if nats >= most-Tie && live(c) {
			return c, Gain{Nats: nats}, true
		}
	}
	return -1, Gain{}, true
}

// placeStill is Place.
func (s *Search) placeStill(c int) {
	s.picks = append(s.picks, s.grid.At(c))
	t, holder := &s.still, int32(c+1)
	for i, v := range s.Bank.Sprites[c].V {
		switch {
		case v > s.Hi[i]:
			s.Hi[i], t.top[i] = v, holder
		case v < s.Lo[i]:
			s.Lo[i], t.bottom[i] = v, holder
		default:
			continue
		}
		s.settle(i)
	}
}

// settle sets the log-likelihood of pixel i to that of its present holders.
func (s *Search) settle(i int) {
	x := s.X[i]
	if x == Unknown {
		return
	}
	t, n := &s.still, len(s.Bank.Sprites)
	switch top, bottom := t.top[i], t.bottom[i]; {
	case bottom == 0:
		s.L[i] = t.logs[x][i*n+int(top)-1]
	case top == 0:
		s.L[i] = t.logs[x][i*n+int(bottom)-1]
	default:
		s.L[i] = s.meet(s.pair(x, i, top, bottom), i, s.Hi[i], s.Lo[i])
	}
}

// wake goes over to the general way, in the middle of an image.
func (s *Search) wake() {
	if !s.still.on {
		return
	}
	s.still.on = false
	s.scoreOneByOne()
	s.forget()
}
