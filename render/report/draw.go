package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"math"
	"slices"

	"example.com/patchwork/internal/markup"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// tile is a small picture for the page, one pixel for each pixel of an image.
type tile struct {
	Source        markup.HTML
	Width, Height int
	Alt           string
}

// tileOf returns a picture as a tile.
func tileOf(img image.Image, alt string) tile {
	var b bytes.Buffer
	scale := max(1, 24/max(img.Bounds().Dy(), 1)) // or low images would be stretched, as rows of tables are
	if err := render.WritePNG(&b, render.Tiled(img, scale)); err != nil {
		return tile{Alt: err.Error()} // too large a picture
	}
	return tile{markup.HTML("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())), img.Bounds().Dx(),
		img.Bounds().Dy(), alt}
}

// drawn returns pictures of images with their explanations, some tiles for each: the image, what explains it, and what
// the parts say together or what is left over.
func (p *page) drawn(index []int) [][]render.Tile {
	var cases []workbench.Case
	for _, i := range index {
		cases = append(cases, workbench.Case{Frame: p.set, At: i, Row: p.rows[i]})
	}
	picture, err := p.model.DrawRows(cases)
	sheet, ok := picture.(render.Sheet)
	if err != nil || !ok || len(index) == 0 {
		return nil
	}
	return slices.Collect(slices.Chunk(sheet.Tiles, len(sheet.Tiles)/len(index)))
}

const examplesShown = 12

// exampleViews returns images with their explanations.
func (p *page) exampleViews(what string, index []int) any {
	type example struct {
		rowLine
		Tiles []tile
	}
	var out []example
	for i, tiles := range p.drawn(index) {
		e := example{rowLine: p.rowLine(index[i], nil)}
		for _, t := range tiles {
			e.Tiles = append(e.Tiles, tileOf(t.Image, t.Caption))
		}
		out = append(out, e)
	}
	return struct {
		*Report
		Words string
		Views []example
	}{p.Report, what, out}
}

// samples draws images from the model.
func (p *page) samples() (out []tile) {
	drawn, err := p.model.Sample(examplesShown, p.Seed)
	if err != nil {
		return nil
	}
	if sheet, ok := drawn.Picture().(render.Sheet); ok {
		for _, t := range sheet.Tiles {
			out = append(out, tileOf(t.Image, "sample "+t.Caption))
		}
	}
	return out
}

// placed reports whether there is anything to say about places.
func (p *page) placed() bool {
	return slices.ContainsFunc(p.Places, func(at Places) bool { return len(at.DY) > 0 })
}

// dot is a place in a scatter plot, and how many images have it.
type dot struct {
	X, Y, R float64
	Count   int
	Words   string
}

// placeView is a part's places: a scatter plot of the shifts in a square of 200 units,
// and a histogram of the angles.
type placeView struct {
	Part
	At      Places
	Dots    []dot
	CX, CY  float64 // no shift
	X0, X1  int     // ends of the axes
	Y0, Y1  int
	Angles  []angleBar
	Turns   bool
	Highest int
}

type angleBar struct {
	X, Y, W, H float64
	Label      string
	Count      int
	Words      string
	Marked     bool
}

const side = 200 // of a plot

func (p *page) placeViews() any {
	var out []placeView
	for _, part := range byUse(p.Parts)[:min(len(p.Parts), mostShown)] {
		if at := p.Places[part.Number]; len(at.DY) > 0 {
			out = append(out, p.placeView(part, at))
		}
	}
	return struct {
		*Report
		Views []placeView
	}{p.Report, out}
}

func (p *page) placeView(part Part, at Places) placeView {
	v := placeView{Part: part, At: at}
	v.Y0, v.Y1, v.X0, v.X1 = slices.Min(at.DY), slices.Max(at.DY), slices.Min(at.DX), slices.Max(at.DX)
	g, ok := workbench.Grid(p.model)
	if ok {
		v.Y0, v.Y1, v.X0, v.X1 = g.DY.At(0), g.DY.At(g.DY.Len()-1), g.DX.At(0), g.DX.At(g.DX.Len()-1)
	}
	place := func(value, low, high int) float64 {
		return 8 + (side-16)*(float64(value-low)+0.5)/float64(high-low+1)
	}
	count := map[[2]int]int{}
	for i := range at.DY {
		count[[2]int{at.DY[i], at.DX[i]}]++
	}
	keys := make([][2]int, 0, len(count))
	for k := range count {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for _, k := range keys {
		n := count[k]
		v.Dots = append(v.Dots, dot{X: place(k[1], v.X0, v.X1), Y: place(k[0], v.Y0, v.Y1),
			R: math.Min(3*math.Sqrt(float64(n)), 14), Count: n,
			Words: fmt.Sprintf("%d down, %d to the right: %s", k[0], k[1], plural(int64(n), "image"))})
	}
	v.CX, v.CY = place(0, v.X0, v.X1), place(0, v.Y0, v.Y1)
	v.Angles, v.Highest = angleBars(at.Angle, g.Angles)
	v.Turns = len(v.Angles) > 1
	return v
}

// angleBars returns a histogram of angles, with a bar for each rotation of the grid.
func angleBars(angles, grid []float64) (bars []angleBar, highest int) {
	values := slices.Sorted(slices.Values(grid))
	if len(values) == 0 {
		return nil, 0
	}
	n := make([]int, len(values))
	for _, a := range angles {
		if i := slices.Index(values, a); i >= 0 {
			n[i]++
		}
	}
	highest = max(slices.Max(n), 1)
	wide := float64(side-16) / float64(len(values))
	for i, a := range values {
		h := 70 * float64(n[i]) / float64(highest)
		bars = append(bars, angleBar{X: 8 + float64(wide*float64(i)) + float64(wide*0.1), Y: 78 - h, W: wide * 0.8, H: h,
			Label: fixed(0, a), Count: n[i],
			Words:  fmt.Sprintf("turned by %v degrees: %s", a, plural(int64(n[i]), "image")),
			Marked: i == 0 || i == len(values)-1 || a == 0})
	}
	return bars, highest
}
