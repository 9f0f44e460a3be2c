package synth

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
)

// SheetsOptions holds the options for a set of [Sheets].
type SheetsOptions struct {
	N             int // sheets, 1 or more
	Height, Width int // pixels, up to 32768; 0 means 900 x 1200
	// drawings, 1 to 1000; 0 means 34. The first four are a triangle, one in a square, a grille and a register
	Symbols    int
	Frame      int // side of a symbol's frame, 16 to 256 pixels; 0 means 50
	Placements int // on a sheet; 0 means one for each 60,000 pixels, and negative means none
	// long straight lines under the symbols; 0 means one for each 120 pixels of height and width, negative means none
	Lines     int
	Strangers int      // drawings that are a symbol with a stroke more or a third of its strokes less
	Flip      *float64 // probability that a pixel is flipped; nil means 0.01
	Upright   bool     // no quarter turns and mirror images
	Seed      uint64
}

// SheetTruth is the truth of a set of sheets with P placements each, of K symbols.
// As arrays:
//
//	symbol     (N,P)       int32    which symbol
//	at_y, at_x (N,P)       int32    top left corner of its frame
//	turn       (N,P)       int32    degrees clockwise: 0, 90, 180 or 270
//	mirror     (N,P)       int32    1 where it was mirrored left to right before turning
//	stranger   (N,S,2)     int32    y and x of the frames of strangers
//	templates  (K,f,f)     float64  the symbols, 0 and 1
type SheetTruth struct {
	Symbols []*bitmap.Image // K
	Items   []Sheet         // N
}

// Sheet is the truth of one sheet.
type Sheet struct {
	Placements []Placement
	Strangers  []Placement // of the symbols that they are like
}

// Placement is a symbol on a sheet.
type Placement struct {
	Symbol, Y, X int
	Turn         int // degrees clockwise
	Mirror       bool
}

// Arrays lists the arrays named in the documentation of the type.
func (t *SheetTruth) Arrays() []Array {
	var of [5][]int32
	var strangers []int32
	for _, s := range t.Items {
		for _, p := range s.Placements {
			mirror := 0
			if p.Mirror {
				mirror = 1
			}
			for i, v := range []int{p.Symbol, p.Y, p.X, p.Turn, mirror} {
				of[i] = append(of[i], int32(v))
			}
		}
		for _, p := range s.Strangers {
			strangers = append(strangers, int32(p.Y), int32(p.X))
		}
	}
	n, f := len(t.Items), t.Symbols[0].Height()
	var out []Array
	for i, name := range []string{"symbol", "at_y", "at_x", "turn", "mirror"} {
		out = append(out, Array{name, []int{n, len(of[0]) / n}, append([]int32{}, of[i]...)})
	}
	out = append(out, Array{"stranger", []int{n, len(strangers) / 2 / n, 2}, append([]int32{}, strangers...)})
	return append(out, floats("templates", templates(t.Symbols, 1, 0), f, f))
}

// Sheets generates drawings with symbols: each stands at a random place, turned by
// quarters and mirrored, no two frames overlap; long lines, most of them level or
// plumb, pass under them; then pixels are flipped. The symbols depend on the seed, their
// number and frame only. The error is an [*OptionError].
func Sheets(o SheetsOptions) (*Set[*SheetTruth], error) {
	o.Height, o.Width = cmp.Or(o.Height, 900), cmp.Or(o.Width, 1200)
	o.Symbols, o.Frame = cmp.Or(o.Symbols, 34), cmp.Or(o.Frame, 50)
	o.Placements = max(0, cmp.Or(o.Placements, o.Height*o.Width/60000))
	o.Lines = max(0, cmp.Or(o.Lines, (o.Height+o.Width)/120))
	noise := Noise{Flip: or(o.Flip, 0.01)}
	if err := o.check(noise); err != nil {
		return nil, err
	}
	truth := &SheetTruth{Items: make([]Sheet, o.N)}
	for k := range o.Symbols {
		truth.Symbols = append(truth.Symbols, drawSymbol(stream(o.Seed, forSymbol, k), k, o.Frame))
	}
	set := &Set[*SheetTruth]{Kind: KindSheet, Images: make([]*bitmap.Image, o.N), Truth: truth}
	for i := range o.N {
		r := stream(o.Seed, forSheet, i)
		m := bitmap.New(o.Height, o.Width)
		for range o.Lines {
			drawLine(r, m)
		}
		item, err := o.place(r, m, truth.Symbols)
		if err != nil {
			return nil, err
		}
		truth.Items[i] = item
		set.Images[i] = noise.Apply(r, m)
	}
	return set, nil
}

func (o *SheetsOptions) check(noise Noise) error {
	bad := func(option string, value any, want string) error {
		return &OptionError{KindSheet, option, value, want}
	}
	switch {
	case o.Frame < 16 || o.Frame > 256:
		return bad("Frame", o.Frame, "give 16 to 256 pixels")
	case o.Height < o.Frame || o.Height > 1<<15:
		return bad("Height", o.Height, fmt.Sprintf("give %d to %d pixels", o.Frame, 1<<15))
	case o.Width < o.Frame || o.Width > 1<<15:
		return bad("Width", o.Width, fmt.Sprintf("give %d to %d pixels", o.Frame, 1<<15))
	case o.Symbols < 1 || o.Symbols > 1000:
		return bad("Symbols", o.Symbols, "give 1 to 1000")
	case o.Strangers < 0:
		return bad("Strangers", o.Strangers, "give 0 or more")
	case o.N < 1 || o.N > MaxTotalPixels/(o.Height*o.Width):
		return bad("N", o.N, fmt.Sprintf("give 1 to %d sheets of %d x %d pixels", MaxTotalPixels/(o.Height*o.Width), o.Height,
			o.Width))
	}
	return checkProb(KindSheet, "Flip", noise.Flip)
}

// place puts symbols and strangers on a sheet; their frames do not overlap.
func (o *SheetsOptions) place(r *rand.Rand, m *bitmap.Image, symbols []*bitmap.Image) (s Sheet, err error) {
	taken := map[[2]int][]Placement{} // by cells of the frame's size
	free := func(p Placement) bool {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				for _, q := range taken[[2]int{p.Y/o.Frame + dy, p.X/o.Frame + dx}] {
					if max(p.Y-q.Y, q.Y-p.Y) < o.Frame && max(p.X-q.X, q.X-p.X) < o.Frame {
						return false
					}
				}
			}
		}
		return true
	}
	for i := range o.Placements + o.Strangers {
		var p Placement
		for tries := 0; ; tries++ {
			if tries == 10000 {
				return s, &OptionError{KindSheet, "Placements", o.Placements + o.Strangers,
					"give fewer: no room was found for so many"}
			}
			p = Placement{Symbol: r.IntN(len(symbols)), Y: r.IntN(o.Height - o.Frame + 1), X: r.IntN(o.Width - o.Frame + 1),
				Turn: 90 * r.IntN(4), Mirror: r.IntN(2) == 1}
			if o.Upright {
				p.Turn, p.Mirror = 0, false
			}
			if free(p) {
				break
			}
		}
		at := [2]int{p.Y / o.Frame, p.X / o.Frame}
		taken[at] = append(taken[at], p)
		glyph := symbols[p.Symbol]
		if i >= o.Placements {
			s.Strangers = append(s.Strangers, p)
			glyph = strange(r, glyph)
		} else {
			s.Placements = append(s.Placements, p)
		}
		paste(m, Quarter(glyph, p.Turn, p.Mirror), p.Y, p.X)
	}
	return s, nil
}

// Quarter returns an image mirrored left to right, if asked for, and then turned
// clockwise by a multiple of 90 degrees.
func Quarter(m *bitmap.Image, degrees int, mirror bool) *bitmap.Image {
	h, w := m.Height(), m.Width()
	quarters := (degrees/90%4 + 4) % 4
	out := bitmap.New(h, w)
	if quarters%2 == 1 {
		out = bitmap.New(w, h)
	}
	for y := range h {
		for x := range w {
			u, v := y, x
			if mirror {
				v = w - 1 - x
			}
			switch quarters {
			case 1:
				u, v = v, h-1-u
			case 2:
				u, v = h-1-u, w-1-v
			case 3:
				u, v = w-1-v, u
			}
			if m.At(y, x) {
				out.Set(u, v, true)
			} else if !m.Known(y, x) {
				out.SetUnknown(u, v)
			}
		}
	}
	return out
}

// drawLine draws a long line of one to three pixels: level or plumb, or, one in ten, oblique.
func drawLine(r *rand.Rand, m *bitmap.Image) {
	h, w := float64(m.Height()), float64(m.Width())
	length := (0.1 + float64(0.9*r.Float64()*r.Float64())) * max(h, w)
	y, x, pen := math.Floor(r.Float64()*h), math.Floor(r.Float64()*w), 1+r.IntN(3)
	dy, dx := 0.0, 1.0
	switch kind := r.IntN(10); {
	case kind == 0:
		dy, dx = elem.Sincos(2 * math.Pi * r.Float64())
	case kind%2 == 0:
		dy, dx = 1, 0
	}
	for k := -length / 2; k <= length/2; k += 0.5 {
		py, px := int(math.Floor(y+float64(k*dy))), int(math.Floor(x+float64(k*dx)))
		for a := range pen {
			for b := range pen {
				if qy, qx := py+a, px+b; qy >= 0 && qx >= 0 && qy < m.Height() && qx < m.Width() {
					m.Set(qy, qx, true)
				}
			}
		}
	}
}

// strange returns a drawing with a stroke more, or without a third of it: one that
// differs from it by a tenth of its ink at least, if there is one.
func strange(r *rand.Rand, m *bitmap.Image) *bitmap.Image {
	first, least := r.IntN(8), max(20, m.CountOn()/10)
	for k := range 8 {
		if out := variant(m, (first+k)%8); differing(out, m) >= least {
			return out
		}
	}
	return variant(m, first)
}

// variant returns variant k of a drawing: four have a stroke more, four lack a third.
func variant(m *bitmap.Image, k int) *bitmap.Image {
	out, f := m.Clone(), m.Height()
	if k < 4 {
		lines := [...]path{box(0.06, 0.06, 0.94, 0.94), {{0.1, 0.1}, {0.9, 0.9}}, {{0.5, 0.06}, {0.5, 0.94}},
			arc(0.5, 0.5, 0.45, 0, 360)}
		strokes(out, []path{lines[k]}, 2.4)
		return out
	}
	for y := range f {
		for x := range f {
			along := [...]int{y, f - 1 - y, x, f - 1 - x}[k-4]
			if out.At(y, x) && 3*along < f {
				out.Set(y, x, false)
			}
		}
	}
	return out
}

// differing returns how many pixels of two images differ.
func differing(a, b *bitmap.Image) (n int) {
	for y := range a.Height() {
		for x := range a.Width() {
			if a.At(y, x) != b.At(y, x) {
				n++
			}
		}
	}
	return n
}

// strokes draws paths, in units of the side, with a pen of some pixels.
func strokes(m *bitmap.Image, paths []path, pen float64) {
	side := m.Height()
	var scaled []path
	for _, p := range paths {
		q := make(path, len(p))
		for i := range p {
			q[i] = p[i].times(float64(side))
		}
		scaled = append(scaled, q)
	}
	for d, k := range ink(scaled, side, pen) {
		if k >= 0 {
			m.Set(d/side, d%side, true)
		}
	}
}

func box(x0, y0, x1, y1 float64) path {
	return path{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}}
}

// arc returns a circle's arc, in degrees.
func arc(x, y, radius, from, to float64) path {
	out := path{}
	for k := range 25 {
		sin, cos := elem.Sincos((from + (to-from)*float64(k)/24) * math.Pi / 180)
		out = append(out, point{x + float64(radius*cos), y + float64(radius*sin)})
	}
	return out
}

// drawSymbol draws symbol k.
func drawSymbol(r *rand.Rand, k, frame int) *bitmap.Image {
	m := bitmap.New(frame, frame)
	triangle := path{{0.5, 0.2}, {0.8, 0.74}, {0.2, 0.74}, {0.5, 0.2}}
	grille := func(y float64) []path {
		out := []path{box(0.1, y, 0.9, y+0.4)}
		for i := range 4 {
			x := 0.26 + float64(0.16*float64(i))
			out = append(out, path{{x, y}, {x, y + 0.4}})
		}
		return out
	}
	switch k {
	case 0:
		strokes(m, []path{triangle}, 2.4)
		return m
	case 1:
		strokes(m, []path{triangle, box(0.1, 0.1, 0.9, 0.9)}, 2.4)
		return m
	case 2:
		strokes(m, grille(0.3), 2.4)
		return m
	case 3:
		strokes(m, slices.Concat(grille(0.1), []path{{{0.1, 0.62}, {0.9, 0.62}}, {{0.1, 0.74}, {0.9, 0.74}},
			{{0.1, 0.86}, {0.9, 0.86}}}), 2.4)
		return m
	}
	at := func() float64 { return 0.12 + 0.76*math.Floor(r.Float64()*8)/7 }
	var paths []path
	switch r.IntN(3) {
	case 0:
		paths = append(paths, box(0.1, 0.1, 0.9, 0.9))
	case 1:
		paths = append(paths, arc(0.5, 0.5, 0.4, 0, 360))
	}
	for range 3 + r.IntN(3) {
		switch r.IntN(4) {
		case 0, 1:
			paths = append(paths, path{{at(), at()}, {at(), at()}})
		case 2:
			turn := float64(90 * float64(r.IntN(4)))
			paths = append(paths, arc(0.3+float64(0.4*r.Float64()), 0.3+float64(0.4*r.Float64()), 0.1+float64(0.15*r.Float64()),
				turn, turn+180))
		case 3:
			paths = append(paths, path{{at(), at()}, {at(), at()}, {at(), at()}, {at(), at()}})
		}
	}
	strokes(m, paths, 2.4)
	return m
}
