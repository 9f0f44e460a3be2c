package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/workbench"
)

const predictLong = `Fill in unknown bits: each becomes the probability that it is on, given the known
bits of its image, averaged over the best explanations of these, weighted by their
posterior probabilities, or by what the file holds beside the parts (learn --aim predict).
Columns that one column of categories became add up to 1
where its value is unknown. Known bits stay 0 and 1; with --all they too become the
probability that the explanations give them.

OUT.npz gets x, float64, (N,H,W) or (N,D) as in the input; index, the row in the
input, from 0, before --where and --rows; and weight, columns and metadata if the
data have them. OUT.csv, or CSV on standard output for -, has a line of names, then
one line per row: index, weight, metadata, then the columns of the table, or the
pixels of the image row by row. Rows come in the order of the input.

--cells writes a table with a row per unknown cell (with --all, per cell): row, the
number of its row in the input, from 1; column, its name (y and x, from 0, for
images); probability; and the row's labels. --top N writes such a table of what comes
next: of the columns that a row does not have the N most probable, each by its other cells.`

const predictExample = `  patchwork synth quadrants --n 200 --seed 1 --hide 0.1 -o rows.npz
  patchwork learn rows.npz --rule max-minus-min -k 4 --starts 2 -o votes.npz
  patchwork predict -m votes.npz rows.npz -o filled.npz
  patchwork predict -m votes.npz rows.npz --rows :3 -o -
  patchwork predict -m votes.npz rows.npz --rows :3 --cells -o cells.csv
  patchwork predict -m votes.npz rows.npz --rows :3 --top 2 -o next.csv`

// predictFlags are the flags of predict.
type predictFlags struct {
	inputFlags
	best   bestFlag
	output string
	all    bool
	cells  bool // one cell per row of the output
	top    int  // so many cells of each row that are not on, the most probable first; 0 for those that are unknown
	format string
}

func (a *app) predictCommand() *cobra.Command {
	f := new(predictFlags)
	cmd := &cobra.Command{
		Use:     "predict -m MODEL DATA... -o OUT",
		Short:   "Fill in unknown bits",
		Long:    predictLong,
		Example: predictExample,
		Args:    oneOrMoreData,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.predict(cmd, f, args)
		},
	}
	f.add(cmd)
	f.best.add(cmd, 16, "how many explanations to average (1: the best alone)")
	fs := cmd.Flags()
	fs.StringVarP(&f.output, "output", "o", "",
		"file to write (.csv, .npz, with --cells also .parquet, .jsonl; - for CSV on standard output)")
	fs.BoolVar(&f.cells, "cells", false,
		"write a row per unknown cell: its row, its column and the probability that it is on")
	fs.BoolVar(&f.all, "all", false, "give the averaged probability of every bit, known ones too")
	fs.IntVar(&f.top, "top", 0, "write the so many columns that each row does not have and most probably would, the most "+
		"probable first")
	everyday(cmd, "model output cells top all rows where best")
	return cmd
}

// check returns an error if something is wrong that shows before any data are read.
func (f *predictFlags) check() (err error) {
	if f.output == "" {
		return usagef("-o OUT is required: name the file for the predictions (-o - prints them)")
	}
	if err := f.best.check(); err != nil {
		return err
	}
	if f.top < 0 {
		return usagef("--top %d: give how many columns of each row", f.top)
	}
	f.cells, f.all = f.cells || f.top > 0, f.all || f.top > 0
	command := "predict"
	if f.cells {
		command = "predict --cells"
	}
	f.format, err = checkOutput(command, f.output)
	return err
}

// predict fills in what is unknown.
func (a *app) predict(cmd *cobra.Command, f *predictFlags, paths []string) error {
	j, err := f.open(cmd, paths, false)
	if err != nil {
		return err
	}
	npz := f.format == ".npz" && !f.cells
	if npz && j.stream != nil {
		return usagef("-o %s: an .npz file of predictions is built in memory; write a .csv file, or allow more with --memory",
			f.output)
	}
	columns := workbench.ColumnNames(j.head())
	if each := len(columns); npz && j.rows() > maxPredictedValues/each {
		return usagef("%s are too many to predict at once; take at most %d at a time with --rows",
			describe(j.rows(), j.head()),
			maxPredictedValues/each)
	}
	a.sayStreaming(&j.source, f.data.memory, "predicting it block by block")
	p := &predictions{job: j, flags: f, columns: columns}
	bar := a.progress("image", j.rows())
	defer bar.stop()
	each := func(do func(*workbench.Filled) error) error { return p.each(cmd.Context(), bar, do) }
	if npz {
		err = a.output(f.output, func(w io.Writer) error { return p.writeNPZ(w, each) })
	} else {
		head := p.table(&workbench.Filled{Explained: &workbench.Explained{Frame: j.head()}})
		err = a.outputAnswers(f.output, f.format, head, pushed(func(push func(*answers) error) error {
			return each(func(x *workbench.Filled) error { return push(p.table(x)) })
		}))
	}
	switch {
	case err != nil:
		return err
	case f.cells:
		return a.wrote(f.output, "%s", words.Count(p.cells, "cell"))
	}
	return a.wrote(f.output, "%s", describe(p.rows, j.head()))
}

// maxPredictedValues bounds the number of pixels of all predictions together, each a
// float64.
const maxPredictedValues = 1 << 27

// predictions makes tables of what a model predicts.
type predictions struct {
	job         *job
	flags       *predictFlags
	columns     []string // what the columns are called
	rows, cells int      // so far
}

// each predicts the rows of the job, and does something with each part of them.
func (p *predictions) each(ctx context.Context, bar *progress, do func(*workbench.Filled) error) error {
	j, f := p.job, p.flags
	how := workbench.Predicting{Best: int(f.best), MaxPicks: f.maxPicks, All: f.all, Workers: j.workers}
	for x, err := range j.model.Predict(ctx, j.frames(ctx), how) {
		if err != nil {
			return request(err)
		}
		if err := do(x); err != nil {
			return err
		}
		p.rows += len(x.Rows)
		bar.add(len(x.Rows))
	}
	return nil
}

// table returns rows as a table: a row for each, or for each predicted cell.
func (p *predictions) table(x *workbench.Filled) *answers {
	if p.flags.cells {
		return p.cellTable(x)
	}
	t := new(answers)
	t.add("index", valuesBy(len(x.Rows), func(i int) int64 { return int64(x.Rows[i].Index) }))
	if p.job.weighted() {
		t.add("weight", x.Frame.WeightValues(x.From, x.To()))
	}
	t.addLabels(x.Frame.Meta, x.From, x.To())
	t.addCells(p.job.model, p.columns, x.Values)
	return t
}

// addCells adds the values of rows: as a block, or each column for itself, as people read it.
func (t *answers) addCells(m workbench.Model, names []string, rows [][]float64) {
	columns := workbench.Readable(m, rows)
	for _, c := range columns {
		t.add(c.Name, c.Values)
	}
	if columns == nil {
		t.add("x", slices.Concat(rows...), slices.Clone(names)...)
	}
}

// cellTable returns the table of the predicted cells: row and column, or y and x, what is said of them, and the labels.
func (p *predictions) cellTable(x *workbench.Filled) *answers {
	var of, at []int
	for i := range x.Rows {
		cells := x.Cells(i)
		if p.flags.top > 0 {
			cells = x.Next(i, p.flags.top)
		}
		of, at = append(of, slices.Repeat([]int{i}, len(cells))...), append(at, cells...)
	}
	t, n := new(answers), len(of)
	p.cells += n
	titles := p.columns
	readable := workbench.Readable(p.job.model, nil)
	if readable != nil {
		titles = valuesBy(len(readable), func(d int) string { return readable[d].Name })
	}
	t.add("row", valuesBy(n, func(k int) int64 { return int64(x.Rows[of[k]].Index) + 1 }))
	if x.Frame.Table {
		t.add("column", valuesBy(n, func(k int) string { return titles[at[k]] }))
	} else {
		_, width := x.Frame.Size()
		t.add("y", valuesBy(n, func(k int) int64 { return int64(at[k] / width) }))
		t.add("x", valuesBy(n, func(k int) int64 { return int64(at[k] % width) }))
	}
	add := func(name string, from [][]float64) {
		said := valuesBy(n, func(k int) float64 { return from[of[k]][at[k]] })
		if isRounded(p.flags.format) {
			roundAll(said)
		}
		t.add(name, said)
	}
	switch {
	case !p.job.numbers():
		add("probability", x.Values)
	case readable != nil:
		t.add("value", valuesBy(n, func(k int) string { return x.Text(at[k], x.Values[of[k]][at[k]]) }))
		add("probability", x.Sure)
		add("low", x.Low)
		add("high", x.High)
	default:
		add("value", x.Values)
		add("deviation", x.Deviation)
		add("low", x.Low)
		add("high", x.High)
	}
	for i := range of {
		of[i] += x.From
	}
	labels := make([]dataset.Labels, len(x.Frame.Meta))
	for i, l := range x.Frame.Meta {
		labels[i] = l.Pick(of)
	}
	t.addLabels(labels, 0, n)
	return t
}

// writeNPZ writes all rows that each yields.
func (p *predictions) writeNPZ(w io.Writer, each func(do func(*workbench.Filled) error) error) error {
	var values, deviation []float64
	var index []int64
	if err := each(func(x *workbench.Filled) error {
		values = append(values, slices.Concat(x.Values...)...)
		deviation = append(deviation, slices.Concat(x.Deviation...)...)
		index = append(index, valuesBy(len(x.Rows), func(i int) int64 { return int64(x.Rows[i].Index) })...)
		return nil
	}); err != nil {
		return err
	}
	shape := shapeOf(p.job.head(), len(index))
	members := []npy.Member{{Name: "x", Array: npy.New(values, shape...)}}
	if deviation != nil {
		members = append(members, npy.Member{Name: "deviation", Array: npy.New(deviation, shape...)})
	}
	members = append(members, npy.Member{Name: "index", Array: npy.New(index, len(index))})
	if c := p.job.head().Columns; c != nil {
		members = append(members, npy.Member{Name: "columns", Array: npy.New(c, len(c))})
	}
	if p.job.set.Weights != nil {
		members = append(members, npy.Member{Name: "weight", Array: p.job.set.WeightArray()})
	}
	return npy.WriteZip(w, npy.Deflate, withMeta(members, p.job.set.Meta)...)
}
