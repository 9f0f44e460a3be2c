package dataset

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// items reads a text whose lines are lists of items.
func (in *input) items(src *textSource) (parts, error) {
	r, err := src.records()
	if err != nil {
		return nil, err
	}
	p := &tablePlan{unit: "line", complete: true}
	l, v, t := newLists(r, src), in.vocabulary(), &sparse{in: in, rule: rule{invert: in.opts.Invert}, label: "name"}
	empty, first, err := t.lists(l, v)
	if err != nil {
		return nil, err
	}
	if v.named() {
		p.note("the first field of each line is taken as the name of the row, since it is in no other")
		t.labels = make([]string, t.rows)
		for i, k := range first {
			if k != noItem {
				t.labels[i] = v.items[k]
			}
		}
	}
	switch {
	case l.comma != "":
		p.note("each line is one cell in quotes; it is divided at every %q", src.form.comma)
	case l.alone == l.lines && 2*l.blanks > l.lines && in.opts.Delimiter == 0:
		p.note("each line was taken as one item, since there are no commas, tabs or semicolons; if blanks separate the "+
			"items, say --delimiter %q", " ")
	}
	if empty > 0 {
		p.note("%s taken as %s", people(empty, "empty line is", "empty lines are"),
			map[bool]string{true: "a row without items", false: "rows without items"}[empty == 1])
	}
	t.notes = p.notes
	if err := v.table(t); err != nil {
		return nil, err
	}
	p.columns = t.columns
	if in.made = p; in.plan != nil && !slices.Equal(in.plan.columns, p.columns) {
		return nil, errChanged()
	}
	return t, nil
}

// lists takes all lists, and returns how many are empty and with which item each begins.
func (t *sparse) lists(l *lists, v *vocabulary) (empty int, first []int, err error) {
	for ; ; t.rows++ {
		cells, line, err := l.read()
		if err == io.EOF {
			return empty, first, nil
		}
		if err != nil {
			return 0, nil, err
		}
		if b := t.in.budget; !t.in.stream && int64(t.rows) >= b.left/imageCost(1, 1) { // too many for certain
			return 0, nil, &FormatError{Line: line, Msg: fmt.Sprintf("more lists than fit in %d bytes of memory", b.max),
				Hint: "allow more memory if the number is right", memory: true}
		}
		empty, first = empty+btoi(cells == nil), append(first, noItem)
		for k, cell := range cells {
			item, err := v.add(trim(cell), k == 0)
			if err == nil && item != noItem {
				err = t.add(t.rows, item, 1)
			}
			if err != nil {
				return 0, nil, onLine(err, line)
			}
			if k == 0 {
				first[t.rows] = item
			}
		}
	}
}

// itemForm recognises what separates items: of comma, tab and semicolon the one
// that the beginning has most often, or blanks between numbers.
func itemForm(head []byte) csvForm {
	best, most := mostFrequent(head)
	if most == 0 && len(bytes.Trim(head, "0123456789 \r\n")) == 0 {
		best = ' '
	}
	return csvForm{comma: best}
}

// quotedLists reports whether each line is a single cell, and some of these have the
// separator in them, within quotes.
func (s *textSource) quotedLists() bool {
	r := s.sample() // of a text it cannot fail
	for divided := false; ; {
		cells, _, err := r.read()
		if err != nil {
			return err == io.EOF && divided
		}
		if len(cells) != 1 {
			return false
		}
		divided = divided || strings.ContainsRune(cells[0], s.form.comma)
	}
}

// lists yields the lists of a text, and none, that is nil, for each empty line before the
// last list, so that rows and lines agree.
type lists struct {
	r       records
	comma   string // at which a cell in quotes is divided; "" if none is
	skip    bool   // the next list is a header
	pending []string
	line    int // of pending
	empty   int // lines before it that are not yet yielded
	end     int // last line of what was read

	lines, alone, blanks int // lists; those of a single item; and those of them that have blanks inside
}

func newLists(r records, src *textSource) *lists {
	l := &lists{r: r, skip: src.in.opts.Header == HeaderPresent}
	if src.quotedLists() {
		l.comma = string(src.form.comma)
	}
	return l
}

// advance reads the next list and counts the empty lines before it.
func (l *lists) advance() (err error) {
	before := l.end
	if l.pending, l.line, err = l.r.read(); err != nil {
		return err
	}
	l.empty, l.end = l.line-before-1, l.line
	for _, cell := range l.pending {
		l.end += strings.Count(cell, "\n")
	}
	return nil
}

// read returns the next list, which is valid until the next call, and its line.
func (l *lists) read() (cells []string, line int, err error) {
	if l.skip {
		l.skip = false
		if err := l.advance(); err != nil {
			return nil, 0, err
		}
		l.pending = nil
	}
	if l.pending == nil {
		if err := l.advance(); err != nil {
			return nil, 0, err
		}
	}
	if l.empty > 0 {
		l.empty--
		return nil, l.line, nil
	}
	cells, l.pending = l.pending, nil
	l.lines++
	if len(cells) == 1 {
		l.alone++
		l.blanks += btoi(strings.Contains(trim(cells[0]), " "))
		if l.comma != "" {
			cells = strings.Split(cells[0], l.comma)
		}
	}
	return cells, l.line, nil
}
