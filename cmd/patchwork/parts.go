package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/modelfile/tallyfile"
)

const statsLong = `Explain images with a model and write what they say about it: the counts that
one step of learning needs, as a part. Parts of many files, made on any number
of machines, are added by "patchwork mstep" in any order, and give the same
model as all images in one place.

A part knows the model it was made with and which rows it has counted; rows
that are counted twice are refused. Rows are known by their content, or by the
name that --shard gives. With --lines a part is a line of text, for pipes that
carry lines, such as those of Spark, Hadoop streaming and GNU parallel:

  ls rows-*.npy | parallel patchwork stats -q --lines -m model.npz {} |
    patchwork mstep -m model.npz - -o next.npz`

const statsExample = `  patchwork synth quadrants --n 60 --seed 1 -o rows.npz
  patchwork learn rows.npz -o first.npz --rule max-minus-min --experts 8 --starts 1 --iterations 1
  patchwork stats -m first.npz rows.npz --take 30 -o 1.tally
  patchwork stats -m first.npz rows.npz --skip 30 -o 2.tally
  patchwork mstep -m first.npz 1.tally 2.tally -o second.npz`

type statsFlags struct {
	model, output, shard string
	lines                bool
	workers              int
	mode                 choice
	data                 dataFlags
}

func (a *app) statsCommand() *cobra.Command {
	f := new(statsFlags)
	cmd := &cobra.Command{
		Use:     "stats -m MODEL DATA... -o PART",
		Short:   "Explain images and write the counts that learning needs",
		Long:    statsLong,
		Example: statsExample,
		Args:    oneOrMoreData,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.stats(cmd, f, args) },
	}
	fs := cmd.Flags()
	modelFlag(cmd, &f.model)
	fs.StringVarP(&f.output, "output", "o", "-", "file to write (- for standard output)")
	fs.StringVar(&f.shard, "shard", "", "name of these rows, such as part-00017 (default: their content)")
	fs.BoolVar(&f.lines, "lines", false, "write one line of text, for pipes that carry lines (Spark, Hadoop streaming)")
	f.mode.add(cmd, "mode", "default", "settings of the step", "default", "paper")
	workersFlag(cmd, &f.workers)
	f.data.add(cmd)
	f.data.addMemory(cmd)
	return cmd
}

func (a *app) stats(cmd *cobra.Command, f *statsFlags, paths []string) error {
	if err := checkOutputs(f.output); err != nil {
		return err
	}
	m, err := loadModel(f.model)
	if err != nil {
		return err
	}
	s, err := f.data.open(cmd, paths)
	if err != nil {
		return err
	}
	if err := fits(m, s.head()); err != nil {
		return err
	}
	part, err := a.countPart(cmd.Context(), m, s, f)
	if err != nil {
		return err
	}
	write := tallyfile.Write
	if f.lines {
		write = tallyfile.WriteLine
	}
	if err := a.output(f.output, func(w io.Writer) error { return write(w, part) }); err != nil {
		return err
	}
	if f.output == "-" {
		return nil // in a pipe, silence is success
	}
	return a.say(a.out, "counted %s: log-likelihood %.3f, wrote %s", count(int(part.Tally.Rows()), "row"), part.Tally.LogLik(), f.output)
}

// countPart explains the images of a source and counts them.
func (a *app) countPart(ctx context.Context, m *patchwork.Model, s *source, f *statsFlags) (*tallyfile.Part, error) {
	hash, err := tallyfile.HashModel(m)
	if err != nil {
		return nil, err
	}
	var src patchwork.Source = s.set
	if s.stream != nil {
		bar := a.progress("image", 0)
		defer bar.stop()
		src = &feed{stream: s.stream, bar: bar}
	}
	how := stepOptions(f.mode.value).Pursuit()
	id := tallyfile.NewIdentity()
	tally, err := patchwork.EStep(ctx, m, rows.Watch(src, id.Add), how, f.workers, nil)
	if err != nil {
		return nil, request(err)
	}
	shard := tallyfile.Shard{ID: f.shard, Source: strings.ToValidUTF8(s.head().Source, "?"), Rows: tally.Rows()}
	if shard.ID == "" {
		shard.ID = id.String()
	}
	return &tallyfile.Part{Model: hash, Options: "mode " + f.mode.value, Shards: []tallyfile.Shard{shard}, Tally: tally}, nil
}

// stepOptions are the settings of a step of learning in a mode.
func stepOptions(mode string) learn.Options { return learn.Options{Paper: mode == "paper"} }

const mstepLong = `Add up parts that "patchwork stats" wrote, in any order, and read the next model
off the counts. A file may hold several parts, one after the other; - reads
them from standard input.

Refused are parts that another model made, rows that were counted twice, and
files that are damaged or cut.

The log-likelihood printed is that of the model that made the parts. It need
not rise with every step; keep the model with the best. --last ends learning:
votes that wait beside their abstention value go there.`

type mstepFlags struct {
	model, output string
	mode          choice
	last          bool
}

func (a *app) mstepCommand() *cobra.Command {
	f := new(mstepFlags)
	cmd := &cobra.Command{
		Use:     "mstep -m MODEL PART... -o NEXT",
		Short:   "Add up counts and read the next model off them",
		Long:    mstepLong,
		Example: statsExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{err: fmt.Errorf("no parts: name files that patchwork stats wrote, or - for standard input"), command: cmd.CommandPath()}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.mstep(cmd, f, args) },
	}
	fs := cmd.Flags()
	modelFlag(cmd, &f.model)
	fs.StringVarP(&f.output, "output", "o", "", "model file to write (- for standard output)")
	fs.BoolVar(&f.last, "last", false, "this is the last step of learning")
	f.mode.add(cmd, "mode", "default", "settings of the step, as in stats", "default", "paper")
	return cmd
}

func (a *app) mstep(cmd *cobra.Command, f *mstepFlags, paths []string) error {
	if f.output == "" {
		return usagef("-o NEXT is missing: where shall the model go?")
	}
	m, err := loadModel(f.model)
	if err != nil {
		return err
	}
	hash, err := tallyfile.HashModel(m)
	if err != nil {
		return err
	}
	sum := &tallyfile.Part{Model: hash, Options: "mode " + f.mode.value, Tally: patchwork.NewTally(m)}
	for _, path := range paths {
		if err := addParts(cmd.Context(), sum, path); err != nil {
			return err
		}
	}
	if sum.Tally.Rows() == 0 {
		return &inputError{fmt.Errorf("the parts count no rows; there is nothing to learn from")}
	}
	next := stepOptions(f.mode.value).MStep(m, sum.Tally)
	if f.last {
		next = learn.Settle(next)
	}
	next, err = withStep(next, sum.Tally, f.mode.value)
	if err != nil {
		return err
	}
	if err := a.saveModel(f.output, next); err != nil {
		return err
	}
	w := a.out
	if f.output == "-" {
		w = a.err
	}
	return a.say(w, "added %s of %s: log-likelihood %.3f before this step", count(len(sum.Shards), "shard"), count(int(sum.Tally.Rows()), "row"), sum.Tally.LogLik())
}

// withStep says in the model's record how it came to be.
func withStep(m *patchwork.Model, t *patchwork.Tally, mode string) (*patchwork.Model, error) {
	extras := m.Extras()
	extras.Record = patchwork.Record{Method: "step", Mode: mode, Rows: t.Rows(), LogLik: t.LogLik()}
	return m.WithExtras(extras)
}

// addParts adds all parts of a file to sum.
func addParts(ctx context.Context, sum *tallyfile.Part, path string) error {
	file := os.Stdin
	if path != "-" {
		f, err := os.Open(path)
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
			err = &tallyfile.MismatchError{Problem: fmt.Sprintf("made with the model %.12s…, not with the model of -m, %.12s…; give -m the model that made it", part.Model, sum.Model)}
		}
		if err == nil {
			err = sum.Merge(part)
		}
		var mismatch *tallyfile.MismatchError
		var format *tallyfile.FormatError
		switch {
		case err == nil:
		case errors.As(err, &mismatch), errors.As(err, &format):
			return &inputError{fmt.Errorf("%s: %w", nameOf(path), err)}
		default:
			return fmt.Errorf("%s: %w", nameOf(path), err)
		}
	}
	return nil
}

// nameOf is a path for people.
func nameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}
