package main

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/journal"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/render"
)

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
		if f.plainly = f.plainlyReal(cmd, err, paths); f.plainly != "" {
			return a.learnReal(cmd, f, paths)
		}
		return hintReal(err)
	}
	layout, err := a.lookAt(cmd.Context(), f, s)
	if err != nil {
		return err
	}
	profile, err := f.resolve(s, layout)
	if err != nil {
		return err
	}
	plan, err := f.Plan(s.head().Size())
	if err != nil {
		return inFlags(err)
	}
	l := learning{Plan: plan, figure: f.progressPicture != "", profile: profile}
	if l.Table != nil {
		l.Table.Exclusive = s.head().Exclusive()
	}
	if l.Table == nil && s.set != nil {
		l.blank = l.Learn.Blank(l.Config, s.set.Data)
	}
	l.begun = sync.OnceValue(func() error { return a.sayProfile(f, &l) })
	if l.journal, err = f.openCheckpoint(cmd, s, l.Plan, local); err != nil {
		return err
	}
	if l.journal != nil {
		defer func() { _ = l.journal.Close() }() // after an error; otherwise it is closed before it is removed
	}
	began := time.Now()
	switch {
	case s.stream != nil && f.Soft():
		if err = a.sampleRows(cmd.Context(), f, s, &l); err == nil {
			if l.journal != nil {
				l.data.Memory = memory{l.journal}
			}
			err = a.learnTable(cmd.Context(), &l)
		}
		if err == nil && !l.interrupted {
			err = a.judgeAll(cmd.Context(), f, s, &l)
		}
	case s.stream != nil:
		err = a.learnStream(cmd, f, s, &l, e, paths)
	default:
		l.data, l.images, l.pixels = s.set.Data, s.set.Len(), knownPixels(s.set.Data, l.blank > 0)
		if f.Soft() {
			if l.journal != nil {
				l.data.Memory = memory{l.journal}
			}
			err = a.learnTable(cmd.Context(), &l)
		} else {
			err = a.run(cmd.Context(), &l, l.data)
			l.drawn()
		}
	}
	if err != nil {
		return err
	}
	if s.set != nil && s.set.Table {
		l.counts.Add(s.set.Data)
	}
	if l.model, err = tellMeans(l.model, &l.counts); err != nil {
		return err
	}
	if l.model, err = s.head().Describe(l.model); err != nil {
		return err
	}
	l.model = keepNames(cmd, f.output, l.model)
	if err := a.saveModel(f.output, l.model); err != nil {
		return err
	}
	if l.interrupted {
		return a.learnedSoFar(f, &l)
	}
	if err := f.checkpoint.done(l.journal); err != nil {
		return err
	}
	if err := a.learnPictures(f, &l); err != nil {
		return err
	}
	return a.summary(f, s.head(), &l, time.Since(began))
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

// learnedSoFar writes the pictures of an interrupted run, and says what is kept of it.
func (a *app) learnedSoFar(f *learnFlags, l *learning) error {
	if l.journal != nil {
		if err := l.journal.Close(); err != nil {
			return err
		}
	}
	if f.progressPicture != "" && l.online[l.model.Extras().Record.Chosen] == nil {
		f.progressPicture = "" // there is nothing to show
	}
	if err := a.learnPictures(f, l); err != nil {
		return err
	}
	to := f.output
	if to == "-" {
		to = "to standard output"
	}
	what := fmt.Sprintf("wrote %s, %s", to, bestSoFar(l.model, f.Open()))
	if l.journal != nil {
		what += "; the same command goes on from here"
	}
	return &keptError{what}
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

	figure bool                // whether to keep what the progress picture shows
	online map[int]*onlinePass // by start

	journal     *journal.Journal // nil unless --checkpoint
	interrupted bool             // the user ended it, and model is the best so far
}

// onlinePass holds what the progress picture shows of one start: up to figureSteps
// steps, the first ones and the last.
type onlinePass struct {
	n        int
	examples []*bitmap.Image
	models   []*patchwork.Model
	labels   []string
	swept    []*patchwork.Model // after each iteration of batch EM
}

// see keeps a step for the progress picture.
func (l *learning) see(s learn.Step) {
	if !l.figure || s.Stage != learn.StageOnline && s.Stage != learn.StageEM {
		return
	}
	p := l.online[s.Start]
	if p == nil {
		p = new(onlinePass)
		if l.online == nil {
			l.online = make(map[int]*onlinePass)
		}
		l.online[s.Start] = p
	}
	if s.Stage == learn.StageEM {
		p.swept = append(p.swept, s.Model)
		return
	}
	if p.n++; len(p.models) == figureSteps {
		last := figureSteps - 1
		p.examples, p.models, p.labels = p.examples[:last], p.models[:last], p.labels[:last]
	}
	p.examples, p.models, p.labels = append(p.examples, l.data.Images[s.Image]), append(p.models, s.Model), append(p.labels, fmt.Sprint(p.n))
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
		l.see(s)
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

func (a *app) learnPictures(f *learnFlags, l *learning) error {
	if f.picture != "" {
		if err := a.savePicture(string(f.picture), partsPicture(l.model)); err != nil {
			return err
		}
	}
	if f.curve != "" && len(l.model.Extras().Record.Curve) > 0 {
		if err := a.savePicture(string(f.curve), curveChart(l.model.Extras().Record.Curve)); err != nil {
			return err
		}
	}
	if f.progressPicture == "" {
		return nil
	}
	return a.savePicture(string(f.progressPicture), progressSheet(l))
}

// The paper's Figure 7 shows nine samples beside ten steps.
const (
	figureSamples = 9
	figureSteps   = 20
)

// progressSheet shows the chosen start: the examples in its order, the parts after
// each, and samples of the final model. A last column has the parts after batch EM,
// if there was any. Of a start from the pieces of one image it shows the examples,
// and below them the pieces and the parts after each iteration of batch EM.
func progressSheet(l *learning) render.Sheet {
	pass := l.online[l.model.Extras().Record.Chosen]
	if pass == nil {
		pass = new(onlinePass)
	}
	steps, labels := pass.models, pass.labels
	if len(steps) == 0 && len(pass.swept) > 0 { // from pieces of one image
		sheet := render.Progress(l.data.Images[:min(figureSteps, len(l.data.Images))], pass.swept, sampleTiles(l.model, figureSamples, l.Learn.Seed))
		for i := range pass.swept {
			sheet.ColumnLabels[i] = fmt.Sprint(i)
		}
		sheet.ColumnLabels[0] = "pieces"
		return sheet
	}
	if m := l.model.Extras().Record.Method; m == learn.MethodBoth.String() || m == learn.MethodStrokes.String() {
		steps, labels = append(steps, l.model), append(labels, "swept")
	}
	sheet := render.Progress(pass.examples, steps, sampleTiles(l.model, figureSamples, l.Learn.Seed))
	copy(sheet.ColumnLabels, labels)
	return sheet
}
