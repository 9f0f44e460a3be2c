package dataset

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
)

// sparse is a table of which those cells are given that are not 0: lists of items, pairs of a row and an item, a
// matrix as SciPy and MatrixMarket write it, or rows of libsvm. They are held until rows are made of them.
type sparse struct {
	uncounted
	in          *input
	rule        rule // of the values of cells
	rows, width int
	columns     []string // the items; nil for a matrix
	cells       []one
	label       string
	labels      []string // of the rows; nil for none
	notes       []Note

	row, cell int // made so far
}

type one struct {
	row, column int32
	value       float64
}

const oneBytes = 16 // of memory

// add adds a cell, from 0.
func (t *sparse) add(row, column int, v float64) error {
	t.cells = append(t.cells, one{int32(row), int32(column), v})
	return t.in.budget.spendBytes(oneBytes)
}

// next makes the next rows: of bits, which are on where any cell of their place is, or of numbers.
func (t *sparse) next() (*Set, error) {
	n := min(t.in.partRows(int64(t.width), 1, t.width), t.rows-t.row)
	if n == 0 {
		return nil, io.EOF
	}
	if err := t.in.budget.spend(n, 1, t.width); err != nil {
		return nil, err
	}
	s, from := &Set{Table: true, Columns: t.columns, Notes: t.notes}, t.row
	if t.in.real {
		s.Height, s.Width = 1, t.width
	}
	for range n {
		if t.in.real {
			s.Values = append(s.Values, make([]float64, t.width))
		} else {
			s.Images = append(s.Images, t.in.blank(t.width))
		}
	}
	for t.row += n; t.cell < len(t.cells) && int(t.cells[t.cell].row) < t.row; t.cell++ {
		c := t.cells[t.cell]
		if at, x := int(c.row)-from, int(c.column); t.in.real {
			s.Values[at][x] = c.value
		} else {
			t.mark(s.Images[at], x, c.value)
		}
	}
	if t.labels != nil {
		s.Meta = []Labels{{t.label, slices.Clip(t.labels[from:t.row]), columnRaw}}
	}
	return s, nil
}

// mark makes column x of a row what a value says.
func (t *sparse) mark(m *bitmap.Image, x int, v float64) {
	inverted := t.in.opts.Invert
	switch state := t.rule.of(v); {
	case state != unknown: // a value that is no bit is the sum of several ones
		m.Set(0, x, state == on || state == notBinary && !inverted)
	case m.At(0, x) == inverted: // no other cell says what it is
		m.SetUnknown(0, x)
	}
}

// blank returns a row without items.
func (in *input) blank(width int) *bitmap.Image {
	m := bitmap.New(1, width)
	for x := 0; in.opts.Invert && x < width; x++ {
		m.Set(0, x, true)
	}
	return m
}

// maxItem is the length in bytes of the longest item. Items become the names of columns, all of which have at
// most [maxNames].
const maxItem = 1 << 16

// vocabulary collects the items of a text.
type vocabulary struct {
	in    *input
	at    map[string]int // the numbers of the items, in the order of their first places
	items []string
	n     []int    // how often each occurs
	model []string // the items of the model, or of all files together; nil if they are not settled

	first    []int // items that begin a line, while no two are the same
	repeated bool  // two are
}

func (in *input) vocabulary() *vocabulary {
	v := &vocabulary{in: in, at: map[string]int{}, model: in.opts.items}
	if in.opts.Model != nil {
		v.model = in.opts.Model.names
	}
	return v
}

// noItem is what has no number.
const noItem = -1

// add takes an item and returns its number; first says that it begins a line.
func (v *vocabulary) add(item string, first bool) (int, error) {
	k, known := v.at[item]
	if first && (item == "" || known) {
		v.first, v.repeated = nil, true
	}
	if item == "" {
		return noItem, nil
	}
	if !known {
		if len(item) > maxItem {
			return noItem, &FormatError{Msg: fmt.Sprintf("an item of more than %d bytes", maxItem),
				Hint: "say --delimiter if something else separates the items"}
		}
		if err := v.in.budget.spendBytes(len(item) + groupOverhead); err != nil {
			return noItem, err
		}
		k, item = len(v.items), strings.Clone(item)
		v.at[item], v.items, v.n = k, append(v.items, item), append(v.n, 0)
	}
	v.n[k]++
	if first && !v.repeated {
		v.first = append(v.first, k)
	}
	return k, nil
}

// leastNamed is the least number of lines that show that their first words are names.
const leastNamed = 5

// named reports whether the first words of the lines are names of rows, and forgets them
// as items: each is there once, and the other items twice on average or more. For a
// model they are names if they are none of its items.
func (v *vocabulary) named() bool {
	for _, k := range v.first {
		if v.n[k] != 1 || slices.Contains(v.model, v.items[k]) {
			return false
		}
	}
	others, sum := len(v.items)-len(v.first), -len(v.first)
	for _, n := range v.n {
		sum += n
	}
	if v.repeated || others == 0 || v.in.opts.Model == nil && (len(v.first) < leastNamed || sum < 2*others) {
		return false
	}
	for _, k := range v.first {
		v.n[k] = 0
	}
	return true
}

// table makes columns of the items, in order; of the model's if there is one, with a note on the others.
func (v *vocabulary) table(t *sparse) error {
	var found []string
	for k, item := range v.items {
		if v.n[k] > 0 {
			found = append(found, item)
		}
	}
	if v.model == nil && boundNames(found) != nil {
		return &FormatError{Msg: fmt.Sprintf("the items have more than %d bytes together", maxNames),
			Hint: "shorten them"}
	}
	sortLevels(found)
	if t.columns = v.model; v.model == nil {
		t.columns = slices.Clone(found)
	}
	if len(t.columns) == 0 {
		return &FormatError{Msg: "the file has no items"}
	}
	at := indexOf(t.columns)
	strange := slices.DeleteFunc(found, func(item string) bool { _, known := at[item]; return v.model == nil || known })
	if len(strange) > 0 {
		t.notes = append(t.notes, noted(fmt.Sprintf("%s unknown to the model and left out: %s",
			people(len(strange), "item is", "items are"), list(strange)))...)
	}
	t.width = len(t.columns)
	t.cells = slices.DeleteFunc(t.cells, func(c one) bool {
		_, known := at[v.items[c.column]]
		return !known || v.n[c.column] == 0
	})
	for i := range t.cells {
		t.cells[i].column = int32(at[v.items[t.cells[i].column]])
	}
	slices.SortStableFunc(t.cells, func(a, b one) int { return cmp.Compare(a.row, b.row) })
	return checkSize(1, t.width)
}

func indexOf(names []string) map[string]int {
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	return at
}
