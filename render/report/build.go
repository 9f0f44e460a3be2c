package report

import (
	"context"
	"errors"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/posterior"
	"example.com/patchwork/workbench"
)

// Build explains rows or images by a model and computes a report. The error is the context's,
// or says which row does not fit the model. The report is the same for any number of
// workers.
func Build(ctx context.Context, m workbench.Model, set *dataset.Set, opt Options) (*Report, error) {
	if set.Len() == 0 {
		return nil, errors.New("patchwork: there are no rows to report on")
	}
	if opt.Workers = max(opt.Workers, 1); opt.Progress == nil {
		opt.Progress = func(string, int, int) {}
	}
	b := &builder{set: set, opt: opt, rowName: set.Called(), labels: findLabels(set)}
	b.r = &Report{Source: set.Source, Table: set.Table, Rows: set.Len(), Seed: opt.Seed, set: set}
	b.r.Height, b.r.Width = set.Size()
	var err error
	switch m := m.(type) {
	case workbench.Bits:
		err = b.bits(ctx, m.Model)
	case workbench.Numbers:
		err = b.numbers(ctx, m.Model)
	default:
		err = errors.New("patchwork: a report is of parts, which a model of classes has none of its own")
	}
	if err != nil {
		return nil, err
	}
	return b.r, nil
}

// bits builds a report about bits.
func (b *builder) bits(ctx context.Context, m *patchwork.Model) error {
	b.folds = b.opt.settle(m, b.set)
	b.m, b.said = m, called(m, b.set)
	if b.set.Table {
		for i := range m.Width() {
			b.names = append(b.names, words.Column(b.said, i))
		}
	}
	b.r.Rule, b.r.model, b.r.interrupted = m.Config().Rule.String(), m, m.Extras().Record.Interrupted
	for _, do := range []func(context.Context) error{b.explain, b.parts, b.rest, b.missing, b.quality, b.stability} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	b.crossTables()
	b.together()
	b.places()
	b.distrust()
	b.r.Summary = b.summary()
	return nil
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
