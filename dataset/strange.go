package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// strangeCells are cells of a column that are none of what was said to be there.
type strangeCells struct {
	of      *Coding
	n       int
	example string
}

// strange takes note of a word that is none of a column, "" for nothing.
func (t *textTable) strange(d *dataColumn, word string) {
	if word == "" {
		return
	}
	seen := &t.in.seen
	i := slices.IndexFunc(seen.strange, func(s *strangeCells) bool { return s.of.Name == d.Name })
	if i < 0 {
		i = len(seen.strange)
		seen.strange = append(seen.strange, &strangeCells{of: &d.Coding, example: strings.Clone(shorten(word))})
	}
	seen.strange[i].n++
}

// strangeNotes says once of each column which words a model does not know.
func (s *seen) strangeNotes() (out []string) {
	for _, c := range s.strange {
		out = append(out, c.note())
	}
	return out
}

func (c *strangeCells) note() string {
	return fmt.Sprintf("in the column %s %s %s, such as %q, and taken as unknown", c.of.Name,
		people(c.n, "cell is", "cells are"), c.of.not(), c.example)
}

// not says what a cell is not that is none of a column.
func (c *Coding) not() string {
	switch {
	case c.Levels != nil && c.Cuts == nil:
		return "none of " + listShort(slices.Concat(c.Levels, c.Off))
	case c.Unit != "":
		return "no number in " + c.Unit
	case c.Kind == Bit && c.Cuts == nil:
		return "neither yes nor no"
	}
	return "no number"
}

// checkKnown returns an error if all that is known in a set is strange.
func (s *seen) checkKnown(set *Set) error {
	for i := range set.Len() {
		if s.strange == nil || set.Known(i) > 0 {
			return nil
		}
	}
	if s.strange == nil {
		return nil
	}
	return &FormatError{Path: set.Source, Msg: "no cell says anything that the model knows: " + s.strangeNotes()[0],
		Hint: "give data like those that the model was learned from"}
}
