package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"example.com/patchwork/diagnose/words"
)

// records yields the rows of a table as text, and where each stands, from 1; then
// io.EOF. The cells are valid until the next call.
type records interface {
	read() (cells []string, place int, err error)
}

// cells is a table whose cells are text, or become text.
type cells interface {
	unit() string    // what places count: lines or rows
	count() int      // of rows, -1 if it is not known
	sample() records // the beginning
	complete() bool  // that is all
	records() (records, error)
}

// table prepares the reading of a table. names has the names of the columns, if the
// format has them apart from the rows.
func (in *input) table(src cells, names []string) (*tableRows, error) {
	if in.turns() {
		t, err := in.turn(src, names)
		if err != nil {
			return nil, err
		}
		src, names = t, nil
	}
	p, err := in.tablePlan(src, names)
	if err != nil {
		return nil, err
	}
	if n := src.count(); !in.stream && int64(n) > in.budget.left/in.budget.cost(1, p.width) { // fail before reading
		return nil, in.budget.spend(n, 1, p.width)
	}
	r, err := src.records()
	if err != nil {
		return nil, err
	}
	r = in.known(r, names)
	if !p.marked() { // where an empty cell is off, such lines say something
		r = withoutBlankEnd(r, src.unit(), &in.seen)
	}
	if names == nil && !p.first {
		header, _, err := r.read()
		if err != nil {
			return nil, err
		}
		if n := len(p.header) - len(header); in.plan != nil && n >= 0 && p.header != nil &&
			!slices.Equal(header, p.header[n:]) {
			return nil, errChanged()
		}
	}
	d := &tableRows{r: r, table: &textTable{in: in, plan: p}, rows: src.count()}
	if err := d.advance(); in.plan != nil && (err != nil || d.record == nil) {
		return nil, errChanged()
	} else if err != nil {
		return nil, err
	}
	return d, nil
}

// errChanged returns the error for a file that is not what it was.
func errChanged() error {
	return &FormatError{Msg: "has changed since reading began", Hint: "do not change the file while it is read"}
}

// tablePlan returns the plan of a table: the one that is given, or one by its
// beginning if that suffices, or by all of it.
func (in *input) tablePlan(src cells, names []string) (*tablePlan, error) {
	if in.plan != nil {
		return in.plan, nil
	}
	p, err := in.planBy(src.sample(), names, src, src.complete())
	var fe *FormatError
	unsure := errors.As(err, &fe) && fe.early // all of it may show more
	if err != nil && !unsure {
		return nil, err
	}
	if unsure || !in.enough(p, src) {
		r, err := src.records()
		if err != nil {
			return nil, err
		}
		if p, err = in.planBy(r, names, src, true); err != nil {
			return nil, err
		}
	}
	in.made = p
	return p, nil
}

// enough reports whether a plan holds for all of a table.
func (in *input) enough(p *tablePlan, src cells) bool {
	switch {
	case p.complete:
		return true
	case in.thorough:
		return false
	case p.model:
		return p.weight < 0 || !in.stream
	case p.numbers:
		return p.sure && !in.stream
	}
	return p.plain || !in.stream && !p.levels && !p.open
}

// planBy surveys a table, or its beginning, and plans by that.
func (in *input) planBy(r records, names []string, src cells, complete bool) (*tablePlan, error) {
	unit := src.unit()
	s, err := in.survey(withoutBlankEnd(in.known(r, names), unit, nil), names, src, complete)
	if err != nil {
		return nil, err
	}
	if err := in.checkNamed(s); err != nil {
		return nil, inUnit(err, unit)
	}
	var p *tablePlan
	if in.opts.Model != nil {
		p, err = in.planFor(s)
	} else if p, err = in.planTable(s); err != nil {
		early(err, !complete)
	}
	return p, inUnit(err, unit)
}

// early says of an error that it may go away when the whole table is examined.
func early(err error, is bool) {
	var fe *FormatError
	if errors.As(err, &fe) {
		fe.early = is
	}
}

// tableRows makes parts of a set of the rows of a table.
type tableRows struct {
	uncounted
	r       records
	table   *textTable
	record  []string // read, but not yet part of the table; nil at the end
	place   int      // of the record
	some    bool     // there was a row
	headers []int    // places where the header stands again
	rows    int      // of the table, -1 if that is not known
}

func (d *tableRows) count() int { return d.rows }

// advance reads the next record.
func (d *tableRows) advance() error {
	plan := d.table.plan
	n := plan.n - plan.absent
	record, place, err := d.r.read()
	for err == nil && len(plan.header) > 0 && len(record) >= n && record[0] == plan.header[0] &&
		slices.Equal(record[:n], plan.header) {
		d.headers = append(d.headers, place)
		record, place, err = d.r.read()
	}
	if err == io.EOF {
		d.record = nil
		seen := &d.table.in.seen
		seen.headers = append(seen.headers, d.headers...)
		return nil
	}
	if err != nil {
		return err
	}
	if d.place = place; isShort(record, n) {
		d.table.in.seen.shorter(place)
	}
	if d.record, err = sized(record, n, place); plan.absent > 0 && err == nil {
		d.record = append(slices.Clip(d.record), make([]string, plan.absent)...)
	}
	return err
}

// sized checks the number of cells of a record; empty ones beyond the columns are dropped, and where fewer than half
// are missing at the end they are empty.
func sized(record []string, n, line int) ([]string, error) {
	if len(record) > n && filled(record[n:]) == 0 {
		return record[:n], nil
	}
	if isShort(record, n) {
		return append(slices.Clone(record), make([]string, n-len(record))...), nil
	}
	if len(record) != n {
		return nil, unlikeLength(len(record), n, line)
	}
	return record, nil
}

// isShort reports whether a record has less than half of the cells too few, as where a program left out empty ones at
// the end.
func isShort(record []string, n int) bool { return len(record) < n && 2*len(record) > n && n > 2 }

// unlikeLength returns the error for a record of so many cells.
func unlikeLength(has, n, line int) error {
	return &FormatError{Line: line, Msg: fmt.Sprintf("%s, but the first line has %d", words.Count(has, "cell"), n),
		Hint: "make all lines of one length, check the delimiter, or say --items if each line is a list"}
}

func (d *tableRows) next() (*Set, error) {
	width := d.table.plan.width
	n := d.table.in.partRows(2*int64(width), 1, width)
	d.table.begin()
	for d.record != nil && d.table.set.Len() < n {
		if err := d.table.add(d.record); err != nil {
			return nil, inUnit(onLine(err, d.place), d.table.plan.unit)
		}
		if err := d.advance(); err != nil {
			return nil, err
		}
	}
	switch {
	case d.table.set.Len() > 0:
		d.some = true
		return d.table.part(), nil
	case !d.some:
		return nil, &FormatError{Msg: "the table has no rows", Hint: "there is nothing below its header"}
	}
	return nil, io.EOF
}

func onLine(err error, line int) error {
	var fe *FormatError
	if errors.As(err, &fe) && fe.Line == 0 {
		fe.Line = line
	}
	return err
}

// inUnit makes the place of an error a row, if places are rows.
func inUnit(err error, unit string) error {
	var fe *FormatError
	if errors.As(err, &fe) && unit == "row" {
		fe.Row, fe.Line = max(fe.Row, fe.Line), 0
	}
	return err
}
