package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/posterior"
	"example.com/patchwork/render"
)

// realTask is a model of real values and data for it.
type realTask struct {
	m       *real.Model
	v       *dataset.Values
	workers int
}

// realTask reads data for a model of real values.
func (a *app) realTask(cmd *cobra.Command, m *real.Model, f *dataFlags, workers int, paths []string) (*realTask,
	error) {
	v, _, err := f.readReal(cmd, paths, m)
	if err != nil {
		return nil, err
	}
	return &realTask{m, v, workers}, nil
}

// rows returns which rows they are, as a set without images.
func (t *realTask) rows() *dataset.Set {
	s := t.v.Labelled()
	s.Rows = t.v.Index
	return s
}

// each calls do for each row, with a pursuit of its worker.
func (t *realTask) each(ctx context.Context, do func(p *real.Pursuit, i int) error) error {
	first, err := real.NewPursuit(t.m)
	if err != nil {
		return err
	}
	workers := pool.Size(t.v.Len(), max(t.workers, 1), pool.Chunk)
	pursuits := []*real.Pursuit{first}
	for len(pursuits) < workers {
		pursuits = append(pursuits, first.Fork())
	}
	at, err := pool.Run(ctx, t.v.Len(), workers, pool.Chunk, func(w, i int) error { return do(pursuits[w], i) })
	if err != nil && ctx.Err() == nil {
		return &inputError{fmt.Errorf("row %d: %w", t.v.Index[at]+1, err)}
	}
	return err
}

// explanations explains all rows.
func (t *realTask) explanations(ctx context.Context) ([]real.Explanation, error) {
	out := make([]real.Explanation, t.v.Len())
	err := t.each(ctx, func(p *real.Pursuit, i int) (err error) {
		out[i], err = p.Explain(t.v.Rows[i])
		return err
	})
	return out, err
}

// asBits returns an explanation in the form of those of bits, with model in the place of LogLikModel.
func asBits(e *real.Explanation, model float64) patchwork.Explanation {
	out := patchwork.Explanation{StartLogLik: e.StartLogLik, LogLik: e.LogLik, LogLikModel: model}
	for j, p := range e.Picks {
		pick := patchwork.Pick{Expert: p.Expert, Pose: p.Pose}
		if e.Gains != nil {
			pick.Gain = e.Gains[j]
		}
		out.Picks = append(out.Picks, pick)
	}
	return out
}

// explainReal explains data by a model of real values.
func (a *app) explainReal(cmd *cobra.Command, f *explainFlags, m *real.Model, paths []string) error {
	t, err := a.realTask(cmd, m, &f.input.data, f.input.workers, paths)
	if err != nil {
		return err
	}
	e, err := t.explanations(cmd.Context())
	if err != nil {
		return err
	}
	best, err := t.alternatives(cmd.Context(), int(f.best))
	if err != nil {
		return err
	}
	if kind, table := isTable(f.format); table {
		codes := t.codes(kind, e)
		err = a.outputAnswers(f.path, f.format, codes, codes.once())
	} else {
		err = a.output(f.path, func(w io.Writer) error { return t.writeLines(w, e, best) })
	}
	if err != nil {
		return err
	}
	if err := a.wrote(f.path, "%s", words.Count(len(e), "explanation")); err != nil || f.picture == "" {
		return err
	}
	shown := min(pictured, len(e))
	picture := render.RealExplanations(t.m, t.v.Rows[:shown], e[:shown], t.titles(shown))
	if err := a.savePicture(f.picture, picture); err != nil || shown == len(e) {
		return err
	}
	return a.wrote(f.picture, "the first %d of %s; --rows draws others", shown,
		sizeOf(len(e), t.m.Height, t.m.Width, isTableModel(t.m)))
}

// writeLines writes a JSON line for each explanation, with its alternatives if there are any.
func (t *realTask) writeLines(w io.Writer, e []real.Explanation, best []*real.Posterior) error {
	set, form := t.rows(), newLines(t.m.Names, t.v.Meta)
	form.places, form.gains, form.third, form.first = t.m.Moves(), false, `,"log_joint":`, `,"log_lik":`
	var line []byte
	for i := range e {
		var post *posterior.Posterior
		if best != nil {
			post = &posterior.Posterior{Evidence: best[i].Evidence}
			for j, x := range best[i].Explanations {
				post.Alternatives = append(post.Alternatives, posterior.Alternative{Explanation: asBits(&x, x.LogLik),
					LogJoint: x.LogJoint, Weight: best[i].Weights[j]})
			}
		}
		x := asBits(&e[i], e[i].LogJoint)
		line = form.line(line[:0], set, i, &x, post)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// titles returns what the first rows are called: by their first label, or their number from 1.
func (t *realTask) titles(n int) []string {
	out := make([]string, n)
	for i := range out {
		if out[i] = fmt.Sprint(t.v.Index[i] + 1); len(t.v.Meta) > 0 {
			out[i] = fmt.Sprintf("%d: %s", t.v.Index[i]+1, t.v.Meta[0].Text(i))
		}
	}
	return out
}

// alternatives returns the n best explanations of each row; nil for one.
func (t *realTask) alternatives(ctx context.Context, n int) ([]*real.Posterior, error) {
	if n < 2 {
		return nil, nil
	}
	out := make([]*real.Posterior, t.v.Len())
	return out, t.each(ctx, func(p *real.Pursuit, i int) (err error) {
		out[i], err = p.Best(t.v.Rows[i], n)
		return err
	})
}

// codes returns a table with a row per input and a column per part.
func (t *realTask) codes(format dataset.TableFormat, e []real.Explanation) *answers {
	c := &chunk{set: t.rows(), to: len(e), Explanations: patchwork.Explanations{From: []int{0}}}
	for _, x := range e {
		for _, p := range x.Picks {
			c.Experts = append(c.Experts, int32(p.Expert))
		}
		c.Gains, c.From, c.LogLik = append(c.Gains, x.Gains...), append(c.From, len(c.Experts)), append(c.LogLik, x.LogLik)
	}
	table := newCodeTable(format, partNames(t.m.Names, t.m.K()), false)
	table.finish(c)
	return table.answers(c)
}
