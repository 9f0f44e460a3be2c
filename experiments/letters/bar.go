package letters

import (
	"math"

	"example.com/patchwork"
)

// Shape is the ink of a template, the pixels above 1/2, as an ellipse.
type Shape struct {
	Pixels     int     // above 1/2
	Elongation float64 // ratio of the standard deviations along its axes
	Direction  float64 // of the long axis, in degrees from horizontal, 0 <= d < 180
}

// ShapeOf measures a template of the given width.
func ShapeOf(template []float64, width int) Shape {
	var n, sy, sx, syy, sxx, sxy float64
	for i, p := range template {
		if p > 0.5 {
			y, x := float64(i/width), float64(i%width)
			n, sy, sx = n+1, sy+y, sx+x
			syy, sxx, sxy = syy+y*y, sxx+x*x, sxy+x*y
		}
	}
	if n == 0 {
		return Shape{}
	}
	vy, vx, c := syy/n-sy*sy/n/n, sxx/n-sx*sx/n/n, sxy/n-sx*sy/n/n
	half := math.Hypot((vx-vy)/2, c)
	long, short := (vx+vy)/2+half, (vx+vy)/2-half
	angle := math.Atan2(2*c, vx-vy) / 2 * 180 / math.Pi
	return Shape{int(n), math.Sqrt(long / math.Max(short, 1e-9)), math.Mod(angle+180, 180)}
}

// Bar reports whether the shape is a bar, upright or level: at least 40
// pixels, at least 3.5 times as long as wide, within 30 degrees of an axis.
func (s Shape) Bar() bool {
	off := math.Min(math.Min(s.Direction, 180-s.Direction), math.Abs(s.Direction-90))
	return s.Pixels >= 40 && s.Elongation >= 3.5 && off <= 30
}

// upright reports whether the long axis is nearer the vertical.
func (s Shape) upright() bool { return math.Abs(s.Direction-90) < 45 }

// TwoBars reports whether a model's two experts are one upright and one level
// bar.
func TwoBars(m *patchwork.Model) bool {
	a, b := ShapeOf(m.Template(0), m.Width()), ShapeOf(m.Template(1), m.Width())
	return a.Bar() && b.Bar() && a.upright() != b.upright()
}
