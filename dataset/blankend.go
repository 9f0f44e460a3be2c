package dataset

import (
	"cmp"
	"io"
	"slices"
)

// blankEnd leaves out the lines at the end of a table of text whose cells are all empty, which programs of tables
// write for rows that were once in use.
type blankEnd struct {
	records
	seen  *seen    // is told of them, if not nil
	blank [][2]int // lines read, not yet yielded, and how many cells they have
	cells []string // of the line after them
	place int
}

// withoutBlankEnd returns the records of a table without such lines; rows of other formats stay.
func withoutBlankEnd(r records, unit string, s *seen) records {
	if unit != "line" {
		return r
	}
	return &blankEnd{records: r, seen: s}
}

func (b *blankEnd) read() (cells []string, place int, err error) {
	for b.cells == nil {
		cells, place, err = b.records.read()
		if err == io.EOF && b.seen != nil && len(b.blank) > 0 {
			b.seen.blank, b.seen.blanks = cmp.Or(b.seen.blank, b.blank[0][0]), b.seen.blanks+len(b.blank)
			b.blank = nil // said once
		}
		if err != nil {
			return nil, 0, err
		}
		if len(cells) < 2 || slices.ContainsFunc(cells, func(cell string) bool { return trim(cell) != "" }) {
			b.cells, b.place = cells, place
		} else {
			b.blank = append(b.blank, [2]int{place, len(cells)})
		}
	}
	if len(b.blank) > 0 {
		first := b.blank[0]
		b.blank = b.blank[1:]
		return make([]string, first[1]), first[0], nil
	}
	cells, b.cells = b.cells, nil
	return cells, b.place, nil
}
