package words

import (
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// Shape is the form of a part's votes in the frame of an image, judged by their mean
// and covariance. Votes of less than half the distance from abstention to certainty
// do not count.
type Shape struct {
	Pixels        int     // clear votes
	Y, X          float64 // their centre, in pixels from the top left corner
	Length, Width float64 // of a bar of that covariance, in pixels
	Angle         float64 // of its long side, in degrees: 0 is level, 90 upright, 45 falls to the right

	height, width int
}

// ShapeOf returns the shape of part k.
func ShapeOf(m *patchwork.Model, k int) Shape {
	var w, sx, sy, sxx, syy, sxy float64
	s := Shape{height: m.Height(), width: m.Width()}
	for i, p := range m.Template(k) {
		a := max(0, share(m, i, p)-0.5)
		if a > 0 {
			s.Pixels++
		}
		x, y := float64(i%m.Width()), float64(i/m.Width())
		w, sx, sy, sxx, syy, sxy = w+a, sx+float64(a*x), sy+float64(a*y), sxx+float64(a*x*x), syy+float64(a*y*y),
			sxy+float64(a*x*y)
	}
	if w == 0 {
		return s
	}
	s.X, s.Y = sx/w, sy/w
	// A single pixel has variance 1/12, and a bar of length n one of n*n/12.
	xx, yy, xy := sxx/w-sx*sx/w/w+1./12, syy/w-sy*sy/w/w+1./12, sxy/w-sx*sy/w/w
	mid, half := float64((xx+yy)/2), elem.Hypot((xx-yy)/2, xy)
	s.Length, s.Width = math.Sqrt(12*(mid+half)), math.Sqrt(12*max(mid-half, 1e-9))
	s.Angle = float64(90 / math.Pi * elem.Atan2(2*xy, xx-yy))
	if s.Angle <= -90+1e-9 {
		s.Angle += 180
	}
	return s
}

// share returns how far an opinion is from abstention at pixel i, on the way to
// certainty.
func share(m *patchwork.Model, i int, p float64) float64 {
	q := m.Abstention(i)
	switch {
	case p > q:
		return (p - q) / (1 - q)
	case m.Config().Rule.TwoSided() && p < q:
		return (q - p) / q
	}
	return 0
}

// Elongation returns the length over the width; 1 is round.
func (s Shape) Elongation() float64 {
	if s.Pixels == 0 {
		return 1
	}
	return s.Length / s.Width
}

// solid is how much of its bar the ink of a stroke fills at least. Measured: 0.57 to
// 1.23 of strokes of a pen, also bent ones, and 0.09 to 0.36 of outlines and of whole
// letters.
const solid = 0.5

// fill returns how many of the pixels of the bar have clear votes; more than 1 where the
// edges are soft.
func (s Shape) fill() float64 { return float64(s.Pixels) / (s.Length * s.Width) }

// String returns the shape in words: "an upright stroke of 41 x 5 pixels at the
// centre". What is long but hollow or branched, such as an outline, is ink.
func (s Shape) String() string {
	if s.Pixels == 0 {
		return "no clear vote on any pixel"
	}
	noun := "ink"
	if s.Elongation() >= 2.5 && s.fill() >= solid {
		noun = s.direction() + " stroke"
	}
	size := fmt.Sprintf("%.0f x %.0f pixels", s.Length, s.Width)
	return fmt.Sprintf("%s of %s %s", noun, size, s.place())
}

// direction returns how a stroke lies.
func (s Shape) direction() string {
	switch a := math.Abs(s.Angle); {
	case a < 22.5:
		return "a level"
	case a > 67.5:
		return "an upright"
	case s.Angle > 0: // rows count downward
		return "a falling"
	}
	return "a rising"
}

// place returns the third of the frame that the centre is in.
func (s Shape) place() string {
	third := func(at float64, n int, low, high string) string {
		switch at = (at + 0.5) / float64(n); {
		case at < 1./3:
			return low
		case at > 2./3:
			return high
		}
		return ""
	}
	y, x := third(s.Y, s.height, "top", "bottom"), third(s.X, s.width, "left", "right")
	switch {
	case y == "" && x == "":
		return "at the centre"
	case y == "":
		return "at the " + x
	case x == "":
		return "at the " + y
	}
	return "at the " + y + " " + x
}
