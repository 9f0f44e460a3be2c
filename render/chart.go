//go:build !js

package render

import (
	"cmp"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"
	"strings"

	"example.com/patchwork/internal/elem"
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
func (c Chart) Raster() *image.RGBA { return c.scene().Raster() }

// SVG writes the chart as vectors with real text.
func (c Chart) SVG(w io.Writer) error { return c.scene().SVG(w) }

// tick is a marked value of an axis.
type tick struct {
	value float64
	label string
}

// axis is one axis of a plot: its ends, and the pixels where they are.
type axis struct {
	low, high float64
	from, to  float64
	log       bool
	parts     bool // there are values that are no whole numbers
	ticks     []tick
}

// at returns the pixel of a value.
func (a *axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		v, low, high = elem.Log(v), elem.Log(low), elem.Log(high)
	}
	return a.from + float64((v-low)/(high-low)*(a.to-a.from))
}

// frame is the area of a plot, with its axes.
type frame struct {
	*scene
	x, y axis
}

func (f *frame) at(x, y float64) point { return point{f.x.at(x), f.y.at(y)} }

// scene places the plot beside its legend, so that no curve is hidden.
func (c Chart) scene() *scene {
	width, height := c.Size()
	f := &frame{scene: &scene{width: width, height: height}}
	room := min(c.legendWidth(), width/2)
	c.scale(f)
	c.axes(f, width-room)
	for i, s := range c.Series {
		s.bars(f, i)
		for _, part := range s.finite(c.LogX) {
			if s.Points || len(part) == 1 {
				for _, p := range part {
					dot(f.scene, i, f.at(p.x, p.y))
				}
			}
			if !s.Points && len(part) > 1 {
				for j := range part {
					part[j] = f.at(part[j].x, part[j].y)
				}
				f.paths = append(f.paths, s.line(part, i))
			}
		}
	}
	c.legend(f, width-room)
	return f.scene
}

// keyLength is the length of a line in the legend.
const keyLength = 24

// legendWidth returns the room for the legend; 0 without names.
func (c Chart) legendWidth() int {
	widest := 0
	for _, s := range c.Series {
		if s.Name != "" {
			widest = max(widest, captionStyle.width([]string{clean(s.Name)}))
		}
	}
	if widest == 0 {
		return 0
	}
	return keyLength + 6 + widest + 14
}

// legend places the names of the series, to the right of the plot.
func (c Chart) legend(f *frame, x int) {
	y := int(f.y.to)
	for i, s := range c.Series {
		if s.Name == "" {
			continue
		}
		middle := float64(y) + 8
		if s.Points {
			dot(f.scene, i, point{float64(x) + keyLength/2, middle})
		} else {
			f.paths = append(f.paths, s.line([]point{{float64(x), middle}, {float64(x + keyLength), middle}}, i))
		}
		f.text(x+keyLength+6, y, captionStyle, start, clean(s.Name))
		y += captionStyle.lineHeight() + 4
	}
}

// scale finds the ends of the axes, and the values to mark.
func (c Chart) scale(f *frame) {
	x, y := &f.x, &f.y
	x.low, x.high, y.low, y.high = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range c.Series {
		for _, part := range s.finite(c.LogX) {
			for _, p := range part {
				x.low, x.high, y.low, y.high = min(x.low, p.x), max(x.high, p.x), min(y.low, p.y), max(y.high, p.y)
				x.parts, y.parts = x.parts || p.x != math.Floor(p.x), y.parts || p.y != math.Floor(p.y)
			}
		}
		for i := range min(len(s.X), len(s.Low), len(s.High)) {
			if shown(s.X[i], c.LogX) && shown(s.Low[i], false) && shown(s.High[i], false) {
				x.low, x.high = min(x.low, s.X[i]), max(x.high, s.X[i])
				y.low, y.high = min(y.low, s.Low[i], s.High[i]), max(y.high, s.Low[i], s.High[i])
			}
		}
	}
	x.widen()
	y.widen()
	x.log = c.LogX && x.low > 0
	x.ticks, y.ticks = ticks(x), ticks(y)
	if c.XTicks == nil {
		return
	}
	x.ticks = nil
	for i, v := range c.XTicks {
		label := number(v, v)
		if i < len(c.XNames) {
			label = clean(c.XNames[i])
		}
		if v >= x.low && v <= x.high {
			x.ticks = append(x.ticks, tick{v, label})
		}
	}
}

// axes places title, labels, grid and ticks in the given width.
func (c Chart) axes(f *frame, width int) {
	x, y := &f.x, &f.y
	var labels []string
	for _, t := range y.ticks {
		labels = append(labels, t.label)
	}
	left, top, bottom := 16+captionStyle.width(labels), 12, f.height-12-captionStyle.lineHeight()
	if c.Title != "" {
		top += titleStyle.lineHeight() + 4
	}
	if c.XLabel != "" {
		bottom -= labelStyle.lineHeight() + 4
	}
	if c.YLabel != "" {
		left += labelStyle.lineHeight() + 4
	}
	beyond := 20 // the last label on the x axis is below the end of the plot
	if n := len(x.ticks); n > 0 {
		beyond = max(beyond, 10+captionStyle.width([]string{x.ticks[n-1].label})/2)
	}
	right := max(width-beyond, left+1)
	bottom = max(bottom, top+1)
	x.from, x.to, y.from, y.to = float64(left)+.5, float64(right)+.5, float64(bottom)+.5, float64(top)+.5
	for _, t := range y.ticks {
		at := math.Floor(y.at(t.value)) + .5
		f.line(gridColour, 1, point{x.from, at}, point{x.to, at})
		f.line(borderColour, 1, point{x.from - 4, at}, point{x.from, at})
		f.text(left-8, int(at)-captionStyle.size+4, captionStyle, end, t.label)
	}
	for _, t := range x.ticks {
		at := math.Floor(x.at(t.value)) + .5
		f.line(gridColour, 1, point{at, y.from}, point{at, y.to})
		f.line(borderColour, 1, point{at, y.from}, point{at, y.from + 4})
		f.text(int(at), bottom+6, captionStyle, middle, t.label)
	}
	f.line(labelStyle.colour, 1, point{x.from, y.to}, point{x.from, y.from}, point{x.to, y.from})
	f.text((left+right)/2, 8, titleStyle, middle, clean(c.Title))
	f.text((left+right)/2, f.height-10-labelStyle.size, labelStyle, middle, clean(c.XLabel))
	if label := clean(c.YLabel); label != "" {
		low := (top+bottom)/2 + labelStyle.width([]string{label})/2
		f.texts = append(f.texts, placedText{label, 10 + labelStyle.size, low, labelStyle, start, true})
	}
}

// widen extends an axis whose points nearly coincide, which would have no
// ticks.
func (a *axis) widen() {
	if a.low > a.high { // no points
		a.low, a.high = 0, 1
	}
	size := max(math.Abs(a.low), math.Abs(a.high))
	if a.high-a.low > 1e-9*size {
		return
	}
	room := cmp.Or(1e-6*size, 1)
	if size < 1e6 {
		room = max(room, 0.5)
	}
	a.low, a.high = a.low-room, a.high+room
}

// mostTicks is how many steps an axis has at most.
const mostTicks = 6

// ticks returns the multiples of a round step between two ends, with readable labels: as many decimals as
// distinguish neighbours, grouped thousands, a real minus sign.
func ticks(a *axis) []tick {
	step := roundStep((a.high - a.low) / mostTicks)
	if !a.parts {
		step = max(step, 1)
	}
	var out []tick
	for i := math.Ceil(a.low / step); i*step <= a.high && len(out) <= mostTicks; i++ {
		out = append(out, tick{i * step, number(i*step, step)})
	}
	return out
}

// roundStep returns the least of 1, 2, 5 and so on times a power of ten that is not below a size.
func roundStep(size float64) float64 {
	_, exponent, _ := strings.Cut(strconv.FormatFloat(size, 'e', -1, 64), "e")
	for _, digit := range []string{"1", "2", "5", "10"} {
		if v, err := strconv.ParseFloat(digit+"e"+exponent, 64); err == nil && v >= size {
			return v
		}
	}
	return size
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

// shown reports whether a value can be drawn; positive means on a logarithmic axis.
func shown(v float64, positive bool) bool {
	return math.Abs(v) <= maxCoordinate && (!positive || v > 0)
}

// finite splits a series where a point cannot be drawn; positive means a
// logarithmic axis.
func (s Series) finite(positive bool) [][]point {
	var parts [][]point
	joined := false
	for i := range min(len(s.X), len(s.Y)) {
		x, y := s.X[i], s.Y[i]
		if !shown(x, positive) || !shown(y, false) {
			joined = false
			continue
		}
		if !joined {
			parts, joined = append(parts, nil), true
		}
		last := &parts[len(parts)-1]
		*last = append(*last, point{x, y})
	}
	return parts
}

// lineDashes distinguish curves of equal colour.
var lineDashes = [][]float64{nil, {10, 3, 2, 3}, {2, 3}}

// line returns points of a scene in the style of curve i.
func (s Series) line(points []point, i int) placedPath {
	n := len(lineColours)
	p := placedPath{points, lineColours[i%n], 2, lineDashes[i/n%len(lineDashes)]}
	if s.Dashed {
		p.dashes = []float64{6, 4}
	}
	return p
}

// bars places the vertical bars of curve i.
func (s Series) bars(f *frame, i int) {
	for j := range min(len(s.X), len(s.Low), len(s.High)) {
		if x, low, high := s.X[j], s.Low[j], s.High[j]; shown(x, f.x.log) && shown(low, false) && shown(high, false) {
			f.line(lineColours[i%len(lineColours)], 1.2, f.at(x, low), f.at(x, high))
		}
	}
}

// dot marks a point, with a shape that distinguishes curves of equal colour.
func dot(s *scene, i int, at point) {
	const r = 3
	n := len(lineColours)
	shapes := [][]point{circle(at, r),
		{{at.x - r, at.y - r}, {at.x + r, at.y - r}, {at.x + r, at.y + r}, {at.x - r, at.y + r}},
		{{at.x, at.y - r}, {at.x + r, at.y + r}, {at.x - r, at.y + r}}}
	s.area(lineColours[i%n], shapes[i/n%len(shapes)]...)
}
