package dataset

import (
	"fmt"
	"math"
	"slices"
)

// Use says what a model makes of a column: whether a part speaks of it, and between which numbers its values lay when
// it was learned; NaN if that is not known.
type Use struct {
	Voted     bool
	Low, High float64
}

// Uses says what a model makes of each of its columns.
func (p *Plan) Uses(uses []Use) { p.uses = uses }

// idle reports whether no part of the model speaks of a column, which data may lack then.
func (p *Plan) idle(name string) bool {
	made := []string{name}
	if c := p.coded[name]; c != nil && !slices.Contains(p.fields, name) {
		made = c.columns()
	}
	return !slices.ContainsFunc(made, func(field string) bool {
		i := slices.Index(p.fields, field)
		return i < 0 || p.uses[i].Voted
	})
}

// absent returns those of some columns of a model that a table lacks and may lack, as long as parts speak of others.
func (p *Plan) absent(names, wanted []string) (out []string) {
	if p.fields == nil || names == nil || !slices.ContainsFunc(p.uses, func(u Use) bool { return u.Voted }) {
		return nil
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) && p.idle(name) {
			out = append(out, name)
		}
	}
	return out
}

// absentNote says that columns are absent.
func absentNote(names []string) string {
	const gone = "not there and taken as unknown: no part of the model speaks of"
	if len(names) == 1 {
		return fmt.Sprintf("the column %s is %s it", names[0], gone)
	}
	return fmt.Sprintf("%s (%s) %s them", people(len(names), "column is", "columns are"), listShort(names), gone)
}

// noteFar notes once a column the numbers that lie farther from those that a model was learned from than these lie
// apart, as in another unit.
func (s *Set) noteFar(m *Plan) {
	for j := 0; m != nil && m.uses != nil && s.Values != nil && j < s.Width && j < len(m.uses); j++ {
		u, n, known, example := m.uses[j], 0, 0, 0.0
		width := u.High - u.Low
		for x := range s.numbers(j, j+1) {
			known += btoi(!math.IsNaN(x))
			if width > 0 && (x > u.High+width || x < u.Low-width) {
				n, example = n+1, x
			}
		}
		if n > 0 {
			s.Notes = append(s.Notes, Note{Text: fmt.Sprintf("in %s %d of %s far from those that the model was learned "+
				"from, %s to %s, such as %s: is the unit another?", s.ColumnName(j), n, people(known, "value lies", "values lie"),
				short(u.Low), short(u.High), short(example))})
		}
	}
}
