package dataset

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// pairs reads a text whose lines name a row and one of its items. The lines of a
// row may stand anywhere, so all are read before the first row is known. columns are
// those of the pairs, as in [Options].
func (in *input) pairs(src *textSource, columns []string, found bool) (parts, error) {
	if in.stream {
		return nil, &FormatError{Msg: fmt.Sprintf("pairs of rows and items need more than %d bytes of memory", in.budget.max),
			Hint: "allow more memory, or make a file with one row per line", memory: true}
	}
	r, err := src.records()
	if err != nil {
		return nil, err
	}
	t := &pairTable{in: in, pairs: columns, found: found, vocabulary: in.vocabulary(), rows: map[string]int{}}
	if err := t.read(r); err != nil {
		return nil, err
	}
	set, err := t.set()
	return &whole{set: set}, err
}

// pairTable collects the cells of a table from pairs.
type pairTable struct {
	in    *input
	pairs []string // the columns, by name or number
	found bool     // by the header
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
			return &FormatError{Column: t.pairs[2], Msg: fmt.Sprintf("%q is not a number", shorten(cells[at[2]])),
				Hint: "say how often, 0 for never"}
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
		return nil, err
	}
	if t.found {
		p.fix(fmt.Sprintf("each line is taken as a pair of %s and %s", t.pairs[0], t.pairs[1]),
			columnFlag(t.pairs[0], "label"))
	}
	s := &Set{Table: true, Columns: columns, Notes: p.notes, Meta: []Labels{{t.label, t.names}}}
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

// pairNames are names of two columns whose lines name a row and one of its items, in small letters, and how many
// columns there may be beside them.
var pairNames = []struct {
	rows, items string
	most        int
}{
	{"tumorsamplebarcode", "hugosymbol", maxCells},
	{"transaction transactionid transid order orderid ordernumber invoice invoiceno invoiceid basket basketid " +
		"cart cartid " +
		"receipt receiptid session sessionid",
		"item itemid itemname product productid productname sku stockcode article articleid", 8},
	{"user userid customer customerid member memberid reader visitor",
		"item itemid product productid movie movieid song " +
			"book tag page", 3},
	{"site siteid plot plotid quadrat station sample sampleid locality", "species taxon genus gene otu speciesname", 3},
}

// timesNames are names of a column that says how often.
const timesNames = "n count counts abundance times qty quantity freq frequency present presence cover"

// findPairs returns the columns of the pairs of a text, as in [Options].Pairs, if its header names them, rows have
// several items, and hardly a pair comes again.
func (s *textSource) findPairs() []string {
	o := &s.in.opts
	if o.Model != nil || len(o.edits)+len(o.Columns)+len(o.Meta)+len(o.Categories) > 0 || o.Header == HeaderAbsent ||
		o.Weight != "" || s.in.plan != nil {
		return nil
	}
	r := s.sample()
	header, _, err := r.read()
	if err != nil || len(header) < 2 {
		return nil
	}
	header = slices.Clone(header)
	at := pairColumns(header)
	if at == nil {
		return nil
	}
	rows, pairs, n := map[string]bool{}, map[[2]string]bool{}, 0
	for ; ; n++ {
		cells, _, err := r.read()
		if err != nil || len(cells) != len(header) {
			break
		}
		row, item := strings.Clone(trim(cells[at[0]])), strings.Clone(trim(cells[at[1]]))
		rows[row], pairs[[2]string{row, item}] = true, true
	}
	if 2*len(rows) > n || 10*len(pairs) < 9*n {
		return nil
	}
	var out []string
	for _, i := range at {
		out = append(out, trim(header[i]))
	}
	return out
}

// pairColumns returns which columns of a header have such names, and perhaps that of how often.
func pairColumns(header []string) []int {
	find := func(names string) int {
		return slices.IndexFunc(header, func(name string) bool {
			plain := strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					return unicode.ToLower(r)
				}
				return -1
			}, name)
			return slices.Contains(strings.Fields(names), plain)
		})
	}
	for _, p := range pairNames {
		if row, item := find(p.rows), find(p.items); row >= 0 && item >= 0 && len(header) <= p.most {
			if times := find(timesNames); times >= 0 {
				return []int{row, item, times}
			}
			return []int{row, item}
		}
	}
	return nil
}
