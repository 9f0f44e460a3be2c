package workbench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
	"example.com/patchwork/table/answers"
	"example.com/patchwork/table/lists"
)

// Lists is a model of a wide table, whose parts are lists of columns.
type Lists struct{ *lists.Model }

// mostDense is how many values parts may have as a model that says something of every column.
const mostDense = 1 << 23

// Bits returns the model as one that says something of every column; the error says that it would
// be too large, or that its rows have a level.
func (m Lists) Bits() (Bits, error) {
	if m.Level != nil {
		return Bits{}, fmt.Errorf("the rows of the model have a level, which this command does not take; explain, score, " +
			"predict, sample and show do")
	}
	return m.dense()
}

// dense returns the model as one that says something of every column, as in rows of level 0.
func (m Lists) dense() (Bits, error) {
	width := len(m.Q)
	if len(m.Parts) == 0 {
		return Bits{}, fmt.Errorf("the model has no parts")
	}
	if len(m.Parts) > mostDense/width {
		return Bits{}, fmt.Errorf("the model has %s of %s, too many for this command; explain, score, predict and show "+
			"take it", words.Count(len(m.Parts), "part"), words.Count(width, "column"))
	}
	var templates [][]float64
	for _, p := range m.Parts {
		t := slices.Clone(m.Q)
		for i, d := range p.Columns {
			t[d] = p.P[i]
		}
		templates = append(templates, t)
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, 1, width, pose.Grid{})
	cfg.ZeroQ, cfg.QMap = true, m.Q
	out, err := patchwork.NewModel(cfg, templates)
	if err == nil {
		r := m.Record
		out, err = out.WithExtras(patchwork.Extras{Usage: m.Usage, Columns: m.Columns, Names: m.Model.Names,
			Reading: m.Reading, Record: patchwork.Record{Method: "soft", Rows: int64(r.Rows), Seed: r.Seed, LogLik: r.LogLik,
				DescriptionLength: r.Length, Interrupted: r.Interrupted}})
	}
	return Bits{out}, err
}

// K returns the number of parts.
func (m Lists) K() int { return len(m.Parts) }

// raise raises the log odds of probabilities.
func raise(p []float64, by float64) {
	for d, q := range p {
		odds := q / (1 - q) * elem.Exp(by)
		p[d] = odds / (1 + odds)
	}
}

// Size says how many parts there are, and of what size.
func (m Lists) Size() string { return sizeText(m.K(), 1, len(m.Q)) }

// LevelSaid says what the level of the rows is; "" for none.
func (m Lists) LevelSaid() string {
	if m.Level == nil {
		return ""
	}
	return fmt.Sprintf("rows differ in how much they say yes in general, by a factor of %.2g one way or the other in two "+
		"of three; parts are what comes together beyond that", elem.Exp(m.Level.Slope))
}

// Moves returns false.
func (m Lists) Moves() bool { return false }

// Table returns true.
func (m Lists) Table() bool { return true }

// Names returns the names of the parts.
func (m Lists) Names() []string { return m.Model.Names }

// ColumnNames returns the names of the columns.
func (m Lists) ColumnNames() []string { return m.Columns }

// Write writes the model file.
func (m Lists) Write(w io.Writer) error { return modelfile.WriteLists(w, m.Model) }

// Plan says how data are read for the model.
func (m Lists) Plan() (*dataset.Plan, error) {
	p, err := dataset.PlanOf(m.Reading, m.Columns, 1, len(m.Q), true)
	if err != nil || m.Columns == nil {
		return p, err
	}
	uses := make([]dataset.Use, len(m.Q))
	for _, part := range m.Parts {
		for _, d := range part.Columns {
			uses[d].Voted = true
		}
	}
	p.Uses(uses)
	return p, nil
}

// Draw returns a picture of the parts where every column has room.
func (m Lists) Draw() (render.Picture, error) {
	b, err := m.dense()
	if err != nil {
		return nil, err
	}
	return b.Draw()
}

// DrawRows returns a picture of explained rows where every column has room.
func (m Lists) DrawRows(rows []Case) (render.Picture, error) {
	b, err := m.Bits()
	if err != nil {
		return nil, err
	}
	return b.DrawRows(rows)
}

// Sample draws the parts and the level of rows, and then every bit.
func (m Lists) Sample(n int, seed uint64) (*Samples, error) {
	if err := checkSamples(n, 1, len(m.Q), 1); err != nil {
		return nil, err
	}
	s := &Samples{Frame: &dataset.Frame{Table: true, Columns: m.Columns}, model: m}
	for i := range n {
		r, p := sampleSource(seed, i), slices.Clone(m.Q)
		if l := m.Level; l != nil {
			raise(p, l.Slope*l.Steps[draw.ByWeight(r, l.Weights)])
		}
		var picks []patchwork.Pick
		for k, usage := range m.Usage {
			if r.Float64() >= usage {
				continue
			}
			picks = append(picks, patchwork.Pick{Expert: k})
			for j, d := range m.Parts[k].Columns {
				p[d] = max(p[d], m.Parts[k].P[j])
			}
		}
		s.Picks, s.Frame.Images = append(s.Picks, picks), append(s.Frame.Images, bitmap.Sample(r, 1, len(p), p))
	}
	return s, nil
}

// Name gives a part another name.
func (m Lists) Name(k int, name string) (Model, error) {
	out := *m.Model
	var err error
	out.Names, err = words.Renamed(m.Model.Names, len(m.Parts), k, name)
	return Lists{&out}, err
}

// Part describes a part: first the columns that it brings most of.
func (m Lists) Part(k int) Part {
	p := m.Parts[k]
	var votes []words.Vote
	for i, d := range p.Columns {
		votes = append(votes, words.Vote{Column: int(d), P: p.P[i], Background: m.Q[d]})
	}
	slices.SortStableFunc(votes, func(a, b words.Vote) int { return cmp.Compare(b.P-b.Background, a.P-a.Background) })
	out := Part{Name: nameOf(m, k), Says: words.Columns(m.Columns, votes, wordsColumns), Usage: m.Usage[k],
		Abstains: len(m.Q) - len(votes), Elongation: 1}
	out.Words = words.PercentFine(out.Usage) + " of rows: " + out.Says
	for _, v := range votes {
		out.Votes = append(out.Votes, Vote{v.Column, words.ColumnOf(m.Columns, v.Column), v.P, v.Background, 0,
			words.Percent(v.P) + ", otherwise " + words.PercentFine(v.Background)})
	}
	return out
}

// Describe describes the model.
func (m Lists) Describe() *Description {
	d := &Description{Rule: "max", Experts: m.K(), Height: 1, Width: len(m.Q), Usage: m.Usage, Columns: m.Columns,
		Names: m.Model.Names, Parts: parts(m), Reading: m.Reading, Level: m.LevelSaid(), model: m}
	if m.Record.Rows > 0 {
		record := m.Record
		d.Learned = &record
	}
	return d
}

// by returns an engine that does something with rows by an explainer.
func (m Lists) by(workers int, do func(e *lists.Explainer, x *Explained, i int, on, unknown []int32)) *engine {
	e := forked(workers, lists.NewExplainer(m.Model), nil, (*lists.Explainer).Fork,
		func(ctx context.Context, e *lists.Explainer, x *Explained) error {
			var on, unknown []int32
			return x.each(ctx, func(i int) error {
				on, unknown = x.Frame.Images[x.From+i].AppendOn(on[:0], unknown[:0])
				do(e, x, i, on, unknown)
				return nil
			})
		})
	return e
}

// Explain explains rows in their order.
func (m Lists) Explain(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	how Explaining) iter.Seq2[*Explained, error] {
	return m.by(how.Workers, func(e *lists.Explainer, x *Explained, i int, on, unknown []int32) {
		found, r := e.Explain(on, unknown), &x.Rows[i]
		for j, k := range found.Parts {
			r.Picks = append(r.Picks, patchwork.Pick{Expert: int(k), Gain: found.Gains[j]})
		}
		if m.Level != nil {
			r.Person = &answers.Person{LogP: found.Evidence, Level: found.Level, Error: found.Error}
		}
		r.StartLogLik, r.LogLik, r.LogLikModel, r.Evidence = found.Start, found.LogLik, found.LogLik, found.Evidence
	}).explain(ctx, data, how.Then)
}

// Predict gives every unknown cell, or all, the probability that it is on by the other cells.
func (m Lists) Predict(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	how Predicting) iter.Seq2[*Filled, error] {
	e := m.by(how.Workers, func(e *lists.Explainer, x *Explained, i int, on, unknown []int32) {
		out, _ := x.Out.(*Filled)
		if i == 0 {
			out = &Filled{Explained: x, all: how.All}
			x.Out = out
		}
		p := make([]float64, len(m.Q))
		if how.All || len(unknown) > 0 {
			p = e.Predict(on, unknown)
		}
		if !how.All {
			p = filled(p, on, unknown)
		}
		out.Values = append(out.Values, p)
	})
	e.least, e.most = 1, max(1, mostDense/8/len(m.Q))
	return e.fill(ctx, data)
}

// filled returns the cells of a row, the unknown ones as predicted.
func filled(p []float64, on, unknown []int32) []float64 {
	out := make([]float64, len(p))
	for _, d := range on {
		out[d] = 1
	}
	for _, d := range unknown {
		out[d] = p[d]
	}
	return out
}

// Score explains rows, and says how well.
func (m Lists) Score(ctx context.Context, data iter.Seq2[*dataset.Frame, error], how Scoring) (*Scores, error) {
	if how.Hide > 0 {
		b, err := m.Bits()
		if err != nil {
			return nil, err
		}
		return b.Score(ctx, data, how)
	}
	out := &Scores{table: true, LikelihoodScores: new(LikelihoodScores), BitScores: new(BitScores)}
	all, gaps, picks, known := bitmap.NewLists(len(m.Q)), bitmap.NewLists(len(m.Q)), 0, 0
	var on, unknown []int32
	for x, err := range m.Explain(ctx, data, how.Explaining) {
		if err != nil {
			return nil, err
		}
		s := &RowScores{Explained: x}
		for i, r := range x.Rows {
			on, unknown = x.Frame.Images[x.From+i].AppendOn(on[:0], unknown[:0])
			all.Append(on)
			gaps.Append(unknown)
			picks, known = picks+len(r.Picks), known+len(m.Q)-len(unknown)
			out.LogLik += r.LogLik
			s.LogLik, s.Picks = append(s.LogLik, r.LogLik), append(s.Picks, int64(len(r.Picks)))
			s.Known = append(s.Known, int64(len(m.Q)-len(unknown)))
		}
		if how.Each != nil {
			if err := how.Each(s); err != nil {
				return nil, err
			}
		}
	}
	n := float64(all.Len())
	out.Images, out.Weight = all.Len(), int64(all.Len())
	out.PerImage, out.PerPixel, out.PicksPerImage = out.LogLik/n, out.LogLik/float64(known), float64(picks)/n
	out.CrossEntropy, out.BitsPerPixel = -out.PerImage, -out.PerPixel/math.Ln2
	out.given = " (given the best explanation, without what its parts cost)"
	s, err := lists.Score(ctx, m.Model, all, gaps, how.Workers)
	if err != nil {
		return nil, err
	}
	bits := s.Length / n / math.Ln2
	out.Shares, out.Length, out.BitsPerImage = s.Shares, &s.Length, &bits
	return out, nil
}

// Cells appends what the parts of an explained row say of each of its columns.
func (m Lists) Cells(c *Case, out []Cell) []Cell {
	p := slices.Clone(m.Q)
	if m.Level != nil && c.Row.Person != nil {
		raise(p, m.Level.Slope*c.Row.Person.Level)
	}
	for _, pick := range c.Row.Picks {
		for i, d := range m.Parts[pick.Expert].Columns {
			p[d] = max(p[d], m.Parts[pick.Expert].P[i])
		}
	}
	img := c.Frame.Images[c.At]
	for j := range p {
		out = append(out, bitCell(j, img.At(0, j), img.Known(0, j), p[j], m.Q[j]))
	}
	return out
}
