package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/render"
)

// ofTable reports whether a model is of the rows of a table.
func ofTable(m *patchwork.Model) bool { return m.Height() == 1 && !m.Config().Scene }

// tableColumns returns what the columns of a model of a table are called.
func tableColumns(m *patchwork.Model) []string {
	out := make([]string, m.Width())
	for i := range out {
		out[i] = words.Column(m, i)
	}
	return out
}

// picture returns the samples as a picture.
func (s *samples) picture() render.Picture {
	if !ofTable(s.model) {
		return s.sheet()
	}
	r := render.Rows{Title: "Samples", Columns: tableColumns(s.model), Bars: "mean of the samples",
		Shares: make([]float64, s.model.Width())}
	for i, img := range s.images {
		r.Names = append(r.Names, s.name(i))
		for x := range r.Shares {
			if img.At(0, x) {
				r.Shares[x] += 1 / float64(len(s.images))
			}
		}
	}
	r.Rows = s.images
	return firstColumns(r)
}

// name returns what a sample of a table is called: its number and its parts.
func (s *samples) name(i int) string {
	var parts []string
	for _, p := range s.picks[i] {
		parts = append(parts, words.Name(s.model, p.Expert))
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		parts = []string{"no part"}
	}
	return fmt.Sprintf("%d: %s", i+1, strings.Join(parts, ", "))
}

// firstColumns returns a picture of as many columns as have room.
func firstColumns(r render.Rows) render.Rows {
	n := len(r.Shares)
	if n <= sheetColumns {
		return r
	}
	if r.Shares = r.Shares[:sheetColumns]; r.Columns != nil {
		r.Columns = r.Columns[:sheetColumns]
	}
	r.Facts = append(r.Facts, render.Fact{Name: "shown", Text: fmt.Sprintf("the first %d of %d columns", sheetColumns, n)})
	rows := slices.Clone(r.Rows)
	for i, m := range rows {
		rows[i] = left(m, sheetColumns)
	}
	r.Rows = rows
	return r
}

// lines returns the samples of a table as lines of text: the columns that are 1.
func (s *samples) lines() []string {
	var out []string
	names := tableColumns(s.model)
	for i, img := range s.images {
		out = append(out, s.name(i)+": "+onesOf(img, len(names), func(x int) string { return names[x] }))
	}
	return out
}

// onesOf lists the columns that are 1 in a row, and says how many more than most there are.
func onesOf(row *bitmap.Image, most int, name func(x int) string) string {
	var on []string
	for x := range row.Width() {
		if row.At(0, x) {
			on = append(on, name(x))
		}
	}
	if on == nil {
		return "no ones"
	}
	return listed(on, most)
}

// writeCSV writes the samples of a table as a table: the names of the columns, if there
// are any, and a row for each sample.
func (s *samples) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if names := s.model.Extras().Columns; names != nil {
		if err := out.Write(names); err != nil {
			return err
		}
	}
	for _, img := range s.images {
		record := make([]string, img.Width())
		for x := range record {
			record[x] = strconv.Itoa(int(bit(img.At(0, x))))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// print prints lines of an answer on standard output.
func (a *app) print(lines []string) error {
	return a.output("-", func(w io.Writer) error {
		for _, line := range lines {
			if _, err := io.WriteString(w, words.Visible(line)+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}
