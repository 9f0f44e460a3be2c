package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
)

// itemForm recognises what separates items: of comma, tab and semicolon the one
// that the beginning has most often, or blanks between numbers.
func itemForm(head []byte) csvForm {
	best, most := ',', 0
	for _, c := range ",\t;" {
		if n := bytes.Count(head, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	if most == 0 && len(bytes.Trim(head, "0123456789 \r\n")) == 0 {
		best = ' '
	}
	return csvForm{best}
}

// looksLikeItems reports whether the lines of a text, whose numbers of cells differ,
// are certainly lists of items: words all, some of which recur, and within a line in few
// lines at most.
func (s *textSource) looksLikeItems() bool {
	if o := &s.in.opts; o.Header == HeaderPresent || o.Delimiter != 0 || len(o.Meta)+len(o.Columns)+len(o.Categories)+len(o.Where) > 0 || o.Weight != "" {
		return false
	}
	r, _, _ := s.sample() // of a text it cannot fail
	lines, recur, twice := map[string]int{}, false, 0
	for n := 1; ; n++ {
		cells, _, err := r.read()
		if err != nil {
			return err == io.EOF && recur && 10*twice < n
		}
		doubled := false
		for _, cell := range cells {
			cell = trim(cell)
			if t, _ := tokenOf(cell); t != textToken && cell != "" || isCode(cell) {
				return false
			}
			doubled = doubled || lines[cell] == n && cell != ""
			recur = recur || lines[cell] > 0 && lines[cell] < n && cell != ""
			lines[strings.Clone(cell)] = n
		}
		twice += btoi(doubled)
	}
}

// items reads a text whose lines are lists of items. found says that nobody said so.
func (in *input) items(src *textSource, found bool) (decoder, error) {
	p := in.plan
	if p == nil {
		if err := src.hold(); err != nil {
			return nil, err
		}
		r, err := src.repeat()
		if err != nil {
			return nil, err
		}
		v := in.vocabulary()
		for {
			cells, _, err := r.read()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			for k, cell := range cells {
				if err := v.add(trim(cell), k == 0); err != nil {
					return nil, err
				}
			}
		}
		p = &tablePlan{items: true, unit: "line", complete: true, named: v.named()}
		if p.named {
			p.note("the first field of each line is taken as the name of the row, since it is in no other")
		}
		if p.columns, err = v.columns(p); err != nil {
			return nil, err
		}
		if found {
			p.note("each line was taken as a list of items, since their numbers differ and items recur")
		}
		in.made = p
	}
	r, err := src.records()
	if err != nil {
		return nil, err
	}
	return &itemRows{in: in, r: r, plan: p, at: indexOf(p.columns)}, nil
}

// vocabulary collects the items of a text.
type vocabulary struct {
	in    *input
	items map[string]int // how often each occurs
	model []string       // the items of the model, or of all files together; nil if they are not settled

	first    []string // of each line, while no two are the same
	repeated bool     // two are
}

func (in *input) vocabulary() *vocabulary {
	v := &vocabulary{in: in, items: map[string]int{}, model: in.opts.items}
	if in.opts.model != nil {
		v.model = in.opts.model.columns
	}
	return v
}

// add takes an item; first says that it begins a line.
func (v *vocabulary) add(item string, first bool) error {
	if first && (item == "" || v.items[item] > 0) {
		v.first, v.repeated = nil, true
	}
	if item == "" {
		return nil
	}
	if _, known := v.items[item]; !known {
		if err := v.in.budget.spendBytes(len(item) + groupOverhead); err != nil {
			return err
		}
		item = strings.Clone(item)
	}
	v.items[item]++
	if first && !v.repeated {
		v.first = append(v.first, item)
	}
	return nil
}

// leastNamed is the least number of lines that show that their first words are names.
const leastNamed = 5

// named reports whether the first words of the lines are names of rows, and forgets them
// as items: each is there once, and the other items twice on average or more. For a
// model they are names if they are none of its items.
func (v *vocabulary) named() bool {
	for _, item := range v.first {
		if v.items[item] != 1 || slices.Contains(v.model, item) {
			return false
		}
	}
	others, sum := 0, -len(v.first)
	for _, n := range v.items {
		sum += n
	}
	others = len(v.items) - len(v.first)
	if v.repeated || len(v.first) < leastNamed && v.in.opts.model == nil || others == 0 || sum < 2*others && v.in.opts.model == nil {
		return false
	}
	for _, item := range v.first {
		delete(v.items, item)
	}
	return true
}

// columns returns the items in order; those of the model if there is one, with a note
// on the others.
func (v *vocabulary) columns(p *tablePlan) ([]string, error) {
	found := make([]string, 0, len(v.items))
	for item := range v.items {
		found = append(found, item)
	}
	sortLevels(found)
	if v.model != nil {
		at := indexOf(v.model)
		found = slices.DeleteFunc(found, func(item string) bool { _, known := at[item]; return known })
		if len(found) > 0 {
			p.note("%s unknown to the model and left out: %s", people(len(found), "item is", "items are"), list(found))
		}
		return v.model, nil
	}
	if len(found) == 0 {
		return nil, &FormatError{Msg: "the file has no items"}
	}
	return found, checkSize(1, len(found))
}

func indexOf(names []string) map[string]int {
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	return at
}

// itemRows makes parts of a set of lists of items.
type itemRows struct {
	in   *input
	r    records
	plan *tablePlan
	at   map[string]int
	some bool
}

func (d *itemRows) next() (*Set, error) {
	w := len(d.plan.columns)
	n := d.in.opts.partRows(int64(w), 1, w)
	s := &Set{Table: true, Columns: d.plan.columns, Notes: d.plan.notes, items: true}
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
		if d.plan.named {
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
		s.Meta = []Column{{"name", names}}
	}
	return s, nil
}

// blank returns a row without items.
func (in *input) blank(width int) *bitmap.Image {
	m := bitmap.New(1, width)
	for x := 0; in.opts.Invert && x < width; x++ {
		m.Set(0, x, true)
	}
	return m
}

// pairs reads a text whose lines name a row and one of its items. The lines of a
// row may stand anywhere, so all are read before the first row is known. columns are
// those of the pairs, as in [Options]; found says that nobody named them.
func (in *input) pairs(src *textSource, columns []string, found bool) (decoder, error) {
	if in.stream {
		return nil, &FormatError{Msg: fmt.Sprintf("pairs of rows and items need more than %d bytes of memory", in.budget.max),
			Hint: "allow more memory, or make a file with one row per line", memory: true}
	}
	r, err := src.records()
	if err != nil {
		return nil, err
	}
	t := &pairTable{in: in, pairs: columns, vocabulary: in.vocabulary(), rows: map[string]int{}}
	if err := t.read(r); err != nil {
		return nil, err
	}
	set, err := t.set()
	if err == nil && found {
		set.pairs, set.Notes = columns, append(set.Notes, pairNote(columns))
	}
	return &whole{set}, err
}

// pairTable collects the cells of a table from pairs.
type pairTable struct {
	in    *input
	pairs []string // the columns, by name or number
	*vocabulary
	rows  map[string]int
	names rawText // of the rows
	cells []pairCell
	label string
}

// pairCell says that a row has an item, or has it not, or that this is not known.
type pairCell struct {
	row   int
	item  string
	state uint8
}

// read reads all pairs.
func (t *pairTable) read(r records) error {
	var at []int
	n := 0
	for {
		cells, line, err := r.read()
		if err == io.EOF {
			break
		}
		if err == nil && at == nil {
			n = len(cells)
			var header bool
			if at, header, err = t.roles(cells); header && err == nil {
				continue
			}
		}
		if err == nil {
			cells, err = sized(cells, n, line)
		}
		if err == nil {
			err = t.add(cells, at)
		}
		if err != nil {
			return onLine(err, line)
		}
	}
	if len(t.names) == 0 {
		return &FormatError{Msg: "the table has no rows"}
	}
	return nil
}

// roles finds the columns of the pairs, by name in a header or by number.
func (t *pairTable) roles(first []string) (at []int, header bool, err error) {
	names := make([]string, len(first))
	for i, cell := range first {
		names[i] = strings.Clone(trim(cell))
	}
	for _, wanted := range t.pairs {
		_, err := strconv.Atoi(wanted)
		header = header || err != nil || slices.Contains(names, wanted)
	}
	if header = header || t.in.opts.Header == HeaderPresent; !header {
		names = nil
	}
	if at, err = findColumns(names, len(first), t.pairs); err == nil {
		t.label = (&roles{names: names}).name(at[0])
	}
	return at, header, err
}

// add takes a pair.
func (t *pairTable) add(cells []string, at []int) error {
	name, item := trim(cells[at[0]]), trim(cells[at[1]])
	if name == "" {
		return &FormatError{Column: t.pairs[0], Msg: "a pair without a row", Hint: "name the row in every line"}
	}
	state := on
	if len(at) == 3 {
		if state = t.state(trim(cells[at[2]])); state == notBinary {
			return &FormatError{Column: t.pairs[2], Msg: fmt.Sprintf("%q is not a number", shorten(cells[at[2]])), Hint: "say how often, 0 for never"}
		}
	}
	row, known := t.rows[name]
	if !known {
		if err := t.in.budget.spendBytes(len(name) + groupOverhead); err != nil {
			return err
		}
		row, name = len(t.names), strings.Clone(name)
		t.rows[name], t.names = row, append(t.names, name)
	}
	if err := t.vocabulary.add(item, false); err != nil || item == "" {
		return err
	}
	if err := t.in.budget.spendBytes(len(item) + 32); err != nil {
		return err
	}
	t.cells = append(t.cells, pairCell{row, strings.Clone(item), state})
	return nil
}

// state returns what a number of times means.
func (t *pairTable) state(times string) uint8 {
	limit := 0.0
	if t.in.opts.Threshold != nil {
		limit = *t.in.opts.Threshold
	}
	switch v, state := parseCell(times); {
	case state == cellUnknown:
		return unknown
	case state == cellBad:
		return notBinary
	case v > limit:
		return on
	}
	return off
}

// set makes a row of each name. An item is on if one of its pairs says so, and
// unknown if none does and one does not know.
func (t *pairTable) set() (*Set, error) {
	p := &tablePlan{}
	columns, err := t.vocabulary.columns(p)
	if err != nil {
		return nil, err
	}
	if err := t.in.budget.spend(len(t.names), 1, len(columns)); err != nil {
		var fe *FormatError
		errors.As(err, &fe)
		return nil, fe
	}
	s := &Set{Table: true, Columns: columns, Notes: p.notes, Meta: []Column{{t.label, t.names}}}
	for range t.names {
		s.Images = append(s.Images, t.in.blank(len(columns)))
	}
	at := indexOf(columns)
	for _, state := range []uint8{unknown, on} { // last what is certain
		for _, c := range t.cells {
			k, known := at[c.item]
			switch m := s.Images[c.row]; {
			case !known || c.state != state:
			case state == unknown:
				m.SetUnknown(0, k)
			default:
				m.Set(0, k, !t.in.opts.Invert)
			}
		}
	}
	return s, nil
}
