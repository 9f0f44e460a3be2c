package main

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

// columnCounts counts, by column, the rows that know it and those in which it is on.
type columnCounts struct{ on, seen []float64 }

func (c *columnCounts) add(d patchwork.Data) {
	rows.Each(d, func(w float64, x, known []uint8) {
		if c.on == nil {
			c.on, c.seen = make([]float64, len(x)), make([]float64, len(x))
		}
		for j := range min(len(c.on), len(x)) {
			c.seen[j] += float64(w * float64(known[j]))
			c.on[j] += float64(w * float64(known[j]*x[j]))
		}
	})
}

// tell gives a model of a table the means of its columns in the rows that were counted, as
// if half a row more were on and half a row off, unless it has some: what score --hide
// compares with.
func (c *columnCounts) tell(m *patchwork.Model) (*patchwork.Model, error) {
	e := m.Extras()
	if e.Means != nil || len(c.on) != m.Height()*m.Width() {
		return m, nil
	}
	e.Means = make([]float64, len(c.on))
	for j := range e.Means {
		e.Means[j] = (c.on[j] + 0.5) / (c.seen[j] + 1)
	}
	return m.WithExtras(e)
}
