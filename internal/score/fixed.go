package score

import (
	"math"
	"sync"
)

// The fixed engine keeps every sprite in its place, and adds up remembered gains.
// What the candidates can gain at a pixel depends only on its value, on the sprite
// that holds the largest opinion there, and on the one that holds the smallest. The
// engine keeps these gains for every such state of a pixel it has met, and scores
// all candidates by adding one row of numbers per pixel, without a logarithm or a
// branch.
//
// When it is chosen: for small tables under max-minus-min, without opinions of 0 or
// 1, whose sprites neither move nor turn (Bank.Fixed). It can only add picks; for
// everything else the search leaves it for the general engine.
//
// Why its answers are the same: its sums have the terms of Field.Gain in the order
// of Field.Gain, so they are exact. It cannot tell where a pixel is or would be
// impossible: sums of logarithms do not count such pixels.

// maxFixedGains bounds the table of gains, in numbers of 8 bytes: it must stay in
// the cache.
const maxFixedGains = 1 << 16

// fixed is the state of the fixed engine.
type fixed struct {
	*candidates
	bank *Bank // the bank that the tables are of

	*fixedTables
	top, bottom []int32 // by pixel: 1 + the sprite that holds Hi, Lo; 0 for none
	total       []float64
	part, sums  []float64 // of Total: one and four numbers per candidate
	impossible  bool      // a pixel that is or would be impossible spoils the totals
}

// fixedTables are by state of a pixel; see state.
type fixedTables struct {
	known []bool    // whether its gains are filled in
	gains []float64 // what each candidate would gain, one row per state
	l     []float64 // log-likelihood of the pixel; NaN where not known yet
}

// spareTables are tables that no search uses at the moment. They are large,
// compared with a table of a hundred rows to explain, and would be made anew for
// every step of learning.
var spareTables = sync.Pool{New: func() any { return new(fixedTables) }}

// release gives the tables back for others to use.
func (e *fixed) release() {
	if e.fixedTables != nil {
		spareTables.Put(e.fixedTables)
		*e = fixed{candidates: e.candidates, top: e.top, bottom: e.bottom, total: e.total, part: e.part, sums: e.sums}
	}
}

// Fixed reports whether the bank's candidates are scored by remembered
// gains where they stay in place.
func (b *Bank) Fixed() bool {
	return b.plain && b.TwoSided && b.states()*len(b.Sprites) <= maxFixedGains
}

// states returns the number of states of all pixels.
func (b *Bank) states() int {
	n := len(b.Sprites) + 1
	return 2 * b.Height * b.Width * n * n
}

// reset reports whether the engine can search the image, and prepares it.
func (e *fixed) reset(c *candidates) bool {
	b, g := c.Bank, c.grid
	if !b.Fixed() || g.Shifts() != 1 || g.DY0 != 0 || g.DX0 != 0 || c.Height != b.Height || c.Width != b.Width {
		return false
	}
	e.candidates = c
	n, d, states := len(b.Sprites), b.Height*b.Width, b.states()
	if e.bank != b {
		if e.bank = b; e.fixedTables == nil {
			e.fixedTables = spareTables.Get().(*fixedTables)
		}
		e.known, e.l, e.gains = resize(e.known, states), resize(e.l, states), resize(e.gains, states*n)
		clear(e.known)
		for i := range e.l {
			e.l[i] = math.NaN()
		}
	}
	e.top, e.bottom = resize(e.top, d), resize(e.bottom, d)
	e.total, e.part, e.sums = resize(e.total, n), resize(e.part, n), resize(e.sums, 4*n)
	clear(e.top)
	clear(e.bottom)
	return true
}

// state returns the number of the state of pixel i, which is known, when sprite
// top-1 holds the largest opinion and bottom-1 the smallest.
func (e *fixed) state(i int, top, bottom int32) int {
	n := len(e.total) + 1
	return ((int(e.X[i])*len(e.top)+i)*n+int(top))*n + int(bottom)
}

// present returns the present state of pixel i, which is known, after filling
// in its gains.
func (e *fixed) present(i int) int {
	at := e.state(i, e.top[i], e.bottom[i])
	if !e.known[at] {
		e.fill(at, i)
	}
	return at
}

// fill fills in the gains of a state, the present one of pixel i.
func (e *fixed) fill(at, i int) {
	n := len(e.total) + 1
	first, top, bottom := e.state(i, 0, 0), int(e.top[i]), int(e.bottom[i])
	e.known[at] = true
	hi, lo := e.Hi[i], e.Lo[i]
	l := e.logLik(at, i, hi, lo)
	gains := e.row(at)
	for c := range gains {
		switch v := e.Bank.Sprites[c].V[i]; {
		case v > hi:
			gains[c] = e.logLik(first+(c+1)*n+bottom, i, v, lo) - l
		case v < lo:
			gains[c] = e.logLik(first+top*n+c+1, i, hi, v) - l
		default:
			gains[c] = 0
		}
	}
}

// logLik returns the log-likelihood of pixel i in a state, whose extremal
// opinions are hi and lo.
func (e *fixed) logLik(state, i int, hi, lo float64) float64 {
	l := e.l[state]
	if l != l {
		l = PixelLogLik(e.X[i], Compose(hi, lo, e.Bank.Abstention(i)))
		e.l[state] = l
	}
	return l
}

// row returns what each candidate would gain in a state that is filled in.
func (e *fixed) row(state int) []float64 {
	n := len(e.total)
	return e.gains[state*n : (state+1)*n]
}

// scoreAll sets total to the exact gain of every candidate, added up as by Total.
func (e *fixed) scoreAll() {
	n := len(e.total)
	clear(e.sums)
	for first := 0; first < len(e.X); first += 4 {
		if first&63 == 0 {
			e.tick()
		}
		sums := e.sums[(first>>2&3)*n:][:n]
		if e.addFour(first, sums) {
			continue
		}
		part := e.part[:n]
		clear(part)
		for i := first; i < min(first+4, len(e.X)); i++ {
			if e.X[i] == Unknown {
				continue
			}
			for c, gain := range e.row(e.present(i))[:len(part)] {
				part[c] += gain
			}
		}
		for c, gain := range part {
			sums[c] += gain
		}
	}
	total := e.total
	for c := range total {
		total[c] = e.sums[c] + e.sums[n+c] + (e.sums[2*n+c] + e.sums[3*n+c])
	}
	e.impossible = false
	for _, g := range total {
		e.impossible = e.impossible || g-g != 0
	}
}

// addFour adds the gains of the four pixels from first on to sums, in one go;
// it returns false, and does nothing, where they are fewer or not all known.
func (e *fixed) addFour(first int, sums []float64) bool {
	if first+4 > len(e.X) {
		return false
	}
	for _, x := range e.X[first : first+4] {
		if x == Unknown {
			return false
		}
	}
	n := len(sums)
	a, b := e.row(e.present(first))[:n], e.row(e.present(first + 1))[:n]
	c, d := e.row(e.present(first + 2))[:n], e.row(e.present(first + 3))[:n]
	for k := range sums {
		sums[k] += 0 + a[k] + b[k] + c[k] + d[k]
	}
	return true
}

// bestAbove implements engine; the floor does not help it. A candidate is an
// expert.
func (e *fixed) bestAbove(float64) (best int, g Gain, ok bool) {
	e.scoreAll()
	if e.impossible {
		return -1, Gain{}, false
	}
	gains, most := e.total, math.Inf(-1)
	for c := range gains {
		gains[c] -= CostOf(e.costs, c)
		if e.live[c] && gains[c] > most {
			most = gains[c]
		}
	}
	for c, nats := range gains {
		if nats >= most-Tie && e.live[c] {
			return c, Gain{Nats: nats}, true
		}
	}
	return -1, Gain{Nats: math.Inf(-1)}, true
}

// place implements engine.
func (e *fixed) place(c int) {
	e.picks = append(e.picks, e.grid.At(c))
	holder := int32(c + 1)
	for i, v := range e.Bank.Sprites[c].V {
		switch {
		case v > e.Hi[i]:
			e.Hi[i], e.top[i] = v, holder
		case v < e.Lo[i]:
			e.Lo[i], e.bottom[i] = v, holder
		default:
			continue
		}
		if e.X[i] != Unknown {
			e.L[i] = e.logLik(e.state(i, e.top[i], e.bottom[i]), i, e.Hi[i], e.Lo[i])
		}
	}
}
