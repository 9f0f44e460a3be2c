package dataset

import (
	"math"

	linear "example.com/patchwork/internal/matrix"
)

// These constants say when and how the light of a photo is evened out.
const (
	lightSide   = 256  // the light is measured on a picture reduced to about this side
	lightLeast  = 16   // pixels a side, below which a surface follows the ink itself: three columns determine it
	lightPasses = 8    // of leaving out what is not ground
	lightTrim   = 1.5  // standard deviations from the ground that are still ground
	lightGain   = 0.02 // of the share of the variance that lies between ink and paper
)

// surface is a polynomial of second degree in the place on a picture, each side
// of which goes from -1 to 1: with 1, x, y, x², xy and y².
type surface [6]float64

func (s *surface) at(y, x float64) float64 {
	terms := termsAt(y, x)
	return linear.Dot(s[:], terms[:])
}

// termsAt returns the terms of a surface at a place.
func termsAt(y, x float64) [6]float64 { return [6]float64{1, x, y, x * x, x * y, y * y} }

// evened returns the picture in even light, and whether that differs: a lens
// darkens the corners of a photo, and a lamp stands on one side, so that no
// threshold divides thin ink from all of the paper. The light is the smooth
// surface that most pixels are near to; its differences are subtracted. It is
// done if Otsu's method then divides better by a clear margin (the variance
// between its classes is a greater share of all), or finds nothing more to
// divide: an empty page in uneven light is empty. Tiny pictures stay as they are.
func (g *gray) evened() (*gray, bool) {
	if min(g.height, g.width) < lightLeast {
		return g, false
	}
	small := g.reduced((max(g.height, g.width) + lightSide - 1) / lightSide)
	light, ok := small.light()
	if !ok {
		return g, false
	}
	before, _ := small.division()
	after, contrast := small.without(&light).division()
	if contrast >= leastContrast && after < before+lightGain {
		return g, false
	}
	return g.without(&light), true
}

// division returns the share of the variance that lies between Otsu's classes,
// and the difference of their means.
func (g *gray) division() (share, contrast float64) {
	all := g.levels()
	t, contrast := all.otsu()
	var n, below, sum, squares float64
	for v, c := range all {
		k, x := float64(c), float64(v)
		n, sum, squares = n+k, sum+float64(k*x), squares+float64(k*x*x)
		if v <= t {
			below += k
		}
	}
	variance := squares/n - float64(sum/n*(sum/n))
	if variance <= 0 {
		return 1, contrast
	}
	return below / n * (1 - below/n) * contrast * contrast / variance, contrast
}

// light returns the surface that most pixels are near to: the least squares over
// all, then over those near to the surface before. ok is false if it is level.
func (g *gray) light() (s surface, ok bool) {
	near := math.Inf(1)
	for range lightPasses {
		m, sums := linear.New(6, 6), make([]float64, 6) // the normal equations
		var squares, n float64
		for i, v := range g.lum {
			y, x := g.place(i)
			if math.Abs(float64(v)-s.at(y, x)) <= near {
				terms := termsAt(y, x)
				linear.AddTo(sums, float64(v), terms[:])
				for i, term := range terms {
					linear.AddTo(m.Row(i), term, terms[:])
				}
			}
		}
		solution, solved := linear.Solve(m, sums)
		if !solved {
			return s, false
		}
		next := surface(solution)
		for i, v := range g.lum {
			y, x := g.place(i)
			if d := float64(v) - s.at(y, x); math.Abs(d) <= near {
				d = float64(v) - next.at(y, x)
				squares, n = squares+float64(d*d), n+1
			}
		}
		s, near = next, max(lightTrim*math.Sqrt(squares/n), 257)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range g.lum {
		v := s.at(g.place(i))
		low, high = min(low, v), max(high, v)
	}
	return s, high-low > 2*257
}

// place returns where pixel i lies, from -1 to 1.
func (g *gray) place(i int) (y, x float64) {
	return 2*(float64(i/g.width)+0.5)/float64(g.height) - 1, 2*(float64(i%g.width)+0.5)/float64(g.width) - 1
}

// without returns the picture without the differences of a surface, around its
// mean.
func (g *gray) without(s *surface) *gray {
	mean := s[0] + (s[3]+s[5])/3
	out := *g
	out.lum = make([]uint16, len(g.lum))
	for i, v := range g.lum {
		out.lum[i] = uint16(max(0, min(math.MaxUint16, math.Round(float64(v)-s.at(g.place(i))+mean))))
	}
	return &out
}
