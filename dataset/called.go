package dataset

import (
	"fmt"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
)

// Called returns a function that says what an image or a row is called: by the label
// column that calls each of them differently, if there is one; else by its number in
// the input, from 1, with those of its labels that are not the same everywhere: "row 8
// (bog, 1987)". Labels are the columns of metadata of a table, and those of text
// elsewhere. What cannot be seen of a label is left out.
func (s *Set) Called() func(i int) string {
	noun := "image"
	if s.Table {
		noun = "row"
	}
	labels := slices.DeleteFunc(s.Labels(), func(c Labels) bool { return s.Len() > 1 && constant(c) })
	for _, c := range labels {
		if c.Type == ColumnText && distinct(c.Cells) && !c.Numbers() {
			return func(i int) string { return words.Clean(c.Cells[i]) }
		}
	}
	return func(i int) string {
		name := fmt.Sprintf("%s %d", noun, s.InputRow(i)+1)
		var values []string
		for _, c := range labels {
			if !c.Missing(i) {
				values = append(values, shorten(c.Text(i)))
			}
		}
		if len(values) > 0 {
			name += " (" + words.Clean(strings.Join(values, ", ")) + ")"
		}
		return name
	}
}

// Labels returns the columns of metadata that name or describe rows for people: all of
// a table, and those of text elsewhere.
func (s *Set) Labels() []Labels {
	var out []Labels
	for _, c := range s.Meta {
		if c.Type == ColumnText || s.Table {
			out = append(out, c)
		}
	}
	return out
}

// constant reports whether a column has one value only.
func constant(c Labels) bool {
	return !slices.ContainsFunc(c.Cells, func(text string) bool { return text != c.Cells[0] })
}

// distinct reports whether no text is empty or comes twice.
func distinct(values []string) bool {
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		if v == "" || seen[v] {
			return false
		}
		seen[v] = true
	}
	return true
}

// Missing reports whether there is no value i: the text is empty, or the number is NaN.
func (c Labels) Missing(i int) bool { return c.Text(i) == "" }

// Numbers reports whether all values are numbers, or text that people write for them,
// such as 1.234,50 and 12 €; unknown values, of which NA is one, do not count, and codes
// with zeros in front are no numbers. Such a column measures rows and does not name them.
func (c Labels) Numbers() bool {
	if c.Type != ColumnText {
		return true
	}
	found := false
	for i := range c.Len() {
		cell := strings.TrimSpace(strings.ReplaceAll(c.Text(i), "\u00a0", " "))
		if t, _ := tokenOf(cell); t == blankToken || t == unknownToken {
			continue
		}
		_, number := numberIn(cell)
		if _, groups := thousands(cell); !number && !groups {
			return false
		}
		found = true
	}
	return found
}
