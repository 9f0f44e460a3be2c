package score

import "math"

// This file scores in the shape of the formula, for the tests: it is slow and
// shares nothing with the engines but the Field.

// ReferenceGains returns the gain of every candidate: it composes the whole
// image with the candidate, takes logarithms, adds up all pixels and compares
// with the composition so far.
func ReferenceGains(f *Field, g Grid) []Gain {
	gains := make([]Gain, f.Bank.Candidates(g.Shifts()))
	for c := range gains {
		p := g.At(c)
		for i := range f.X {
			y, x := i/f.Width-p.DY, i%f.Width-p.DX
			if y < 0 || x < 0 || y >= f.Bank.Height || x >= f.Bank.Width {
				continue // outside its frame the candidate abstains
			}
			v, q := f.Bank.Sprites[p.Sprite].V[y*f.Bank.Width+x], f.Bank.Abstention(i)
			hi, lo := f.Hi[i], f.Lo[i]
			if v > hi {
				hi = v
			}
			if f.Bank.TwoSided && v < lo {
				lo = v
			}
			before := PixelLogLik(f.X[i], Compose(f.Hi[i], f.Lo[i], q))
			gains[c].add(before, PixelLogLik(f.X[i], Compose(hi, lo, q)))
		}
	}
	return gains
}

// ReferenceBest returns the candidate with the largest gain after its expert's
// cost, the lowest index among those within Tie of it; -1 if no expert is live.
func ReferenceBest(f *Field, g Grid, costs []float64, live func(expert int) bool) (int, Gain) {
	gains := ReferenceGains(f, g)
	return choose(len(gains), func(c int) (Gain, bool) {
		k := f.Bank.Sprites[c/g.Shifts()].Expert
		return gains[c].minus(CostOf(costs, k)), live(k)
	})
}

// Best returns the best candidate, however little it gains.
func (s *Search) Best(costs []float64, live func(expert int) bool) (int, Gain) {
	c, g := s.BestAbove(math.Inf(-1), costs, live)
	if c < 0 {
		return -1, Gain{}
	}
	return c, g
}
