package workbench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/posterior"
	"example.com/patchwork/render"
)

// Mixed is a model of a table of columns of every kind.
type Mixed struct {
	*mixed.Model
	codings []*dataset.Coding // of the columns that stand for words, nil for others
}

// newMixed returns a model with the words that its columns stand for.
func newMixed(m *mixed.Model) (Mixed, error) {
	out := Mixed{Model: m}
	plan, err := out.Plan()
	if err != nil {
		return out, err
	}
	for d := range m.Columns {
		c := &m.Columns[d]
		coding := plan.Words(c.Name)
		if coding != nil && !coding.Says(c.Low) {
			return out, fmt.Errorf("column %q has levels for which its reading has no words", c.Name)
		}
		out.codings = append(out.codings, coding)
	}
	return out, nil
}

// spanOf returns between which numbers the values of a column lie, NaN if that is not known.
func spanOf(c *mixed.Column) (low, high float64) {
	switch n := len(c.High); {
	case c.Scale == nil && n > 0:
		return c.Low[0], c.High[n-1]
	case c.Scale == nil:
		return math.NaN(), math.NaN()
	case len(c.Scale.Values) > 0:
		return c.Scale.Values[0], c.Scale.Values[len(c.Scale.Values)-1]
	case c.Scale.Log:
		return c.Least, elem.Exp(c.Scale.Mean + 3*c.Scale.SD)
	}
	return c.Least, c.Scale.Mean + 3*c.Scale.SD
}

// Plan says how data are read for the model.
func (m Mixed) Plan() (*dataset.Plan, error) {
	p, err := dataset.PlanOf(m.Reading, m.ColumnNames(), 1, len(m.Columns), false)
	if err != nil {
		return nil, err
	}
	uses := make([]dataset.Use, len(m.Columns))
	for d := range uses {
		c := &m.Columns[d]
		uses[d].Low, uses[d].High = spanOf(c)
		for k := range m.Parts {
			uses[d].Voted = uses[d].Voted || m.Parts[k].Entries[d].Numbers > 0
		}
	}
	for i := 0; m.Graded != nil && m.ShowGraded && i < len(m.Graded.Axes); i++ {
		for _, part := range m.Graded.Loadings {
			d := m.Graded.Axes[i].Column
			uses[d].Voted = uses[d].Voted || part[i] != 0
		}
	}
	p.Uses(uses)
	return p, nil
}

// Write writes the model file.
func (m Mixed) Write(w io.Writer) error { return modelfile.WriteMixed(w, m.Model) }

// K returns the number of parts.
func (m Mixed) K() int { return len(m.Parts) }

// Names returns the names of the parts.
func (m Mixed) Names() []string { return m.PartNames() }

// ColumnNames returns the names of the columns.
func (m Mixed) ColumnNames() (names []string) {
	named := false
	for _, c := range m.Columns {
		names, named = append(names, c.Name), named || c.Name != ""
	}
	if !named {
		return nil
	}
	return names
}

// Moves returns false: columns stay.
func (m Mixed) Moves() bool { return false }

// Table returns true.
func (m Mixed) Table() bool { return true }

// Size says how many parts there are, and of how many columns.
func (m Mixed) Size() string { return sizeText(m.K(), 1, len(m.Columns)) + ", of every kind" }

// Name gives a part another name.
func (m Mixed) Name(k int, name string) (Model, error) {
	names, err := words.Renamed(m.Names(), m.K(), k, name)
	if err != nil {
		return m, err
	}
	out := *m.Model
	out.Parts = slices.Clone(out.Parts)
	for k := range out.Parts {
		if out.Parts[k].Name = ""; names != nil {
			out.Parts[k].Name = names[k]
		}
	}
	return Mixed{&out, m.codings}, nil
}

// called returns what column d is called.
func (m Mixed) called(d int) string {
	name := m.Columns[d].Name
	if c := m.codings[d]; c != nil {
		name = c.Name
	}
	return cmp.Or(words.Clean(name), fmt.Sprintf("column %d", d+1))
}

// Text returns a value of column d as people read it: the word that it stands for, or the number.
func (m Mixed) Text(d int, value float64) string {
	switch c := m.codings[d]; {
	case math.IsNaN(value):
		return ""
	case c != nil:
		return c.Word(int(value))
	}
	sixDigits, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 6, 64), 64)
	return strconv.FormatFloat(sixDigits, 'f', -1, 64)
}

// yes returns the level of a column of yes and no that means yes, -1 of others.
func (m Mixed) yes(d int) int {
	c := &m.Columns[d]
	if n := len(c.Values); c.Family == mixed.Levels && n > 0 && n <= 2 && c.Values[n-1] == 1 && (n == 1 || c.Values[0] == 0) {
		return n - 1
	}
	return -1
}

// Means returns the means that the parts say of each column, nil where they abstain, and those of all rows: of words
// the share of the word that a part names, and of all rows that of the commonest.
func (m Mixed) Means() (parts [][]*float64, everywhere []float64) {
	parts, everywhere = [][]*float64{}, make([]float64, len(m.Columns))
	for d := range m.Columns {
		c := &m.Columns[d]
		switch {
		case c.Family != mixed.Real && len(c.Values) == 0: // nothing was known
		case m.isWords(d):
			everywhere[d] = c.Share[m.level(d, nil)]
		default:
			everywhere[d] = mixed.CellOf(c, &c.All).Mean()
		}
	}
	for k := range m.Parts {
		row := make([]*float64, len(m.Columns))
		for _, v := range m.Part(k).Votes {
			row[v.Column] = &v.Value
		}
		parts = append(parts, row)
	}
	return parts, everywhere
}

// level returns the level of a column of words that is spoken of: yes, or else the word that an opinion changes most,
// of none the commonest.
func (m Mixed) level(d int, o *mixed.Opinion) int {
	if yes := m.yes(d); yes >= 0 {
		return yes
	}
	return m.Columns[d].Most(o)
}

// isWords reports whether a column has words, or yes and no, and no numbers.
func (m Mixed) isWords(d int) bool {
	return m.Columns[d].Family == mixed.Words || m.codings[d] != nil || m.yes(d) >= 0
}

// Part describes a part. Its means are values: of words the number of that which the part names.
func (m Mixed) Part(k int) Part {
	p := &m.Parts[k]
	out := Part{Name: p.Name, Usage: p.Share, Means: slices.Repeat([]float64{math.NaN()}, len(m.Columns)),
		Deviations: slices.Repeat([]float64{math.NaN()}, len(m.Columns)), Elongation: 1}
	votes := p.Votes()
	strength := func(d int) float64 { return m.Columns[d].Strength(&m.Background[d], &p.Entries[d].Opinion) }
	slices.SortStableFunc(votes, func(a, b int) int { return cmp.Compare(strength(b), strength(a)) })
	var said []string
	for i, d := range votes {
		v := m.vote(d, &p.Entries[d].Opinion, i == 0)
		out.Votes = append(out.Votes, v)
		out.Means[d], out.Deviations[d] = v.Value, v.Spread
		if len(said) < wordsColumns {
			said = append(said, v.Name+" "+v.Words)
		}
	}
	out.Abstains, out.Says = len(m.Columns)-len(votes), strings.Join(said, ", ")
	if more := len(votes) - wordsColumns; more > 0 {
		out.Says += fmt.Sprintf(" and %d more", more)
	}
	out.Words = fmt.Sprintf("%s of rows: %s", words.Percent(p.Share), out.Says)
	return out
}

// raised is how much more often than in all rows a word comes that is said together with another.
const raised = 1.5

// vote says what an opinion says of column d, with what all rows are like in brackets: of words, and of yes and no, a
// share, and of numbers the mean. The first of several says what is in brackets.
func (m Mixed) vote(d int, o *mixed.Opinion, first bool) Vote {
	c, word := &m.Columns[d], ""
	v := Vote{Column: d, Name: m.called(d)}
	ofAll := map[bool]string{true: " of all"}[first]
	if m.isWords(d) {
		level := m.level(d, o)
		v.Value, v.Otherwise = o.P[level], c.Share[level]
		if m.codings[d] != nil || c.Family == mixed.Words {
			word = m.Text(d, c.Low[level]) + " "
		}
		value, all := v.Value, v.Otherwise
		if c.Family == mixed.Words && value > all {
			for l, p := range o.P {
				if l != level && p > float64(raised*c.Share[l]) && p > v.Value/3 {
					word += "or " + m.Text(d, c.Low[l]) + " "
					value, all = value+p, all+c.Share[l]
				}
			}
		}
		if c.Family == mixed.Levels && len(o.P) > 2 {
			word, value, all = m.scale(d, o)
		}
		v.Words = fmt.Sprintf("%s%s (%s%s)", word, words.Percent(value), words.Percent(all), ofAll)
		return v
	}
	all := mixed.CellOf(c, &c.All)
	v.Value, v.Otherwise, v.Spread = mixed.CellOf(c, o).Mean(), all.Mean(), all.Deviation()
	v.Words = fmt.Sprintf("about %s (%s%s)", words.Digits(v.Value), words.Digits(v.Otherwise), ofAll)
	return v
}

// scale says which end of a scale of words an opinion draws column d to, up to the level where that shows most: with the
// shares of these levels, by the opinion and in all rows.
func (m Mixed) scale(d int, o *mixed.Opinion) (word string, value, all float64) {
	c := &m.Columns[d]
	below, belowAll, most := 0.0, 0.0, -1.0
	for l := 1; l < len(o.P); l++ {
		below, belowAll = below+o.P[l-1], belowAll+c.Share[l-1]
		if math.Abs(below-belowAll) <= most {
			continue
		}
		most = math.Abs(below - belowAll)
		end, at := "at least ", l
		if value, all = 1-below, 1-belowAll; below > belowAll {
			end, at, value, all = "at most ", l-1, below, belowAll
		}
		if at == 0 || at == len(o.P)-1 {
			end = ""
		}
		word = end + m.Text(d, c.Low[at]) + " "
	}
	return word, value, all
}

// Cells returns what the parts of an explained row say of each column, in the memory of others. Of words a cell is that
// of the commonest one, or of yes.
func (m Mixed) Cells(c *Case, out []Cell) []Cell {
	set := uint64(0)
	for _, p := range c.Row.Picks {
		set |= 1 << p.Expert
	}
	for d, x := range c.Frame.Values[c.At] {
		column := &m.Columns[d]
		code := column.Code(x)
		said := mixed.Cell{Column: column, Belief: m.Compose(d, set)}
		alone := mixed.CellOf(column, &column.All)
		cell := Cell{Column: d, Value: math.NaN(), Tail: math.NaN(), Text: m.Text(d, x), said: m.expects(d, said)}
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

// gradedPart says what graded part k goes up and down with, what it says most of first.
func (m Mixed) gradedPart(k int) string {
	g := m.Graded
	order := make([]int, len(g.Axes))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(g.Loadings[k][b]), math.Abs(g.Loadings[k][a]))
	})
	var said []string
	seen := map[int]bool{}
	for _, j := range order {
		d, v := g.Axes[j].Column, g.Loadings[k][j]
		if v == 0 || seen[d] {
			continue
		}
		seen[d] = true
		name := m.called(d)
		if l := g.Axes[j].Level(); l >= 0 && m.Columns[d].Family == mixed.Words {
			name += " " + m.Text(d, m.Columns[d].Low[l])
		}
		if v < 0 {
			name = "less " + name
		}
		said = append(said, name)
	}
	if len(said) == 0 {
		return "says nothing"
	}
	return strings.Join(said, ", ")
}

// deviation returns how far an opinion is from what all rows are like, in standard deviations, below or above.
func (m Mixed) deviation(d int, o *mixed.Opinion) float64 {
	c := &m.Columns[d]
	if c.Family != mixed.Words {
		return c.Shift(&c.All, o)
	}
	l := c.Most(o)
	return c.Strength(&c.All, o) * cmp.Or(float64(cmp.Compare(o.P[l], c.Share[l])), 1)
}

// Draw returns a picture of the parts: rows under the names of the columns, in deviations from what all rows are like.
func (m Mixed) Draw() (render.Picture, error) {
	var parts []render.Deviations
	for k := range m.Parts {
		name := Called(m, k) + " · " + words.Percent(m.Parts[k].Share)
		parts = append(parts, render.Deviations{Name: name, Values: m.deviations(k)})
	}
	return render.DeviationRows(words.Count(m.K(), "part")+" as deviations from all rows", m.titles(), parts), nil
}

// deviations returns how far what part k says is from what all rows are like, 0 where it abstains.
func (m Mixed) deviations(k int) []float64 {
	p, out := &m.Parts[k], make([]float64, len(m.Columns))
	for _, d := range p.Votes() {
		out[d] = m.deviation(d, &p.Entries[d].Opinion)
	}
	return out
}

// titles returns what the columns are called.
func (m Mixed) titles() []string {
	out := make([]string, len(m.Columns))
	for d := range out {
		out[d] = m.called(d)
	}
	return out
}

// by returns an engine that begins with rows, and does something with each of them, by explainers.
func (m Mixed) by(workers int, begin func(*Explained), do func(*mixed.Explainer, *Explained, int)) *engine {
	e := &engine{least: least, most: 1024}
	for range max(workers, 1) {
		explainer := mixed.NewExplainer(m.Model)
		e.hands = append(e.hands, func(ctx context.Context, x *Explained) error {
			begin(x)
			return x.each(ctx, func(i int) error {
				do(explainer, x, i)
				return nil
			})
		})
	}
	return e
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

// ReadableColumn is a column of a table as people read it: []string where its values stand for words, else []float64.
type ReadableColumn struct {
	Name   string
	Values any
}

// Readable returns the columns of rows of a table that has words among numbers; nil of other models.
func Readable(of Model, rows [][]float64) []ReadableColumn {
	m, ok := of.(Mixed)
	if !ok {
		return nil
	}
	out := make([]ReadableColumn, len(m.Columns))
	for d := range out {
		texts, numbers := make([]string, len(rows)), make([]float64, len(rows))
		for i, row := range rows {
			texts[i], numbers[i] = m.Text(d, row[d]), row[d]
		}
		if out[d] = (ReadableColumn{m.called(d), numbers}); m.codings[d] != nil {
			out[d].Values = texts
		}
	}
	return out
}

// Sample draws parts and then every cell from what they say.
func (m Mixed) Sample(n int, seed uint64) (*Samples, error) {
	if err := checkSamples(n, 1, len(m.Columns), m.K()); err != nil {
		return nil, err
	}
	f := &dataset.Frame{Height: 1, Width: len(m.Columns), Columns: m.ColumnNames(), Table: true}
	for i := range n {
		f.Values = append(f.Values, m.Model.Sample(sampleSource(seed, i)))
	}
	return &Samples{Frame: f, model: m}, nil
}

// DrawRows returns a picture of explained rows: how far they are from what all rows are like, and from what is expected
// of them by their parts.
func (m Mixed) DrawRows(cases []Case) (render.Picture, error) {
	var rows []render.Deviations
	for _, c := range cases {
		title := fmt.Sprint(c.Row.Index + 1)
		if len(c.Frame.Meta) > 0 {
			title += ": " + c.Frame.Meta[0].Text(c.At)
		}
		set := uint64(0)
		var parts []string
		for _, p := range c.Row.Picks {
			set |= 1 << p.Expert
			parts = append(parts, Called(m, p.Expert))
		}
		before := render.Deviations{Name: title}
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
