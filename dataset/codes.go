package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// codeColumn divides NAME=CODE, or NAME:CODE; name is "" if a text is neither.
func codeColumn(text string) (name, code string) {
	if i := strings.LastIndexAny(text, "=:"); i > 0 {
		return text[:i], text[i+1:]
	}
	return "", text
}

// codesOf reads the list of [Options].Missing for columns with names, or so many: NAME=CODE is of a column if there is
// one.
func codesOf(missing, names []string, n int) (all []string, of map[int][]string) {
	of = map[int][]string{}
	for _, text := range missing {
		if name, code := codeColumn(text); name != "" {
			if at, err := findColumns(names, n, []string{name}); err == nil {
				of[at[0]] = append(of[at[0]], levelOf(code))
				continue
			}
		}
		all = append(all, levelOf(text))
	}
	return all, of
}

// withoutCodes are records in which such cells are unknown.
type withoutCodes struct {
	records
	missing []string
	names   []string // of the columns, or the first record
	all     []string
	of      map[int][]string
	index   indexStats // of the first column, whose numbers are no codes while they count the rows
}

// known returns the records as [Options].Missing says.
func (in *input) known(r records, names []string) records {
	if len(in.opts.Missing) == 0 {
		return r
	}
	w := &withoutCodes{records: r, missing: in.opts.Missing, names: names}
	if names != nil {
		w.all, w.of = codesOf(w.missing, names, len(names))
	}
	return w
}

func (w *withoutCodes) read() ([]string, int, error) {
	cells, place, err := w.records.read()
	if err != nil {
		return nil, place, err
	}
	if w.names == nil {
		w.names = make([]string, len(cells))
		for i, cell := range cells {
			w.names[i] = strings.Clone(trim(cell))
		}
		if w.all, w.of = codesOf(w.missing, w.names, len(cells)); len(cells) > 2 && counts(cells) {
			return cells, place, nil
		}
		if _, err := strconv.Atoi(w.names[0]); err != nil { // a name, above what may count the rows
			return cells, place, nil
		}
	}
	w.index.add(cells[0])
	for i, cell := range cells {
		if i == 0 && !w.index.broken && w.index.from <= 1 && w.of[0] == nil {
			continue
		}
		if level := levelOf(trim(cell)); slices.Contains(w.all, level) || slices.Contains(w.of[i], level) {
			cells[i] = "NA"
		}
	}
	return cells, place, nil
}

// forget makes the codes of missing values of arrays unknown.
func (s *Set) forget(missing []string) {
	if s.roles == nil {
		s.unknow(missing)
	}
}

// unknow makes codes among numbers unknown.
func (s *Set) unknow(missing []string) {
	if len(missing) == 0 || s.Values == nil {
		return
	}
	all, of := codesOf(missing, s.Columns, s.Height*s.Width)
	for _, row := range s.Values {
		for i, x := range row {
			is := func(code string) bool {
				y, err := parseFloat(code)
				return err == nil && x == y
			}
			if slices.ContainsFunc(all, is) || slices.ContainsFunc(of[i], is) {
				row[i] = math.NaN()
			}
		}
	}
}

// noteUnused notes the codes that cannot hold for rows without cells: of an array only numbers may be unknown, and only
// in one of numbers those of a single column.
func (s *Set) noteUnused(missing []string) {
	for _, code := range missing {
		_, problem := parseFloat(code)
		if name, of := codeColumn(code); problem != nil && name != "" && s.Values != nil {
			_, problem = parseFloat(of)
		}
		if problem != nil && s.roles == nil {
			s.Notes = append(s.Notes, noted(fmt.Sprintf("%q is not missing anywhere here: in arrays only numbers are, "+
				"all of them or in one of numbers those of a column", code))...)
		}
	}
}

// codeNumbers returns the codes that are numbers and of no column.
func codeNumbers(missing []string) (out []float64) {
	for _, text := range missing {
		if v, err := parseFloat(text); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// totals are words for a line of sums, in lower case.
var totals = []string{"total", "totals", "grand total", "sum", "summe", "gesamt", "insgesamt",
	"somme", "suma", "totale", "average", "mean", "mittelwert", "durchschnitt", "moyenne"}

// noteTotal notes that the last row of a table is called so, and no other.
func (s *Set) noteTotal() {
	for _, c := range s.Meta {
		text := c.Cells
		last := len(text) - 1
		if !s.Table || c.Type != ColumnText || last < 2 || !slices.Contains(totals, strings.ToLower(text[last])) ||
			slices.Index(text, text[last]) < last {
			continue
		}
		s.Notes = append(s.Notes, Note{
			fmt.Sprintf("the last row is called %s in %s: does it belong to the others?", text[last], c.Name),
			[]string{"--where " + shellWord(c.Name+"!="+text[last])}})
	}
}
