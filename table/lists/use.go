package lists

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
)

// Explainer explains rows by a model.
type Explainer struct{ e *explainer }

// Explanation is a row by the parts that make it most probable.
type Explanation struct {
	Parts []int32
	Gains []float64 // of the log-likelihood, by each part after those before it
	// Start is the log-likelihood of the row without parts, LogLik that of the explanation, without
	// what its parts cost, and Evidence that of all explanations with what they cost. The first two are those
	// of the most probable level.
	Start, LogLik, Evidence float64
	// Level is that of the row beside its parts, and Error its standard deviation; 0 without levels.
	Level, Error float64
}

// NewExplainer returns what explains rows by a model that was checked.
func NewExplainer(m *Model) *Explainer { return &Explainer{newExplainer(newIndex(m))} }

// Fork returns another for the same model, for another goroutine.
func (x *Explainer) Fork() *Explainer { return &Explainer{newExplainer(x.e.index)} }

// Explain explains a row, of whose columns some are on and some are unknown.
func (x *Explainer) Explain(ones, unknown []int32) Explanation {
	e := x.e
	e.explain(ones, unknown)
	out := Explanation{Start: e.base - e.noParts + e.odd + float64(e.shift*float64(len(ones))), Evidence: e.evidence}
	for _, d := range unknown {
		out.Start -= e.not[d]
	}
	squares := 0.0
	for _, b := range e.levels {
		t := e.views[b.level].step
		out.Level += float64(b.p * t)
		squares += float64(b.p * float64(t*t))
	}
	out.Error = math.Sqrt(max(squares-float64(out.Level*out.Level), 0))
	out.Parts = slices.Clone(e.set)
	slices.SortStableFunc(out.Parts, func(a, b int32) int { return cmp.Compare(e.odds[b], e.odds[a]) })
	out.LogLik = out.Start
	for _, k := range out.Parts {
		gain := e.beside(k) - elem.Log(e.Usage[k]) + elem.Log1p(-e.Usage[k])
		e.turn(k, true)
		out.Gains, out.LogLik = append(out.Gains, gain), out.LogLik+gain
	}
	e.activate(false)
	return out
}

// explain explains a row, and marks its columns.
func (e *explainer) explain(ones, unknown []int32) {
	e.row(ones, unknown)
	for _, d := range ones {
		e.mark[d] = e.stamp
	}
}

// Predict returns how probable it is that each column of a row is on, by its other cells: of a
// column that is on, by all of them.
func (x *Explainer) Predict(ones, unknown []int32) []float64 {
	e := x.e
	e.explain(ones, unknown)
	out := make([]float64, len(e.Q))
	if len(e.levels) == 1 {
		e.predict(1, out)
		return out
	}
	for _, b := range e.levels {
		e.at(b.level, ones, unknown)
		for _, d := range ones {
			e.mark[d] = e.stamp
		}
		e.predict(b.p, out)
	}
	return out
}

// predict adds to out how probable each column is on at the level that was looked at last, times p.
func (e *explainer) predict(p float64, out []float64) {
	for d, odds := range e.logit {
		out[d] += float64(p * sigmoid(odds+e.shift))
	}
	e.activate(true)
	for _, k := range e.candidates {
		for _, d := range e.Parts[k].Columns {
			if e.firstOn(d) == k { // once, where several vote
				q := sigmoid(e.logit[d] + e.shift)
				out[d] += float64(p * (e.expected(d, q) - q))
			}
		}
	}
	e.activate(false)
}

// expected returns how probable it is that a column is on: the strongest vote of the parts that
// are active, each as probable as the other cells make it, or the background q.
func (e *explainer) expected(d int32, q float64) float64 {
	voters := slices.Clone(e.votersOn(d))
	slices.SortStableFunc(voters, func(a, b voter) int { return cmp.Compare(e.yes[b.vote], e.yes[a.vote]) })
	p, rest := 0.0, 1.0
	for _, v := range voters {
		if !e.may(v.part) {
			continue
		}
		odds := e.odds[v.part]
		if e.mark[d] != e.stamp && e.mark[d] != -e.stamp && !e.otherOn(d, v.part) { // without the cell itself
			odds -= e.no[v.vote] - e.not[d]
		}
		w := sigmoid(odds)
		p += float64(rest * w * elem.Exp(e.yes[v.vote]))
		rest *= 1 - w
	}
	return p + float64(rest*q)
}

// may reports whether a part is a candidate in the row.
func (e *explainer) may(k int32) bool {
	_, is := slices.BinarySearch(e.candidates, k)
	return is
}

// firstOn returns the first candidate that votes on a column.
func (e *explainer) firstOn(d int32) int32 {
	for _, v := range e.votersOn(d) {
		if e.may(v.part) {
			return v.part
		}
	}
	return -1
}

// otherOn reports whether another active part votes on a column.
func (e *explainer) otherOn(d, k int32) bool {
	return slices.ContainsFunc(e.votersOn(d), func(v voter) bool { return v.part != k && e.active[v.part] })
}

// Scored is how well a model describes rows.
type Scored struct {
	Evidence float64   // log-likelihood by all explanations
	Length   float64   // of the rows and the model
	Shares   []float64 // of the rows that each part is active in
}

// Score explains all rows of a table, some cells of which may be unknown; nil for none.
func Score(ctx context.Context, m *Model, t, unknown *bitmap.Lists, workers int) (*Scored, error) {
	s, err := newLearner(ctx, t, Options{Workers: workers, Unknown: unknown}).judged(m)
	if err != nil {
		return nil, err
	}
	out := &Scored{Evidence: s.evidence, Length: s.length}
	for _, n := range s.counts.active {
		out.Shares = append(out.Shares, n/float64(max(t.Len(), 1)))
	}
	return out, nil
}
