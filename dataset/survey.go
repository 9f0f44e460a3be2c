package dataset

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// survey counts what the cells of a table are; the beginning of a text may break
// off within a cell in quotes. names has the names of the columns if the first row
// cannot have them.
func (in *input) survey(r records, names []string, src cells, complete bool) (*survey, error) {
	s := &survey{complete: complete, unit: src.unit(), commas: byCommas(src)}
	err := s.take(r, names, in)
	if err != nil {
		s.columns = nil // the text may be read once more, as lists of items
	}
	s.tidy()
	return s, err
}

// take surveys all records.
func (s *survey) take(r records, names []string, in *input) error {
	var first []string
	var again []int // lines that are equal to the first
	firstLine, short := 0, 0
	var unlike error
	if names != nil {
		s.names, s.columns, first = slices.Clone(names), make([]columnStats, len(names)), []string{}
		s.collect(names, in)
	}
	for {
		record, line, err := r.read()
		var fe *FormatError
		if err == io.EOF || !s.complete && s.rows > 0 && errors.As(err, &fe) && fe.Err != nil {
			break // within quotes, perhaps: what follows will show
		}
		if err != nil {
			return err
		}
		if first == nil {
			firstLine = line
			first = slices.Clone(record) // a text of its own
			continue
		}
		if s.columns == nil {
			s.columns = make([]columnStats, s.widthBy(&first, record))
			s.collect(first, in)
		}
		if isShort(record, len(s.columns)) {
			if short++; short == 1 {
				unlike = unlikeLength(len(record), len(s.columns), line)
			}
		}
		if record, err = sized(record, len(s.columns), line); err != nil {
			return err
		}
		if slices.Equal(record, first) { // the header again, perhaps
			again = append(again, line)
			continue
		}
		if s.add(record, line); s.kinds > maxKinds {
			return &FormatError{Line: line,
				Msg: fmt.Sprintf("more than %d kinds of cells in %d columns; numbers, words and dates in one column are "+
					"three kinds", maxKinds, len(record)),
				Hint: "keep the columns that hold data, with 0, 1 and empty cells"}
		}
		s.index.add(record[0])
		s.tidy()
	}
	if 4*short > s.rows {
		return unlike // lists, rather than rows whose last cells are empty
	}
	if s.takeMissing(); names != nil {
		s.takeSlips(in)
		return nil
	}
	if first == nil {
		return &FormatError{Msg: "the file has no rows"}
	}
	s.takeFirst(first, firstLine, in)
	for _, line := range again {
		if s.header == nil { // rows that are equal to the first
			s.add(first, line)
			s.index.broken = true
		}
	}
	s.takeMissing()
	s.takeSlips(in)
	return nil
}

// collect keeps the numbers of the columns that are to be cut.
func (s *survey) collect(names []string, in *input) {
	for _, c := range in.opts.categories() {
		if at, err := findColumns(names, len(names), []string{c.Name}); err == nil && c.Cuts != nil {
			s.columns[at[0]].all = make([]float64, 0, 64)
		}
	}
}

// tidy collects what the last row left, megabytes of a very wide table of text, which would
// add up to as much as the survey itself before it was collected.
func (s *survey) tidy() {
	if s.kinds > manyKinds {
		runtime.GC()
	}
}

// takeFirst decides whether the first line has names or is a row.
func (s *survey) takeFirst(first []string, line int, in *input) {
	if s.columns == nil {
		s.columns = make([]columnStats, len(first))
	}
	mode := in.opts.Header
	heads := mode == HeaderPresent || mode == HeaderAuto &&
		(in.headed || s.isHeader(first) || in.opts.Model.isHeader(first))
	if heads {
		if slices.ContainsFunc(first, func(name string) bool { t, _ := tokenOf(trim(name)); return t == textToken }) {
			s.header = first
		}
		s.names = make([]string, len(first))
		for i, name := range first {
			s.names[i] = strings.ToValidUTF8(trim(name), "\uFFFD")
		}
		end := len(first) - 1
		last := &s.columns[end]
		s.trailing = end > 0 && s.rows > 0 && s.names[end] == "" && last.known() == 0 && last.count(unknownToken) == 0
		return
	}
	s.first = true
	s.add(first, line)
	s.index.precede(first[0])
}

// widthBy returns the number of columns. R writes names of rows without a name
// above them; they get an empty one.
func (s *survey) widthBy(first *[]string, second []string) int {
	if n := len(*first); len(second) == n+1 && trim(second[n]) != "" {
		texts := true
		for _, name := range *first {
			t, _ := tokenOf(trim(name))
			texts = texts && (t == textToken || t == yesToken || t == noToken || t >= xToken && t <= pToken)
		}
		if t, _ := tokenOf(trim(second[0])); texts && n > 1 && (t == textToken || t == oneToken) {
			*first = slices.Insert(*first, 0, "")
		}
	}
	return len(*first)
}

// add counts the cells of a row.
func (s *survey) add(record []string, line int) {
	limit := levelLimitOf(len(record))
	for i, cell := range record {
		if s.columns[i].add(cell, line, limit) {
			s.kinds++
		}
	}
	s.rows++
}

// isHeader implements [HeaderAuto] for a first line, given what is below it: it is
// a header if it counts the columns, and none if each of its values recurs below it;
// else if a name stands above bits or numbers, if
// letters stand above digits only, or if of the columns of text of which values recur most do not have their first
// value again, all of them where there is one.
func (s *survey) isHeader(first []string) bool {
	if len(first) >= 3 && s.rows > 0 && counts(first) {
		return true
	}
	if s.rows > 1 && s.recurs(first) {
		return false
	}
	v := vocabulariesOf(s.columns)
	words, news, few, once, again := true, true, false, 0, 0
	for i, cell := range first {
		c := &s.columns[i]
		t, _ := tokenOf(trim(cell))
		known := c.known()
		class, code := c.classOf(v)
		named := t == textToken || t > yesToken && t != numberToken && t != minusToken
		named = named || (t == yesToken || t == noToken) && c.sum(yesToken, noToken) == 0
		if named && known > 0 && !c.measures(cell) &&
			2*c.sum(zeroToken, oneToken, numberToken, commaToken, noToken, yesToken) > known {
			return true
		}
		if t != blankToken && known > 0 && class == bitClass && code != bitCoding && code.of(cell, rule{}) == notBinary {
			return true
		}
		words = words && known > 0 && c.sum(zeroToken, oneToken, numberToken, commaToken) == known && cell != "" &&
			unicode.IsLetter(rune(trim(cell + " .")[0]))
		if known > 0 {
			answer := c.isAnswer() && !isEmpty(cell) // whose only word may be its name
			news = news && t > oneToken && (t == textToken || c.count(t) == 0) &&
				(c.levels.count(levelOf(trim(cell))) == 0 || answer && i > 0 && !s.likeFirst(first[0]))
			few = few || c.few() || answer
			if c.few() && t == textToken {
				isNew := c.levels.count(levelOf(trim(cell))) == 0
				once, again = once+btoi(isNew), again+btoi(!isNew)
			}
		}
	}
	return words && s.rows > 0 || s.rows >= 4 && (news && few || once > 1 && once > 2*again)
}

// likeFirst reports whether a cell is text of the form of those below it in the first column, digits for digits, as
// names of rows are and names of columns are not.
func (s *survey) likeFirst(cell string) bool {
	form := func(cell string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return '0'
			}
			return r
		}, trim(cell))
	}
	return form(cell) == form(s.columns[0].place(textToken).text)
}

// recurs reports whether every cell of a line, at least one of them text, is a value of
// its column.
func (s *survey) recurs(line []string) bool {
	text := false
	for i, cell := range line {
		cell = trim(cell)
		t, _ := tokenOf(cell)
		switch c := &s.columns[i]; {
		case t <= unknownToken:
		case t == zeroToken || t == oneToken:
			if c.count(t) == 0 {
				return false
			}
		case c.levels.count(levelOf(cell)) == 0:
			return false
		default:
			text = true
		}
	}
	return text
}
