package main

import (
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
)

// predictReal fills in unknown values.
func (a *app) predictReal(cmd *cobra.Command, f *predictFlags, m *real.Model, paths []string) error {
	kind, table := isTable(f.format)
	if !table {
		return usagef("-o %s: for real values give .csv, .npz or .parquet", f.output)
	}
	t, err := a.realTask(cmd, m, &f.data, f.workers, paths)
	if err != nil {
		return err
	}
	predicted := make([]real.Prediction, t.v.Len())
	asked := make([][]float64, t.v.Len()) // NaN where a prediction is asked for
	err = t.each(cmd.Context(), func(p *real.Pursuit, i int) error {
		post, err := p.Together(t.v.Values[i], 0)
		if err != nil {
			return err
		}
		asked[i] = slices.Clone(t.v.Values[i])
		if f.all {
			for d := range asked[i] {
				asked[i][d] = math.NaN()
			}
		}
		predicted[i] = post.Predict(asked[i], .8)
		return nil
	})
	if err != nil {
		return err
	}
	if f.cells {
		return a.realCells(t, predicted, asked, f)
	}
	if kind == dataset.TableNPZ {
		err = a.output(f.output, func(w io.Writer) error { return t.writeFilled(w, predicted) })
	} else {
		filled := rowAnswers(t.v, false, 0, len(predicted))
		filled.add("x", t.filled(predicted, kind == dataset.TableCSV), realColumns(t.m)...)
		err = a.outputAnswers(f.output, f.format, filled, filled.once())
	}
	if err != nil {
		return err
	}
	return a.wrote(f.output, "%s", sizeOf(t.v.Len(), t.m.Height, t.m.Width, t.v.Table))
}

// filled returns the rows with unknown values filled in; if rounds, predictions are rounded, and known values stay.
func (t *realTask) filled(p []real.Prediction, rounds bool) (all []float64) {
	for i := range p {
		for d, v := range p[i].Mean {
			if rounds && v != t.v.Values[i][d] {
				v = rounded(v)
			}
			all = append(all, v)
		}
	}
	return all
}

// writeFilled writes the rows with unknown values filled in, and their deviations.
func (t *realTask) writeFilled(w io.Writer, p []real.Prediction) error {
	var deviation []float64
	for i := range p {
		deviation = append(deviation, p[i].Deviation...)
	}
	index := valuesBy(len(p), func(i int) int64 { return int64(t.v.Index[i]) })
	return writeRealRows(w, t.m, t.v.Table, t.v.Columns, t.filled(p, false),
		npy.Member{Name: "deviation", Array: npy.New(deviation, rowShape(t.m, t.v.Table, len(p))...)},
		npy.Member{Name: "index", Array: npy.New(index, len(p))})
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

// realCells writes a row per predicted value: its row and column, the prediction, its deviation, the interval of 80 %,
// and the labels.
func (a *app) realCells(t *realTask, p []real.Prediction, asked [][]float64, f *predictFlags) error {
	c := newCells(t.v, realColumns(t.m), t.m.Width, isRounded(f.format), "value", "deviation", "low", "high")
	for i := range p {
		for d, v := range asked[i] {
			if math.IsNaN(v) {
				c.add(i, d, p[i].Mean[d], p[i].Deviation[d], p[i].Low[d], p[i].High[d])
			}
		}
	}
	out := c.answers()
	if err := a.outputAnswers(f.output, f.format, out, out.once()); err != nil {
		return err
	}
	return a.wrote(f.output, "%s", words.Count(len(c.of), "predicted value"))
}

// realColumns returns what the columns of a model are called.
func realColumns(m *real.Model) []string {
	return valuesBy(m.D(), func(d int) string { return words.RealColumn(m, d) })
}
