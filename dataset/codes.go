package dataset

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// codesOf reads the list of [Options].Missing for columns with names, or so many: NAME:CODE is of a column if there is
// one.
func codesOf(missing, names []string, n int) (all []string, of map[int][]string) {
	of = map[int][]string{}
	for _, text := range missing {
		if i := strings.LastIndexByte(text, ':'); i > 0 {
			if at, err := findColumns(names, n, []string{text[:i]}); err == nil {
				of[at[0]] = append(of[at[0]], levelOf(text[i+1:]))
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
	if len(missing) == 0 || s.Values == nil || s.roles != nil {
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
		if of := strings.LastIndexByte(code, ':'); problem != nil && of > 0 && s.Values != nil {
			_, problem = parseFloat(code[of+1:])
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

// isCodeNumber reports whether a number often says that nothing is known.
func isCodeNumber(x float64) bool {
	return (x <= -9 || x >= 99) && slices.Contains(missingCodes, strconv.FormatFloat(x, 'f', -1, 64))
}

// noteCodes notes the columns of a table of numbers in which such a number stands alone.
func (s *Set) noteCodes() {
	for j := 0; s.Table && s.Values != nil && j < s.Width; j++ {
		s.Notes = append(s.Notes, farCodes(s.ColumnName(j), s.numbers(j, j+1))...)
	}
}

// farCodes returns notes on such numbers in a column that stand farther from the others than these lie apart.
func farCodes(name string, numbers iter.Seq[float64]) (notes []Note) {
	low, high := math.Inf(1), math.Inf(-1)
	codes := map[float64]int{}
	for x := range numbers {
		switch {
		case math.IsNaN(x):
		case isCodeNumber(x):
			codes[x]++
		default:
			low, high = min(low, x), max(high, x)
		}
	}
	for _, x := range slices.Sorted(maps.Keys(codes)) {
		if low <= high && (x > high+(high-low) || x < low-(high-low)) {
			code := strconv.FormatFloat(x, 'f', -1, 64)
			notes = append(notes, Note{fmt.Sprintf("%s %s in %s, far from the others: is nothing known there?",
				people(codes[x], "cell is", "cells are"), code, name), []string{missingFlag(name, code)}})
		}
	}
	return notes
}

// totals are words for a line of sums, in lower case.
var totals = []string{"total", "totals", "grand total", "sum", "summe", "gesamt", "insgesamt",
	"somme", "suma", "totale", "average", "mean", "mittelwert", "durchschnitt", "moyenne"}

// noteTotal notes that the last row of a table is called so, and no other.
func (s *Set) noteTotal() {
	for _, c := range s.Meta {
		text, words := c.Values.([]string)
		last := len(text) - 1
		if !s.Table || !words || last < 2 || !slices.Contains(totals, strings.ToLower(text[last])) ||
			slices.Index(text, text[last]) < last {
			continue
		}
		s.Notes = append(s.Notes, Note{
			fmt.Sprintf("the last row is called %s in %s: does it belong to the others?", text[last], c.Name),
			[]string{"--where " + shellWord(c.Name+"!="+text[last])}})
	}
}
