package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// showData shows what was understood of data, for a model if one is given.
func (a *app) showData(cmd *cobra.Command, f *showFlags, paths []string) error {
	if err := oneOrMoreData(cmd, paths); err != nil {
		return err
	}
	if _, err := checkOutput("show", f.output); err != nil {
		return err
	}
	if f.model != "" {
		m, err := load(f.model)
		if err != nil {
			return err
		}
		f.data.model = m
	}
	opt, err := f.data.options(cmd)
	if err != nil {
		return err
	}
	opt.MaxMemory = f.data.whole()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(roomFor(opt.MaxMemory))) // as in openAs
	src, err := openAll(cmd.Context(), paths, opt)
	var data *dataset.Frame
	var plan *dataset.Plan
	if errors.Is(err, dataset.ErrMemory) {
		opt.Kind = dataset.Bit
		data, err = f.data.inMemory(cmd, paths, opt, false) // what is noted in reading is part of the answer
	} else if err == nil {
		if data, err = src.Read(cmd.Context()); !src.Packed() {
			plan, err = src.Plan(), nil // what is open is shown as numbers
		}
		if err == nil {
			data, err = f.data.cut(data)
		}
	}
	if err != nil {
		return err
	}
	if plan == nil {
		plan = data.Plan(&opt)
	}
	return a.showFrame(cmd.Context(), data, plan, f)
}

// showFrame tells what each column is of data and what is remarkable about rows of bits, and draws some of them.
func (a *app) showFrame(ctx context.Context, set *dataset.Frame, plan *dataset.Plan, f *showFlags) (err error) {
	var o *dataset.Overview // of bits
	if set.Values == nil {
		o = set.Overview()
	}
	switch {
	case f.asJSON:
		err = a.printLong(struct {
			*dataset.Plan
			*dataset.Overview
		}{plan, o})
	case !a.quiet:
		if err = plan.Print(a.out, a.width); err == nil {
			err = a.sayAll(a.out, overviewText(set, o))
		}
	}
	if err != nil {
		return err
	}
	if f.output != "" {
		picture, shown := sheetOf(set, plan, o)
		if err := a.savePicture(ctx, f.output, picture); err != nil || shown == set.Len() {
			return err
		}
		return a.wrote(f.output, "%d of %s; --rows shows others", shown,
			words.Count(set.Len(), words.NounsOf(set.Table).Image))
	}
	if set.Table || a.quiet || f.asJSON {
		return nil
	}
	if err := a.say(a.out, ""); err != nil {
		return err
	}
	sheet, shown := imagesSheet(set, plan, o, terminalImages, terminalSide)
	sheet.Title, sheet.Facts, sheet.Legend = "", nil, nil
	if err := a.show(sheet); err != nil || shown == set.Len() {
		return err
	}
	return a.say(a.out, "%d of %d images; -o sheet.png shows more", shown, set.Len())
}

// These constants bound what show shows of data in the terminal and on a sheet.
const (
	terminalImages = 12
	terminalSide   = 19
	sheetSide      = 112
	sheetGroups    = 15 // values of a label that get a row each
	sheetAcross    = 10 // images in such a row
	sheetRows      = 40 // rows of a table
	sheetImages    = 60
)

// sheetOf returns a picture of a set with its overview, and how many images or rows it
// shows.
func sheetOf(set *dataset.Set, plan *dataset.Plan, o *dataset.Overview) (p render.Picture, shown int) {
	if set.Table && o == nil {
		return valuesSheet(set.Take(sheetRows)), min(sheetRows, set.Len())
	}
	if set.Table {
		return rowsSheet(set, plan, o, sheetRows), min(sheetRows, set.Len())
	}
	return imagesSheet(set, plan, o, sheetImages, sheetSide)
}

// imagesSheet shows images: in groups, one a row, by the label y if it has few values,
// or evenly from first to last. It also returns how many are shown.
func imagesSheet(set *dataset.Set, plan *dataset.Plan, o *dataset.Overview, most, side int) (s render.Sheet, n int) {
	s = render.Sheet{Title: sheetTitle(set), Facts: sheetFacts(set, plan, o)}
	tile, called := tilesOf(set), set.Called()
	add := func(i int, group string) {
		n++
		s.Tiles = append(s.Tiles, render.Tile{Image: render.Thumbnail(tile(i), side),
			Caption: strings.TrimSuffix(strings.TrimPrefix(called(i), group+"/"), " ("+group+")")})
	}
	if groups := groupsOf(set); groups != nil {
		s.Columns = min(max(most/len(groups), 4), sheetAcross,
			len(slices.MaxFunc(groups, func(a, b group) int { return len(a.images) - len(b.images) }).images))
		for _, g := range groups {
			s.RowLabels = append(s.RowLabels, fmt.Sprintf("%s · %d", g.name, len(g.images)))
			shown := evenly(g.images, s.Columns)
			for _, i := range shown {
				add(i, g.name)
			}
			for k := len(shown); k < s.Columns; k++ {
				s.Tiles = append(s.Tiles, render.Tile{})
			}
		}
	} else {
		for _, i := range evenly(upTo(set.Len()), most) {
			add(i, "")
		}
	}
	if o != nil && o.Unknown > 0 {
		s.Legend = append(s.Legend, render.Unknown("unknown"))
	}
	if n < set.Len() {
		s.Facts = append(s.Facts, render.Fact{Name: "shown", Text: fmt.Sprintf("%d of %d images", n, set.Len())})
	}
	return s, n
}

// tilesOf returns what draws an image, of numbers in grey.
func tilesOf(set *dataset.Set) func(i int) *image.RGBA {
	if set.Values == nil {
		return func(i int) *image.RGBA { return render.Image(set.Images[i]) }
	}
	var scale render.RealScale
	scale.Low, scale.High = workbench.Range(set.Values)
	return func(i int) *image.RGBA { return scale.Grey(set.Height, set.Width, set.Values[i]) }
}

// group is the images with one value of a label.
type group struct {
	name   string
	images []int
}

// groupsOf returns the images by the label y, sorted by its values; nil if there are
// none or too many.
func groupsOf(set *dataset.Set) []group {
	y, err := set.Column("y")
	if err != nil {
		return nil
	}
	at, groups := map[string]int{}, []group{}
	for i := range set.Len() {
		name := y.Text(i)
		k, ok := at[name]
		if !ok {
			if k = len(groups); k == sheetGroups {
				return nil
			}
			at[name] = k
			groups = append(groups, group{name: name})
		}
		groups[k].images = append(groups[k].images, i)
	}
	if len(groups) < 2 {
		return nil
	}
	slices.SortFunc(groups, func(a, b group) int {
		x, errX := strconv.Atoi(a.name)
		y, errY := strconv.Atoi(b.name)
		if errX == nil && errY == nil {
			return cmp.Compare(x, y)
		}
		return strings.Compare(a.name, b.name)
	})
	return groups
}

// evenly returns at most n of the values, evenly from first to last.
func evenly(values []int, n int) []int {
	if len(values) <= n {
		return values
	}
	out := make([]int, n)
	for k := range out {
		out[k] = values[k*(len(values)-1)/max(n-1, 1)]
	}
	return out
}

// rowsSheet shows the first rows of a table.
func rowsSheet(set *dataset.Set, plan *dataset.Plan, o *dataset.Overview, most int) render.Rows {
	r := render.Rows{Title: sheetTitle(set), Facts: sheetFacts(set, plan, o), Columns: set.Columns}
	first := set.Take(most)
	called := set.Called()
	for i := range first.Images {
		r.Names = append(r.Names, called(i))
	}
	r.Rows, r.Shares = first.Images, sharesOf(o.Columns)
	r = workbench.FirstColumns(r)
	if set.Len() > most {
		r.Facts = append(r.Facts, render.Fact{Name: "shown", Text: fmt.Sprintf("the first %d of %d rows", most, set.Len())})
	}
	if o.Unknown > 0 {
		r.Legend = append(r.Legend, render.Unknown("unknown"))
	}
	return r
}

// valuesSheet draws the rows of a table in one tile.
func valuesSheet(v *dataset.Set) render.Sheet {
	n, scale := v.Len(), render.RealScale{Full: 2}
	z := make([]float64, n*v.Width)
	for d := range v.Width {
		known, total, squares := 0., 0., 0.
		for _, row := range v.Values {
			if x := row[d]; !math.IsNaN(x) {
				known, total, squares = known+1, total+x, squares+float64(x*x)
			}
		}
		mean := total / known
		sd := math.Sqrt(max(squares/known-float64(mean*mean), math.SmallestNonzeroFloat64))
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
