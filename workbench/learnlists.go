package workbench

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/table/lists"
)

// A table of so many columns, at most so many of whose cells are on, is learned as lists.
const (
	leastWide  = 200
	mostFilled = 0.1
)

// wide reports whether a table is learned as lists: by its width and how many of its cells are on, unless the recipe
// asks for what only other tables have, and says so.
func (l *Learning) wide(facts *recipe.Facts) bool {
	r := &l.Recipe
	plain := l.Table != nil && (r.Rule == "" || r.Rule == "max") && r.Begin == "" && !l.Predict && l.data.Weights == nil
	if !plain || facts.Height != 1 || facts.Width < leastWide {
		return false
	}
	ones, n := 0, l.data.Len()
	for _, row := range l.data.Images {
		ones += row.CountOn()
	}
	if t := l.data.Lists; t != nil {
		ones, n = len(t.Columns), t.Len()
	}
	if !fewOn(ones, n, facts.Width) {
		return false
	}
	l.Profile = RowsText(facts.Rows, 1, facts.Width, true) + ": learning as a wide table, by lists of what is on"
	return true
}

// FewOn reports whether a table is wide and so empty that it is learned as lists.
func FewOn(t *bitmap.Lists) bool { return fewOn(len(t.Columns), t.Len(), t.Width) }

func fewOn(ones, rows, width int) bool {
	return width >= leastWide && float64(ones) <= mostFilled*float64(width)*float64(rows)
}

// rows returns all rows as lists, and the cells that are unknown.
func (d *Data) rows(ctx context.Context) (out, gaps *bitmap.Lists, err error) {
	if d.Lists != nil {
		return d.Lists, nil, nil
	}
	var on, unknown []int32
	for f, err := range d.frames(ctx, nil) {
		if err != nil {
			return nil, nil, err
		}
		for _, row := range f.Images {
			if out == nil {
				out, gaps = bitmap.NewLists(row.Width()), bitmap.NewLists(row.Width())
			}
			on, unknown = row.AppendOn(on[:0], unknown[:0])
			out.Append(on)
			gaps.Append(unknown)
		}
	}
	return out, gaps, nil
}

// lists learns a wide table.
func (l *Learning) lists(ctx context.Context, tell func(Step) bool) (last Step, err error) {
	t, unknown, err := l.data.rows(ctx)
	if err != nil {
		return last, err
	}
	l.Images, l.Pixels = t.Len(), float64(t.Len())*float64(t.Width)
	opt := *l.Lists
	opt.Unknown = unknown
	var m *lists.Model
	err = l.watched(ctx, tell, func(ctx context.Context, say func(Step)) (some bool, err error) {
		opt.Progress = func(parts int, length float64) {
			at := patchwork.CurvePoint{Stage: "grow", Experts: parts, DescriptionLength: length}
			say(Step{CurvePoint: at, Candidate: true})
		}
		m, err = lists.Learn(ctx, t, opt)
		return m != nil, err
	})
	if err != nil {
		return last, err
	}
	if len(l.data.Columns) == t.Width {
		m.Columns = l.data.Columns
	}
	last.Interrupted, last.Experts, last.LogLik = enough(ctx), len(m.Parts), m.Record.LogLik
	last.DescriptionLength, last.Rows = m.Record.Length, int64(t.Len())
	m.Reading, err = l.data.Reading()
	last.Model = Lists{m}
	return last, err
}
