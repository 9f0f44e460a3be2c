package score

import "math"

// Grid is the shifts of a search: DY0, DY0+Step, ... (NY of them) down and DX0,
// DX0+StepX, ... (NX) to the right.
type Grid struct {
	DY0, NY, StepY int
	DX0, NX, StepX int
}

// Shifts is the number of shifts.
func (g Grid) Shifts() int { return g.NY * g.NX }

// At is candidate c of a bank under this grid: sprites first, then dy, then dx.
func (g Grid) At(c int) Placed {
	s := c % g.Shifts()
	return Placed{c / g.Shifts(), g.DY0 + s/g.NX*g.StepY, g.DX0 + s%g.NX*g.StepX}
}

// Tie is the largest difference, in nats, between gains that count as equal;
// among equals the lowest candidate wins. It is far above the rounding error
// of a sum over an image and far below any difference that means something,
// so that every path and every machine breaks ties alike.
const Tie = 1e-9

// ReferenceGains scores every candidate in the shape of the formula: compose
// the whole image with the candidate, take logarithms, add up all pixels and
// compare with the composition so far.
func ReferenceGains(f *Field, g Grid) []Gain {
	gains := make([]Gain, f.Bank.Candidates(g.Shifts()))
	for c := range gains {
		p := g.At(c)
		for i := range f.X {
			y, x := i/f.Width-p.DY, i%f.Width-p.DX
			if y < 0 || x < 0 || y >= f.Bank.Height || x >= f.Bank.Width {
				continue // outside its frame the candidate abstains
			}
			v, q := f.Bank.Sprites[p.Sprite].V[y*f.Bank.Width+x], f.Bank.q(i)
			hi, lo := f.Hi[i], f.Lo[i]
			if v > hi {
				hi = v
			}
			if f.Bank.TwoSided && v < lo {
				lo = v
			}
			before := pixelLogLik(f.X[i], Compose(f.Hi[i], f.Lo[i], q))
			gains[c].add(before, pixelLogLik(f.X[i], Compose(hi, lo, q)))
		}
	}
	return gains
}

// ReferenceBest is the candidate with the largest gain after its expert's
// cost, the lowest index among those within Tie of it; -1 if no expert is live.
func ReferenceBest(f *Field, g Grid, costs []float64, live func(expert int) bool) (int, Gain) {
	gains := ReferenceGains(f, g)
	return choose(len(gains), func(c int) (Gain, bool) {
		k := f.Bank.Sprites[c/g.Shifts()].Expert
		return pay(gains[c], costs, k), live(k)
	})
}

// pay subtracts the cost of a pick of expert k, in nats.
func pay(g Gain, costs []float64, k int) Gain {
	g.Nats -= costOf(costs, k)
	return g
}

func costOf(costs []float64, k int) float64 {
	if costs == nil {
		return 0
	}
	return costs[k]
}

// choose finds the best of n candidates: the largest Gain, and among those
// with the same Possible within Tie of its Nats the lowest index.
func choose(n int, gain func(c int) (Gain, bool)) (int, Gain) {
	top := Gain{Possible: math.MinInt, Nats: math.Inf(-1)}
	for c := range n {
		if g, ok := gain(c); ok && (g.Possible > top.Possible || g.Possible == top.Possible && g.Nats > top.Nats) {
			top = g
		}
	}
	for c := range n {
		if g, ok := gain(c); ok && g.Possible == top.Possible && g.Nats >= top.Nats-Tie {
			return c, g
		}
	}
	return -1, Gain{}
}
