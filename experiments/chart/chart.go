// Package chart draws line plots by gonum/plot, as pictures of package render.
package chart

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Drawing is a picture that draws itself on a canvas of its size, of which a point is a pixel.
type Drawing interface {
	Size() (width, height int)
	Draw(canvas vgdraw.Canvas)
}

// Raster draws a drawing as pixels.
func Raster(d Drawing) *image.RGBA {
	w, h := d.Size()
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(w), vg.Length(h)), vgimg.UseDPI(72))
	d.Draw(vgdraw.New(canvas))
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(dst, dst.Bounds(), canvas.Image(), canvas.Image().Bounds().Min, draw.Src)
	return dst
}

// SVG writes a drawing as vectors.
func SVG(to io.Writer, d Drawing) error {
	w, h := d.Size()
	canvas := vgsvg.New(vg.Length(w), vg.Length(h))
	d.Draw(vgdraw.New(canvas))
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return err
	}
	_, err := strings.NewReplacer("<image ", `<image preserveAspectRatio="none" `,
		fmt.Sprintf(`width="%dpt" height="%dpt"`, w, h), fmt.Sprintf(`width="%d" height="%d"`, w, h)).WriteString(to,
		buf.String())
	return err
}

// Series is one curve of a Chart.
type Series struct {
	Name   string    // in the legend; empty: no entry
	X, Y   []float64 // joined in this order; a point that is not finite breaks the curve
	Dashed bool      // for references and bounds
	Points bool      // dots, not joined

	// Low and High, if not nil, are the ends of a vertical bar through each point, such as quantiles.
	Low, High []float64
}

// Chart is a line plot.
type Chart struct {
	Title, XLabel, YLabel string
	Series                []Series
	Width, Height         int       // pixels
	XTicks                []float64 // if not nil, the only values marked on the x axis
	XNames                []string  // their labels; nil: the numbers
	LogX                  bool
}

// Curves returns a Chart of the usual size.
func Curves(title, x, y string, series []Series) Chart {
	return Chart{Title: title, XLabel: x, YLabel: y, Series: series}
}

// Size returns the width and height in pixels: 640 x 400 unless the chart says otherwise.
func (c Chart) Size() (width, height int) { return cmp.Or(c.Width, 640), cmp.Or(c.Height, 400) }

// Raster draws the chart.
func (c Chart) Raster() *image.RGBA { return Raster(c) }

// SVG writes the chart as vectors.
func (c Chart) SVG(w io.Writer) error { return SVG(w, c) }

// Draw draws the chart, the legend beside the plot, so that no curve is hidden.
func (c Chart) Draw(canvas vgdraw.Canvas) {
	p := New(c.Title, c.XLabel, c.YLabel)
	p.Add(plotter.NewGrid())
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.TextStyle.Font.Variant = true, true, "Sans"
	for i, s := range c.Series {
		if key := s.add(p, i); s.Name != "" && key != nil {
			legend.Add(s.Name, key)
		}
	}
	if c.LogX && p.X.Min > 0 && p.X.Min < p.X.Max {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{}
	}
	if c.XTicks != nil {
		var marks plot.ConstantTicks
		for i, v := range c.XTicks {
			mark := plot.Tick{Value: v, Label: fmt.Sprint(v)}
			if i < len(c.XNames) {
				mark.Label = c.XNames[i]
			}
			marks = append(marks, mark)
		}
		p.X.Tick.Marker = marks
	}
	area := vgdraw.Crop(canvas, 10, -14, 10, -12)
	room := legend.Rectangle(area).Size().X + 10
	p.Draw(vgdraw.Crop(area, 0, -room, 0, 0))
	legend.Draw(vgdraw.Crop(area, area.Size().X-room+5, 0, 0, -22))
}

// New returns an empty plot without serifs.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label,
		&p.Y.Tick.Label} {
		style.Font.Variant = "Sans"
	}
	return p
}

// colours are those of M. Okabe and K. Ito, "Color universal design", 2008, without the yellow, which is too pale.
var colours = [...]color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x00, 0x00, 0x00, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
}

// dashes distinguish curves of equal colour.
var dashes = [][]vg.Length{nil, {10, 3, 2, 3}, {2, 3}}

// add adds curve i to a plot, and returns its mark in the legend; nil where it has no point.
func (s Series) add(p *plot.Plot, i int) (key plot.Thumbnailer) {
	style := vgdraw.LineStyle{Color: colours[i%len(colours)], Width: 2, Dashes: dashes[i/len(colours)%len(dashes)]}
	if s.Dashed {
		style.Dashes = []vg.Length{6, 4}
	}
	for j := range min(len(s.X), len(s.Low), len(s.High)) {
		for _, bar := range finite([]float64{s.X[j], s.X[j]}, []float64{s.Low[j], s.High[j]}) {
			p.Add(&plotter.Line{XYs: bar, LineStyle: vgdraw.LineStyle{Color: style.Color, Width: 1.2}})
		}
	}
	for _, part := range finite(s.X, s.Y) {
		dots := &plotter.Scatter{XYs: part, GlyphStyle: vgdraw.GlyphStyle{Color: style.Color, Radius: 3,
			Shape: vgdraw.CircleGlyph{}}}
		line := &plotter.Line{XYs: part, LineStyle: style}
		if key = line; s.Points {
			key = dots
		}
		if s.Points || len(part) == 1 {
			p.Add(dots)
		} else {
			p.Add(line)
		}
	}
	return key
}

// finite splits points where one cannot be drawn.
func finite(x, y []float64) []plotter.XYs {
	var parts []plotter.XYs
	joined := false
	for i := range min(len(x), len(y)) {
		sum := math.Abs(x[i]) + math.Abs(y[i])
		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			joined = false
			continue
		}
		if !joined {
			parts, joined = append(parts, nil), true
		}
		last := &parts[len(parts)-1]
		*last = append(*last, plotter.XY{X: x[i], Y: y[i]})
	}
	return parts
}
