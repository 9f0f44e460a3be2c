package dataset

import (
	"slices"

	"example.com/patchwork"
)

// ExclusiveColumns returns which columns of a model, counted from 0, were made of one
// column of categories each: exactly one of them is on in a row that says the category.
// There are none in models of other data. The error is that of [PlanOf].
func ExclusiveColumns(m *patchwork.Model) ([][]int, error) {
	r, err := readingOf(m.Extras().Reading)
	if err != nil {
		return nil, err
	}
	return exclusive(m.Extras().Columns, r.Columns), nil
}

// Exclusive returns which columns of a table, counted from 0, were made of one column of
// categories each, as [ExclusiveColumns] does for a model of it.
func (s *Set) Exclusive() [][]int { return exclusive(s.Columns, s.Codings) }

// exclusive returns the columns of categories of which every value has one.
func exclusive(names []string, codings []Coding) [][]int {
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	var out [][]int
	for _, c := range codings {
		if c.Split != "" || c.Levels == nil {
			continue
		}
		var group []int
		for _, name := range c.columns() {
			if i, ok := at[name]; ok {
				group = append(group, i)
			}
		}
		if slices.Sort(group); len(group) == len(c.Levels) && len(group) > 1 {
			out = append(out, group)
		}
	}
	return out
}
