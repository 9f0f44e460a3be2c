package dataset

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// These constants bound a record of a table of text, whose cells in quotes may have line
// ends, and the names of a table's columns, so that a small file does not fill the memory.
const (
	maxRecord = 9 << 20 // bytes of a record
	maxCells  = 1 << 18 // of a record: columns of a table, items of a line
	maxNames  = 1 << 23 // bytes of all names together
	maxKinds  = 3 << 18 // of cells, such as numbers and words, all columns together
	manyKinds = 1 << 17 // of these, as tables of more than a hundred thousand columns have
)

// textSource is a table of text and its beginning.
type textSource struct {
	in    *input
	form  csvForm
	first firstLines
	head  []byte
	all   bool  // the head is all of it
	size  int64 // in bytes, 0 if it is not known
	open  func() (io.Reader, error)
}

// headBytes is how much of a table of text is examined before it is read.
const headBytes = 1 << 16

// textSource reads the beginning of a text: some lines, or all.
func (in *input) textSource(c *content) (*textSource, error) {
	s := &textSource{in: in, size: c.size, open: func() (io.Reader, error) { return in.decoded(c) }}
	r, err := s.open()
	lines := 0
	for err == nil && (len(s.head) < headBytes || lines < 4 && len(s.head) <= 2*maxRecord) {
		from := len(s.head)
		if cap(s.head)-from < headBytes {
			more := max(headBytes, from/2)
			if from > 0 && s.size > 0 { // lines are long: all of a file, if its size is known
				more = max(headBytes, int(min(s.size, 2*maxRecord))+headBytes-from)
			}
			s.head = slices.Grow(s.head, more)
		}
		var n int
		n, err = fillUp(r, s.head[from:from+headBytes])
		s.head = s.head[:from+n]
		if from == 0 {
			if err := foreignText(s.head); err != nil {
				return nil, err
			}
		}
		// what follows a last one is not known
		if i := bytes.IndexByte(s.head, '\r'); from == 0 && i >= 0 && (i < n-1 || err == io.EOF) &&
			bytes.IndexByte(s.head, '\n') < 0 { // as old programs end lines
			lines, open := lineEnds{r}, s.open
			endLines(s.head)
			r, s.open = lines, func() (io.Reader, error) {
				r, err := open()
				return lineEnds{r}, err
			}
		}
		if lines += bytes.Count(s.head[from:], []byte{'\n'}); lines == 0 && len(s.head) > maxRecord {
			return nil, longRecord()
		}
	}
	if s.all = err == io.EOF; err != nil && !s.all {
		return nil, err
	}
	switch {
	case !in.opts.Items:
		s.findFirst()
	case in.opts.Delimiter == 0:
		s.form = itemForm(s.head)
	default:
		s.form = in.form(s.head)
	}
	in.headed, in.seen.first = s.first.headed(), append(in.seen.first, &s.first)
	if !validDelimiter(s.form.comma) {
		return nil, &FormatError{Msg: fmt.Sprintf("%q cannot separate columns", s.form.comma),
			Hint: "use a comma, a semicolon or a tab"}
	}
	return s, nil
}

// lineEnds reads a text whose lines end in carriage returns alone.
type lineEnds struct{ r io.Reader }

func (l lineEnds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	endLines(p[:n])
	return n, err
}

func endLines(text []byte) {
	for i, c := range text {
		if c == '\r' {
			text[i] = '\n'
		}
	}
}

// fillUp reads until b is full. The error is that of the reader, [io.EOF] if it ended before; io.ReadFull
// would return [io.ErrUnexpectedEOF] then, which may also come from a reader of damaged content.
func fillUp(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = r.Read(b[n:])
		n += more
	}
	if n == len(b) && err == io.EOF { // the next call will say so
		err = nil
	}
	return n, err
}

// byCommas reports whether commas divide the columns of a table: a comma in one of its numbers then hardly is a
// decimal comma.
func byCommas(src cells) bool {
	s, text := src.(*textSource)
	return text && s.form.comma == ','
}

func (s *textSource) unit() string { return "line" }

// records returns the whole table.
func (s *textSource) records() (records, error) {
	if s.all {
		return s.rows(bytes.NewReader(s.head)), nil
	}
	r, err := s.open()
	return s.rows(r), err
}

// sample returns the beginning.
func (s *textSource) sample() records {
	if s.all {
		return s.rows(bytes.NewReader(s.head))
	}
	return s.rows(bytes.NewReader(s.head[:bytes.LastIndexByte(s.head, '\n')+1]))
}

func (s *textSource) complete() bool { return s.all }

func (s *textSource) count() int { return -1 }

// csvForm says how the lines of a table are divided.
type csvForm struct {
	comma rune
	runs  bool // of them divide cells as one does, and around a line none does
}

// form recognises the delimiter.
func (in *input) form(head []byte) csvForm {
	asked := in.opts.Delimiter
	switch {
	case (asked == 0 || asked == ' ') && inRuns(head):
		return csvForm{' ', true}
	case asked != 0:
		return csvForm{comma: asked}
	}
	return csvForm{comma: delimiter(head, in.opts.like().Delimiter)}
}

// leastInRuns is how many lines show that runs of spaces divide cells.
const leastInRuns = 3

// inRuns reports whether a text is a table whose cells only spaces divide, as old programs write them: of as many words
// in each line, some of which are numbers in all but the first.
func inRuns(head []byte) bool {
	lines, columns := 0, 0
	var numbers []bool
	for line := range bytes.Lines(head) {
		if bytes.ContainsAny(line, ",\t;|\"") || len(line) > 0 && line[len(line)-1] != '\n' || lines == mostFirst {
			break
		}
		words := strings.Fields(string(line))
		if lines == 0 {
			columns, numbers = len(words), slices.Repeat([]bool{true}, len(words))
		}
		if len(words) != columns {
			return false
		}
		for i, word := range words {
			t, _ := tokenOf(word)
			numbers[i] = numbers[i] && (lines == 0 || t >= unknownToken && t <= oneToken || t == numberToken)
		}
		lines++
	}
	return columns > 1 && lines >= leastInRuns && slices.Contains(numbers, true)
}

// validDelimiter follows encoding/csv, which reports a bad one only as it reads.
func validDelimiter(c rune) bool {
	return c > 0 && c != '"' && c != '\r' && c != '\n' && c != 0xFFFD && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF)
}

// counts reports whether the cells are k, k+1, k+2, ... for k of 0 or 1.
func counts(cells []string) bool {
	from, err := strconv.Atoi(trim(cells[0]))
	if err != nil || from < 0 || from > 1 {
		return false
	}
	for i, s := range cells {
		if trim(s) != strconv.Itoa(from+i) {
			return false
		}
	}
	return true
}

// delimiter returns the separator that is most frequent in the first line, or the
// expected one if it is there; "" expects none. Bars divide cells where nothing else does, and so do spaces between
// names in quotes, as R writes them.
func delimiter(head []byte, expected string) rune {
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	if expected != "" && bytes.Contains(head, []byte(expected)) {
		return []rune(expected)[0]
	}
	best, most := mostFrequent(head)
	switch {
	case most == 0 && bytes.IndexByte(head, '|') > 0:
		return '|'
	case most == 0 && len(head) > 0 && head[0] == '"' && bytes.Contains(head, []byte(`" "`)):
		return ' '
	}
	return best
}

// mostFrequent returns which of comma, tab and semicolon a text has most often, and how often.
func mostFrequent(text []byte) (best rune, most int) {
	best = ','
	for _, c := range ",\t;" {
		if n := bytes.Count(text, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best, most
}

func longRecord() error {
	return &FormatError{Msg: fmt.Sprintf("a line or row of more than %d bytes", maxRecord), Hint: "is this a text table?"}
}

// boundNames returns an error if the names of columns take absurdly much memory.
func boundNames(names []string) error {
	total := 0
	for _, name := range names {
		total += len(name)
	}
	if total > maxNames {
		return longNames()
	}
	return nil
}

func longNames() error {
	return &FormatError{Msg: fmt.Sprintf("the names of the columns have more than %d bytes", maxNames),
		Hint: "shorten them, or leave the names out"}
}

func trim(s string) string { return strings.TrimSpace(s) }
