package report

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/table"
)

// learner learns a model again from other data, as far as its record says how it was
// learned: the same rule, poses, method and number of parts.
type learner struct {
	config patchwork.Config
	table  *table.Options // nil: package learn
	learn  learn.Options
	words  string // what was recorded
}

// relearner returns a learner like the one that made a model, or why there is none.
func relearner(m *patchwork.Model, tables bool) (*learner, string) {
	c, r := m.Config(), m.Extras().Record
	switch {
	case r.Method == "":
		return nil, "The model file does not say how the model was learned."
	case c.Scene:
		return nil, "Parts of scenes are not learned again here."
	case len(r.Starts) > 0 && r.Starts[0].Method == learn.FromPieces:
		return nil, "An alphabet is not learned again here: its parts come back turned and stretched."
	case m.Extras().Usage == nil || allZero(m.Extras().Usage):
		return nil, "The model has no part that is used."
	}
	l := &learner{config: c}
	if r.Method == "soft" {
		if !tables {
			return nil, "The model file does not say how the model was learned."
		}
		l.config.QMap = nil
		l.table = &table.Options{Experts: m.K()}
		l.words = fmt.Sprintf("method soft, %s", plural(int64(m.K()), "part"))
		return l, ""
	}
	method, err := learn.ParseMethod(r.Method)
	if err != nil {
		return nil, fmt.Sprintf("The model was learned by %q, which is not known here.", r.Method)
	}
	l.learn = learn.Options{Experts: m.K(), Method: method, Paper: r.Mode == "paper", Starts: len(r.Starts)}
	if n := len(r.Starts) - 1; n > 0 && r.Starts[n].Pieces > 0 { // the last one is not a start, but the joining
		l.learn.Experts, l.learn.Starts, l.learn.Join = r.Starts[n].Pieces, n, true
	}
	l.words = fmt.Sprintf("method %s, %s, %s", method, plural(int64(m.K()), "part"), plural(int64(len(r.Starts)), "start"))
	return l, ""
}

// leftOut says why a brief report has less.
const leftOut = "It was left out, since it takes long here; patchwork report does it."

// relearning returns who learns the model again and from which rows or images, or why
// no one does.
func (b *builder) relearning() (*learner, patchwork.Data, string) {
	if b.opt.Sample < 0 {
		return nil, patchwork.Data{}, leftOut
	}
	if b.bits == nil {
		return nil, patchwork.Data{}, "Only parts of bits are learned again here. patchwork score --hide 0.2 says how well " +
			"cells are predicted, best of rows that the model was not learned from."
	}
	if b.r.Answers != nil {
		return nil, patchwork.Data{}, "Pictures of answers are not learned again here: patchwork learn --for answers says " +
			"how probable rows are that were held out, by all pictures that were compared."
	}
	l, why := relearner(b.bits, b.set.Table)
	if l == nil {
		return nil, patchwork.Data{}, why
	}
	return l, draw(b.set.Data, b.opt.Sample, source(b.opt.Seed, "rows", 0)), ""
}

// one returns a learner of a single part, where parts move; else nil.
func (l *learner) one() *learner {
	if l.table != nil || l.config.Poses.Len() == 1 {
		return nil
	}
	out := *l
	out.learn.Experts = 1
	return &out
}

// from returns a learner that begins at a model instead of at its own starts, where parts of drawings are learned from
// rows that are drawn anew: that the same parts are found from other starts is asked apart, and takes many times as long.
func (l *learner) from(m *patchwork.Model) *learner {
	if l.table != nil || l.learn.Method != learn.MethodStrokes {
		return l
	}
	out := *l
	out.learn.Continue, out.learn.Join = m, false
	return &out
}

func allZero(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x != 0 })
}

// fit learns from data. The model depends on the data and the seed only.
func (l *learner) fit(ctx context.Context, data patchwork.Data, seed uint64) (*patchwork.Model, error) {
	if l.table != nil {
		opt := *l.table
		opt.Seed = seed
		return table.Learn(ctx, data, l.config, opt)
	}
	opt := l.learn
	opt.Seed = seed
	return learn.Learn(ctx, data, l.config, opt)
}

// draw returns up to n of the rows, drawn at random without replacement, in their
// order.
func draw(data patchwork.Data, n int, rng *rand.Rand) patchwork.Data {
	if index := drawn(len(data.Images), n, rng); index != nil {
		return rows.Part(data, index)
	}
	return patchwork.Data{Images: data.Images, Weights: data.Weights, Unit: data.Unit}
}

// drawn returns the indices of n of all rows, drawn at random without replacement, in their order; nil if there are no
// more.
func drawn(all, n int, rng *rand.Rand) []int {
	if all <= n {
		return nil
	}
	index := rng.Perm(all)[:n]
	slices.Sort(index)
	return index
}

// source returns random numbers for one purpose: those of different names are
// independent, and so are those of different numbers.
func source(seed uint64, name string, number int) *rand.Rand {
	var h uint64 = 14695981039346656037
	for _, c := range []byte(strings.ToLower(name)) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h+uint64(number)))
}
