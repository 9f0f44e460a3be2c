package main

import (
	"io"
	"math"

	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
)

// codeTable makes tables of explanations by a model: a row per row of the data.
type codeTable struct {
	format  dataset.TableFormat
	model   workbench.Model
	parts   []string // what they are called
	weights bool
	head    *dataset.Set
}

// codes is such a table, of some rows.
type codes struct {
	codes   []uint8   // how many picks a part has in a row, at most 255
	gain    []float64 // of these picks together, in nats; 0 for none
	score   []float64 // log-likelihoods
	answers *answers
}

// newCodeTable returns tables of the explanations of a job.
func newCodeTable(format dataset.TableFormat, j *job) *codeTable {
	return &codeTable{format, j.model, partNames(j.model.Names(), j.model.K()), j.weighted(), j.head()}
}

// write writes the explanations that each yields.
func (t *codeTable) write(w io.Writer, each explainer) error {
	head := &workbench.Explained{Frame: t.head}
	t.prepare(head)
	columns := head.Out.(*codes).answers.distinct(t.format)
	return dataset.WriteTable(w, t.format, columns, pushed(func(push func([]any) error) error {
		return each(t.prepare, func(x *workbench.Explained) error { return push(x.Out.(*codes).answers.values) })
	}))
}

// prepare makes the table of explanations. Workers call it.
func (t *codeTable) prepare(x *workbench.Explained) {
	c, _ := x.Out.(*codes)
	if c == nil {
		c = new(codes)
		x.Out = c
	}
	if m, ok := t.model.(workbench.Classes); ok {
		c.answers = verdictTable(m.Classifier.Names(), x, t.format == dataset.TableCSV)
		return
	}
	c.fill(x, len(t.parts))
	if t.format == dataset.TableCSV {
		roundAll(c.gain, c.score)
	}
	c.answers = t.table(c, x)
}

// fill sets the codes to explanations by k parts.
func (c *codes) fill(x *workbench.Explained, k int) {
	n := len(x.Rows)
	c.score = c.score[:0]
	c.codes = append(c.codes[:0], make([]uint8, n*k)...)
	c.gain = append(c.gain[:0], make([]float64, n*k)...)
	for i := range x.Rows {
		r := &x.Rows[i]
		c.score = append(c.score, r.LogLik)
		for _, p := range r.Picks {
			at := i*k + p.Expert
			c.codes[at] = min(c.codes[at], math.MaxUint8-1) + 1
			c.gain[at] += p.Gain
		}
	}
}

// table returns the labels, the row, its weight if there are weights, the codes, their gains, and the log-likelihood.
func (t *codeTable) table(c *codes, x *workbench.Explained) *answers {
	out := rowAnswers(x.Frame, t.weights, x.From, x.To())
	if len(t.parts) > 0 {
		out.add("codes", c.codes, t.parts...)
		out.columns[len(out.columns)-1].BlockNames = "parts"
		out.add("gain", c.gain, valuesBy(len(t.parts), func(k int) string { return t.parts[k] + " gain" })...)
	}
	out.add("log_lik", c.score)
	return out
}
