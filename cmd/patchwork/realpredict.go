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
func (a *app) predictReal(cmd *cobra.Command, f *predictFlags, paths []string) error {
	if err := onlyReal(cmd, "output cells all"); err != nil {
		return err
	}
	kind, table := isTable(f.format)
	if !table {
		return usagef("-o %s: for real values give .csv, .npz or .parquet", f.output)
	}
	t, err := a.realTask(cmd, f.model, &f.data, f.workers, paths)
	if err != nil {
		return err
	}
	predicted := make([]real.Prediction, t.v.Len())
	asked := make([][]float64, t.v.Len()) // NaN where a prediction is asked for
	err = t.each(cmd.Context(), func(p *real.Pursuit, i int) error {
		post, err := p.Together(t.v.Rows[i], 0)
		if err != nil {
			return err
		}
		asked[i] = slices.Clone(t.v.Rows[i])
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
		return a.realCells(t, predicted, asked, f.output, kind)
	}
	if err := a.output(f.output, func(w io.Writer) error { return t.writeFilled(w, kind, predicted) }); err != nil {
		return err
	}
	return a.wrote(f.output, "%s", sizeOf(t.v.Len(), t.m.Height, t.m.Width, t.v.Table))
}

// writeFilled writes the rows with unknown values filled in, and in an .npz their deviations.
func (t *realTask) writeFilled(w io.Writer, kind dataset.TableFormat, p []real.Prediction) error {
	d := t.m.D()
	var mean, deviation []float64
	if kind == dataset.TableCSV {
		for i := range p {
			for d, x := range t.v.Rows[i] {
				if p[i].Mean[d] != x { // a prediction: known values stay as they are
					p[i].Mean[d] = rounded(p[i].Mean[d])
				}
			}
		}
	}
	for i := range p {
		mean, deviation = append(mean, p[i].Mean...), append(deviation, p[i].Deviation...)
	}
	if kind == dataset.TableNPZ {
		shape := []int{len(p), d}
		if !t.v.Table {
			shape = []int{len(p), t.m.Height, t.m.Width}
		}
		index := make([]int64, len(p))
		for i, at := range t.v.Index {
			index[i] = int64(at)
		}
		members := []npy.Member{{Name: "x", Array: npy.New(mean, shape...)},
			{Name: "deviation", Array: npy.New(deviation, shape...)}, {Name: "index", Array: npy.New(index, len(p))}}
		if t.v.Columns != nil {
			members = append(members, npy.Member{Name: "columns", Array: npy.New(t.v.Columns, d)})
		}
		return npy.WriteZip(w, npy.Deflate, members...)
	}
	filled := rowAnswers(t.rows(), false, 0, len(p))
	filled.add("x", mean, realColumns(t.m)...)
	return writeOnce(w, kind, filled)
}

// realCells writes a row per predicted value: its row and column, the prediction, its deviation, the interval of 80 %,
// and
// the labels.
func (a *app) realCells(t *realTask, p []real.Prediction, asked [][]float64, output string,
	kind dataset.TableFormat) error {
	format, set := "."+string(kind), t.rows()
	c := newCells(set, realColumns(t.m), t.m.Width, isRounded(format), "value", "deviation", "low", "high")
	for i := range p {
		for d, v := range asked[i] {
			if math.IsNaN(v) {
				c.add(set, i, d, p[i].Mean[d], p[i].Deviation[d], p[i].Low[d], p[i].High[d])
			}
		}
	}
	out := c.answers()
	if err := a.outputAnswers(output, format, out, out.once()); err != nil {
		return err
	}
	return a.wrote(output, "%s", words.Count(len(c.rows), "predicted value"))
}

// realColumns returns what the columns of a model are called.
func realColumns(m *real.Model) []string {
	return valuesBy(m.D(), func(d int) string { return words.RealColumn(m, d) })
}

// writeOnce writes a table that is in memory.
func writeOnce(w io.Writer, format dataset.TableFormat, t *answers) error {
	return dataset.WriteTable(w, format, t.distinct(format), pushed(func(push func([]any) error) error {
		return push(t.values)
	}))
}
