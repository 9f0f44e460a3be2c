package report

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/posterior"
)

// Build explains a set by a model and computes a report. The error is the context's,
// or says which row does not fit the model. The report is the same for any number of
// workers.
func Build(ctx context.Context, m *patchwork.Model, set *dataset.Set, opt Options) (*Report, error) {
	opt, err := opt.begun(set.Len())
	if err != nil {
		return nil, err
	}
	folds := opt.settle(m, set)
	b := &builder{m: m, set: set, opt: opt, folds: folds, said: called(m, set), rowName: set.Called()}
	if set.Table {
		for i := range m.Width() {
			b.names = append(b.names, words.Column(b.said, i))
		}
	}
	b.labels = findLabels(set)
	b.r = &Report{Source: set.Source, Table: set.Table, Rule: m.Config().Rule.String(), Rows: set.Len(), Seed: opt.Seed,
		model: m, set: set, interrupted: m.Extras().Record.Interrupted}
	b.r.Height, b.r.Width = set.Size()
	for _, do := range []func(context.Context) error{b.explain, b.parts, b.rest, b.missing, b.quality, b.stability} {
		if err := do(ctx); err != nil {
			return nil, err
		}
	}
	b.crossTables()
	b.together()
	b.places()
	b.distrust()
	b.r.Summary = b.summary()
	return b.r, nil
}

// begun returns the options for so many rows, with what has no value set. The error says that there are none.
func (o Options) begun(rows int) (Options, error) {
	if rows == 0 {
		return o, fmt.Errorf("patchwork: there are no rows to report on")
	}
	o.Workers = max(o.Workers, 1)
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	return o, nil
}

// builder is the work on one report.
type builder struct {
	m      *patchwork.Model
	set    *dataset.Set
	opt    Options
	folds  int // of Quality
	labels labels
	r      *Report

	said    *patchwork.Model   // for words: see called
	rowName func(i int) string // what row i is called
	names   []string           // of the columns of a table

	found []patchwork.Explanation
	on    []int64 // of each column: rows that have it, weights counted
	seen  []int64 // the same: rows in which it is known
}

// explain explains all rows, and counts.
func (b *builder) explain(ctx context.Context) error {
	n := b.set.Len()
	b.found = make([]patchwork.Explanation, n)
	step := b.counter("explaining", n)
	tally, err := patchwork.EStep(ctx, b.m, b.set.Data, patchwork.PursuitOptions{Costs: posterior.PickCosts(b.m)},
		b.opt.Workers,
		func(i int, e *patchwork.Explanation) {
			b.found[i] = *e
			b.found[i].Picks = slices.Clone(e.Picks)
			step()
		})
	if err != nil {
		return err
	}
	explained := make([]*patchwork.Explanation, n)
	known, logLik := int64(0), 0.0
	for i := range b.found {
		e, w := &b.found[i], b.set.Weight(i)
		explained[i] = e
		b.r.picks = append(b.r.picks, e.Picks)
		if math.IsInf(e.LogLikModel, -1) {
			b.r.Impossible += w
		}
		logLik += float64(float64(w) * e.LogLikModel)
		k := int64(b.set.Images[i].CountKnown())
		known += w * k
		b.r.Unknown += int64(b.set.Images[i].Len()) - k
		b.r.Weight += w
	}
	b.r.LogLik, b.r.PerCell = Number(logLik/float64(b.r.Weight)), Number(logLik/float64(known))
	for _, f := range diagnose.Model(b.m, diagnose.Evidence{Tally: tally, Explained: explained, Name: b.rowName}) {
		b.r.Findings = append(b.r.Findings, Finding{f.Kind.String(), f.Facts, f.Advice})
	}
	if b.set.Table {
		b.r.Columns = b.r.Width
		b.count()
		b.r.Findings = append(b.r.Findings, b.dataFindings()...)
	}
	return nil
}

// activeParts returns the parts among picks, each once, in the order of the pursuit.
func activeParts(picks []patchwork.Pick) []int {
	var out []int
	for _, p := range picks {
		if !slices.Contains(out, p.Expert) {
			out = append(out, p.Expert)
		}
	}
	return out
}

// count counts in how many rows each column is on, and known.
func (b *builder) count() {
	n := b.r.Width
	b.on, b.seen = make([]int64, n), make([]int64, n)
	b.cells(func(i int, on, known []uint8) {
		w := b.set.Weight(i)
		for j := range n {
			b.seen[j] += w * int64(known[j])
			b.on[j] += w * int64(known[j]&on[j])
		}
	})
}

// cells calls each with the bits of every row, in order.
func (b *builder) cells(each func(i int, on, known []uint8)) {
	var on, known []uint8
	for i, img := range b.set.Images {
		on, known = img.AppendBytes(on[:0]), img.AppendKnown(known[:0])
		each(i, on, known)
	}
}
