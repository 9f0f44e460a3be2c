package figures

import (
	"image"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/rule"
)

// likelihoodMap is a picture of Figure 2: the likelihood of two experts under a rule,
// in shades whose edges are lines of equal likelihood, with the direction of its
// gradient and its two maxima.
type likelihoodMap struct {
	title string
	rule  rule.Rule
}

const (
	mapSide  = 460 // pixels
	mapCells = 120 // along a side
	arrows   = 15  // along a side
)

// Size returns the width and height in pixels.
func (likelihoodMap) Size() (width, height int) { return mapSide, mapSide }

// Raster draws the map.
func (m likelihoodMap) Raster() *image.RGBA { return chart.Raster(m) }

// SVG writes the map as vectors, but for its shades.
func (m likelihoodMap) SVG(w io.Writer) error { return chart.SVG(w, m) }

// Draw draws the map on a canvas.
func (m likelihoodMap) Draw(canvas vgdraw.Canvas) {
	p := chart.New(m.title, "p1", "p2")
	shades := plotter.NewHeatMap(likelihoods{m.rule, mapCells}, bands{})
	shades.Min, shades.Max, shades.Rasterized = math.Log(.5), globalMaximum, true
	shades.Underflow, shades.Overflow = bands{}.Colors()[0], bands{}.Colors()[bandCount-1]
	maxima, err := plotter.NewScatter(plotter.XYs{{X: 1, Y: 0}, {X: 0, Y: 1}})
	if err != nil {
		panic("figures: " + err.Error()) // cannot happen: the points are finite
	}
	maxima.GlyphStyle = vgdraw.GlyphStyle{Color: color.RGBA{0xd5, 0x5e, 0, 0xff}, Radius: 6, Shape: vgdraw.CircleGlyph{}}
	gradient := plotter.NewField(likelihoods{m.rule, arrows})
	gradient.DrawGlyph = arrow
	p.Add(shades, gradient, maxima)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Draw(vgdraw.Crop(canvas, vg.Length(10), -18, 10, -12))
}

// arrow draws an arrow from (0, 0) to (1, 0), which the field turns and scales.
func arrow(c vg.Canvas, style vgdraw.LineStyle, v plotter.XY) {
	if v == (plotter.XY{}) {
		return
	}
	var path vg.Path
	path.Move(vg.Point{})
	path.Line(vg.Point{X: 1})
	path.Move(vg.Point{X: .65, Y: .25})
	path.Line(vg.Point{X: 1})
	path.Line(vg.Point{X: .65, Y: -.25})
	c.Stroke(path)
}

// likelihoods are the likelihood of two experts and its gradient, on a grid.
type likelihoods struct {
	rule rule.Rule
	n    int // cells along a side
}

// Dims returns the numbers of columns and rows.
func (l likelihoods) Dims() (columns, rows int) { return l.n, l.n }

// X returns the middle of a column.
func (l likelihoods) X(column int) float64 { return (float64(column) + .5) / float64(l.n) }

// Y returns the middle of a row.
func (l likelihoods) Y(row int) float64 { return l.X(row) }

// Z returns the likelihood in a cell.
func (l likelihoods) Z(column, row int) float64 {
	return rule.TwoExperts(l.rule, l.X(column), l.Y(row))
}

// Vector returns the direction of the gradient, of length 1, or 0 where there is none.
func (l likelihoods) Vector(column, row int) plotter.XY {
	dx, dy := rule.TwoExpertsGradient(l.rule, l.X(column), l.Y(row))
	size := math.Hypot(dx, dy)
	if !(size > 1e-9) {
		return plotter.XY{}
	}
	return plotter.XY{X: dx / size, Y: dy / size}
}

// bands are shades from dark blue to pale yellow with rising lightness.
type bands struct{}

const bandCount = 8

// Colors returns the shades.
func (bands) Colors() []color.Color {
	ends := [3][3]float64{{0x10, 0x1a, 0x50}, {0x3d, 0x8f, 0x8f}, {0xf6, 0xec, 0x9c}}
	out := make([]color.Color, bandCount)
	for i := range out {
		t := 2 * float64(i) / (bandCount - 1)
		from := min(int(t), 1)
		var c [3]uint8
		for j := range c {
			c[j] = uint8(ends[from][j] + (t-float64(from))*(ends[from+1][j]-ends[from][j]))
		}
		out[i] = color.RGBA{c[0], c[1], c[2], 0xff}
	}
	return out
}
