package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/render"
)

func (a *app) drawCommand() *cobra.Command {
	var model, output string
	cmd := &cobra.Command{
		Use:   "draw MODEL [-o OUT]",
		Short: "Draw the parts of a model",
		Long: `Draw the templates of a model: ink from white (0) to black (1) under the max
rule, blue (0), grey (no vote) and yellow (1) under max-minus-min.

Without -o, draw in the terminal. The parts of a table stand under the names of its
columns.`,
		Example: `  patchwork draw model.npz
  patchwork draw model.npz -o parts.svg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := modelArgument(cmd, model, args)
			if err != nil {
				return err
			}
			if _, err := checkOutput("draw", output); err != nil {
				return err
			}
			if isReal(path) {
				return a.drawReal(cmd, path, output)
			}
			m, err := loadModel(path)
			if err != nil {
				return err
			}
			switch {
			case output != "" && ofTable(m):
				return a.savePictureUntil(cmd.Context(), output, render.TableParts(m))
			case output != "":
				return a.savePictureUntil(cmd.Context(), output, render.Experts(m))
			case ofTable(m):
				return a.print(partBars(m))
			}
			return a.show(render.Experts(m))
		},
	}
	modelFlag(cmd, &model)
	cmd.Flags().StringVarP(&output, "output", "o", "", "picture to write (.png, .svg; default the terminal)")
	return cmd
}

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

// mostBars is how many columns of a part the terminal shows.
const mostBars = 12

// partBars returns the parts of a table as lines of text: the columns of which each
// says most, with their probabilities as bars.
func partBars(m *patchwork.Model) []string {
	var out []string
	for k := range m.K() {
		head := words.Full(m, k)
		if usage := m.Extras().Usage; usage != nil {
			head += ", " + words.Percent(usage[k]) + " of rows"
		}
		out = append(out, head)
		votes := words.Votes(m, k)
		for _, v := range votes[:min(len(votes), mostBars)] {
			out = append(out, fmt.Sprintf("  %6s %-20s %s (no part: %s)", words.Percent(v.P),
				strings.Repeat("█", int(math.Round(20*v.P))), words.Column(m, v.Column), words.Percent(v.Background)))
		}
		if more := len(votes) - mostBars; more > 0 {
			out = append(out, fmt.Sprintf("         and %s", words.Count(more, "more column")))
		}
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
