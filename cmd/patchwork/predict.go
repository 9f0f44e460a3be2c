package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/posterior"
	"example.com/patchwork/workbench"
)

const predictLong = `Fill in unknown bits: each becomes the probability that it is on, given the known
bits of its image, averaged over the best explanations of these, weighted by their
posterior probabilities, and over all models that the file holds (learn --aim predict).
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
images); probability; and the row's labels.`

const predictExample = `  patchwork synth quadrants --n 200 --seed 1 --hide 0.1 -o rows.npz
  patchwork learn rows.npz --rule max-minus-min -k 4 --starts 2 -o votes.npz
  patchwork predict -m votes.npz rows.npz -o filled.npz
  patchwork predict -m votes.npz rows.npz --rows :3 -o -
  patchwork predict -m votes.npz rows.npz --rows :3 --cells -o cells.csv`

// predictFlags are the flags of predict.
type predictFlags struct {
	inputFlags
	best   bestFlag
	output string
	all    bool
	cells  bool // one cell per row of the output
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
			return with(cmd, f.model, byKind{
				bits:    func(m *patchwork.Model) error { return a.predictData(cmd, f, m, args) },
				numbers: func(m *real.Model) error { return a.predictReal(cmd, f, m, args) }})
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
	everyday(cmd, "model output cells all rows where best")
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
	command := "predict"
	if f.cells {
		command = "predict --cells"
	}
	f.format, err = checkOutput(command, f.output)
	return err
}

// predictData fills in unknown bits.
func (a *app) predictData(cmd *cobra.Command, f *predictFlags, m *patchwork.Model, paths []string) error {
	t, err := f.read(cmd, m, paths)
	if err != nil {
		return err
	}
	opt, err := f.best.options(t)
	if err != nil {
		return err
	}
	npz := isNPZ(f.output) && !f.cells
	if npz && t.stream != nil {
		return usagef("-o %s: an .npz file of predictions is built in memory; write a .csv file, or allow more with --memory",
			f.output)
	}
	a.sayStreaming(&t.source, f.data.memory, "predicting it block by block")
	n := 0
	switch {
	case f.cells:
		return a.predictCells(cmd.Context(), t, opt, f.all, f.output, f.format)
	case npz:
		n, err = a.predictNPZ(cmd.Context(), t, opt, f)
	default:
		n, err = a.predictCSV(cmd.Context(), t, opt, f)
	}
	if err != nil {
		return err
	}
	return a.wrote(f.output, "%s", describe(n, t.head()))
}

func isNPZ(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npz") }

// predictions holds the filled-in images of a set, row-major, in its order.
type predictions struct {
	set *dataset.Set
	p   [][]float64
}

// maxPredictedValues bounds the number of pixels of all predictions together, each a
// float64.
const maxPredictedValues = 1 << 27

// predictNPZ predicts all images, and writes them.
func (a *app) predictNPZ(ctx context.Context, t *task, opt posterior.Options, f *predictFlags) (int, error) {
	h, w := t.set.Size()
	if t.set.Len() > maxPredictedValues/(h*w) {
		return 0, usagef("%s are too many to predict at once; take at most %d at a time with --rows",
			describe(t.set.Len(), t.set), maxPredictedValues/(h*w))
	}
	return a.inParts(ctx, t, func(part *task) error {
		p, err := predictPart(ctx, part, opt, f.all)
		if err != nil {
			return request(err)
		}
		return a.output(f.output, p.writeNPZ)
	})
}

// predictCSV predicts block by block, and writes a row for each image.
func (a *app) predictCSV(ctx context.Context, t *task, opt posterior.Options, f *predictFlags) (n int, err error) {
	columns := workbench.ColumnNames(t.head())
	head := (&predictions{set: t.head().Take(0)}).answers(columns, t.weighted())
	return n, a.outputAnswers(f.output, ".csv", head, pushed(func(push func(*answers) error) error {
		n, err = a.inParts(ctx, t, func(part *task) error {
			for from := 0; from < part.set.Len(); from += cellsAtOnce {
				block := *part
				block.set = part.set.Skip(from).Take(cellsAtOnce)
				p, err := predictPart(ctx, &block, opt, f.all)
				if err != nil {
					return request(err)
				}
				if err := push(p.answers(columns, t.weighted())); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	}))
}

// predictPart predicts the images of a part of a task.
func predictPart(ctx context.Context, t *task, opt posterior.Options, all bool) (*predictions, error) {
	out := &predictions{t.set, make([][]float64, t.set.Len())}
	groups, err := exclusiveColumns(t.model)
	if err != nil {
		return nil, err
	}
	err = posterior.Predict(ctx, t.model, t.set.Images, opt, t.workers, func(i int, p []float64, _ *posterior.Posterior) {
		groups.Normalize(p, t.set.Images[i])
		if !all {
			p = posterior.Fill(t.set.Images[i], p)
		}
		out.p[i] = p
		t.bar.step("")
	})
	return out, err
}

// exclusiveColumns returns the columns of a model of which exactly one is on.
func exclusiveColumns(m *patchwork.Model) (posterior.Exclusive, error) {
	groups, err := dataset.ExclusiveColumns(m)
	return groups, err
}

func (p *predictions) writeNPZ(w io.Writer) error {
	height, width := p.set.Size()
	shape := []int{p.set.Len(), height, width}
	if p.set.Table {
		shape = []int{p.set.Len(), width}
	}
	index := valuesBy(p.set.Len(), func(i int) int64 { return int64(row(p.set, i)) })
	members := []npy.Member{
		{Name: "x", Array: npy.New(slices.Concat(p.p...), shape...)},
		{Name: "index", Array: npy.New(index, len(index))},
	}
	if p.set.Weights != nil {
		members = append(members, npy.Member{Name: "weight", Array: npy.New(p.set.Weights, len(p.set.Weights))})
	}
	if p.set.Columns != nil {
		members = append(members, npy.Member{Name: "columns", Array: npy.New(p.set.Columns, len(p.set.Columns))})
	}
	return npy.WriteZip(w, npy.Deflate, withMeta(members, p.set.Meta)...)
}

// answers returns a table with a row per image: its index, weight, labels and pixels.
func (p *predictions) answers(columns []string, weighted bool) *answers {
	t := new(answers)
	t.add("index", valuesBy(p.set.Len(), func(i int) int64 { return int64(row(p.set, i)) }))
	if weighted {
		t.add("weight", p.set.Weights)
	}
	t.addLabels(p.set.Meta, 0, p.set.Len())
	t.add("x", slices.Concat(p.p...), slices.Clone(columns)...)
	return t
}
