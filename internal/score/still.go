package score

import (
	"math"
	"sync"
)

// Where nothing moves and few experts vote both ways (tables under
// max-minus-min), all that the candidates can gain at a pixel depends on two
// numbers: who holds the largest opinion there and who the smallest. This file
// keeps these gains for every state of a pixel it has met, and scores all
// candidates by adding up one row a pixel, without a logarithm or a branch. The
// sums have the terms of Field.Gain in the order of Field.Gain, so they are
// exact and need no second look.

// maxRows bounds the table of gains, in numbers of 8 bytes: it must stay in the
// cache.
const maxRows = 1 << 16

// still is the state of a search in which every sprite stays where it is.
type still struct {
	on   bool  // in force for the present image
	bank *Bank // the bank that the tables are of

	*tables
	top, bottom []int32 // by pixel: 1 + the sprite that holds Hi, Lo; 0 for none
	total       []float64
	part, sums  []float64 // of Total: one and four numbers a candidate
	impossible  bool      // a pixel that is or would be impossible spoils the totals
}

// tables are by state of a pixel; see state.
type tables struct {
	met   []bool    // whether its gains are filled in
	gains []float64 // what each candidate would gain, a row a state
	l     []float64 // log-likelihood of the pixel; NaN where not known yet
}

// spare are tables that nobody uses. They are large, compared with a table of
// a hundred rows to explain, and would be made anew for every step of learning.
var spare = sync.Pool{New: func() any { return new(tables) }}

// Release gives the search's large memory back for others to use. The search
// may be used again after a Reset.
func (s *Search) Release() {
	if t := &s.still; t.tables != nil {
		spare.Put(t.tables)
		*t = still{top: t.top, bottom: t.bottom, total: t.total, part: t.part, sums: t.sums}
	}
}

// Still reports whether the bank's candidates are scored by remembered
// logarithms where they stay in place.
func (b *Bank) Still() bool { return b.still && b.states()*len(b.Sprites) <= maxRows }

// states is the number of states of all pixels.
func (b *Bank) states() int {
	n := len(b.Sprites) + 1
	return 2 * b.Height * b.Width * n * n
}

// rest decides whether the search can take this way and prepares it.
func (s *Search) rest() bool {
	b, g, t := s.Bank, s.grid, &s.still
	n, d, states := len(b.Sprites), b.Height*b.Width, b.states()
	t.on = b.Still() && g.Shifts() == 1 && g.DY0 == 0 && g.DX0 == 0 && s.Height == b.Height && s.Width == b.Width
	if !t.on {
		return false
	}
	if t.bank != b {
		if t.bank = b; t.tables == nil {
			t.tables = spare.Get().(*tables)
		}
		t.met, t.l, t.gains = resize(t.met, states), resize(t.l, states), resize(t.gains, states*n)
		clear(t.met)
		for i := range t.l {
			t.l[i] = math.NaN()
		}
	}
	t.top, t.bottom = resize(t.top, d), resize(t.bottom, d)
	t.total, t.part, t.sums = resize(t.total, n), resize(t.part, n), resize(t.sums, 4*n)
	clear(t.top)
	clear(t.bottom)
	return true
}

// state is the number of the state of pixel i, which is known, when sprite
// top-1 holds the largest opinion and bottom-1 the smallest.
func (s *Search) state(i int, top, bottom int32) int {
	n := len(s.Bank.Sprites) + 1
	return ((int(s.X[i])*len(s.L)+i)*n+int(top))*n + int(bottom)
}

// meet is the present state of pixel i, which is known, with its gains filled
// in.
func (s *Search) meet(i int) int {
	t, n := &s.still, len(s.Bank.Sprites)+1
	first, top, bottom := s.state(i, 0, 0), int(t.top[i]), int(t.bottom[i])
	at := first + top*n + bottom
	if t.met[at] {
		return at
	}
	t.met[at] = true
	hi, lo := s.Hi[i], s.Lo[i]
	l := s.logLik(at, i, hi, lo)
	gains := s.row(at)
	for c := range gains {
		switch v := s.Bank.Sprites[c].V[i]; {
		case v > hi:
			gains[c] = s.logLik(first+(c+1)*n+bottom, i, v, lo) - l
		case v < lo:
			gains[c] = s.logLik(first+top*n+c+1, i, hi, v) - l
		default:
			gains[c] = 0
		}
	}
	return at
}

// logLik is the log-likelihood of pixel i in a state, whose extremal opinions
// are hi and lo.
func (s *Search) logLik(state, i int, hi, lo float64) float64 {
	l := s.still.l[state]
	if l != l {
		l = pixelLogLik(s.X[i], Compose(hi, lo, s.Bank.q(i)))
		s.still.l[state] = l
	}
	return l
}

// row is what each candidate would gain in a state that was met.
func (s *Search) row(state int) []float64 {
	n := len(s.Bank.Sprites)
	return s.still.gains[state*n : (state+1)*n]
}

// scoreStill sets total to the exact gain of every candidate, as Total adds.
func (s *Search) scoreStill() {
	t := &s.still
	n := len(t.total)
	clear(t.sums)
	for first := 0; first < len(s.X); first += 4 {
		if sums := t.sums[(first>>2&3)*n:][:n]; s.addFour(first, sums) {
			continue
		}
		part := t.part[:n]
		clear(part)
		for i := first; i < min(first+4, len(s.X)); i++ {
			if s.X[i] == Unknown {
				continue
			}
			for c, gain := range s.row(s.meet(i))[:len(part)] {
				part[c] += gain
			}
		}
		sums := t.sums[(first>>2&3)*n:][:n]
		for c, gain := range part {
			sums[c] += gain
		}
	}
	total := t.total
	for c := range total {
		total[c] = t.sums[c] + t.sums[n+c] + (t.sums[2*n+c] + t.sums[3*n+c])
	}
	t.impossible = false
	for _, g := range total {
		t.impossible = t.impossible || g-g != 0
	}
}

// addFour adds the gains of the four pixels from first on to sums, in one go;
// false, and nothing done, where they are fewer or not all known.
func (s *Search) addFour(first int, sums []float64) bool {
	if first+4 > len(s.X) {
		return false
	}
	for _, x := range s.X[first : first+4] {
		if x == Unknown {
			return false
		}
	}
	n := len(sums)
	a, b := s.row(s.meet(first))[:n], s.row(s.meet(first + 1))[:n]
	c, d := s.row(s.meet(first + 2))[:n], s.row(s.meet(first + 3))[:n]
	for k := range sums {
		sums[k] += 0 + a[k] + b[k] + c[k] + d[k]
	}
	return true
}

// bestStill is Best; not ok where a pixel is impossible, which sums of
// logarithms cannot say.
func (s *Search) bestStill(costs []float64, live func(expert int) bool) (best int, g Gain, ok bool) {
	s.scoreStill()
	if s.still.impossible {
		return -1, Gain{}, false
	}
	gains, most := s.still.total, math.Inf(-1)
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
		if s.X[i] != Unknown {
			s.L[i] = s.logLik(s.state(i, t.top[i], t.bottom[i]), i, s.Hi[i], s.Lo[i])
		}
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
