package main

import (
	"cmp"
	"image"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// sampleReal draws rows from a model.
func (a *app) sampleReal(cmd *cobra.Command, f *sampleFlags, m *real.Model, format string) (err error) {
	n, output := f.n, f.output
	if err := f.check(m.Height, m.Width, m.K()); err != nil {
		return err
	}
	var flat []float64
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = m.Sample(sampleSource(f.seed, i))
		flat = append(flat, rows[i]...)
	}
	switch csv := strings.HasPrefix(format, ".csv"); {
	case isTableModel(m) && (output == "" || csv):
		roundAll(flat)
		t := new(answers)
		t.add("x", flat, realColumns(m)...)
		err = a.outputAnswers(cmp.Or(output, "-"), ".csv", t, t.once())
	case output == "":
		return a.show(sampledSheet(m, rows))
	case isPicture(output):
		err = a.savePictureUntil(cmd.Context(), output, sampledSheet(m, rows))
	case csv:
		return usagef("-o %s: a CSV file holds the rows of a table, and the model is of images; choose .npz, .png or .svg",
			output)
	default:
		err = a.output(output, func(w io.Writer) error { return writeRealRows(w, m, isTableModel(m), m.Columns, flat) })
	}
	if err != nil {
		return err
	}
	return a.wrote(output, "%s", sizeOf(n, m.Height, m.Width, isTableModel(m)))
}

// sampledSheet draws sampled images in grey.
func sampledSheet(m *real.Model, rows [][]float64) render.Sheet {
	scale := render.RealScale{Low: math.Inf(1), High: math.Inf(-1)}
	for _, row := range rows {
		scale.Low, scale.High = min(scale.Low, slices.Min(row)), max(scale.High, slices.Max(row))
	}
	tiles := make([]image.Image, len(rows))
	for i, row := range rows {
		tiles[i] = scale.Grey(m.Height, m.Width, row)
	}
	return samplesSheet(tiles)
}

// rowShape returns the shape of an array of n rows or images of a model.
func rowShape(m *real.Model, table bool, n int) []int {
	if table {
		return []int{n, m.Width}
	}
	return []int{n, m.Height, m.Width}
}

// writeRealRows writes rows or images of a model as an array x, with more arrays and the names of the columns.
func writeRealRows(w io.Writer, m *real.Model, table bool, columns []string, x []float64, more ...npy.Member) error {
	out := append([]npy.Member{{Name: "x", Array: npy.New(x, rowShape(m, table, len(x)/m.D())...)}}, more...)
	if columns != nil {
		out = append(out, npy.Member{Name: "columns", Array: npy.New(columns, len(columns))})
	}
	return npy.WriteZip(w, npy.Deflate, out...)
}

// realColumns returns what the columns of a model are called.
func realColumns(m *real.Model) []string {
	return valuesBy(m.D(), func(d int) string { return words.RealColumn(m, d) })
}
