package main

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/journal"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/posterior"
	"example.com/patchwork/workbench"
)

// learn learns a model and writes it.
func (a *app) learn(cmd *cobra.Command, f *learnFlags, paths []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	e, err := a.startEngine(cmd.Context(), &f.engine)
	if err != nil {
		return err
	}
	defer e.stop()
	s, local, err := f.openFor(cmd, e, paths)
	if err != nil {
		return err
	}
	if s.numbers() {
		f.plainly = s.head().Why
		return a.learnReal(cmd, f, paths, s)
	}
	l, err := a.plan(cmd.Context(), f, s)
	if err != nil {
		return err
	}
	var options any = l.Learn.WithDefaults(l.Config)
	if l.Table != nil {
		options = l.Table.WithDefaults()
	}
	if l.journal, err = f.openCheckpoint(cmd, s.identity, local, l.Config, options); err != nil {
		return err
	}
	if l.journal != nil {
		defer func() { _ = l.journal.Close() }() // after an error; otherwise it is closed before it is removed
	}
	began := time.Now()
	if err := a.learnFrom(cmd, f, s, l, e, paths); err != nil {
		return err
	}
	if err := l.describe(s); err != nil {
		return err
	}
	l.model = keepNames(cmd, f.output, workbench.Bits{Model: l.model}).(workbench.Bits).Model
	if err := a.saveModel(f.output, workbench.Bits{Model: l.model}); err != nil {
		return err
	}
	if l.interrupted {
		return f.keptSoFar(bestSoFar(l.model, f.Open()), l.journal)
	}
	if err := f.checkpoint.done(l.journal); err != nil {
		return err
	}
	return a.summary(f, s.head(), l, time.Since(began))
}

// plan resolves the recipe by the data into a learning run.
func (a *app) plan(ctx context.Context, f *learnFlags, s *source) (*learning, error) {
	layout, err := a.lookAt(ctx, f, s)
	if err != nil {
		return nil, err
	}
	profile, err := f.resolve(s, layout)
	if err != nil {
		return nil, err
	}
	plan, err := f.Plan(s.head().Size())
	if err != nil {
		return nil, inFlags(err)
	}
	l := &learning{Plan: plan, profile: profile}
	if l.Table != nil {
		l.Table.Exclusive = s.head().Exclusive()
	}
	if l.Table == nil && s.set != nil {
		l.blank = l.Learn.Blank(l.Config, s.set.Data)
	}
	l.begun = sync.OnceValue(func() error { return a.sayProfile(f, l) })
	return l, nil
}

// learnFrom learns from the data of a run, in memory or as a stream.
func (a *app) learnFrom(cmd *cobra.Command, f *learnFlags, s *source, l *learning, e *engineProcess,
	paths []string) error {
	ctx := cmd.Context()
	switch {
	case s.stream != nil && f.Soft():
		if err := a.sampleRows(ctx, f, s, l); err != nil {
			return err
		}
		if err := a.learnTable(ctx, l); err != nil || l.interrupted {
			return err
		}
		return a.judgeAll(ctx, f, s, l)
	case s.stream != nil:
		return a.learnStream(cmd, f, s, l, e, paths)
	}
	l.data, l.images, l.pixels = s.set.Data, s.set.Len(), knownPixels(s.set.Data, l.blank > 0)
	if f.Soft() {
		return a.learnTable(ctx, l)
	}
	err := a.run(ctx, l, l.data)
	l.drawn()
	return err
}

// describe adds to the model what the data say about its columns, and whether the run is complete.
func (l *learning) describe(s *source) (err error) {
	if s.set != nil && s.set.Table {
		l.counts.Add(s.set.Data)
	}
	if l.model, err = withMeans(l.model, &l.counts); err != nil {
		return err
	}
	if l.model, err = s.head().Describe(l.model); err != nil || !l.interrupted {
		return err
	}
	e := l.model.Extras()
	e.Record.Interrupted = true
	l.model, err = l.model.WithExtras(e)
	return err
}

// drawn counts only the pixels of the images that were drawn to learn an alphabet from.
func (l *learning) drawn() {
	if l.model == nil || !l.Learn.Alphabet {
		return
	}
	all := int64(0)
	for i := range l.data.Images {
		all += l.data.Weight(i)
	}
	if n := l.model.Extras().Record.Rows; n > 0 && n < all {
		l.pixels *= float64(n) / float64(all)
	}
}

// keptSoFar says what was written of an interrupted run, which goes on from its journal if there is one.
func (f *learnFlags) keptSoFar(found string, j *journal.Journal) error {
	if j != nil {
		if err := j.Close(); err != nil {
			return err
		}
		found += "; the same command goes on from here"
	}
	to := f.output
	if to == "-" {
		to = "to standard output"
	}
	return &keptError{fmt.Sprintf("wrote %s, %s", to, found)}
}

// learning is one learning run and its outcome.
type learning struct {
	*recipe.Plan
	data   patchwork.Data // Images is nil if they are streamed
	images int
	pixels float64      // known ones, weights counted
	counts rows.Columns // of a table
	model  *patchwork.Model

	sampled int      // rows of the table of which images are a sample; 0 for none
	all     *allRows // nil unless sampled

	profile string // what was recognised of the data, and how to change it; may be empty
	blank   int    // images without ink, which are left out

	begun func() error // says so, at the first step; may be nil

	journal     *journal.Journal // nil unless --checkpoint
	interrupted bool             // the user ended it, and model is the best so far
}

// run learns and shows progress.
func (a *app) run(ctx context.Context, l *learning, src patchwork.Source) error {
	if l.journal != nil {
		l.Learn.Memory = memory{l.journal}
	}
	total, what := l.Learn.WithDefaults(l.Config).Starts, "start"
	if l.Learn.StartFrom == learn.StartFromPairs {
		what, total = "step", 0
	} else if l.Learn.Experts == 0 {
		what, total = "model", 0 // growing: total unknown
		if l.Learn.AtMost > 0 {
			total = l.Learn.AtMost - l.Learn.AtLeast + 1
		}
	}
	var p *progress
	if f, ok := src.(streaming); ok { // progress through the images says more
		p = f.progress()
	} else {
		p = a.progress(what, total)
		defer p.stop()
	}
	best := math.Inf(-1)
	for s, err := range learn.Run(ctx, src, l.Config, l.Learn) {
		if err == nil && l.begun != nil {
			err = l.begun()
		}
		if err != nil {
			return request(err)
		}
		if a.see != nil {
			a.see(s)
		}
		l.model = s.Model
		switch s.Stage {
		case learn.StageStart:
			if best = max(best, s.LogLik); what == "start" {
				p.step(fmt.Sprintf("best log-likelihood %.1f", best))
			}
		case learn.StagePairs:
			p.step(words.Count(s.Experts, "part"))
		case learn.StageGrow, learn.StageShrink, learn.StageMerge, learn.StageRelocate, learn.StageFresh, learn.StageConfirm:
			p.step(fmt.Sprintf("%s (%s)", words.Count(s.Experts, "part"), s.Stage))
		}
	}
	l.interrupted = interrupted(ctx)
	return nil
}

// knownPixels counts the known pixels, by which a log-likelihood per pixel divides;
// those of images without ink, if they are left out, do not count.
func knownPixels(data patchwork.Data, inked bool) float64 {
	sum := int64(0)
	for i, img := range data.Images {
		if inked && img.CountOn() == 0 {
			continue
		}
		sum += data.Weight(i) * int64(img.CountKnown())
	}
	return float64(sum)
}

// allRows is what is found out about all rows of a table of which a sample was learned.
type allRows struct {
	rows   int64   // weights counted
	logLik float64 // under the model, by the best explanations
	pixels float64 // known ones
}

// sampleRows puts a uniform sample of the rows of a stream, as many as fit in the
// memory, in the place of the data.
func (a *app) sampleRows(ctx context.Context, f *learnFlags, s *source, l *learning) error {
	n := f.Recipe.Fitting(s.head().Size())
	a.sayStreaming(s, f.data.memory,
		fmt.Sprintf("learning from a uniform sample of %d rows at most, and judging the parts by all", n))
	src := &feed{stream: s.stream, bar: a.progress("row", 0)}
	defer src.bar.stop()
	data, of, err := learn.Sample(ctx, src, n, f.Seed)
	if err != nil {
		return err
	}
	l.data, l.images, l.pixels, l.sampled = data, len(data.Images), knownPixels(data, false), of
	return nil
}

// judgeAll explains all rows of a stream by the model that was learned from a sample.
func (a *app) judgeAll(ctx context.Context, f *learnFlags, s *source, l *learning) error {
	src := &feed{stream: s.stream, bar: a.progress("row", 0)}
	defer src.bar.stop()
	tally, err := patchwork.EStep(ctx, l.model, src, patchwork.PursuitOptions{Costs: posterior.PickCosts(l.model)},
		f.Workers, nil)
	if err != nil {
		return request(err)
	}
	l.all = &allRows{tally.Rows(), tally.LogLik(), src.pixels}
	return nil
}

// allLines says how well all rows are explained, beside those of the sample.
func (l *learning) allLines() []string {
	if l.sampled <= l.images {
		return nil
	}
	out := []string{fmt.Sprintf("learned from a uniform sample of %s of %d, as many as --memory allows",
		words.Count(l.images, "row"), l.sampled)}
	if l.all != nil && l.all.rows > 0 {
		logLik := l.all.logLik
		if math.IsInf(logLik, -1) {
			return append(out, "some of the other rows are impossible under the model; patchwork score says how many")
		}
		out = append(out, fmt.Sprintf(
			"all %d rows: log-likelihood %.3f per row, %.5f per cell, by the best explanations (nats)",
			l.all.rows, logLik/float64(l.all.rows), logLik/l.all.pixels))
	}
	return out
}

// withMeans gives a model of a table the means of its columns in the rows that were counted, as
// if half a row more were on and half a row off, unless it has some: what score --hide
// compares with.
func withMeans(m *patchwork.Model, c *rows.Columns) (*patchwork.Model, error) {
	e := m.Extras()
	if e.Means != nil || c.Len() != m.Height()*m.Width() {
		return m, nil
	}
	e.Means = c.Means()
	return m.WithExtras(e)
}
