package sheets

import (
	"fmt"
	"math"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
)

// Symbol is what to look for.
type Symbol struct {
	Name          string
	Height, Width int       // of the frame, in pixels
	P             []float64 // Height*Width probabilities of ink, row-major; NaN where the symbol says nothing

	// Rival says that the symbol is a counter-example: it explains ink and competes, but is not
	// reported as a find.
	Rival bool
}

// FromImage returns the symbol that an image shows, such as a cut from a page;
// unknown pixels say nothing.
func FromImage(name string, m *bitmap.Image) Symbol {
	s := Symbol{Name: name, Height: m.Height(), Width: m.Width(), P: make([]float64, m.Len())}
	for i, v := range m.AppendValues(nil) {
		s.P[i] = [...]float64{0, 1, math.NaN()}[v]
	}
	return s
}

// Cut returns the part of an image from (y, x), height x width pixels. The error
// says what is wrong with the rectangle.
func Cut(m *bitmap.Image, y, x, height, width int) (*bitmap.Image, error) {
	if y < 0 || x < 0 || height < 1 || width < 1 || y > m.Height()-height || x > m.Width()-width {
		return nil, fmt.Errorf(
			"sheets: the rectangle at x %d, y %d of %d x %d pixels (width x height) does not lie on the page of %d x %d",
			x, y, width, height, m.Width(), m.Height())
	}
	out := bitmap.New(height, width)
	for r := range height {
		for c := range width {
			if !m.Known(y+r, x+c) {
				out.SetUnknown(r, c)
			} else if m.At(y+r, x+c) {
				out.Set(r, c, true)
			}
		}
	}
	return out, nil
}

// Mark returns the symbol in a rectangle of a page: an example, as a person would mark
// it. Long straight strokes that pass through it say nothing. The error says what is
// wrong with the rectangle.
func Mark(page *bitmap.Image, name string, y, x, height, width int) (Symbol, error) {
	m, err := Cut(page, y, x, height, width)
	if err != nil {
		return Symbol{}, err
	}
	length := lineLength(max(height, width))
	y0, x0 := max(0, y-length), max(0, x-length)
	around, err := Cut(page, y0, x0, min(page.Height(), y+height+length)-y0, min(page.Width(), x+width+length)-x0)
	if err != nil {
		return Symbol{}, err
	}
	on, unknown := planes(around, 2)
	takeLines(on, unknown, length, 2)
	for r := range height {
		for c := range width {
			if unknown.at(y-y0+r, x-x0+c) {
				m.SetUnknown(r, c)
			}
		}
	}
	return FromImage(name, m), nil
}

// check returns an error that names what is wrong with a symbol.
func (s *Symbol) check(i int) error {
	if s.Height < 1 || s.Width < 1 || len(s.P) != s.Height*s.Width {
		return fmt.Errorf("sheets: symbol %d %q has %d values for a frame of %d x %d", i+1, s.Name, len(s.P), s.Height,
			s.Width)
	}
	for j, p := range s.P {
		if p < 0 || p > 1 {
			return fmt.Errorf("sheets: symbol %d %q, row %d, column %d is %v, not a probability", i+1, s.Name, j/s.Width+1,
				j%s.Width+1, p)
		}
	}
	return nil
}

// Turn is how a symbol is laid: mirrored left to right first, then turned clockwise
// by Angle degrees about the centre of its frame, then scaled.
type Turn struct {
	Angle    float64
	Mirrored bool
	Scale    float64
}

// turned returns a symbol laid in another way, with the offset of its frame: row 0 of
// the result lies dy rows below row 0 of the symbol's own frame, which has the same
// centre (half a row where one side is odd and the other even).
func (s *Symbol) turned(t Turn) (out Symbol, dy, dx float64) {
	h, w := s.Height, s.Width
	sin, cos := sincos(t.Angle)
	oh, ow := h, w
	switch {
	case cos == 0 && t.Scale == 1:
		oh, ow = w, h
	case sin != 0 || t.Scale != 1:
		oh = evened(float64(math.Abs(cos)*float64(h))+float64(math.Abs(sin)*float64(w)), t.Scale, h)
		ow = evened(float64(math.Abs(sin)*float64(h))+float64(math.Abs(cos)*float64(w)), t.Scale, w)
	}
	out = Symbol{Name: s.Name, Rival: s.Rival, Height: oh, Width: ow, P: make([]float64, oh*ow)}
	samples := []float64{0}
	if t.Scale != 1 {
		samples = []float64{-1.0 / 3, 0, 1.0 / 3}
	}
	for y := range oh {
		for x := range ow {
			sum, n := 0.0, 0
			for _, sy := range samples {
				for _, sx := range samples {
					// The inverse: scale back, turn back, mirror back.
					fy, fx := (float64(y)+sy-float64(float64(oh-1)/2))/t.Scale, (float64(x)+sx-float64(float64(ow-1)/2))/t.Scale
					v, u := float64(fy*cos)-float64(fx*sin), float64(fy*sin)+float64(fx*cos)
					if t.Mirrored {
						u = -u
					}
					r, c := int(math.Floor(v+float64(float64(h-1)/2)+0.5)), int(math.Floor(u+float64(float64(w-1)/2)+0.5))
					if r < 0 || c < 0 || r >= h || c >= w || math.IsNaN(s.P[r*w+c]) {
						continue
					}
					sum += s.P[r*w+c]
					n++
				}
			}
			out.P[y*ow+x] = math.NaN()
			if 2*n > len(samples)*len(samples) {
				out.P[y*ow+x] = sum / float64(n)
			}
		}
	}
	return out, float64(h-oh) / 2, float64(w-ow) / 2
}

// sincos returns sine and cosine of an angle in degrees, exact at quarter turns.
func sincos(angle float64) (sin, cos float64) {
	switch a := math.Mod(math.Mod(angle, 360)+360, 360); a {
	case 0:
		return 0, 1
	case 90:
		return 1, 0
	case 180:
		return 0, -1
	case 270:
		return -1, 0
	default:
		return elem.Sincos(a * math.Pi / 180)
	}
}

// evened returns a scaled length rounded up to an integer of the parity of n.
func evened(length, scale float64, n int) int {
	l := max(1, int(math.Ceil(float64(length*scale)-1e-9)))
	if (l-n)%2 != 0 {
		l++
	}
	return l
}
