package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/pipes"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile/tallyfile"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
	"example.com/patchwork/workbench"
)

const countLong = `Explain images with a model and write the counts that one step of learning needs, as
a tally file. "patchwork merge" adds the tallies of many files, made on any number
of machines, in any order, and gives the same model as all images in one place.

The images are explained as learning explains them, which is quicker than score and
explain where parts move, and finds a little less: the log-likelihood here may be lower.
The step is that of batch EM, also for drawings.

A tally records the model it was made with, the SHA-256 of its rows and of the files they are
from, and which --rows of these it has counted: merge rejects a tally of the same rows, and --rows
of the same files that overlap. Other files that hold some rows again, or the same rows selected
by other conditions (--where), are not told: see to it that each row is counted once. With
--lines the tally is a line of text, for pipes that carry lines, such as those of Spark, Hadoop streaming and GNU parallel:

  ls rows-*.npy | parallel patchwork count -q --lines -m model.npz {} |
    patchwork merge -m model.npz - -o next.npz`

const countExample = `  patchwork synth quadrants --n 60 --seed 1 -o rows.npz
  patchwork learn rows.npz -o first.npz --rule max-minus-min --experts 8 --starts 1
  patchwork count -m first.npz rows.npz --rows :30 -o 1.tally
  patchwork count -m first.npz rows.npz --rows 31: -o 2.tally
  patchwork merge -m first.npz 1.tally 2.tally -o second.npz`

type countFlags struct {
	model, output string
	lines         bool
	json          jsonFlag
	workers       int
	data          dataFlags
}

func (a *app) countCommand() *cobra.Command {
	f := new(countFlags)
	cmd := &cobra.Command{
		Use:     "count -m MODEL DATA... -o TALLY",
		Short:   "Explain images and write the counts that learning needs",
		Long:    countLong,
		Example: countExample,
		Args:    oneOrMoreData,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.count(cmd, f, args) },
	}
	fs := cmd.Flags()
	modelFlag(cmd, &f.model)
	fs.StringVarP(&f.output, "output", "o", "-", "file to write (- for standard output)")
	fs.BoolVar(&f.lines, "lines", false, "write one line of text, for pipes that carry lines (Spark, Hadoop streaming)")
	f.json.add(cmd)
	workersFlag(cmd, &f.workers)
	f.data.add(cmd)
	everyday(cmd, "model output rows where lines json")
	f.data.addMemory(cmd)
	return cmd
}

func (a *app) count(cmd *cobra.Command, f *countFlags, paths []string) error {
	if _, err := checkOutput("count", f.output); err != nil {
		return err
	}
	if err := f.json.check(f.output); err != nil {
		return err
	}
	m, err := everyColumn(modelFor(cmd, f.model, false))
	if err != nil {
		return err
	}
	f.data.model = m
	src, err := f.data.open(cmd, paths)
	if err != nil {
		return err
	}
	if m, err = fitted(cmd, m, src.head()); err != nil {
		return err
	}
	bar := a.progress("image", 0)
	defer bar.stop()
	of, err := countingOf(m, f.model)
	if err != nil {
		return err
	}
	part, id := of.part, tallyfile.NewIdentity()
	if err := of.count(cmd.Context(), src.data(&bar), id, f.workers); err != nil {
		return request(err)
	}
	shard, err := f.shardOf(id.String(), strings.ToValidUTF8(src.head().Source, "?"), part.Rows(), paths)
	if err != nil {
		return err
	}
	part.Shards = []tallyfile.Shard{shard}
	write := tallyfile.Write
	if f.lines {
		write = tallyfile.WriteLine
	}
	if err := a.output(f.output, func(w io.Writer) error { return write(w, part) }); err != nil {
		return err
	}
	if f.json {
		return a.printObject(countReport{f.output, shard.ID, part.Rows(), part.Picks(), part.LogLik()}, f.output)
	}
	// In a pipe there is no summary.
	return a.wrote(f.output, "counts of %s, log-likelihood %.3f %s",
		words.Count(int(part.Rows()), words.NounsOf(src.head().Table).Image), part.LogLik(), of.by)
}

// counting is how rows are counted for a step of a model, and how the next model follows.
type counting struct {
	part  *tallyfile.Part // the counts; empty at first
	by    string          // how rows are explained, in words
	count func(ctx context.Context, data workbench.Data, id *tallyfile.Identity, workers int) error
	next  func(last bool) (workbench.Model, error)
}

// countingOf returns how rows are counted for a model, from a file.
func countingOf(m workbench.Model, file string) (*counting, error) {
	switch m := m.(type) {
	case workbench.Mixed:
		return countingMixed(m)
	case workbench.Numbers:
		return countingNumbers(m.Model, file)
	}
	return countingBits(m.(workbench.Bits).Model)
}

func countingBits(m *patchwork.Model) (*counting, error) {
	hash, err := tallyfile.HashModel(m)
	part := &tallyfile.Part{Model: hash, Options: howCounted(m), Tally: patchwork.NewTally(m)}
	c := &counting{part: part, by: "by the pursuit of learning (score may find better explanations)"}
	c.next = func(last bool) (workbench.Model, error) {
		next := stepOptions(m).MStep(m, part.Tally)
		if last {
			next = learn.Settle(next)
		}
		next, err := withStep(next, part.Tally, modeOf(m))
		return workbench.Bits{Model: next}, err
	}
	soft := countsSoftly(m)
	if soft {
		part.Soft, c.by = table.NewCounts(m), "by all explanations, with what their parts cost"
		c.next = func(last bool) (workbench.Model, error) {
			return workbench.Bits{Model: part.Soft.MStep(m, last, 1)}, nil
		}
	}
	c.count = func(ctx context.Context, data workbench.Data, id *tallyfile.Identity, workers int) (err error) {
		if data.Unit > 1 {
			return errors.New("the weights are decimals, and counts to merge are whole: round them")
		}
		src := rows.Watch(data.Bits(), id.Add)
		if soft {
			part.Tally = new(patchwork.Tally)
			part.Soft, err = table.Count(ctx, m, src, workers)
			return err
		}
		part.Tally, err = patchwork.EStep(ctx, m, src, stepOptions(m).Pursuit(m), workers, nil)
		return err
	}
	return c, err
}

func countingNumbers(m *real.Model, file string) (*counting, error) {
	hash, err := tallyfile.HashReal(m)
	part := &tallyfile.Part{Model: hash, Options: realCounted, Real: real.NewTally(m)}
	return &counting{part, byBest,
		func(ctx context.Context, data workbench.Data, id *tallyfile.Identity, workers int) error {
			if m.Scales == nil {
				return &inputError{fmt.Errorf(
					"%s: the model does not say on what grid values are counted (step, origin, floor); learn it with patchwork", file)}
			}
			stream, err := real.NewStream(data.Numbers(func(rows [][]float64) { id.AddValues(m.Height, m.Width, rows) }), m.Scales)
			if err == nil {
				part.Real, err = real.EStep(ctx, m, stream, workers)
			}
			return err
		},
		func(bool) (workbench.Model, error) {
			next, err := part.Real.MStep(m)
			return workbench.Numbers{Model: next}, asInput(err)
		}}, err
}

func countingMixed(of workbench.Mixed) (*counting, error) {
	m := of.Model
	hash, err := tallyfile.HashMixed(m)
	part := &tallyfile.Part{Model: hash, Options: mixedCounted, Mixed: mixed.NewTally(m)}
	return &counting{part, byBest,
		func(ctx context.Context, data workbench.Data, id *tallyfile.Identity, workers int) (err error) {
			part.Mixed, err = mixed.EStep(ctx, m, data.Mixed(func(rows [][]float64) {
				id.AddValues(1, len(m.Columns), rows)
			}), workers)
			return err
		},
		func(bool) (workbench.Model, error) {
			next, err := part.Mixed.MStep(m)
			of.Model = next
			return of, asInput(err)
		}}, err
}

// byBest says how rows of numbers are explained.
const byBest = "by the best explanations"

// asInput marks an error of counts as one of the input.
func asInput(err error) error {
	if err != nil {
		return &inputError{err}
	}
	return nil
}

// mixedCounted says how rows of tables of every kind are counted.
const mixedCounted = "mixed, all explanations"

// countsSoftly reports whether the step of a model is that of soft learning: under the
// rules by which a pixel is nobody's own.
func countsSoftly(m *patchwork.Model) bool {
	r := m.Config().Rule
	return r != patchwork.RuleMax && r != patchwork.RuleMaxMinusMin
}

// howCounted says how a step explains and counts: soft counts depend also on how often
// the model says that its parts occur.
func howCounted(m *patchwork.Model) string {
	if !countsSoftly(m) {
		return "mode " + modeOf(m)
	}
	h := sha256.New()
	for _, p := range posterior.ActivationPrior(m) {
		h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(p)))
	}
	return fmt.Sprintf("soft, prior %x", h.Sum(nil)[:6])
}

// modeOf returns how a model was learned: a step is that of the paper for those that learn --for paper made.
func modeOf(m *patchwork.Model) string {
	if mode := m.Extras().Record.Mode; mode == "paper" {
		return mode
	}
	return "default"
}

// stepOptions returns the settings of a step of learning a model.
func stepOptions(m *patchwork.Model) learn.Options { return learn.Options{Paper: modeOf(m) == "paper"} }

const mergeLong = `Combine counts that "patchwork count" wrote, in any order, into the next model. A
file may hold several tallies, one after the other; - reads them from standard
input.

It prints the log-likelihood of the model that made the tallies, which need not rise
with every step; keep the model with the best. --last ends learning: it sets votes
that are kept beside their abstention value to that value; under noisy-or it draws the
votes of each part to their mean.`

type mergeFlags struct {
	model, output string
	last          bool
	json          jsonFlag
}

func (a *app) mergeCommand() *cobra.Command {
	f := new(mergeFlags)
	cmd := &cobra.Command{
		Use:     "merge -m MODEL TALLY... -o NEXT",
		Short:   "Combine counts from many machines into the next model",
		Long:    mergeLong,
		Example: countExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misused(cmd, "no counts: name files that patchwork count wrote, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.merge(cmd, f, args) },
	}
	fs := cmd.Flags()
	modelFlag(cmd, &f.model)
	fs.StringVarP(&f.output, "output", "o", "", "model file to write (- for standard output)")
	fs.BoolVar(&f.last, "last", false, "this is the last step of learning")
	f.json.add(cmd)
	mayReplace(cmd, "model")
	return cmd
}

func (a *app) merge(cmd *cobra.Command, f *mergeFlags, paths []string) error {
	if f.output == "" {
		return usagef("-o NEXT is required: name the model file to write")
	}
	if _, err := checkOutput("merge", f.output); err != nil {
		return err
	}
	if err := f.json.check(f.output); err != nil {
		return err
	}
	m, err := everyColumn(modelFor(cmd, f.model, false))
	if err != nil {
		return err
	}
	of, err := countingOf(m, f.model)
	if err != nil {
		return err
	}
	sum := of.part
	for _, path := range paths {
		if err := addParts(cmd.Context(), sum, path); err != nil {
			return err
		}
	}
	if sum.Rows() == 0 {
		return &inputError{fmt.Errorf("the tallies count no rows; there is nothing to learn from")}
	}
	next, err := of.next(f.last)
	if err != nil {
		return err
	}
	if err := a.saveModel(f.output, next); err != nil {
		return err
	}
	if f.json {
		return a.printObject(mergeReport{f.output, next.K(), len(sum.Shards), sum.Rows(), sum.LogLik()},
			f.output)
	}
	if err := a.say(a.notTo(f.output), "added %s of %s: log-likelihood %.3f before this step",
		words.Count(len(sum.Shards), "shard"), words.Count(int(sum.Rows()), "row"), sum.LogLik()); err != nil {
		return err
	}
	return a.wrote(f.output, "%s", next.Size())
}

// withStep records in the model how it was made.
func withStep(m *patchwork.Model, t *patchwork.Tally, mode string) (*patchwork.Model, error) {
	extras := m.Extras()
	extras.Record = patchwork.Record{Method: "step", Mode: mode, Rows: t.Rows(), LogLik: t.LogLik()}
	return m.WithExtras(extras)
}

// addParts adds all parts of a file to sum.
func addParts(ctx context.Context, sum *tallyfile.Part, path string) error {
	file := os.Stdin
	if path != "-" {
		f, err := pipes.Open(path)
		if err != nil {
			return &inputError{err}
		}
		defer f.Close()
		file = f
	}
	for part, err := range tallyfile.Read(file) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && part.Model != sum.Model {
			err = &tallyfile.MismatchError{
				Problem: fmt.Sprintf("made with the model %.12s…, not with the model of -m, %.12s…; "+
					"give -m the model that made it", part.Model, sum.Model)}
		}
		if err == nil {
			err = sum.Merge(part)
		}
		var mismatch *tallyfile.MismatchError
		var format *tallyfile.FormatError
		switch {
		case err == nil:
		case errors.As(err, &mismatch), errors.As(err, &format):
			return cmp.Or(notTally(path), error(&inputError{fmt.Errorf("%s: %w", nameOf(path), err)}))
		default:
			return fmt.Errorf("%s: %w", nameOf(path), err)
		}
	}
	return nil
}

// nameOf returns a path as messages show it.
func nameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// shardOf describes rows that were counted: by their content, and by their place among the selected rows of the files.
func (f *countFlags) shardOf(content, source string, rows int64, paths []string) (tallyfile.Shard, error) {
	s := tallyfile.Shard{ID: content, Source: source, Rows: rows}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", f.data.array, f.data.where) // other rows than without
	for _, path := range paths {
		sum, err := dataset.Fingerprint(path)
		if err != nil {
			return s, &inputError{err}
		}
		if sum == "" { // what is read only once
			return s, nil
		}
		fmt.Fprintln(h, sum)
	}
	s.File, s.From = fmt.Sprintf("file:%x", h.Sum(nil)), int64(f.data.skip)
	if f.data.takeGiven {
		s.To = s.From + int64(f.data.take)
	}
	return s, nil
}

// realCounted says how images of real values are explained and counted.
const realCounted = "real, 1 explanations"
