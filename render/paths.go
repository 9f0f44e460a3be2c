package render

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"example.com/patchwork/internal/elem"
)

// point is a place in a scene, in pixels from its top left corner.
type point struct{ x, y float64 }

// placedPath is a line, or an area.
type placedPath struct {
	points []point
	colour color.RGBA
	width  float64   // of the line; 0 fills the area that the points surround
	dashes []float64 // lengths of strokes and of the gaps after them; nil: unbroken
}

// line places a line.
func (s *scene) line(c color.RGBA, width float64, points ...point) {
	s.paths = append(s.paths, placedPath{points: points, colour: c, width: width})
}

// area places a filled area.
func (s *scene) area(c color.RGBA, points ...point) {
	s.paths = append(s.paths, placedPath{points: points, colour: c})
}

// circle returns points around a centre, against the clock.
func circle(at point, radius float64) []point {
	const corners = 24
	out := make([]point, corners)
	for i := range out {
		sin, cos := elem.Sincos(2 * math.Pi * float64(i) / corners)
		out[i] = point{at.x + float64(radius*cos), at.y - float64(radius*sin)}
	}
	return out
}

// strokes returns the unbroken pieces of a line.
func (p *placedPath) strokes() [][]point {
	if p.dashes == nil {
		return [][]point{p.points}
	}
	out := [][]point{p.points[:1:1]}
	dash, left := 0, p.dashes[0]
	for i := 1; i < len(p.points); i++ {
		from, to := p.points[i-1], p.points[i]
		for {
			length := elem.Hypot(to.x-from.x, to.y-from.y)
			end := to
			if length > left {
				end = between(from, to, left/length)
			}
			if dash%2 == 0 {
				out[len(out)-1] = append(out[len(out)-1], end)
			}
			if length <= left {
				left -= length
				break
			}
			dash++
			from, left = end, p.dashes[dash%len(p.dashes)]
			if dash%2 == 0 {
				out = append(out, []point{end})
			}
		}
	}
	return out
}

// between returns the point at a share of the way from a to b.
func between(a, b point, t float64) point {
	return point{a.x + float64(t*(b.x-a.x)), a.y + float64(t*(b.y-a.y))}
}

// outline returns areas that together are a line of some width: a rectangle for each of its segments and a disc
// for each corner, all against the clock, so that they join where they overlap.
func outline(points []point, width float64) [][]point {
	var out [][]point
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := elem.Hypot(b.x-a.x, b.y-a.y)
		if length == 0 {
			continue
		}
		dx, dy := (b.x-a.x)/length*width/2, (b.y-a.y)/length*width/2
		out = append(out, []point{{a.x - dy, a.y + dx}, {b.x - dy, b.y + dx}, {b.x + dy, b.y - dx}, {a.x + dy, a.y - dx}})
		if i > 1 {
			out = append(out, circle(a, width/2))
		}
	}
	return out
}

// bounds returns the pixels that a path may touch.
func (p *placedPath) bounds() image.Rectangle {
	low, high := p.points[0], p.points[0]
	for _, at := range p.points {
		low, high = point{min(low.x, at.x), min(low.y, at.y)}, point{max(high.x, at.x), max(high.y, at.y)}
	}
	room := p.width + 1
	return image.Rect(int(low.x-room), int(low.y-room), int(high.x+room)+1, int(high.y+room)+1)
}

// svg writes the path.
func (p *placedPath) svg(b *bufio.Writer) {
	fmt.Fprint(b, `<path d="`)
	for i, at := range p.points {
		letter := "L"
		if i == 0 {
			letter = "M"
		}
		fmt.Fprintf(b, "%s%s %s", letter, pixels(at.x), pixels(at.y))
	}
	if p.width == 0 {
		fmt.Fprintf(b, `z" fill="%s"/>`+"\n", hex(p.colour))
		return
	}
	fmt.Fprintf(b, `" fill="none" stroke="%s" stroke-width="%s"`, hex(p.colour), pixels(p.width))
	if p.dashes != nil {
		var lengths []string
		for _, d := range p.dashes {
			lengths = append(lengths, pixels(d))
		}
		fmt.Fprintf(b, ` stroke-dasharray="%s"`, strings.Join(lengths, " "))
	}
	fmt.Fprint(b, "/>\n")
}

// pixels writes a length to a hundredth of a pixel.
func pixels(v float64) string {
	return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64)
}
