package dataset

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// valueTable prepares the reading of a table of real values. names has the names of the columns, if the format has them
// apart from the rows.
func (in *input) valueTable(src tableSource, names []string) (decoder, error) {
	if src.once() {
		if err := src.hold(); err != nil {
			return nil, err
		}
	}
	t := &valueTable{in: in, names: names, unit: src.unit(), commas: byCommas(src)}
	r, _, err := src.sample()
	if err != nil {
		return nil, err
	}
	if err := t.survey(withoutBlankEnd(r, t.unit, nil)); err != nil {
		return nil, inUnit(err, t.unit)
	}
	r, err = src.repeat()
	t.r = withoutBlankEnd(r, t.unit, &in.seen)
	return t, err
}

// valueTable is a table of real values that is being read.
type valueTable struct {
	in     *input
	names  []string
	unit   string
	header bool // the first record has the names
	roles  roles
	index  bool           // the first column counts the rows
	two    map[int]string // how to learn from the columns of two texts
	commas bool           // divide the columns
	groups []bool         // by column: commas in numbers stand before thousands

	r records
	n int // rows read
}

// surveyRows is how many rows show what the columns of a table are.
const surveyRows = 1000

// survey decides, by the beginning of a table, whether it has a header and which columns are text.
func (t *valueTable) survey(r records) error {
	var sample [][]string
	for len(sample) < surveyRows {
		cells, place, err := r.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if len(sample) > 0 {
			if cells, err = sized(cells, len(sample[0]), place); err != nil {
				return err
			}
		}
		sample = append(sample, slices.Clone(cells))
	}
	if len(sample) == 0 {
		return &FormatError{Msg: "the table has no rows", Hint: "there is nothing to read"}
	}
	n := len(sample[0])
	t.groups = make([]bool, n)
	for i := range t.groups {
		t.groups[i] = t.commas && !slices.ContainsFunc(sample, func(cells []string) bool {
			return isDecimalComma(trim(cells[i]))
		})
	}
	if t.names == nil && t.headed(sample) {
		t.header = true
		for _, cell := range sample[0] {
			t.names = append(t.names, trim(cell))
		}
		sample = sample[1:]
	}
	var auto []int
	for i := range n {
		if t.isLabel(sample, i) {
			auto = append(auto, i)
			if one, other := twoWords(sample, i); other != "" && len(sample) > 2 {
				if t.two == nil {
					t.two = map[int]string{}
				}
				t.two[i] = fmt.Sprintf("; to learn from it, write 0 for %s and 1 for %s", shorten(one), shorten(other))
			}
		}
	}
	if t.index = n > 1 && countsUp(sample, 0); t.index && !slices.Contains(auto, 0) && len(t.in.opts.Columns) == 0 {
		auto = append([]int{0}, auto...)
	}
	var err error
	t.roles, err = t.in.rolesOf(t.names, n, auto)
	return err
}

// headed reports whether the first record names the columns.
func (t *valueTable) headed(sample [][]string) bool {
	switch t.in.opts.Header {
	case HeaderPresent:
		return true
	case HeaderAbsent:
		return false
	}
	if t.in.headed || counts(sample[0]) && len(sample[0]) > 1 && len(sample) > 1 {
		return true
	}
	for i, cell := range sample[0] {
		if _, known, ok := t.number(cell, i); ok || known {
			continue
		}
		if len(sample) > 1 && !t.isLabel(sample[1:], i) {
			return true // a word above numbers
		}
	}
	return false
}

// number returns the value of a cell of a column: NaN if it is unknown; ok is false for text. unknown reports whether
// the cell is blank or a word for what is not known.
func (t *valueTable) number(cell string, column int) (v float64, unknown, ok bool) {
	if t.groups[column] && strings.IndexByte(cell, ',') >= 0 {
		v, ok = thousands(trim(cell))
		return v, false, ok
	}
	switch t, v := tokenOf(trim(cell)); t {
	case blankToken, unknownToken:
		return math.NaN(), true, true
	case zeroToken, oneToken, numberToken, commaToken:
		return v, false, !math.IsInf(v, 0)
	case yesToken:
		return 1, false, true
	case noToken:
		return 0, false, true
	}
	return 0, false, false
}

// isLabel reports whether a column has text in at least half of its known cells, or nothing but unknown cells. Less
// text than
// that is a slip, or a word for what is not known, and an error says where it is. Words for yes without one for no, or
// the other
// way round, are text beside text: f beside m.
func (t *valueTable) isLabel(sample [][]string, i int) bool {
	text, numbers, yes, no := 0, 0, 0, 0
	for _, cells := range sample {
		_, unknown, ok := t.number(cells[i], i)
		switch token, _ := tokenOf(trim(cells[i])); {
		case !ok:
			text++
		case token == yesToken:
			yes++
		case token == noToken:
			no++
		case !unknown:
			numbers++
		}
	}
	if text > 0 && (yes == 0 || no == 0) {
		text += yes + no
	} else {
		numbers += yes + no
	}
	return text >= numbers
}

// twoWords returns the two texts that a column has, "" for more or fewer. The spelling counts.
func twoWords(sample [][]string, i int) (one, other string) {
	for _, cells := range sample {
		cell := trim(cells[i])
		switch t, _ := tokenOf(cell); {
		case t == blankToken || t == unknownToken || cell == one || cell == other:
		case one == "":
			one = cell
		case other == "":
			other = cell
		default:
			return "", ""
		}
	}
	if other == "" {
		return "", ""
	}
	return one, other
}

// countsUp reports whether a column counts the rows, from 0 or 1.
func countsUp(sample [][]string, column int) bool {
	if len(sample) < 3 {
		return false
	}
	first, err := strconv.Atoi(trim(sample[0][column]))
	if err != nil || first < 0 || first > 1 {
		return false
	}
	for i, cells := range sample {
		if v, err := strconv.Atoi(trim(cells[column])); err != nil || v != first+i {
			return false
		}
	}
	return true
}

// next reads some rows.
func (t *valueTable) next() (*Set, error) {
	s, err := t.read()
	if err != nil && err != io.EOF {
		err = inUnit(err, t.unit)
	}
	return s, err
}

func (t *valueTable) read() (*Set, error) {
	if t.n == 0 && t.header {
		if _, _, err := t.r.read(); err != nil {
			return nil, err
		}
	}
	v, meta := &Values{Height: 1, Width: len(t.roles.data)}, make([]rawText, len(t.roles.meta))
	for most := t.in.partRows(1, 1, v.Width); v.Len() < most; {
		cells, place, err := t.r.read()
		if err == io.EOF {
			break
		}
		if err == nil {
			cells, err = sized(cells, t.roles.n, place)
		}
		if err == nil {
			err = t.in.budget.spend(1, 1, v.Width)
		}
		if err != nil {
			return nil, err
		}
		row, err := t.row(cells, place)
		if err != nil {
			return nil, err
		}
		t.n++
		v.Rows = append(v.Rows, row)
		for j, i := range t.roles.meta {
			meta[j] = append(meta[j], strings.Clone(trim(cells[i])))
		}
	}
	switch {
	case t.n == 0:
		return nil, &FormatError{Msg: "the table has no rows", Hint: "there is nothing below its header"}
	case v.Len() == 0:
		return nil, io.EOF
	}
	s := &Set{Table: true, Notes: t.notes(), roles: &t.roles}
	s.setNumbers(v)
	if t.names != nil {
		s.Columns = pick(t.names, t.roles.data)
	}
	for j, raw := range meta {
		s.Meta = append(s.Meta, Labels{t.roles.called[j], raw})
	}
	return s, nil
}

// row returns the values of a row.
func (t *valueTable) row(cells []string, place int) ([]float64, error) {
	row := make([]float64, len(t.roles.data))
	for j, i := range t.roles.data {
		v, _, ok := t.number(cells[i], i)
		if !ok {
			return nil, &FormatError{Line: place, Column: t.roles.name(i),
				Msg: fmt.Sprintf("%q is not a number", shorten(trim(cells[i]))),
				Hint: "correct it, leave the cell empty if it is not known, or make the column a label with --meta " +
					t.roles.name(i)}
		}
		if t.groups[i] && strings.IndexByte(cells[i], ',') >= 0 {
			t.in.seen.grouped(cells[i])
		}
		row[j] = v
	}
	return row, nil
}

// notes says which columns are labels that nobody asked for.
func (t *valueTable) notes() (notes []string) {
	for j, name := range t.roles.called {
		switch {
		case t.roles.auto[j] && t.index && t.roles.meta[j] == 0:
			notes = append(notes, fmt.Sprintf("%q counts the rows and is taken as a label", name))
		case t.roles.auto[j]:
			notes = append(notes, name+" is taken as a label"+t.two[t.roles.meta[j]])
		}
	}
	return notes
}
