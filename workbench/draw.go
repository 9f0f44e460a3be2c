package workbench

import (
	"fmt"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// Case is an explained row, with row number At of the frame that it is from.
type Case struct {
	Frame *dataset.Frame
	At    int
	Row   Row
}

// title returns the number of the row, and what the first label says of it.
func (c *Case) title() string {
	title := fmt.Sprint(c.Row.Index + 1)
	if len(c.Frame.Meta) > 0 {
		title += ": " + c.Frame.Meta[0].Text(c.At)
	}
	return title
}

// Cases adds explained rows to cases of which there are at most most.
func (x *Explained) Cases(cases []Case, most int) []Case {
	for i := 0; i < len(x.Rows) && len(cases) < most; i++ {
		c := Case{x.Frame, x.From + i, x.Rows[i]}
		c.Row.Picks = slices.Clone(c.Row.Picks) // the memory of a part is used again
		cases = append(cases, c)
	}
	return cases
}

// DrawRows returns a picture of explained rows. Of one image it shows the pursuit step by step. Rows of a table stand
// under the names of its columns, as far as these have room.
func (m Bits) DrawRows(cases []Case) (render.Picture, error) {
	var all []render.Case
	var called func(i int) string
	for i, c := range cases {
		if i == 0 || c.Frame != cases[i-1].Frame {
			called = c.Frame.Called()
		}
		all = append(all, render.Case{Name: words.Clean(called(c.At)), Image: c.Frame.Images[c.At],
			Explanation: c.Row.Explanation})
	}
	switch {
	case m.Table() && m.Width() <= render.MostNamed:
		return render.ExplainedRows(m.Model, columnsOf(m.Model), all), nil
	case len(all) == 1:
		return render.Steps(m.Model, all[0].Image, all[0].Explanation), nil
	}
	return render.Explanations(m.Model, all), nil
}

// columnsOf returns what the columns of a model of a table are called.
func columnsOf(m *patchwork.Model) []string {
	out := make([]string, m.Width())
	for i := range out {
		out[i] = words.Column(m, i)
	}
	return out
}

// DrawRows returns a picture of explained images: what they are, what their parts say, and what is left over.
func (m Numbers) DrawRows(cases []Case) (render.Picture, error) {
	var rows [][]float64
	var found []real.Explanation
	var titles []string
	for _, c := range cases {
		v := c.Frame
		rows, found = append(rows, v.Values[c.At]), append(found, asNumbers(&c.Row))
		titles = append(titles, c.title())
	}
	return render.RealExplanations(m.Model, rows, found, titles), nil
}

// asNumbers returns the explanation of a row as that of numbers.
func asNumbers(r *Row) real.Explanation {
	out := real.Explanation{StartLogLik: r.StartLogLik, LogLik: r.LogLik, LogJoint: r.Joint}
	for _, p := range r.Picks {
		out.Picks, out.Gains = append(out.Picks, real.Pick{Expert: p.Expert, Pose: p.Pose}), append(out.Gains, p.Gain)
	}
	return out
}

// DrawRows returns an error.
func (m Classes) DrawRows([]Case) (render.Picture, error) { return nil, errNoParts }
