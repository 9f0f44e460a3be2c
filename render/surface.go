//go:build !js

package render

import (
	"image"
	"image/color"
	"io"
	"math"

	"example.com/patchwork/internal/elem"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Surface is a map of a function of two variables on the unit square: dark is
// low, light is high, with contour lines, arrows and marked points. It is a
// [Picture].
type Surface struct {
	Title, XLabel, YLabel string

	// F is the height at (x, y), both in [0, 1].
	F func(x, y float64) float64

	// Low and High are the heights of the darkest and the lightest colour;
	// heights beyond are clamped. Levels are the heights of the contour lines.
	Low, High float64
	Levels    []float64

	// Field, if not nil, is the direction of an arrow at (x, y). All arrows
	// have the same length, except that directions shorter than 1e-9 have no
	// arrow.
	Field func(x, y float64) (dx, dy float64)

	Marks []Mark
	Side  int // pixels; 0 means 460
}

// Mark is a ring at a point of a Surface.
type Mark struct {
	X, Y float64
	Name string // beside it
}

const (
	surfaceCells = 120 // along a side
	arrows       = 15  // along a side
)

// Size returns the picture's width and height in pixels.
func (s Surface) Size() (width, height int) {
	if s.Side > 0 {
		return s.Side, s.Side
	}
	return 460, 460
}

// Raster draws the surface.
func (s Surface) Raster() *image.RGBA {
	return rasterPlot(s)
}

// SVG writes the surface as vectors, except for the colours, which are an
// embedded bitmap.
func (s Surface) SVG(w io.Writer) error {
	return writeVectors(w, s)
}

func (s Surface) draw(canvas vgdraw.Canvas) {
	p := Chart{Title: s.Title, XLabel: s.XLabel, YLabel: s.YLabel}.plot()
	p.Add(heat{s})
	var heights []float64
	if len(s.Levels) > 0 {
		heights = s.heights()
	}
	for _, level := range s.Levels {
		for _, part := range contour(heights, level) {
			line, err := plotter.NewLine(part)
			if err != nil {
				continue // a line of length 0
			}
			line.Color, line.Width = color.RGBA{0xff, 0xff, 0xff, 0xff}, 0.8
			p.Add(line)
		}
	}
	if s.Field != nil {
		p.Add(arrowField{s})
	}
	p.Add(rings{s})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	canvas.Push()
	canvas.SetColor(white)
	canvas.Fill(canvas.Rectangle.Path())
	canvas.Pop()
	p.Draw(vgdraw.Crop(canvas, 10, -18, 10, -12))
}

// surfacePalette goes from dark blue to pale yellow with rising lightness.
func surfacePalette(t float64) color.RGBA {
	dark, middle, light := color.RGBA{0x10, 0x1a, 0x50, 0xff}, color.RGBA{0x3d, 0x8f, 0x8f, 0xff}, color.RGBA{0xf6, 0xec, 0x9c, 0xff}
	if t = clamp(t); t < 0.5 {
		return mix(dark, middle, 2*t)
	}
	return mix(middle, light, float64(2*t)-1)
}

// heat draws the colours of a surface.
type heat struct{ s Surface }

// Plot draws one bitmap over the unit square.
func (h heat) Plot(c vgdraw.Canvas, p *plot.Plot) {
	img := image.NewRGBA(image.Rect(0, 0, surfaceCells, surfaceCells))
	var colours [64]color.RGBA
	for i := range colours {
		colours[i] = surfacePalette(float64(i) / float64(len(colours)-1))
	}
	for i := range surfaceCells {
		for j := range surfaceCells {
			v := h.s.F((float64(i)+.5)/surfaceCells, (float64(j)+.5)/surfaceCells)
			img.SetRGBA(i, surfaceCells-1-j, colours[int(float64(len(colours)-1)*clamp((v-h.s.Low)/(h.s.High-h.s.Low)))])
		}
	}
	x, y := p.Transforms(&c)
	c.DrawImage(vg.Rectangle{Min: vg.Point{X: x(0), Y: y(0)}, Max: vg.Point{X: x(1), Y: y(1)}}, img)
}

// arrowField draws the arrows of a surface.
type arrowField struct{ s Surface }

// Plot draws a grid of arrows of equal length.
func (a arrowField) Plot(c vgdraw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	length := float64(x(1)-x(0)) / arrows * 0.62
	c.SetLineStyle(vgdraw.LineStyle{Color: black, Width: 1.1})
	for i := range arrows {
		for j := range arrows {
			at := [2]float64{(float64(i) + .5) / arrows, (float64(j) + .5) / arrows}
			dx, dy := a.s.Field(at[0], at[1])
			size := elem.Hypot(dx, dy)
			if !(size > 1e-9) {
				continue
			}
			arrow(c, vg.Point{X: x(at[0]), Y: y(at[1])}, dx/size*length, dy/size*length)
		}
	}
}

// arrow draws an arrow in direction (dx, dy), centred at a point.
func arrow(c vgdraw.Canvas, at vg.Point, dx, dy float64) {
	tip := vg.Point{X: at.X + vg.Length(dx/2), Y: at.Y + vg.Length(dy/2)}
	var path vg.Path
	path.Move(vg.Point{X: at.X - vg.Length(dx/2), Y: at.Y - vg.Length(dy/2)})
	path.Line(tip)
	for _, side := range []float64{-1, 1} {
		path.Move(tip)
		path.Line(vg.Point{X: tip.X - vg.Length(float64(.28*dx)+float64(side*.2*dy)), Y: tip.Y - vg.Length(float64(.28*dy)-float64(side*.2*dx))})
	}
	c.Stroke(path)
}

// rings draws the marks of a surface.
type rings struct{ s Surface }

// Plot draws a ring and a name for each mark.
func (r rings) Plot(c vgdraw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, m := range r.s.Marks {
		at := vg.Point{X: x(m.X), Y: y(m.Y)}
		c.DrawGlyph(vgdraw.GlyphStyle{Color: white, Radius: 7, Shape: vgdraw.CircleGlyph{}}, at)
		c.DrawGlyph(vgdraw.GlyphStyle{Color: lineColours[1], Radius: 5, Shape: vgdraw.CircleGlyph{}}, at)
		if m.Name == "" {
			continue
		}
		text := write(style{labelStyle.size, true, black})
		text.YAlign = vgdraw.YCenter
		from := vg.Point{X: at.X + 10, Y: at.Y + 12} // inwards from an edge
		if m.X > .5 {
			text.XAlign, from.X = vgdraw.XRight, at.X-10
		}
		if m.Y > .5 {
			from.Y = at.Y - 12
		}
		c.FillText(text, from, clean(m.Name))
	}
}

// heights returns the heights at the corners of the cells, row by row.
func (s Surface) heights() []float64 {
	const n = surfaceCells
	v := make([]float64, (n+1)*(n+1))
	for j := range n + 1 {
		for i := range n + 1 {
			v[j*(n+1)+i] = s.F(float64(i)/n, float64(j)/n)
		}
	}
	return v
}

// contour returns the contour lines at a level, by marching squares over the
// cells.
func contour(heights []float64, level float64) []plotter.XYs {
	const n = surfaceCells
	v := make([]float64, len(heights))
	for i, h := range heights {
		v[i] = h - level
	}
	var out []plotter.XYs
	for j := range n {
		for i := range n {
			out = append(out, cellLines(i, j, v)...)
		}
	}
	return join(out)
}

// cellLines returns the segments of the zero contour in one cell.
func cellLines(i, j int, v []float64) []plotter.XYs {
	const n = surfaceCells
	corner := [4][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}
	var cut plotter.XYs
	for e := range 4 {
		a, b := corner[e], corner[(e+1)%4]
		va, vb := v[a[1]*(n+1)+a[0]], v[b[1]*(n+1)+b[0]]
		if va > 0 == (vb > 0) || math.IsInf(va, 0) || math.IsInf(vb, 0) {
			continue
		}
		if a[0] > b[0] || a[1] > b[1] { // the same point from both cells at an edge
			a, b, va, vb = b, a, vb, va
		}
		t := va / (va - vb)
		cut = append(cut, plotter.XY{X: (float64(a[0]) + float64(t*float64(b[0]-a[0]))) / n, Y: (float64(a[1]) + float64(t*float64(b[1]-a[1]))) / n})
	}
	switch len(cut) {
	case 2:
		return []plotter.XYs{cut}
	case 4:
		return []plotter.XYs{cut[:2], cut[2:]}
	}
	return nil
}

// join joins segments that share an end to long lines.
func join(pieces []plotter.XYs) []plotter.XYs {
	ends := map[plotter.XY][]int{}
	for i, p := range pieces {
		for _, e := range p {
			ends[e] = append(ends[e], i)
		}
	}
	used := make([]bool, len(pieces))
	extend := func(line plotter.XYs) plotter.XYs {
		for {
			end, grown := line[len(line)-1], false
			for _, i := range ends[end] {
				if used[i] {
					continue
				}
				used[i], grown = true, true
				next := pieces[i][0]
				if next == end {
					next = pieces[i][1]
				}
				line = append(line, next)
				break
			}
			if !grown {
				return line
			}
		}
	}
	var out []plotter.XYs
	for i, p := range pieces {
		if used[i] {
			continue
		}
		used[i] = true
		line := extend(append(plotter.XYs(nil), p...))
		for a, b := 0, len(line)-1; a < b; a, b = a+1, b-1 {
			line[a], line[b] = line[b], line[a]
		}
		out = append(out, extend(line))
	}
	return out
}
