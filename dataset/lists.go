package dataset

import (
	"fmt"
	"io"
	"strings"
)

// items reads a text whose lines are lists of items.
func (in *input) items(src *textSource) (parts, error) {
	p := in.plan
	if p == nil {
		var err error
		if p, err = in.planLists(src); err != nil {
			return nil, err
		}
		in.made = p
	}
	r, err := src.records()
	if err != nil {
		return nil, err
	}
	return &itemRows{in: in, r: newLists(r, src), plan: p, at: indexOf(p.columns)}, nil
}

// planLists reads all lists and says what their items are, and whether they have names.
func (in *input) planLists(src *textSource) (*tablePlan, error) {
	p := &tablePlan{items: true, unit: "line", complete: true}
	r, err := src.records()
	if err != nil {
		return nil, err
	}
	l, v := newLists(r, src), in.vocabulary()
	empty, rows := 0, int64(0)
	for {
		cells, line, err := l.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if rows++; !in.stream && rows > in.budget.left/imageCost(1, 1) { // too many for certain: fail before reading on
			return nil, &FormatError{Line: line, Msg: fmt.Sprintf("more lists than fit in %d bytes of memory", in.budget.max),
				Hint: "allow more memory if the number is right", memory: true}
		}
		empty += btoi(cells == nil)
		for k, cell := range cells {
			if err := v.add(trim(cell), k == 0); err != nil {
				return nil, onLine(err, line)
			}
		}
	}
	if p.named = v.named(); p.named {
		p.note("the first field of each line is taken as the name of the row, since it is in no other")
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
	p.columns, err = v.columns(p)
	return p, err
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

// itemRows makes parts of a set of lists of items.
type itemRows struct {
	uncounted
	in   *input
	r    *lists
	plan *tablePlan
	at   map[string]int
	some bool
}

func (d *itemRows) next() (*Set, error) {
	w := len(d.plan.columns)
	n := d.in.partRows(int64(w), 1, w)
	s := &Set{Table: true, Columns: d.plan.columns, Notes: d.plan.notes}
	var names rawText
	for s.Len() < n {
		cells, line, err := d.r.read()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = onLine(d.in.budget.spend(1, 1, w), line)
		}
		if err != nil {
			return nil, err
		}
		m := d.in.blank(w)
		if d.plan.named && cells == nil {
			names = append(names, "")
		} else if d.plan.named {
			names = append(names, strings.Clone(trim(cells[0])))
			cells = cells[1:]
		}
		for _, cell := range cells {
			if k, known := d.at[trim(cell)]; known {
				m.Set(0, k, !d.in.opts.Invert)
			}
		}
		s.Images = append(s.Images, m)
	}
	if s.Len() == 0 {
		if !d.some {
			return nil, &FormatError{Msg: "the file has no rows"}
		}
		return nil, io.EOF
	}
	d.some = true
	if d.plan.named {
		s.Meta = []Labels{{"name", names}}
	}
	return s, nil
}
