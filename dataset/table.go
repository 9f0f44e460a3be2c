package dataset

import (
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

	ignored map[int]bool
	kinds   map[int]Kind // of columns that are labels and could be learned from
	foreign []string     // names of columns that the model does not have

	coded   Coded    // data columns whose cells mean something special
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
	r := roles{names: names, n: n, weight: -1}
	if err := boundNames(names); err != nil {
		return r, err
	}
	model := in.opts.model
	weight := in.opts.Weight
	if weight == "" {
		weight = strings.Join(model.present([]string{in.opts.like().Weight}, names, n), "")
	}
	if weight != "" {
		i, err := findColumns(names, n, []string{weight})
		if err != nil {
			return r, err
		}
		r.weight = i[0]
	}
	for _, name := range in.opts.ignore {
		i, err := findColumns(names, n, []string{name})
		if err != nil {
			return r, err
		}
		if r.ignored == nil {
			r.ignored = map[int]bool{}
		}
		r.ignored[i[0]] = true
	}
	auto = slices.DeleteFunc(auto, func(i int) bool { return r.ignored[i] })
	asked := in.asked()
	asked = append(asked, model.present(in.opts.like().Meta, names, n)...)
	if model.named(names) {
		auto = slices.DeleteFunc(auto, func(i int) bool { return model.knows(names[i]) })
	}
	found, err := findColumns(names, n, asked)
	if err != nil {
		return r, err
	}
	seen, all := make([]bool, n), slices.Concat(found, auto)
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
	if len(in.opts.Columns) > 0 {
		r.data, err = findColumns(names, n, in.opts.Columns)
	} else {
		r.data, err = r.rest(func(i int) bool {
			return model.named(names) && model.knows(names[i]) && !slices.Contains(found[:len(in.opts.Meta)], i)
		})
	}
	if err == nil {
		err = model.refuseTable(&r, in.opts.Height > 0 && in.opts.Width > 0 && len(r.data) == in.opts.Height*in.opts.Width)
	}
	if err == nil && model != nil {
		r.data, r.foreign, err = model.pickData(names, n, r.data, len(in.opts.Columns) > 0)
	}
	r.numbered = names == nil && (model == nil || model.reading.Numbered) && !slices.Equal(r.data, identity(len(r.data)))
	return r, err
}

// asked returns the columns that the user wants as metadata.
func (in *input) asked() []string {
	asked := slices.Clone(in.opts.Meta)
	for _, name := range in.opts.selectedBy() {
		if len(in.opts.Labels) > 0 && name == "y" {
			continue // comes from the label file
		}
		asked = append(asked, name)
	}
	return asked
}

// rest returns the columns that have no other role, which are data; both says which
// of the metadata columns are data, too.
func (r *roles) rest(both func(i int) bool) (data []int, err error) {
	meta := members(r.n, r.meta)
	data = make([]int, 0, r.n-len(r.meta))
	for i := range r.n {
		if i != r.weight && !r.ignored[i] && (!meta[i] || both(i)) {
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
	meta    []rawText
	strings map[string]string // interned metadata values of a part
}

// begin starts a part.
func (t *textTable) begin() {
	t.set, t.meta, t.strings = t.plan.set(), make([]rawText, len(t.plan.meta)), map[string]string{}
	t.set.Notes, t.set.Categories, t.set.fixes = t.plan.notes, t.plan.categories, t.plan.fixes
	t.set.Unseen = t.plan.unseen
	if t.plan.numbers {
		t.set.Values, t.set.Height, t.set.Width = [][]float64{}, 1, t.plan.width
		if t.plan.names == nil && len(t.plan.categories) == 0 {
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
		v, err := weightOf(trim(cells[w]))
		if err != nil {
			err.Column = t.plan.name(w)
			return err
		}
		t.set.Weights = append(t.set.Weights, v)
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
		if d.levels != nil {
			if !d.turnOn(cell, func(k int) { m.Set(0, d.at+k, true) }) {
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
			return t.badCell(d, cell)
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
	if d.unit != "" && t.in.rule.threshold != nil {
		if v, unit, ok := measured(trim(cell)); ok && unit == d.unit {
			return t.in.rule.of(v)
		}
	}
	return d.coding.of(cell, t.in.rule)
}

// turnOn tells which pixels of a category a cell turns on; known is false if it says nothing, or what is none of the
// values known.
func (d *dataColumn) turnOn(cell string, set func(k int)) (known bool) {
	cell = trim(cell)
	t, _ := tokenOf(cell)
	switch {
	case d.cuts != nil:
		v, ok := d.number(cell)
		if !ok || math.IsNaN(v) {
			return false
		}
		k := 0
		for ; k < len(d.cuts) && v > d.cuts[k]; k++ {
		}
		if d.n > 1 {
			set(k)
		} else if k > 0 {
			set(0)
		}
		return true
	case d.split != "":
		for _, answer := range strings.Split(cell, d.split) {
			if k, ok := d.levels[trim(answer)]; ok {
				set(k)
			}
		}
		return t != unknownToken
	}
	if k, ok := d.levels[levelOf(cell)]; ok && t != blankToken {
		set(k)
		return true
	}
	return slices.Contains(d.off, levelOf(cell))
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
// read the cell.
func (t *textTable) badCell(d *dataColumn, cell string) error {
	place := cellPlace{text: shorten(string([]byte(trim(cell))))}
	token, v := tokenOf(trim(cell))
	var all offenders
	all.add(offender{name: t.plan.name(d.column), place: place, kind: token,
		span: numberRange{least: min(v, 0), most: max(v, 0), fractions: v != math.Trunc(v)}})
	err := all.textError(t.plan.unit)
	if token == numberToken || token == commaToken {
		err = all.numberError(t.plan.unit, len(t.plan.data))
	}
	if !t.plan.complete {
		err.(*FormatError).early = true
	}
	return err
}

// part returns the part built since begin.
func (t *textTable) part() *Set {
	for k, values := range t.meta {
		t.set.Meta = append(t.set.Meta, Labels{t.plan.called[k], values})
	}
	return t.set
}

func shorten(s string) string {
	const most = 40
	count := 0
	for i := range s {
		if count == most {
			return strings.Map(func(r rune) rune { return r }, s[:i]) + "..." // what is not UTF-8 is replaced
		}
		count++
	}
	return s
}
