package dataset

import "math"

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
	return s[0] + float64(s[1]*x) + float64(s[2]*y) + float64(s[3]*x*x) + float64(s[4]*x*y) + float64(s[5]*y*y)
}

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
		var m normal
		var squares, n float64
		for i, v := range g.lum {
			y, x := g.place(i)
			if math.Abs(float64(v)-s.at(y, x)) <= near {
				m.add(y, x, float64(v))
			}
		}
		next, solved := m.solve()
		if !solved {
			return s, false
		}
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

// normal holds the normal equations of a surface: the products of its terms, and
// with the values.
type normal [6][7]float64

func (m *normal) add(y, x, v float64) {
	terms := [7]float64{1, x, y, x * x, x * y, y * y, v}
	for i := range 6 {
		for j := range 7 {
			m[i][j] += float64(terms[i] * terms[j])
		}
	}
}

// solve eliminates, with the largest pivot of each column; ok is false if the
// places do not determine a surface.
func (m *normal) solve() (s surface, ok bool) {
	for c := range 6 {
		p := c
		for r := c + 1; r < 6; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[p][c]) {
				p = r
			}
		}
		if m[c], m[p] = m[p], m[c]; math.Abs(m[c][c]) < 1e-9 {
			return s, false
		}
		for r := range 6 {
			if r == c {
				continue
			}
			f := m[r][c] / m[c][c]
			for j := c; j < 7; j++ {
				m[r][j] -= float64(f * m[c][j])
			}
		}
	}
	for i := range s {
		s[i] = m[i][6] / m[i][i]
	}
	return s, true
}
