package table

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table/described"
)

// Length is how many nats a description of rows by a model takes, term by term.
type Length struct {
	Rows       float64 // -log P(rows), activations included, by the model's prior over sets of parts
	Usage      float64 // how often each part is active: log(N)/2 each
	Columns    float64 // which columns vote, and on which side
	Votes      float64 // the probabilities that they say
	Background float64 // the probabilities where nobody votes
	Codes      float64 // of that prior; of a model without one what it would save, not above 0
}

// Nats returns the sum of all terms.
func (l Length) Nats() float64 {
	return l.Rows + l.Usage + l.Columns + l.Votes + l.Background + l.Codes
}

// lengthOf returns the length of the description of the rows that were counted, explained by m:
//
//	-log P(x | prior) + K log(N)/2 + columns + votes + background + codes
func lengthOf(m *patchwork.Model, t *counts) Length {
	d := describe(m, max(t.count(), 1), t.activity)
	var codes float64
	if p := m.Extras().SetPrior; p != nil {
		codes = priorLength(p, max(t.count(), 1))
	} else if _, saves := t.setPrior(); saves > 0 {
		codes = -saves
	}
	return Length{Rows: -t.logEvidence(), Usage: float64(float64(len(d.Parts)) * d.Number), Columns: d.Columns(),
		Votes: d.Votes(), Background: d.Background(t.groups.Means), Codes: codes}
}

// describe prepares a model of so many rows for its length, in some of which each part is active.
func describe(m *patchwork.Model, n int64, active func(k int) float64) *described.Model {
	d := &described.Model{Rule: jointRule(m.Config().Rule), Width: m.Height() * m.Width(), Q: rows.Background(m),
		Rows: float64(n), Number: described.Number(float64(n))}
	for k, template := range m.Templates() {
		if p := partOf(d, template, active(k)); p.Size() > 0 {
			d.Parts = append(d.Parts, p)
		}
	}
	return d
}

// describe prepares a model of the learner's rows, each part as often active as its usage says.
func (l *learner) describe(m *patchwork.Model) *described.Model {
	n, pi := rows.Total(l.data), posterior.ActivationPrior(m)
	return describe(m, n, func(k int) float64 { return pi[k] * float64(n) })
}

// partOf returns a template as a part.
func partOf(d *described.Model, template []float64, active float64) described.Part {
	p := described.Part{Active: active}
	for i, v := range template {
		switch {
		case !d.Rule.Votes(v, d.Q[i]):
		case v > d.Q[i]:
			p.On = append(p.On, int32(i))
			p.Strength[0] = append(p.Strength[0], v)
		default:
			p.Off = append(p.Off, int32(i))
			p.Strength[1] = append(p.Strength[1], 1-v)
		}
	}
	return p
}

// plane is a set of columns.
type plane []uint64

func newPlane(width int) plane { return make(plane, (width+63)/64) }

func (p plane) add(i int) { p[i/64] |= 1 << (i % 64) }

// setPrior returns the prior over sets of parts that the rows ask for, and what it saves.
func (t *counts) setPrior() (*patchwork.SetPrior, float64) {
	s := &described.Sets{Active: make([]float64, len(t.active)), NoTree: t.ofSets}
	t.groups.Each(func(set []int16, weight int64, _, _ []int64) { s.Add(set, float64(float64(weight)/weightUnit)) })
	return s.Prior(described.Number(float64(t.count())), 0)
}
