package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
)

// roles says what each column of a table is for.
type roles struct {
	names  []string // nil if the file has none
	n      int      // number of columns
	data   []int    // the pixels, in order
	meta   []int
	called []string // names of the metadata columns, as the user wrote them
	auto   []bool   // which of them nobody asked for
	weight int      // -1 for none

	ignored  map[int]bool
	constant []int        // which the selection makes the same in all rows
	kinds    map[int]Kind // of columns that are labels and could be learned from

	columns []string // names of the pixels, if they are not those of the data columns

	// numbered says that the file has no names and that its data columns are not all
	// columns from the first on: they are called by their numbers in the file then.
	numbered bool
}

// rolesOf sorts the columns by the options: columns named as weight, as
// metadata or in a condition are not data unless Columns names them too. auto
// lists columns that are metadata by their type. For a model, its columns are the
// data.
func (in *input) rolesOf(names []string, n int, auto []int) (roles, error) {
	r, err := in.unlearned(names, n)
	if err != nil {
		return r, err
	}
	auto = slices.DeleteFunc(auto, func(i int) bool { return r.ignored[i] })
	asked := in.asked()
	found, err := findColumns(names, n, asked)
	if err != nil {
		return r, err
	}
	r.label(asked, found, auto)
	if len(in.opts.Columns) > 0 {
		r.data, err = findColumns(names, n, in.opts.Columns)
	} else {
		r.data, err = r.rest(in.onlySelect(&r, auto))
	}
	r.numbered = names == nil && !slices.Equal(r.data, identity(len(r.data)))
	return r, err
}

// unlearned finds the weights and the columns to leave out.
func (in *input) unlearned(names []string, n int) (r roles, err error) {
	r = roles{names: names, n: n, weight: -1, ignored: map[int]bool{}}
	if err := boundNames(names); err != nil {
		return r, err
	}
	if w := in.opts.weight(); w != "" {
		at, err := findColumns(names, n, []string{w})
		if err != nil {
			return r, err
		}
		r.weight = at[0]
	}
	ignored, err := findColumns(names, n, in.opts.said(leftOut...))
	for _, i := range ignored {
		r.ignored[i] = true
	}
	return r, err
}

// label makes labels of the columns that were found for what is asked, and of others.
func (r *roles) label(asked []string, found, others []int) {
	seen, all := make([]bool, r.n), slices.Concat(found, others)
	r.meta, r.auto, r.called = make([]int, 0, len(all)), make([]bool, 0, len(all)), make([]string, 0, len(all))
	for k, i := range all {
		if seen[i] {
			continue
		}
		seen[i] = true
		r.meta, r.auto = append(r.meta, i), append(r.auto, k >= len(asked))
		if k < len(asked) {
			r.called = append(r.called, asked[k])
		} else {
			r.called = append(r.called, r.name(i))
		}
	}
}

// asked returns the columns that the user wants as metadata.
func (in *input) asked() []string {
	asked := in.opts.said("label")
	for _, name := range in.opts.selectedBy() {
		if len(in.opts.Labels) > 0 && name == "y" {
			continue // comes from the label file
		}
		asked = append(asked, name)
	}
	return asked
}

// onlySelect returns the columns of data that conditions are on, and keeps those of which the rows have one value then.
func (in *input) onlySelect(r *roles, auto []int) []bool {
	also := members(r.n, nil)
	other, _ := findColumns(r.names, r.n, append(in.opts.said("label"), in.opts.FirstPer.Names...))
	for _, c := range in.opts.Where {
		at, err := findColumns(r.names, r.n, []string{c.Name})
		if err != nil || slices.Contains(auto, at[0]) || slices.Contains(other, at[0]) {
			continue
		}
		if also[at[0]] = c.Op != "=" || len(c.Values) != 1; !also[at[0]] {
			r.constant = append(r.constant, at[0])
		}
	}
	return also
}

// rest returns the columns that have no other role, and those that are data also, which are data.
func (r *roles) rest(also []bool) (data []int, err error) {
	meta := members(r.n, r.meta)
	data = make([]int, 0, r.n-len(r.meta))
	for i := range r.n {
		if i != r.weight && !r.ignored[i] && (!meta[i] || also[i]) {
			data = append(data, i)
		}
	}
	if len(data) == 0 {
		err = &FormatError{noData: true, Msg: fmt.Sprintf("none of the %d columns is left as data", r.n),
			Hint: "choose some with --columns"}
	}
	return data, err
}

// used lists the columns that are read.
func (r *roles) used() []int {
	used := slices.Concat(r.data, r.meta)
	if r.weight >= 0 {
		used = append(used, r.weight)
	}
	return used
}

// name returns the name of column i, or its number from 1.
func (r *roles) name(i int) string {
	if r.names != nil {
		return r.names[i]
	}
	return strconv.Itoa(i + 1)
}

// set returns an empty set for a table with these columns.
func (r *roles) set() *Set {
	s := &Set{Table: true, Columns: r.columns, roles: r}
	if r.columns == nil && r.names != nil {
		s.Columns = pick(r.names, r.data)
	}
	if r.columns == nil && r.numbered {
		for _, i := range r.data {
			s.Columns = append(s.Columns, "column "+strconv.Itoa(i+1))
		}
	}
	return s
}

// textTable builds parts of a table from rows of text.
type textTable struct {
	in      *input
	plan    *tablePlan
	set     *Set
	meta    [][]string
	strings map[string]string // interned metadata values of a part
}

// begin starts a part.
func (t *textTable) begin() {
	t.set, t.meta, t.strings = t.plan.set(), make([][]string, len(t.plan.meta)), map[string]string{}
	t.set.reading.Points = slices.ContainsFunc(t.in.seen.first, func(f *firstLines) bool { return f.points != "" })
	t.set.Unit = t.plan.whole
	t.set.Notes, t.set.Codings = t.plan.notes, t.plan.codings
	if t.plan.numbers {
		t.set.Values, t.set.Height, t.set.Width = [][]float64{}, 1, t.plan.width
		if t.plan.names == nil && !t.plan.levels {
			t.set.Columns = nil
		}
	}
}

// add appends one row; it does not keep the cells.
func (t *textTable) add(cells []string) error {
	if err := t.in.budget.spend(1, 1, t.plan.width); err != nil {
		return err
	}
	if t.plan.numbers {
		if err := t.addNumbers(cells); err != nil {
			return err
		}
	} else if err := t.addBits(cells); err != nil {
		return err
	}
	if w := t.plan.weight; w >= 0 {
		if err := t.takeWeight(cells[w]); err != nil {
			return err
		}
	}
	for k, i := range t.plan.meta {
		s, err := t.intern(trim(cells[i]))
		if err != nil {
			return err
		}
		t.meta[k] = append(t.meta[k], s)
	}
	return nil
}

// addBits appends the pixels of a row.
func (t *textTable) addBits(cells []string) error {
	m := bitmap.New(1, t.plan.width)
	for k := range t.plan.pixels {
		d := &t.plan.pixels[k]
		cell := cells[d.column]
		if d.level != nil {
			known, strange := d.turnOn(cell, func(k int) { m.Set(0, d.at+k, true) })
			if t.strange(d, strange); !known {
				for k := range d.n {
					m.SetUnknown(0, d.at+k)
				}
			}
			continue
		}
		var state uint8
		if len(cell) == 1 && cell[0]|1 == '1' { // nearly all cells
			state = d.digit[cell[0]&1]
		} else {
			state = t.state(d, cell)
		}
		switch state {
		case on:
			m.Set(0, d.at, true)
		case unknown:
			m.SetUnknown(0, d.at)
		case notBinary:
			if err := t.badCell(d, cell); err != nil {
				return err
			}
			m.SetUnknown(0, d.at)
		}
	}
	t.set.Images = append(t.set.Images, m)
	return nil
}

// state returns the state of a cell that is not a single digit.
func (t *textTable) state(d *dataColumn, cell string) uint8 {
	if d.groups && t.in.rule.threshold != nil && strings.IndexByte(cell, ',') >= 0 {
		v, ok := thousands(trim(cell))
		if !ok {
			return notBinary
		}
		t.in.seen.grouped(cell)
		return t.in.rule.of(v)
	}
	if d.isMissing(cell) {
		return unknown
	}
	if d.Unit != "" && t.in.rule.threshold != nil {
		if v, unit, ok := measured(trim(cell)); ok && unit == d.Unit {
			return t.in.rule.of(v)
		}
	}
	return d.Marks.of(cell, t.in.rule)
}

// turnOn tells which pixels of a category a cell turns on; known is false if it says nothing, or what is none of the
// values known, which is returned.
func (d *dataColumn) turnOn(cell string, set func(k int)) (known bool, strange string) {
	cell = trim(cell)
	t, _ := tokenOf(cell)
	switch {
	case d.Cuts != nil:
		v, ok := d.number(cell)
		if !ok || math.IsNaN(v) {
			return false, map[bool]string{false: cell}[ok]
		}
		k := 0
		for ; k < len(d.Cuts) && v > d.Cuts[k]; k++ {
		}
		if len(d.level) > 1 {
			set(k)
		} else if k > 0 {
			set(0)
		}
		return true, ""
	case d.Split != "":
		for _, answer := range strings.Split(cell, d.Split) {
			if k, ok := d.levelAt(trim(answer)); ok {
				set(k)
			} else if t > unknownToken {
				strange = cmp.Or(strange, trim(answer))
			}
		}
		return t != unknownToken, strange
	}
	if k, ok := d.levelAt(levelOf(cell)); ok && t != blankToken {
		if d.bit() { // by any word for yes
			k = 0
		}
		set(k)
		return true, ""
	}
	if (t == yesToken || t == noToken) && len(d.Levels) == 1 && d.Levels[0] == "1" { // beside 2 for no
		if t == yesToken {
			set(0)
		}
		return true, ""
	}
	if known = wordAt(d.Off, levelOf(cell)) >= 0 || d.keyed() && t > unknownToken && !d.isMissing(cell); known || t <= unknownToken || d.isMissing(cell) {
		return known, ""
	}
	return false, cell
}

// intern returns a copy of a cell, which shares its line's memory.
func (t *textTable) intern(cell string) (string, error) {
	s, ok := t.strings[cell]
	if !ok {
		s = string([]byte(cell))
		if err := t.in.budget.spendBytes(len(s)); err != nil {
			return "", err
		}
		t.strings[s] = s
	}
	return s, nil
}

// badCell returns an error that says why a cell is not a bit, for a plan that was
// made of the beginning of the table; another, made of all of it, may be able to
// read the cell. Words that a model does not know are unknown.
func (t *textTable) badCell(d *dataColumn, cell string) error {
	token, v := tokenOf(trim(cell))
	if t.plan.model && token != numberToken && token != commaToken {
		t.strange(d, trim(cell))
		return nil
	}
	at, name := cellPlace{text: shorten(string([]byte(trim(cell))))}, t.plan.name(d.column)
	fe := noWord(at, name, false)
	if token == numberToken || token == commaToken {
		fe = noBit(at.text, name, numberRange{least: min(v, 0), most: max(v, 0), fractions: v != math.Trunc(v)})
	}
	if fe.early = !t.plan.complete; t.plan.model {
		fe.early, fe.fix, fe.Hint = false, nil, "the model has 0 and 1 there; correct it, or take it as unknown: "+
			missingFlag(name+"="+at.text)
	}
	return fe
}

// part returns the part built since begin.
func (t *textTable) part() *Set {
	for k, values := range t.meta {
		t.set.Meta = append(t.set.Meta, Labels{t.plan.called[k], values, columnRaw})
	}
	return t.set
}

// surelyKnown is how many cells of a column show whether it holds numbers or text.
const surelyKnown = 20

// grouped reports whether commas in the numbers of a column stand before thousands.
func (s *survey) grouped(c *columnStats) bool { return s.commas && !c.decimal }

// texts are the tokens of cells that are no numbers.
var texts = []token{textToken, xToken, plusToken, pToken, aToken}

// isText reports whether a column has text in more than a tenth of its known cells, or nothing but unknown cells.
func (s *survey) isText(i int) bool {
	class, _ := s.columns[i].classOf(s.vocabularies)
	return class == labelClass || s.columns[i].known() == 0
}

// number returns the value of a cell of a column of numbers: NaN if it is unknown; ok is false for text.
func (d *dataColumn) number(cell string) (v float64, ok bool) {
	if d.Marks != bitCoding {
		state := d.Marks.of(cell, rule{})
		return [...]float64{off: 0, on: 1, unknown: math.NaN(), notBinary: 0}[state], state != notBinary
	}
	if d.Unit != "" {
		if v, unit, ok := measured(trim(cell)); ok {
			return v, unit == d.Unit
		}
	}
	if d.groups && strings.IndexByte(cell, ',') >= 0 {
		return thousands(trim(cell))
	}
	if d.isMissing(cell) {
		return math.NaN(), true
	}
	switch t, v := tokenOf(trim(cell)); t {
	case blankToken, unknownToken, minusToken:
		return math.NaN(), true
	case zeroToken, oneToken, numberToken, commaToken:
		return v, !math.IsInf(v, 0)
	case yesToken:
		return 1, true
	case noToken:
		return 0, true
	}
	return 0, false
}

// addNumbers appends the values of a row.
func (t *textTable) addNumbers(cells []string) error {
	row := make([]float64, t.plan.width)
	for k := range t.plan.pixels {
		d := &t.plan.pixels[k]
		cell := cells[d.column]
		if d.level != nil {
			known, strange := d.turnOn(cell, func(k int) {
				if d.whole {
					row[d.at] = float64(k)
				} else {
					row[d.at+k] = 1
				}
			})
			t.strange(d, strange)
			for k := d.at; !known && k < d.at+d.n; k++ {
				row[k] = math.NaN()
			}
			continue
		}
		v, ok := d.number(cell)
		if !ok && t.plan.model {
			t.strange(d, trim(cell))
			row[d.at] = math.NaN()
			continue
		}
		if !ok {
			fe := noWord(cellPlace{text: shorten(trim(cell))}, t.plan.name(d.column), true)
			fe.early = !t.plan.complete
			return fe
		}
		if d.groups && strings.IndexByte(cell, ',') >= 0 {
			t.in.seen.grouped(cell)
		}
		row[d.at] = v
	}
	t.set.Values = append(t.set.Values, row)
	return nil
}
