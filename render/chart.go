//go:build !js

package render

import (
	"cmp"
	"fmt"
	"image"
	"io"
	"math"
	"strings"
	"sync"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Series is one curve of a Chart.
type Series struct {
	Name string // in the legend; empty: no entry

	// X and Y are the points, joined in this order; the tail of the longer one
	// is ignored. A point that is not finite, or beyond 1e100, breaks the
	// curve.
	X, Y []float64

	Dashed bool // for references and bounds

	Points bool // dots, not joined

	// Low and High, if not nil, are the ends of a vertical bar through each
	// point, such as quantiles.
	Low, High []float64
}

// Chart is a line plot. It is a [Picture]; it must not be changed while it is
// drawn.
type Chart struct {
	Title, XLabel, YLabel string
	Series                []Series
	Width, Height         int // pixels; 0 means 640 and 400

	// XTicks, if not nil, are the only values marked on the x axis, and XNames
	// their labels (nil: the numbers). LogX makes the x axis logarithmic
	// (points not above 0 break the curve).
	XTicks []float64
	XNames []string
	LogX   bool
}

// Curves returns a Chart of the usual size.
func Curves(title, xlabel, ylabel string, series []Series) Chart {
	return Chart{Title: title, XLabel: xlabel, YLabel: ylabel, Series: series}
}

// Size returns the chart's width and height in pixels.
func (c Chart) Size() (width, height int) {
	width, height = c.Width, c.Height
	if width <= 0 {
		width = 640
	}
	if height <= 0 {
		height = 400
	}
	return width, height
}

// Raster draws the chart.
func (c Chart) Raster() *image.RGBA {
	return rasterPlot(c)
}

// SVG writes the chart as vectors with real text.
func (c Chart) SVG(w io.Writer) error {
	return writeVectors(w, c)
}

// draw places the plot beside its legend, so that no curve is hidden.
func (c Chart) draw(canvas vgdraw.Canvas) {
	p := c.plot()
	legend := plot.NewLegend()
	legend.TextStyle = write(captionStyle)
	legend.Top, legend.Left, legend.Padding = true, true, 3
	named := false
	for i, s := range c.Series {
		var line *plotter.Line
		s.bars(p, i, c.LogX)
		for _, part := range s.finite(c.LogX) {
			line = s.line(part, i)
			if s.Points || len(part) == 1 {
				p.Add(dot(part, i))
			}
			if !s.Points {
				p.Add(line)
			}
		}
		if s.Name != "" {
			if line == nil { // a series without points still has a legend entry
				line = s.line(plotter.XYs{{}}, i)
			}
			legend.Add(clean(s.Name), s.key(line, i))
			named = true
		}
	}
	widen(&p.X)
	widen(&p.Y)
	c.scaleX(p)
	canvas.Push()
	canvas.SetColor(white)
	canvas.Fill(canvas.Rectangle.Path())
	canvas.Pop()
	area := vgdraw.Crop(canvas, 10, -14, 10, -12)
	if !named {
		p.Draw(area)
		return
	}
	room := min(legend.Rectangle(area).Size().X+8, area.Size().X/2)
	p.Draw(vgdraw.Crop(area, 0, -room-10, 0, 0))
	legend.Draw(vgdraw.Crop(area, area.Size().X-room, 0, 0, -22))
}

// plot returns the plot with axes, grid and text but no curves.
func (c Chart) plot() *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = clean(c.Title), clean(c.XLabel), clean(c.YLabel)
	p.Title.TextStyle, p.Title.Padding = write(titleStyle), 10
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = vgdraw.XCenter, vgdraw.YTop
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle = restyle(axis.Label.TextStyle, labelStyle)
		axis.Tick.Label = restyle(axis.Tick.Label, captionStyle)
		axis.Label.Padding, axis.Padding = 6, 0
		axis.Color, axis.Tick.Color = labelStyle.colour, borderColour
		axis.Tick.Marker = plot.TickerFunc(ticks)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridColour, gridColour
	grid.Horizontal.Width, grid.Vertical.Width = 1, 1
	p.Add(grid)
	return p
}

// widen extends an axis whose points nearly coincide, which would have no
// ticks.
func widen(a *plot.Axis) {
	size := max(math.Abs(a.Min), math.Abs(a.Max))
	if a.Min > a.Max || a.Max-a.Min > 1e-9*size {
		return // no points, which the plotter handles, or a wide enough axis
	}
	room := cmp.Or(1e-6*size, 1)
	if size < 1e6 {
		room = max(room, 0.5)
	}
	a.Min, a.Max = a.Min-room, a.Max+room
}

// ticks returns the plotter's ticks with readable labels: as many decimals as
// distinguish neighbours, grouped thousands, a real minus sign.
func ticks(low, high float64) []plot.Tick {
	all := plot.DefaultTicks{}.Ticks(low, high)
	last, step := math.NaN(), math.Inf(1)
	for _, t := range all {
		if !t.IsMinor() {
			if d := t.Value - last; d > 0 {
				step = min(step, d)
			}
			last = t.Value
		}
	}
	for i, t := range all {
		if !t.IsMinor() {
			all[i].Label = number(t.Value, step)
		}
	}
	return all
}

// number formats a multiple of step.
func number(v, step float64) string {
	decimals := 0
	for s := step; decimals < 6 && math.Abs(s-math.Round(s)) > 1e-6*s; s *= 10 {
		decimals++
	}
	size := math.Abs(v)
	if size >= 1e9 || size > 0 && size < 1e-5 {
		return signed(v, "%.4g")
	}
	text := signed(v, fmt.Sprintf("%%.%df", decimals))
	if size < 1e4 {
		return text
	}
	whole, fraction, dotted := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] >= '0' && whole[i-1] <= '9'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dotted {
		whole += "." + fraction
	}
	return whole
}

// maxCoordinate keeps the plotter's arithmetic from overflowing.
const maxCoordinate = 1e100

// finite splits a series where a point cannot be drawn; positive means a
// logarithmic axis.
func (s Series) finite(positive bool) []plotter.XYs {
	var parts []plotter.XYs
	joined := false
	for i := range min(len(s.X), len(s.Y)) {
		x, y := s.X[i], s.Y[i]
		if !(math.Abs(x) <= maxCoordinate && math.Abs(y) <= maxCoordinate) || positive && x <= 0 {
			joined = false
			continue
		}
		if !joined {
			parts, joined = append(parts, nil), true
		}
		last := &parts[len(parts)-1]
		*last = append(*last, plotter.XY{X: x, Y: y})
	}
	return parts
}

// lineDashes distinguish curves of equal colour.
var lineDashes = [][]vg.Length{nil, {10, 3, 2, 3}, {2, 3}}

// line returns finite points in the style of curve i.
func (s Series) line(points plotter.XYs, i int) *plotter.Line {
	l, err := plotter.NewLine(points)
	if err != nil {
		panic("render: " + err.Error()) // cannot happen: points are finite, and there are some
	}
	n := len(lineColours)
	l.Color, l.Width, l.Dashes = lineColours[i%n], 2, lineDashes[i/n%len(lineDashes)]
	if s.Dashed {
		l.Dashes = []vg.Length{6, 4}
	}
	return l
}

// bars adds the vertical bars of curve i; positive leaves out those that a
// logarithmic axis cannot show.
func (s Series) bars(p *plot.Plot, i int, positive bool) {
	for j := range min(len(s.X), len(s.Low), len(s.High)) {
		x, low, high := s.X[j], s.Low[j], s.High[j]
		if !(math.Abs(x) <= maxCoordinate && math.Abs(low) <= maxCoordinate && math.Abs(high) <= maxCoordinate) || positive && x <= 0 {
			continue
		}
		l := s.line(plotter.XYs{{X: x, Y: low}, {X: x, Y: high}}, i)
		l.Width, l.Dashes = 1.2, nil
		p.Add(l)
	}
}

// scaleX sets the ticks and the scale of the x axis.
func (c Chart) scaleX(p *plot.Plot) {
	if c.LogX && p.X.Min > 0 {
		p.X.Scale = plot.LogScale{}
	}
	if c.XTicks == nil {
		return
	}
	p.X.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		var out []plot.Tick
		for i, v := range c.XTicks {
			label := number(v, v)
			if i < len(c.XNames) {
				label = clean(c.XNames[i])
			}
			if v >= low && v <= high {
				out = append(out, plot.Tick{Value: v, Label: label})
			}
		}
		return out
	})
}

// key returns the symbol of the series in the legend.
func (s Series) key(line *plotter.Line, i int) plot.Thumbnailer {
	if s.Points {
		return dot(plotter.XYs{{}}, i)
	}
	return line
}

// dot marks a point without neighbours to join.
func dot(points plotter.XYs, i int) *plotter.Scatter {
	d, err := plotter.NewScatter(points)
	if err != nil {
		panic("render: " + err.Error()) // as for line
	}
	shapes := []vgdraw.GlyphDrawer{vgdraw.CircleGlyph{}, vgdraw.BoxGlyph{}, vgdraw.PyramidGlyph{}}
	n := len(lineColours)
	d.GlyphStyle = vgdraw.GlyphStyle{Color: lineColours[i%n], Radius: 3, Shape: shapes[i/n%len(shapes)]}
	return d
}

// fonts gives the plotter the fonts of the sheets.
var fonts = sync.OnceValue(func() *font.Cache {
	return font.NewCache(font.Collection{
		{Font: font.Font{Typeface: "Go"}, Face: regular()},
		{Font: font.Font{Typeface: "Go", Weight: xfont.WeightBold}, Face: bold()},
	})
})

// write converts a style of the sheets to the plotter's.
func write(s style) text.Style { return restyle(text.Style{}, s) }

// restyle changes font and colour but not the alignment.
func restyle(t text.Style, s style) text.Style {
	t.Font = font.Font{Typeface: "Go", Size: vg.Length(s.size)}
	if s.bold {
		t.Font.Weight = xfont.WeightBold
	}
	t.Color, t.Handler = s.colour, text.Plain{Fonts: fonts()}
	return t
}
