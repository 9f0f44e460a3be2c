package dataset

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/diagnose/words"
)

// isCodeNumber reports whether a number often says that nothing is known: it is of nines, perhaps with another last
// one, as 99, 998, -9 and 9.99e8 are, or of sevens or eights, as 77.
func isCodeNumber(x float64) bool {
	if x > -7 && x < 77 || x != math.Trunc(x) || math.Abs(x) >= 1e15 {
		return false
	}
	n := int64(math.Abs(x))
	for x >= 1e6 && n%10 == 0 {
		n /= 10
	}
	last, rest := n%10, n/10
	return last >= 7 && (rest > 0 || x < 0) && (allDigits(rest, 9) || allDigits(rest, last))
}

// allDigits reports whether all digits of a number are one.
func allDigits(n, digit int64) bool {
	for ; n > 0; n /= 10 {
		if n%10 != digit {
			return false
		}
	}
	return true
}

// codeText returns a code as people write it.
func codeText(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "e+0", "e", 1)
}

// columnCode is a code in a column of numbers.
type columnCode struct {
	name  string
	code  float64
	cells int
	far   bool // from the others, by more than these lie apart
	below bool // 0, where no other is
}

// codesAmong returns the codes in a column of numbers, by size.
func codesAmong(name string, numbers iter.Seq[float64]) (out []columnCode) {
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
		c := columnCode{name: name, code: x, cells: codes[x], below: low <= high && x < 0 && low >= 0}
		c.far = low <= high && (x > high+(high-low) || x < low-(high-low))
		out = append(out, c)
	}
	return out
}

// strange reports whether a code may say that nothing is known: it is far from the others, or the only one below 0.
// Of those that few programs write one cell shows nothing.
func (c *columnCode) strange() bool {
	usual := slices.Contains(missingCodes, strconv.FormatFloat(c.code, 'f', -1, 64))
	return c.far && (usual || c.cells > 1) || c.below && c.cells > 1
}

// surely returns the codes that are far from the others, more than once, in two columns: no measurement is so.
func surely(codes []columnCode) (sure []float64) {
	columns := map[float64]int{}
	for _, c := range codes {
		if columns[c.code] += btoi(c.far && c.cells > 1); columns[c.code] == 2 {
			sure = append(sure, c.code)
		}
	}
	return sure
}

// codeNote returns the note on some of the codes of a table, and what [Options].Missing says to make them unknown: the
// code, or that of each of the columns where it is a plain value in another.
func codeNote(codes []columnCode, is func(c *columnCode) bool) (text string, missing []string) {
	var said []string
	codes = slices.Clone(codes)
	slices.SortStableFunc(codes, func(a, b columnCode) int { return cmp.Compare(a.code, b.code) })
	for from := 0; from < len(codes); {
		to := from
		for ; to < len(codes) && codes[to].code == codes[from].code; to++ {
		}
		var in, of []string
		for i := range codes[from:to] {
			if c := &codes[from+i]; is(c) {
				in = append(in, c.name+" ("+words.Count(c.cells, "cell")+")")
				of = append(of, c.name+"="+codeText(c.code))
			}
		}
		if len(in) > 0 {
			said = append(said, codeText(codes[from].code)+" in "+andList(in))
		}
		if len(in) == to-from && len(in) > 1 {
			of = []string{codeText(codes[from].code)}
		}
		missing = append(missing, of...)
		from = to
	}
	return strings.Join(said, "; "), missing
}

// noteOpenCodes returns a note on codes that may say that nothing is known, with the flag that says so of all of them.
func noteOpenCodes(codes []columnCode) []Note {
	text, missing := codeNote(codes, (*columnCode).strange)
	if text == "" {
		return nil
	}
	return []Note{{text + ", far from the others: is nothing known there?", []string{missingFlag(missing...)}}}
}

// takesCodes reports whether codes may be made unknown: nobody said that all columns are numbers, and no model how they
// are read.
func (o *Options) takesCodes() bool {
	asked := o.wanted(allColumns, 0) != "" || o.Kind != Unknown && len(o.Edits) == 0 && o.why == ""
	return o.Model == nil && !asked
}

// takeCodes makes unknown what surely is a code, and notes that and the other codes of a table of numbers. It returns
// what it made unknown as [Options].Missing says it.
func (s *Set) takeCodes(o *Options) (missing []string) {
	if !s.Table || s.Values == nil {
		return nil
	}
	var codes []columnCode
	for j := range s.Width {
		if s.Words(j) == nil {
			codes = append(codes, codesAmong(s.ColumnName(j), s.numbers(j, j+1))...)
		}
	}
	var sure []float64
	if o.takesCodes() {
		sure = surely(codes)
	}
	taken := func(c *columnCode) bool {
		return c.far && slices.Contains(sure, c.code) && o.wanted(c.name, 0) == ""
	}
	text, missing := codeNote(codes, taken)
	if text != "" {
		s.unknow(missing)
		s.reading.Missing = slices.Concat(s.reading.Missing, missing)
		s.Notes = append(s.Notes, Note{"taken as unknown, being far from the others: " + text, []string{allNumbers}})
	}
	s.Notes = append(s.Notes, noteOpenCodes(slices.DeleteFunc(codes, func(c columnCode) bool { return taken(&c) }))...)
	return missing
}

// takeCodes makes unknown the codes among the numbers of a column that is to be cut, which are no answer above, and
// returns the others.
func (c *columnStats) takeCodes(name string) (open []columnCode) {
	for _, code := range codesAmong(name, slices.Values(c.all)) {
		if !code.far || code.cells < 2 {
			open = append(open, code)
			continue
		}
		if c.missing == nil {
			c.missing = new(missingCells)
		}
		c.missing.values = distinctLevels(append(c.missing.values, levelOf(codeText(code.code))))
		c.missing.n += code.cells
		c.all = slices.DeleteFunc(c.all, func(x float64) bool { return x == code.code })
	}
	return open
}
