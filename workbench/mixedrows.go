package workbench

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/posterior"
	"example.com/patchwork/render"
)

// by returns an engine that begins with rows, and does something with each of them, by explainers.
func (m Mixed) by(workers int, begin func(*Explained), do func(*mixed.Explainer, *Explained, int)) *engine {
	first := mixed.NewExplainer(m.Model)
	return forked(workers, first, nil, (*mixed.Explainer).Fork,
		func(ctx context.Context, e *mixed.Explainer, x *Explained) error {
			begin(x)
			return x.each(ctx, func(i int) error {
				do(e, x, i)
				return nil
			})
		})
}

// Explain explains rows in their order.
func (m Mixed) Explain(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	how Explaining) iter.Seq2[*Explained, error] {
	return m.by(how.Workers, func(*Explained) {}, func(e *mixed.Explainer, x *Explained, i int) {
		x.Rows[i].byMixed(e.Explain(x.numbers(i)), how.Best)
	}).explain(ctx, data, how.Then)
}

// byMixed puts an explanation in the form of those of bits.
func (r *Row) byMixed(e *mixed.Explanation, best int) {
	r.StartLogLik, r.LogLik, r.LogLikModel, r.Joint = e.LogBackground, e.LogBest, e.LogBest, e.LogJoint
	for j, k := range e.Parts(0) {
		r.Picks = append(r.Picks, patchwork.Pick{Expert: k, Gain: e.Gains[j]})
	}
	if best < 2 {
		return
	}
	r.Evidence = e.LogLik
	for i := range e.Sets[:min(best, len(e.Sets))] {
		var a posterior.Alternative
		for _, k := range e.Parts(i) {
			a.Picks = append(a.Picks, patchwork.Pick{Expert: k, Gain: math.NaN()})
		}
		a.Weight = e.Weights[i]
		a.LogJoint, a.LogLik = e.Of(i)
		a.StartLogLik, a.LogLikModel = e.LogBackground, a.LogLik
		r.Others = append(r.Others, a)
	}
}

// Predict fills in what is unknown, by the average over explanations and over both kinds of parts: the likeliest word,
// yes or no, a whole number where all are whole, and else the mean.
func (m Mixed) Predict(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	how Predicting) iter.Seq2[*Filled, error] {
	begin := func(x *Explained) { x.Out = &Filled{Explained: x, Text: m.Text, all: how.All} }
	e := m.by(how.Workers, begin, func(e *mixed.Explainer, x *Explained, i int) {
		found, out, n := e.Explain(x.numbers(i)), x.Out.(*Filled), len(m.Columns)
		value, deviation := slices.Clone(x.numbers(i)), make([]float64, n)
		low, high, sure := slices.Clone(value), slices.Clone(value), make([]float64, n)
		said := make([]string, n)
		for d := range value {
			if sure[d] = 1; !how.All && !math.IsNaN(value[d]) {
				continue
			}
			c := found.Believe(d)
			value[d], deviation[d], low[d], high[d], sure[d] = m.guess(d, c)
			said[d] = m.expects(d, c)
		}
		out.Values, out.Deviation = append(out.Values, value), append(out.Deviation, deviation)
		out.Low, out.High, out.Sure = append(out.Low, low), append(out.High, high), append(out.Sure, sure)
		out.Expected = append(out.Expected, said)
	})
	return e.fill(ctx, data)
}

// guess returns what is expected of a cell of column d, with what deviation and in which interval, and how probable it
// is, of numbers that the interval has it.
func (m Mixed) guess(d int, c mixed.Cell) (value, deviation, low, high, sure float64) {
	none := math.NaN()
	if m.isWords(d) {
		value, sure = c.Likeliest()
		return value, none, none, none, sure
	}
	low, high = c.Quantile((1-Inside)/2), c.Quantile((1+Inside)/2)
	return c.Column.Whole(c.Mean()), c.Deviation(), low, high, none
}

// setOf returns picks as a set, bit k for part k.
func setOf(picks []patchwork.Pick) (set uint64) {
	for _, p := range picks {
		set |= 1 << p.Expert
	}
	return set
}

// Cells returns what the parts of an explained row say of each column, in the memory of others. Of words a cell is that
// of the commonest one, or of yes.
func (m Mixed) Cells(c *Case, out []Cell) []Cell {
	set := setOf(c.Row.Picks)
	said := func(d int) mixed.Cell { return mixed.Cell{Column: &m.Columns[d], Belief: m.Compose(d, set)} }
	return m.cells(c.Frame.Values[c.At], said, out)
}

// cells returns the cells of a row beside what is said of each column, in the memory of others.
func (m Mixed) cells(row []float64, of func(d int) mixed.Cell, out []Cell) []Cell {
	for d, x := range row {
		column, said := &m.Columns[d], of(d)
		code := column.Code(x)
		alone := mixed.CellOf(column, &column.All)
		cell := Cell{Column: d, Value: math.NaN(), Tail: math.NaN(), Text: m.Text(d, x), said: m.expects(d, said),
			Loss: -said.LogDensity(x)}
		known := !math.IsNaN(code)
		if m.isWords(d) && len(column.Values) > 0 {
			level, p := m.level(d, nil), said.Levels()
			cell.Mean, cell.Otherwise = p[level], column.Share[level]
			cell.Deviation = math.Sqrt(p[level] * (1 - p[level]))
			if known {
				cell.Value, cell.Tail = map[bool]float64{true: 1}[int(code) == level], p[int(code)]
			}
		} else {
			cell.Mean, cell.Deviation, cell.Otherwise = said.Mean(), said.Deviation(), alone.Mean()
			cell.Spread, cell.quantile = alone.Deviation(), said.Quantile
			if known {
				below := said.Below(code)
				cell.Value, cell.Tail = x, 2*min(below, 1-below)
			}
		}
		out = append(out, cell)
	}
	return out
}

// expects says what is expected of a cell: the likeliest word and how probable it is, or an interval.
func (m Mixed) expects(d int, c mixed.Cell) string {
	value, _, low, high, sure := m.guess(d, c)
	switch {
	case math.IsNaN(value):
		return "?"
	case math.IsNaN(sure):
		return words.Digits(low) + " to " + words.Digits(high)
	case m.codings[d] == nil && m.yes(d) >= 0:
		return words.Percent(c.Levels()[m.yes(d)])
	}
	return m.Text(d, value) + " " + words.Percent(sure)
}

// Sample draws parts and then every cell from what they say.
func (m Mixed) Sample(n int, seed uint64) (*Samples, error) {
	f := &dataset.Frame{Height: 1, Width: len(m.Columns), Columns: m.ColumnNames(), Table: true}
	return samplesOf(m, f, n, seed, m.Model.Sample)
}

// DrawRows returns a picture of explained rows: how far they are from what all rows are like, and from what is expected
// of them by their parts.
func (m Mixed) DrawRows(cases []Case) (render.Picture, error) {
	var rows []render.Deviations
	for _, c := range cases {
		set := setOf(c.Row.Picks)
		var parts []string
		for _, p := range c.Row.Picks {
			parts = append(parts, Called(m, p.Expert))
		}
		before := render.Deviations{Name: c.title()}
		left := render.Deviations{Name: "left by " + cmp.Or(strings.Join(parts, ", "), "no part")}
		for d, code := range m.Code(c.Frame.Values[c.At]) {
			all := mixed.Belief{{Weight: 1, Opinion: &m.Columns[d].All}}
			before.Values = append(before.Values, m.Columns[d].Surprise(all, code))
			left.Values = append(left.Values, m.Columns[d].Surprise(m.Compose(d, set), code))
		}
		rows = append(rows, before, left)
	}
	return render.DeviationPairs(m.titles(), rows), nil
}
