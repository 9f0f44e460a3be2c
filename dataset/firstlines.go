package dataset

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
)

// firstLines says what stands in a table of text that is neither its header nor a row: above its header, a second
// header below it, and comments.
type firstLines struct {
	skip    int      // lines above the header
	what    string   // these
	asked   bool     // how many was said
	below   int      // records below the header
	names   []string // of both headers together; nil if the first has them
	comment bool     // what begins with # and is narrower than the table is left out
	hash    bool     // the header begins with #
	later   int      // comments among the rows
	points  string   // a number in which points stand before thousands, as they do in all others; "" if they do not
}

// mostFirst is how many of its first records show what stands above a table.
const mostFirst = 50

var separator = regexp.MustCompile(`(?i)^"?sep=([^"])"?\r?\n`)

// findFirst looks for such lines at the beginning of the text, and for the delimiter.
func (s *textSource) findFirst() {
	f, rest, in := &s.first, s.head, s.in
	s.form = in.form(rest)
	if sep := separator.FindSubmatch(rest); sep != nil {
		f.skip, f.what, rest = 1, "sep="+string(sep[1]), rest[len(sep[0]):]
		if c := []rune(string(sep[1]))[0]; in.opts.Delimiter == 0 && validDelimiter(c) {
			s.form = csvForm{comma: c}
		}
	}
	for line := range bytes.Lines(rest) {
		if f.skip == in.opts.SkipLines || f.what != "" {
			break
		}
		if f.skip++; f.skip == in.opts.SkipLines {
			f.what, f.asked = strings.TrimSpace(string(line)), true
		}
		rest = rest[len(line):]
		s.form = in.form(rest)
	}
	from := rest
	for bytes.HasPrefix(from, []byte{'#'}) {
		i := bytes.IndexByte(from, '\n')
		if i < 0 || i+1 == len(from) { // nothing is left: these are rows
			from, f.comment = rest, false
			break
		}
		from, f.comment = from[i+1:], true
	}
	if f.comment {
		s.form = in.form(from)
		last := rest[:len(rest)-len(from)-1]
		last = last[bytes.LastIndexByte(last, '\n')+1:]
		if f.hash = s.form.hashed(last, from); f.hash {
			from = rest[bytes.LastIndex(rest[:len(rest)-len(from)-1], last):]
		}
		if n := bytes.Count(rest[:len(rest)-len(from)], []byte{'\n'}); n > 0 {
			f.skip, f.what = f.skip+n, strings.TrimSpace(string(rest[:bytes.IndexByte(rest, '\n')]))
		}
	}
	if in.opts.Header != HeaderAbsent {
		s.findTitles(from)
	}
}

// hashed reports whether the last of the lines that begin with # names the columns of the line below it.
func (f csvForm) hashed(last, below []byte) bool {
	names, _, err := f.records(bytes.NewReader(last)).read()
	if err != nil || len(names) < 2 || slices.ContainsFunc(names[1:], isNoName) {
		return false
	}
	row, _, err := f.records(bytes.NewReader(below)).read()
	return err == nil && len(row) == len(names) && (last[1] != ' ' || slices.ContainsFunc(row, isNoName))
}

// isNoName reports whether a cell is empty, a number or a sign, as names of columns hardly are.
func isNoName(cell string) bool {
	t, _ := tokenOf(trim(cell))
	return slices.Contains([]token{blankToken, zeroToken, oneToken, minusToken, plusToken, numberToken, commaToken}, t)
}

// findTitles looks for titles above the header, and for a second header below it.
func (s *textSource) findTitles(text []byte) {
	f := &s.first
	if s.in.opts.Delimiter == 0 && s.in.opts.Model == nil && !separator.Match(s.head) {
		s.form = s.form.ofTable(text)
	}
	var records [][]string
	var lines []int
	for r := s.form.records(bytes.NewReader(text)); len(records) < mostFirst; {
		cells, line, err := r.read()
		if err != nil {
			break
		}
		records, lines = append(records, slices.Clone(cells)), append(lines, line)
	}
	n := titles(records)
	if n > 0 {
		f.what, f.skip = strings.Join(slices.DeleteFunc(records[0], isEmpty), " "), f.skip+lines[n]-1
	}
	if records = records[n:]; len(records) > 2 {
		f.below, f.names = secondHeader(records)
	}
	if s.form.comma != ',' {
		f.points = pointed(records, s.in.opts.like().Points)
	}
}

func isEmpty(cell string) bool { return trim(cell) == "" }

// filled returns how many cells of a record are not empty.
func filled(cells []string) int {
	n := 0
	for _, cell := range cells {
		n += btoi(!isEmpty(cell))
	}
	return n
}

// titles returns the number of records above a header: of less than half as many cells as the header, which is the
// first record that has names above all columns, but for the first perhaps.
func titles(records [][]string) int {
	for i, header := range records {
		n := len(header)
		named := n > 2 && !slices.ContainsFunc(header[1:], isEmpty)
		if !named && 2*filled(records[i]) < n || n <= 2 {
			continue
		}
		below := records[i+1:]
		if i == 0 || !named || slices.ContainsFunc(header[1:], isNoName) || len(below) == 0 ||
			len(distinctLevels(slices.Clone(header))) < n || len(below[0]) < n || len(below[0]) > n+1 {
			return 0
		}
		for _, title := range records[:i] {
			if 2*filled(title) >= n || recursBelow(title, records[i:]) {
				return 0
			}
		}
		return i
	}
	return 0
}

// recursBelow reports whether a cell stands again below itself.
func recursBelow(cells []string, below [][]string) bool {
	for i, cell := range cells {
		if !isEmpty(cell) && slices.ContainsFunc(below, func(b []string) bool { return i < len(b) && b[i] == cell }) {
			return true
		}
	}
	return false
}

// secondHeader returns how many records below the first name the columns again, as programs of surveys write them, and
// the names of both together, or nil.
func secondHeader(records [][]string) (n int, names []string) {
	for n := 1; n <= 2; n++ {
		if slices.ContainsFunc(records[n], func(cell string) bool { return strings.HasPrefix(cell, `{"ImportId"`) }) {
			return n, nil
		}
	}
	first, second := records[0], records[1]
	if len(first) != len(second) || isEmpty(first[0]) {
		return 0, nil
	}
	if areUnits(second, records[2:]) {
		return 1, nil
	}
	parts := 0
	for i, name := range first {
		more := trim(second[i])
		answer := strings.EqualFold(more, "Response") || strings.EqualFold(more, "Open-Ended Response")
		spans := i+1 < len(first) && isEmpty(first[i+1])
		switch {
		case isEmpty(name) && more == "", more != "" && isNoName(more), !isEmpty(name) && !answer && !spans && more != "":
			return 0, nil
		case isEmpty(name):
			parts++
		case more == "" || answer:
			more = name
		}
		names = append(names, more)
	}
	if parts < 2 {
		return 0, nil
	}
	return 1, names
}

// byPoints reads a number with points before thousands and no other, with a unit perhaps.
func byPoints(cell string) (plain string, ok bool) {
	if strings.IndexByte(cell, '.') < 0 {
		return cell, false
	}
	number := trim(cell)
	if m := measure.FindStringSubmatch(number); m != nil {
		number = m[2]
	}
	if plain, ok = ungrouped(number, ".", ""); ok {
		return strings.Replace(cell, number, plain, 1), true
	}
	return cell, false
}

// pointed returns a number of some records in which points stand before thousands: all points in numbers do, and some
// number has a decimal comma, or a column has numbers below 1,000 that have no point, or that is known. Else it returns
// "".
func pointed(records [][]string, sure bool) (example string) {
	below, above := map[int]bool{}, map[int]bool{}
	for _, cells := range records {
		for i, cell := range cells {
			v, number := numberIn(trim(cell))
			_, points := byPoints(cell)
			switch {
			case points:
				if above[i] = true; example == "" {
					example = trim(cell)
				}
			case number && strings.Contains(cell, ",") && !strings.Contains(cell, "."):
				sure = true
			case number && strings.Contains(cell, ".") && !strings.Contains(cell, ","):
				return "" // a point before other places
			case number && v >= 10 && v < 1000:
				below[i] = true
			}
		}
	}
	for i := range above {
		sure = sure || below[i]
	}
	if !sure {
		return ""
	}
	return example
}

// numberIn returns the number in a cell, which may have a unit.
func numberIn(cell string) (v float64, ok bool) {
	if v, _, ok = measured(cell); ok {
		return v, ok
	}
	return bareNumber(cell)
}

// areUnits reports whether the cells of a record are the units of the numbers below them: two or more words above
// nothing but numbers.
func areUnits(cells []string, below [][]string) bool {
	n := 0
	for i, cell := range cells {
		if cell = trim(cell); cell == "" {
			continue
		}
		n++
		if t, _ := tokenOf(cell); t != textToken || len(cell) > 12 {
			return false
		}
		for _, b := range below {
			if i < len(b) && !isEmpty(b[i]) && !isNoName(b[i]) {
				return false
			}
		}
	}
	return n > 1
}

// ofTable returns the form by the first two lines that a delimiter divides alike.
func (f csvForm) ofTable(text []byte) csvForm {
	if f.runs {
		return f
	}
	before := []byte(nil)
	n := 0
	for line := range bytes.Lines(text) {
		if c := string(delimiter(before, "")); bytes.Count(before, []byte(c)) > 0 &&
			bytes.Count(before, []byte(c)) == bytes.Count(line, []byte(c)) {
			return csvForm{comma: []rune(c)[0]}
		}
		if before = line; n == mostFirst {
			break
		}
		n++
	}
	return f
}

// belowFirst are the records of a table without such lines.
type belowFirst struct {
	*csvRecords
	first *firstLines
	n     int // records read
	width int // of the header
	later int
}

func (b *belowFirst) read() (cells []string, line int, err error) {
	for b.n == 0 && b.line < b.first.skip {
		if _, err := b.text.ReadString('\n'); err != nil {
			return nil, 0, err
		}
		b.line++
	}
	for {
		cells, line, err = b.csvRecords.read()
		if err != nil {
			b.first.later = max(b.first.later, b.later)
			return nil, 0, err
		}
		b.n++
		switch {
		case b.n == 1:
			if b.width = len(cells); b.first.hash {
				cells[0] = trim(strings.TrimLeft(cells[0], "#"))
			}
			if b.first.names != nil {
				cells = b.first.names
			}
		case b.n <= 1+b.first.below:
			continue
		case b.first.comment && len(cells) < b.width && strings.HasPrefix(cells[0], "#"):
			b.later++
			continue
		}
		for i, cell := range cells {
			if b.first.points != "" {
				cells[i], _ = byPoints(cell)
			}
		}
		return cells, line, nil
	}
}

// rows returns the records of the text that r reads from its beginning.
func (s *textSource) rows(r io.Reader) records {
	b := &belowFirst{csvRecords: s.form.records(r), first: &s.first}
	if s.first.skip+s.first.below == 0 && !s.first.comment && s.first.points == "" {
		return b.csvRecords
	}
	return b
}

// headed reports whether it is certain that the first record has the names of columns.
func (f *firstLines) headed() bool {
	return f.below > 0 || f.skip > 0 && !f.asked && !f.comment && !strings.HasPrefix(f.what, "sep=")
}

// notes says which lines were left out.
func (f *firstLines) notes() (out []string) {
	if f.skip > 0 {
		which := "line 1"
		if f.skip > 1 {
			which = fmt.Sprintf("lines 1 to %d", f.skip)
		}
		out = append(out, fmt.Sprintf("left out %s above the table: %q", which, shorten(f.what)))
	}
	if f.below > 0 {
		out = append(out, fmt.Sprintf("left out %s below the header: a second header", words.Count(f.below, "line")))
	}
	if f.points != "" {
		out = append(out, fmt.Sprintf("%q is %s: in this file a point in a number stands before thousands", f.points,
			strings.ReplaceAll(f.points, ".", "")))
	}
	if f.later > 0 {
		out = append(out, fmt.Sprintf("left out %s with # among the rows", words.Count(f.later, "line")))
	}
	return out
}
