package pairs

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"example.com/patchwork/internal/draw"
)

// Of large images sections are compared, and patterns are tried on sections first: the
// shifts of two images take time that grows with the square of their size, and at most
// of them there is only clutter. Sections lie where ink is dense.
const (
	wholeSide    = 64 // up to which images are compared as wholes
	sectionSide  = 48
	lookSide     = 16 // of the windows whose ink says where to look
	lookStep     = 8
	sectionDraws = 10 // of another section, if the one drawn will not do
)

// wide reports whether sections of the images are compared.
func (f field) wide() bool { return f.height > wholeSide || f.width > wholeSide }

// section is where a section lies: in which image, and its top left corner.
type section struct{ image, y, x int }

// near reports whether two sections have more than a quarter in common.
func (s section) near(o section) bool {
	return s.image == o.image && 2*abs(s.y-o.y) < sectionSide && 2*abs(s.x-o.x) < sectionSide
}

func abs(n int) int { return max(n, -n) }

// looks are the sections to look at.
type looks struct {
	field               // of a section
	list      []section // around windows with more ink than the images have throughout
	surprises []float64 // that the window holds
	whole     field
	rest      []view
}

// looksOf returns the sections to look at in images.
func (f field) looksOf(rest []view) *looks {
	l := &looks{field: fieldOf(min(f.height, sectionSide), min(f.width, sectionSide)), whole: f, rest: rest}
	density := densityOf(rest)
	for i, v := range rest {
		for y := 0; y < f.height; y += lookStep {
			for x := 0; x < f.width; x += lookStep {
				chance := float64(f.count(v.free, y, x, lookSide)) * density
				if w := surprise(f.count(v.ink, y, x, lookSide), math.Max(chance, 1e-9)); w > 0 {
					l.list = append(l.list, section{i, corner(y, f.height, l.height), corner(x, f.width, l.width)})
					l.surprises = append(l.surprises, w)
				}
			}
		}
	}
	return l
}

// corner returns where a section of so many pixels begins that has a window from pixel
// at on in its middle, as far as it lies in the image.
func corner(at, image, section int) int {
	return max(0, min(at+(lookSide-section)/2, image-section))
}

// densityOf returns the share of ink among the pixels that count.
func densityOf(rest []view) float64 {
	ink, free := 0, 0
	for _, v := range rest {
		ink, free = ink+ones(v.ink), free+ones(v.free)
	}
	return float64(ink) / math.Max(float64(free), 1)
}

// draw draws a section, if possible one that suits.
func (l *looks) draw(rng *rand.Rand, suits func(section) bool) (s section, ok bool) {
	for range sectionDraws {
		i := draw.ByWeight(rng, l.surprises)
		if i < 0 {
			return section{}, false
		}
		if s = l.list[i]; suits(s) {
			return s, true
		}
	}
	return s, false
}

// several draws at most n sections, no two of which have much in common.
func (l *looks) several(rng *rand.Rand, n int) []section {
	var out []section
	for range n {
		s, ok := l.draw(rng, func(s section) bool {
			for _, o := range out {
				if o.near(s) {
					return false
				}
			}
			return true
		})
		if ok {
			out = append(out, s)
		}
	}
	return out
}

// view returns what a section shows.
func (l *looks) view(s section) view {
	v := l.rest[s.image]
	return view{l.whole.cut(v.ink, l.field, s.y, s.x), l.whole.cut(v.free, l.field, s.y, s.x)}
}

// cut returns the part of a plane that a smaller field at (y, x) covers.
func (f field) cut(p plane, to field, y, x int) plane {
	out := to.plane()
	for r := range to.height {
		for i := range to.words {
			out[r*to.words+i] = f.window(p, y+r, x+64*i) & span(0, to.width-64*i)
		}
	}
	return out
}

// count counts the on pixels in a square of less than 64 pixels a side at (y, x).
func (f field) count(p plane, y, x, side int) (n int) {
	for r := y; r < min(y+side, f.height); r++ {
		n += bits.OnesCount64(f.window(p, r, x) & span(0, side))
	}
	return n
}
