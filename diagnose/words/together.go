package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

// Compound is some parts of a table that come together, or just those that a row has: of kind "any" any of them may be
// in a row, of kind "one" one of them is, but for rows that have none.
type Compound struct {
	ID     int       `json:"id"`
	Name   string    `json:"name"`
	Parts  []int     `json:"parts"`
	Sure   []float64 `json:"sure"`   // how probable each part is where it comes
	Share  float64   `json:"share"`  // of the rows
	Chance float64   `json:"chance"` // share of the rows that would have its parts if these came independently
}

// Compounds returns the compounds of the parts of a table, and their kind; "" where there are none.
func Compounds(m *patchwork.Model) (kind string, all []Compound) {
	p := m.Extras().SetPrior
	if kind = p.Kind(); kind == "" {
		return "", nil
	}
	for i, set := range p.Sets {
		c := Compound{ID: i, Parts: append([]int{}, set...), Share: p.Share[i], Chance: 1}
		if p.Sure != nil {
			c.Sure = p.Sure[i]
		} else {
			c.Sure = slices.Repeat([]float64{1}, len(set))
		}
		var names []string
		for _, k := range set {
			names = append(names, cmp.Or(given(m, k), fmt.Sprint(k+1)))
		}
		if c.Name = strings.Join(names, "+"); len(set) == 1 {
			c.Name = cmp.Or(given(m, set[0]), Numbered(set[0]))
		}
		for k, share := range m.Extras().Usage {
			switch {
			case slices.Contains(set, k):
				c.Chance *= share
			case p.Sure == nil: // just these
				c.Chance *= 1 - share
			}
		}
		all = append(all, c)
	}
	return kind, all
}

// Together says which parts of a table come together or exclude each other, and which hold others, a sentence each.
func Together(m *patchwork.Model) (out []string) {
	p := m.Extras().SetPrior
	if p == nil {
		return Nested(m)
	}
	for k, on := range p.Parent {
		if on >= 0 {
			out = append(out, fmt.Sprintf("%s of the rows with %s have %s, %s of the others", Percent(p.Active[k][1]),
				Full(m, on), Full(m, k), Percent(p.Active[k][0])))
		}
	}
	kind, all := Compounds(m)
	var single []string
	slices.SortStableFunc(all, func(a, b Compound) int { return cmp.Compare(b.Share, a.Share) })
	for _, c := range all {
		switch {
		case kind == patchwork.CompoundsAny && len(c.Parts) > 1:
			out = append(out, fmt.Sprintf("part %s = %s, in %s of rows, by chance %s", c.Name, partsOf(m, c.Parts),
				Percent(c.Share), Percent(c.Chance)))
		case kind == patchwork.CompoundsOne && len(c.Parts) > 1:
			out = append(out, fmt.Sprintf("%s of the rows have just %s; by chance %s would", Percent(c.Share),
				partsOf(m, c.Parts), Percent(c.Chance)))
		case kind == patchwork.CompoundsOne && len(c.Parts) == 1:
			single = append(single, fmt.Sprintf("%s (%s)", cmp.Or(given(m, c.Parts[0]),
				Numbered(c.Parts[0])), Percent(c.Share)))
		case kind == patchwork.CompoundsOne:
			single = append(single, fmt.Sprintf("none (%s)", Percent(c.Share)))
		}
	}
	if len(single) > 1 {
		out = append([]string{"exactly one of: " + strings.Join(single, ", ")}, out...)
	}
	if p.Above != nil {
		out = append(out, togetherAbove(p, all)...)
	}
	return append(out, Nested(m)...)
}

// partsOf lists parts.
func partsOf(m *patchwork.Model, parts []int) string {
	names := make([]string, len(parts))
	for j, k := range parts {
		names[j] = Full(m, k)
	}
	return strings.Join(names, " + ")
}

// togetherAbove says how compounds come together.
func togetherAbove(p *patchwork.SetPrior, all []Compound) []string {
	m, err := rows.Compounds(p).WithExtras(patchwork.Extras{Usage: p.Share, SetPrior: p.Above, Names: namesOf(all)})
	if err != nil {
		panic(err) // a name for each
	}
	return Together(m)
}

// namesOf returns the names of compounds by number.
func namesOf(all []Compound) []string {
	names := make([]string, len(all))
	for _, c := range all {
		names[c.ID] = c.Name
	}
	return names
}

// Nested says which parts of a table vote as another does, and on more.
func Nested(m *patchwork.Model) (out []string) {
	q, t := rows.Background(m), m.Templates()
	for k := range t {
		held, most := -1, 1 // the largest that part k holds
		for j := range t {
			all, n := true, 0
			for i, v := range t[j] {
				if v != q[i] {
					n++
					all = all && (v-q[i])*(t[k][i]-q[i]) > 0
				}
			}
			if all && n > most && n < rows.Votes(m, k, 0) {
				held, most = j, n
			}
		}
		if held >= 0 {
			out = append(out, fmt.Sprintf("%s = %s and more", Full(m, k), Full(m, held)))
		}
	}
	return out
}
