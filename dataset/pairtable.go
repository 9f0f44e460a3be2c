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
// those of the pairs, as in [Options]; found says that the header shows them.
func (in *input) pairs(src *textSource, columns []string, found bool) (parts, error) {
	r, err := src.records()
	if err != nil {
		return nil, err
	}
	t := &pairTable{sparse: sparse{in: in, rule: rule{invert: in.opts.Invert}, labels: []string{}}, pairs: columns,
		vocabulary: in.vocabulary(), of: map[string]int{}}
	if err := t.read(r); err != nil {
		return nil, err
	}
	if err := t.vocabulary.table(&t.sparse); err != nil {
		return nil, err
	}
	if found {
		t.notes = append(t.notes, Note{fmt.Sprintf("each line is taken as a pair of %s and %s", columns[0], columns[1]),
			[]string{columnFlag(columns[0], "label")}})
	}
	return &t.sparse, nil
}

// pairTable collects the cells of a table from pairs.
type pairTable struct {
	sparse
	pairs      []string // the columns, by name or number
	vocabulary *vocabulary
	of         map[string]int // the rows, by name
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
			err = t.pair(cells, at)
		}
		if err != nil {
			return onLine(err, line)
		}
	}
	if t.rows == 0 {
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

// pair takes a pair.
func (t *pairTable) pair(cells []string, at []int) error {
	name, item := trim(cells[at[0]]), trim(cells[at[1]])
	if name == "" {
		return &FormatError{Column: t.pairs[0], Msg: "a pair without a row", Hint: "name the row in every line"}
	}
	value := 1.0
	if len(at) == 3 {
		var ok bool
		if value, ok = t.times(trim(cells[at[2]])); !ok {
			return &FormatError{Column: t.pairs[2], Msg: fmt.Sprintf("%q is not a number", shorten(cells[at[2]])),
				Hint: "say how often, 0 for never"}
		}
	}
	row, known := t.of[name]
	if !known {
		if err := t.in.budget.spendBytes(len(name) + groupOverhead); err != nil {
			return err
		}
		row, name = t.rows, strings.Clone(name)
		t.of[name], t.labels = row, append(t.labels, name)
		t.rows++
	}
	k, err := t.vocabulary.add(item, false)
	if err != nil || k == noItem || value == 0 {
		return err
	}
	return t.add(row, k, value)
}

// times returns what a number of times means: 1, 0, or NaN where it is not known.
func (t *pairTable) times(text string) (value float64, ok bool) {
	limit := 0.0
	if t.in.opts.Threshold != nil {
		limit = *t.in.opts.Threshold
	}
	v, state := parseCell(text)
	if state == cellUnknown {
		return v, true
	}
	return float64(btoi(v > limit)), state != cellBad
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
	if o.Model != nil || len(o.Edits)+len(o.Columns) > 0 || o.Header == HeaderAbsent || s.in.plan != nil {
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
