package dataset

import (
	"io"
	"slices"
)

// blankEnd leaves out the lines at the end of a table of text whose cells are all empty, which programs of tables
// write for rows that were once in use.
type blankEnd struct {
	r    records
	seen *seen // is told how many, if not nil

	blank []blankLine // read, not yet yielded
	cells []string    // of the line after them
	place int
}

type blankLine struct{ n, place int }

// withoutBlankEnd returns the records of a table without such lines; rows of other formats stay.
func withoutBlankEnd(r records, unit string, s *seen) records {
	if unit != "line" {
		return r
	}
	return &blankEnd{r: r, seen: s}
}

// read implements records.
func (b *blankEnd) read() (cells []string, place int, err error) {
	for len(b.blank) == 0 || b.cells == nil {
		if b.cells != nil {
			cells, b.cells = b.cells, nil
			return cells, b.place, nil
		}
		cells, place, err = b.r.read()
		if err == io.EOF && b.seen != nil && len(b.blank) > 0 {
			b.seen.blankLines(len(b.blank), b.blank[0].place)
			b.blank = nil // said once
		}
		if err != nil {
			return nil, 0, err
		}
		if len(cells) > 1 && !slices.ContainsFunc(cells, func(cell string) bool { return trim(cell) != "" }) {
			b.blank = append(b.blank, blankLine{len(cells), place})
			continue
		}
		if len(b.blank) == 0 {
			return cells, place, nil
		}
		b.cells, b.place = cells, place
	}
	first := b.blank[0]
	b.blank = b.blank[1:]
	return make([]string, first.n), first.place, nil
}
