package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/workbench"
)

// realCommands are the commands that take models of real values.
const realCommands = "learn, explain, score, predict, sample, show, report, count, merge and serve"

// kind returns what data are: what they show, unless a flag holds for bits only.
func (f *learnFlags) kind(cmd *cobra.Command) dataset.Kind {
	if meantFor(cmd, realValues) != nil || cmd.Flags().Changed("for") || cmd.Flags().Changed("rule") {
		return dataset.Bit
	}
	return dataset.Unknown
}

// sizeOf returns the number of rows or images with their size.
func sizeOf(n, height, width int, table bool) string {
	if table {
		return fmt.Sprintf("%s of %s", words.Count(n, "row"), words.Count(width, "column"))
	}
	return fmt.Sprintf("%s of %d x %d", words.Count(n, "image"), height, width)
}

// isTableModel reports whether a model of real values is of rows.
func isTableModel(m *real.Model) bool { return m.Height == 1 }

// learnReal learns a model of real values, of those given unless that is nil.
func (a *app) learnReal(cmd *cobra.Command, f *learnFlags, paths []string, s *source) error {
	o, err := f.realOptions(cmd)
	if err != nil {
		return err
	}
	if s == nil {
		if s, err = f.data.openAs(cmd, paths, dataset.Number); err != nil {
			return err
		}
	}
	v := s.head()
	var data *real.Data
	if s.stream == nil {
		if data, err = real.NewData(v.Height, v.Width, v.Values); err != nil {
			return &inputError{err}
		}
	}
	if o.Poses, err = f.Poses.Grid(1, v.Height, v.Width); err != nil {
		return inFlags(err)
	}
	if !f.Poses.Given {
		o.Poses.Angles = nil
	}
	if !f.json && data != nil {
		if err := a.say(a.notTo(f.output), "%s", f.realProfile(v, data)); err != nil {
			return err
		}
	}
	journal, err := f.openCheckpoint(cmd, s.identity, paths, *o)
	if err != nil {
		return err
	}
	if journal != nil {
		defer func() { _ = journal.Close() }() // after an error; otherwise it is closed before it is removed
		o.Memory = memory{journal}
	}
	began := time.Now()
	bar := a.progress("step", 0)
	o.Progress = realProgress(bar, began)
	r, err := a.learnRealFrom(cmd, f, s, data, o)
	bar.stop()
	soFar := err != nil && r != nil && interrupted(cmd.Context())
	if err != nil && !soFar {
		return request(err)
	}
	m := *r.Model
	m.Record.Interrupted = soFar
	if m.Columns = nil; v.Table {
		m.Columns = v.Columns
	}
	if m.Reading, err = v.Reading(); err != nil {
		return err
	}
	named := keepNames(cmd, f.output, workbench.Numbers{Model: &m}).(workbench.Numbers)
	if err := a.saveModel(f.output, named); err != nil {
		return err
	}
	if soFar {
		return f.keptSoFar(startsSoFar(len(r.Starts)), journal)
	}
	if err := f.checkpoint.done(journal); err != nil {
		return err
	}
	return a.realSummary(f, named, r, m.Record.Rows, time.Since(began))
}

// realProgress shows the steps of learning real values on a bar: the start, its parts, the shortest description that a
// start has ended with, and from the second start on how much longer they take, if each takes as long as those before.
func realProgress(bar *progress, began time.Time) func(real.Progress) {
	best, start, each := math.Inf(1), 0, time.Duration(0)
	begun := began // the present start
	return func(p real.Progress) {
		if p.Start != start {
			start, begun = p.Start, time.Now()
			each = begun.Sub(began) / time.Duration(start)
		}
		note := fmt.Sprintf("start %d of %d, %s", p.Start+1, p.Starts, words.Count(p.Experts, "part"))
		if p.Stage == "end" {
			best = min(best, p.DescriptionLength)
		}
		if !math.IsInf(best, 1) {
			note += fmt.Sprintf(", best description length %.1f nats", best)
		}
		if left := each*time.Duration(p.Starts-start) - time.Since(begun); left > 0 {
			note += fmt.Sprintf(", about %v left", left.Round(time.Second))
		}
		bar.step(note)
	}
}

// realProfile says how the data were read, and if it was recognised, why, and how to change it.
func (f *learnFlags) realProfile(v *dataset.Set, data *real.Data) string {
	size := sizeOf(v.Len(), v.Height, v.Width, v.Table)
	if f.data.asNumbers() {
		return fmt.Sprintf("read %s as real values: %s", size, measured(data, v.Table))
	}
	return fmt.Sprintf("%s: learning from real values, since %s (--threshold T makes bits of them, "+
		"--column NAME=label keeps one out); %s", size, f.plainly,
		measured(data, v.Table))
}

// realOptions returns the flags as options of the learner.
func (f *learnFlags) realOptions(cmd *cobra.Command) (*real.Options, error) {
	if err := meantFor(cmd, realValues); err != nil {
		return nil, err
	}
	if f.output == "" {
		return nil, usagef("-o MODEL is required: name the model file to write")
	}
	if _, err := checkOutput("learn", f.output); err != nil {
		return nil, err
	}
	o := &real.Options{Experts: f.Experts, Starts: f.Starts, Seed: f.Seed, Workers: f.Workers, Predict: f.Aim == "predict"}
	switch {
	case f.AtMost > 0:
		return nil, usagef("-k %s: for real values give the largest number of parts, or leave -k out", f.Count.Text())
	case f.json && f.output == "-":
		return nil, jsonFlag(true).check(f.output)
	case cmd.Flags().Changed("rule"):
		var err error
		if o.Rule, err = real.ParseRule(f.Rule); err != nil {
			return nil, request(err)
		}
	}
	return o, nil
}

// measured says how real values are measured: nothing is standardised.
func measured(d *real.Data, table bool) string {
	if table {
		return "each column has a mean and a deviation of its own, and keeps its units"
	}
	low, high := rangeOf(d.Rows)
	return fmt.Sprintf("from %v to %v, in steps of %v", low, high, d.Scales[0].Step)
}

// rangeOf returns the least and the greatest of the known values.
func rangeOf(rows [][]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		for _, x := range row {
			if !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	return low, high
}

// realLearned is what learn --json reports of real values.
type realLearned struct {
	Output            string    `json:"output"`
	For               string    `json:"for"`
	Rule              string    `json:"rule"`
	Rows              int       `json:"rows"`
	Experts           int       `json:"experts"`
	LogLik            float64   `json:"log_lik"`
	DescriptionLength float64   `json:"description_length"`
	Votes             int       `json:"votes"`
	Variances         int       `json:"variances"`
	Starts            []float64 `json:"starts"`
	Seconds           float64   `json:"seconds"`
}

// realSummary says what was learned.
func (a *app) realSummary(f *learnFlags, m workbench.Numbers, r *real.Result, rows int, took time.Duration) error {
	votes, variances := m.Votes()
	if f.json {
		return a.printObject(realLearned{f.output, "real", m.Rule.String(), rows, m.K(), r.LogLik,
			r.DescriptionLength,
			votes, variances, r.Starts, took.Seconds()}, f.output)
	}
	lines := []string{
		fmt.Sprintf("learned %s from %s in %.1f s", words.Count(m.K(), "part"),
			sizeOf(rows, m.Height, m.Width, m.Table()), took.Seconds()),
		fmt.Sprintf("%s, %d of them with a variance of their own; %.2f parts used per row", words.Count(votes, "vote"),
			variances, sum(m.Pi)),
		fmt.Sprintf("description length %.1f nats, the shortest of %s: %s", r.DescriptionLength,
			words.Count(len(r.Starts), "start"), tenths(r.Starts)),
	}
	if err := a.sayAll(a.notTo(f.output), lines); err != nil {
		return err
	}
	return a.wrote(f.output, "%s", m.Size())
}

// sum returns the sum of values.
func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// tenths returns numbers with one decimal, for people.
func tenths(values []float64) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf("%.1f", v))
	}
	return strings.Join(out, ", ")
}

// numberFeed are numbers that learning and counting read, once or in each pass.
type numberFeed struct {
	*source
	bar  *progress
	seen func([][]float64) // of each block, unless nil
}

// Size returns the size of images; rows of a table have the height 1.
func (s *numberFeed) Size() (height, width int) { return s.head().Size() }

// Blocks reads the rows once, and shows how far.
func (s *numberFeed) Blocks(ctx context.Context) iter.Seq2[[][]float64, error] {
	return func(yield func([][]float64, error) bool) {
		if s.stream != nil {
			s.bar.again(0, "pass")
		}
		for part, err := range s.frames(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if s.seen != nil {
				s.seen(part.Values)
			}
			if !yield(part.Values, nil) {
				return
			}
			s.bar.add(part.Len())
		}
	}
}

// fittingReal returns how many rows of a stream are learned from at first: as many as was asked for, or as take a
// quarter
// of the memory.
func (f *learnFlags) fittingReal(s *source) int {
	h, w := s.head().Size()
	return max(1, min(20000, int(f.data.memory)/4/(16*h*w+64)))
}

// learnRealFrom learns from data of any size.
func (a *app) learnRealFrom(cmd *cobra.Command, f *learnFlags, s *source, data *real.Data,
	o *real.Options) (*real.Result, error) {
	if s.stream == nil {
		return real.Learn(cmd.Context(), data, *o)
	}
	o.Sample = f.fittingReal(s)
	a.note("%s needs more than --memory %v; learning from a uniform sample of %d rows, then from all, one pass per step",
		s.head().Source, &f.data.memory, o.Sample)
	return real.LearnStream(cmd.Context(), &numberFeed{source: s}, *o)
}
