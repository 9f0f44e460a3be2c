package main

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

// withMeans gives a model of a table the means of its columns in the rows that were counted, as
// if half a row more were on and half a row off, unless it has some: what score --hide
// compares with.
func withMeans(m *patchwork.Model, c *rows.Columns) (*patchwork.Model, error) {
	e := m.Extras()
	if e.Means != nil || c.Len() != m.Height()*m.Width() {
		return m, nil
	}
	e.Means = c.Means()
	return m.WithExtras(e)
}
