package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/internal/markup"
	"example.com/patchwork/learn"
	"example.com/patchwork/workbench"
)

// useView is which rows have which parts: a strip for each part, a mark for each row that has it.
type useView struct {
	*Report
	Lines []useLine
	Drawn int // rows, of all drawn evenly
}

type useLine struct {
	Part
	Runs markup.HTML // of neighbours that have the part, as a path
}

// mostStripes bounds the rows of a strip, which is about as wide in pixels.
const mostStripes = 1000

// useView puts rows with the same parts side by side, those with the most used part first.
func (p *page) useView() any {
	parts := byUse(p.Parts)[:min(len(p.Parts), mostShown)]
	has := func(row, k int) bool { return slices.Contains(p.ByRow[row].Parts, k) }
	order := make([]int, len(p.ByRow))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		for _, part := range parts {
			if x, y := has(a, part.Number), has(b, part.Number); x != y {
				if x {
					return -1
				}
				return 1
			}
		}
		return 0
	})
	v := useView{Report: p.Report, Drawn: min(len(order), mostStripes)}
	for _, part := range parts {
		var runs strings.Builder
		for i := 0; i < v.Drawn; {
			from := i
			for i < v.Drawn && has(order[i*len(order)/v.Drawn], part.Number) {
				i++
			}
			if i > from {
				fmt.Fprintf(&runs, "M%d 0h%dv1h-%dz", from, i-from, i-from)
			}
			i++
		}
		v.Lines = append(v.Lines, useLine{part, markup.HTML(runs.String())})
	}
	return v
}

// curveView is how long the description is with each number of parts that was tried, in a plot of 600 by 220 units.
type curveView struct {
	*Report
	Path   markup.HTML
	Points []curvePoint
}

type curvePoint struct {
	X, Y   float64
	Parts  int
	Chosen bool
	Words  string
}

// curve returns the shortest description of each number of parts; none where fewer than two were tried.
func (r *Report) curve() []patchwork.CurvePoint {
	how, bits := r.model.Describe().Learned.(*workbench.Learned)
	if !bits || how == nil {
		return nil
	}
	points := slices.DeleteFunc(learn.ByExperts(how.Curve), func(c patchwork.CurvePoint) bool {
		return c.DescriptionLength <= 0 || c.Rows != how.Rows
	})
	if len(points) < 2 {
		return nil
	}
	return points
}

func (p *page) curveView(points []patchwork.CurvePoint) any {
	v := curveView{Report: p.Report}
	low, high, most := math.Inf(1), math.Inf(-1), 0
	for _, c := range points {
		low, high, most = min(low, c.DescriptionLength), max(high, c.DescriptionLength), max(most, c.Experts)
	}
	var path strings.Builder
	for i, c := range points {
		at := curvePoint{X: 30 + 540*float64(c.Experts)/float64(most), Parts: c.Experts, Chosen: c.Chosen,
			Y:     180 - 140*(c.DescriptionLength-low)/max(high-low, math.SmallestNonzeroFloat64),
			Words: fmt.Sprintf("%s: %.1f nats", plural(int64(c.Experts), "part"), c.DescriptionLength)}
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], at.X, at.Y)
		v.Points = append(v.Points, at)
	}
	v.Path = markup.HTML(path.String())
	return v
}

// mostModel bounds the model file that a page brings along, so that the page stays below a megabyte.
const mostModel = 256 << 10

// openView is the file of the model for the page that goes on with it.
func (p *page) openView() any {
	var file bytes.Buffer
	v := struct{ Data markup.HTML }{} // none of a large model
	if err := p.model.Write(&file); err == nil && file.Len() <= mostModel {
		v.Data = markup.HTML(base64.StdEncoding.EncodeToString(file.Bytes()))
	}
	return v
}
