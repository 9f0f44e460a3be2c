package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// showPlan shows what each column is of data that hold numbers, and draws some of them.
func (a *app) showPlan(cmd *cobra.Command, f *showFlags, src *dataset.Source) (err error) {
	plan := src.Plan()
	switch {
	case f.asJSON:
		err = a.printLong(plan)
	case !a.quiet:
		err = plan.Print(a.out, a.width)
	}
	frame, _ := src.Read(cmd.Context()) // what is open is shown as numbers
	if err != nil || frame.Values == nil {
		return err
	}
	v := frame.Cut(f.data.skip, f.data.most())
	switch {
	case f.output != "":
		return a.savePicture(cmd.Context(), f.output, numbersSheet(v, sheetImages, sheetSide))
	case v.Table || a.quiet || f.asJSON:
		return nil
	}
	return a.show(numbersSheet(v, terminalImages, terminalSide))
}

// numbersSheet draws some images in grey, or of a table the first rows in one tile, by how far the values are from
// the means of their columns.
func numbersSheet(v *dataset.Set, most, side int) (s render.Sheet) {
	if v.Table {
		return valuesSheet(v.Cut(0, sheetRows))
	}
	var scale render.RealScale
	scale.Low, scale.High = workbench.Range(v.Values)
	for _, i := range evenly(upTo(v.Len()), most) {
		s.Tiles = append(s.Tiles, render.Tile{Image: render.Thumbnail(scale.Grey(v.Height, v.Width, v.Values[i]), side),
			Caption: strings.TrimPrefix(v.ImageName(i), "image ")})
	}
	return s
}

// valuesSheet draws the rows of a table in one tile.
func valuesSheet(v *dataset.Set) render.Sheet {
	n, scale := v.Len(), render.RealScale{Full: 2}
	z := make([]float64, n*v.Width)
	for d := range v.Width {
		known, total, squares := 0., 0., 0.
		for _, row := range v.Values {
			if x := row[d]; !math.IsNaN(x) {
				known, total, squares = known+1, total+x, squares+x*x
			}
		}
		mean := total / known
		sd := math.Sqrt(max(squares/known-mean*mean, math.SmallestNonzeroFloat64))
		for i, row := range v.Values {
			z[i*v.Width+d] = (row[d] - mean) / sd
		}
	}
	return render.Sheet{Legend: scale.Legend("deviations from the mean of its column"),
		Tiles: []render.Tile{{Image: scale.Deviations(n, v.Width, z),
			Caption: fmt.Sprintf("%s by %s", words.Count(n, "row"), words.Count(v.Width, "column"))}}}
}

// upTo returns 0 to n-1.
func upTo(n int) []int { return valuesBy(n, func(i int) int { return i }) }
