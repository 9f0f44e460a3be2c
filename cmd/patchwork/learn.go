package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/journal"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/table"
	"example.com/patchwork/workbench"
)

// learn learns a model of any kind and writes it.
func (a *app) learn(cmd *cobra.Command, f *learnFlags, paths []string) error {
	if f.update == "" {
		if err := f.check(cmd); err != nil {
			return err
		}
	}
	if f.output == "" {
		return usagef("-o MODEL is required: name the model file to write")
	}
	if f.update != "" {
		return a.goOn(cmd, f, paths)
	}
	e, err := a.startEngine(cmd.Context(), &f.engine)
	if err != nil {
		return err
	}
	defer e.stop()
	s, l, err := a.planWide(cmd, f, paths)
	local := paths
	if err == nil && l == nil {
		if s, local, err = f.openFor(cmd, e, paths); err == nil {
			l, err = a.plan(cmd, f, s, e)
		}
	}
	if err != nil {
		return err
	}
	if l.journal, err = f.openCheckpoint(cmd, s.identity, local, l.Settings()...); err != nil {
		return err
	}
	if l.journal != nil {
		defer func() { _ = l.journal.Close() }() // after an error; otherwise it is closed before it is removed
		l.Memory = memory{l.journal}
	}
	began := time.Now()
	last, err := a.watch(cmd.Context(), f, l)
	if err != nil {
		return request(err)
	}
	last.Model = keepNames(cmd, f.output, last.Model)
	if err := a.saveModel(f.output, last.Model); err != nil {
		return err
	}
	if last.Interrupted {
		return f.keptSoFar("the best so far, with "+words.Count(last.Model.K(), "part"), l.journal)
	}
	if err := f.checkpoint.done(l.journal); err != nil {
		return err
	}
	return a.summary(f, s.head(), l, &last, time.Since(began))
}

// learning is a run and how it is shown.
type learning struct {
	*workbench.Learning
	source  *source
	engine  *engineProcess // nil for none
	bar     *progress
	journal *journal.Journal // nil unless --checkpoint
	best    float64          // of the starts so far
	phases  []phase          // what it goes through, where nobody knows how many steps that takes
	phase   int              // the present one
}

// plan resolves the recipe by the data into a learning run.
func (a *app) plan(cmd *cobra.Command, f *learnFlags, s *source, e *engineProcess) (*learning, error) {
	r := &learning{source: s, engine: e, best: math.Inf(1)}
	data := s.data(&r.bar)
	facts := data.Facts()
	var err error
	switch {
	case f.by != "":
		r.Learning, err = workbench.NewClasses(data, f.by, f.Recipe)
	default:
		if !s.numbers() && s.stream == nil && s.lists == nil {
			if facts.Layout, err = a.lookAt(cmd.Context(), f, data, facts); err != nil {
				return nil, err
			}
		}
		if e != nil {
			data.Tally = e.tally(func() error { return e.begin(cmd, f, r.Learning) }, &r.bar)
		}
		r.Learning, err = workbench.NewLearning(data, f.Recipe, facts)
	}
	if err != nil {
		return nil, request(inFlags(err))
	}
	f.Recipe = r.Recipe
	if f.q != "" {
		if r.Answers.Needs, r.Answers.Skills, err = readMatrix(opened(cmd), f.q, columnNames(s.head())); err != nil {
			return nil, err
		}
	}
	if e == nil {
		return r, nil
	}
	if r.Learn.WithDefaults(r.Config).Method == learn.MethodOnline {
		return nil, errNoOnline
	}
	return r, f.sameElsewhere(facts, &r.Recipe)
}

// lookAt finds out what images hold that are in memory, if the recipe leaves it open.
func (a *app) lookAt(ctx context.Context, f *learnFlags, data workbench.Data,
	facts recipe.Facts) (learn.Layout, error) {
	p := a.progress("looking at what the images hold, step", 0)
	defer p.stop()
	l, err := f.Look(ctx, data.Data, facts)
	return l, request(err)
}

// watch learns and shows progress. It returns the last step.
func (a *app) watch(ctx context.Context, f *learnFlags, l *learning) (last workbench.Step, err error) {
	if l.engine == nil && l.source.stream != nil {
		a.sayStreaming(l.source, f.data.memory, l.streaming())
	}
	l.phases = l.stages()
	if l.bar = a.progress(l.counts()); l.bar != nil {
		l.bar.uneven = l.phases != nil
	}
	defer func() { l.bar.stop() }()
	said := false
	for s, err := range l.Steps(ctx) {
		if err == nil && !said {
			said, err = true, a.sayProfile(f, l)
		}
		if err != nil {
			return s, err
		}
		if a.see != nil {
			a.see(s)
		}
		l.show(&s)
		last = s
	}
	if last.Interrupted {
		last.Model, err = workbench.Unfinished(last.Model)
	}
	if l.engine != nil && l.engine.passes == 0 {
		a.note("the sample of %d held all images, so that Beam had nothing to do; allow less with --memory", l.Learn.Sample)
	}
	return last, err
}

// counts returns what the line of progress counts, and up to where, if that is known.
func (l *learning) counts() (what string, total int) {
	switch {
	case l.source.stream != nil:
		return "row", 0
	case l.phases != nil:
		return "phase", len(l.phases)
	case l.Answers != nil || l.Lists != nil:
		return "step", 0
	case l.Numbers != nil || l.Mixed != nil:
		return "start", 0
	case l.Learn.Experts != 0:
		return "start", l.Learn.WithDefaults(l.Config).Starts
	case l.Learn.AtMost > 0: // growing
		return "model", l.Learn.AtMost - l.Learn.AtLeast + 1
	}
	return "model", 0
}

// phase is a part of a run: what it does, and the stages that belong to it.
type phase struct {
	does   string
	stages []string
}

// stages returns the phases of a run whose length nobody knows, in their order; nil of others.
func (l *learning) stages() []phase {
	switch {
	case l.source.stream != nil || l.Numbers != nil || l.Mixed != nil || l.Answers != nil || l.Lists != nil:
		return nil
	case l.Table != nil:
		all := []phase{{"finding parts", []string{table.StageGrow, table.StageMixture, table.StageShrink}},
			{"improving the choice", []string{table.StageExact, table.StageFinal, table.StageTogether}}}
		if l.Predict {
			all = append(all, phase{"adding what predicts", []string{"predict"}})
		}
		return all
	case l.Learn.StartFrom == learn.StartFromPairs || l.Learn.Experts == 0 && l.Learn.AtMost == 0:
		return []phase{{"looking for what images share", []string{learn.StagePairs, learn.StageOnline}},
			{"models of more and more parts", []string{learn.StageEM, learn.StageStart, learn.StageFresh}},
			{"choosing", []string{learn.StageJoined, learn.StageFinal}}}
	}
	return nil
}

// streaming says how data are learned from that are read in every pass.
func (l *learning) streaming() string {
	switch {
	case l.Numbers != nil || l.Mixed != nil:
		return fmt.Sprintf("learning from a uniform sample of %d rows at most, then from all, one pass per step",
			l.Recipe.FittingNumbers(l.source.head().Size()))
	case l.Table != nil:
		return fmt.Sprintf("learning from a uniform sample of %d rows at most, and judging the parts by all",
			l.Recipe.Fitting(l.Config.Height, l.Config.Width))
	case l.Learn.WithDefaults(l.Config).Method == learn.MethodOnline:
		return "learning in its order, from one start"
	}
	return fmt.Sprintf("learning from a uniform sample of %d images, then from all, one pass per iteration",
		l.Learn.Sample)
}

// show shows a step: of a stream only what it found, since its rows are counted.
func (l *learning) show(s *workbench.Step) {
	note, parts := "", words.Count(s.Experts, "part")
	switch {
	case l.Numbers != nil || l.Mixed != nil:
		note = parts
		if s.Stage == "end" || l.Mixed != nil {
			l.best = min(l.best, s.DescriptionLength)
		}
		if !math.IsInf(l.best, 1) {
			note += fmt.Sprintf(", best description length %.1f nats", l.best)
		}
	case l.Answers != nil:
		note = s.Stage
	case l.Lists != nil:
		note = fmt.Sprintf("%s, description length %.1f nats", parts, s.DescriptionLength)
	case l.Table != nil:
		note = tableNote(s)
	case s.Stage == learn.StageStart && l.Learn.Experts != 0:
		l.best = min(l.best, -s.LogLik)
		note = fmt.Sprintf("best log-likelihood %.1f", -l.best)
	case s.Stage == learn.StagePairs:
		note = parts
	case s.Stage == learn.StageFresh:
		note = parts + " tried"
	case l.phases == nil:
		return
	}
	switch at := slices.IndexFunc(l.phases, func(p phase) bool { return slices.Contains(p.stages, s.Stage) }); {
	case l.source.stream != nil:
		l.bar.say(note)
	case at >= 0:
		if at = max(at, l.phase); note != "" || at != l.phase { // it may look back
			note = strings.TrimSuffix(l.phases[at].does+", "+note, ", ")
		}
		l.phase = at
		l.bar.reach(at, len(l.phases), note)
	case s.Starts > 0 && (l.Numbers != nil || l.Mixed != nil):
		l.bar.reach(min(s.Start, s.Starts-1), s.Starts, note)
	default:
		l.bar.step(note)
	}
}

// tableNote describes the latest candidate, and the best so far.
func tableNote(s *workbench.Step) string {
	if !s.Candidate {
		return ""
	}
	note := fmt.Sprintf("%.3f nats per row", s.DescriptionLength/float64(s.Rows))
	if s.HiddenBits > 0 {
		note = fmt.Sprintf("%.4f nats per hidden bit", s.HiddenLoss)
	}
	best := ""
	if s.Best != nil {
		best = "; best so far " + words.Count(s.Best.K(), "part")
	}
	return fmt.Sprintf("%s, %s%s", words.Count(s.Experts, "part"), note, best)
}

// data returns what is learned from. How far a stream was read is shown on a bar, which may be begun later.
func (s *source) data(bar **progress) workbench.Data {
	d := workbench.Data{Frame: s.head(), Rows: s.rows(), Lists: s.lists}
	if s.stream == nil {
		return d
	}
	passes, total := 0, d.Rows
	d.Blocks = func(ctx context.Context) iter.Seq2[*dataset.Frame, error] {
		return func(yield func(*dataset.Frame, error) bool) {
			passes++
			(*bar).again(fmt.Sprintf("pass %d, row", passes), total)
			read := 0
			for f, err := range s.frames(ctx) {
				if !yield(f, err) || err != nil {
					return
				}
				read += f.Len()
				(*bar).add(f.Len())
			}
			total = read
		}
	}
	return d
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
