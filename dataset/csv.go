package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxLine bounds a line of a CSV file, so that a stream without line ends does
// not fill the memory.
const maxLine = 1 << 26

// csv reads a table of text. Empty lines are skipped, as encoding/csv does: in
// a table of one column an unknown value must be written as ? or NA.
func (in *input) csv(br *bufio.Reader, size int64) (decoder, error) {
	if bom, _ := br.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		_, _ = br.Discard(3)
	}
	r := csv.NewReader(&lineGuard{r: br})
	r.FieldsPerRecord = -1 // checked here, for a better message
	r.TrimLeadingSpace = true
	r.ReuseRecord = true
	r.Comma = in.opts.Delimiter
	if r.Comma == 0 {
		r.Comma = delimiter(br, in.opts.like().Delimiter)
	}
	if r.Comma == '\t' || r.Comma == ' ' {
		r.TrimLeadingSpace = false // it would drop empty cells
	}
	if !validDelimiter(r.Comma) {
		return nil, &FormatError{Msg: fmt.Sprintf("%q cannot separate columns", r.Comma), Hint: "use a comma, a semicolon or a tab"}
	}
	return in.records(r, leastLines(br, size))
}

// validDelimiter follows encoding/csv, which reports a bad one only as it reads.
func validDelimiter(c rune) bool {
	return c > 0 && c != '"' && c != '\r' && c != '\n' && c != 0xFFFD && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF)
}

// records prepares the reading of the rows. It examines the first two together
// to tell whether the first is a header.
func (in *input) records(r *csv.Reader, least int64) (decoder, error) {
	first, err := nextRecord(r)
	if err == io.EOF {
		return nil, &FormatError{Msg: "the file has no rows"}
	}
	if err != nil {
		return nil, err
	}
	first = slices.Clone(first)
	n := len(first)
	second, err := nextRecord(r)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err == io.EOF {
		second = nil
	}
	var names []string
	mode := in.opts.Header
	if mode == HeaderPresent || mode == HeaderAuto && (looksLikeHeader(first, second) || in.opts.model.isHeader(first)) {
		names = make([]string, n)
		for i, s := range first {
			names[i] = strings.ToValidUTF8(string([]byte(trim(s))), "\uFFFD")
		}
		first = nil
	}
	var labels []int
	if in.opts.model.named(names) {
		labels = in.opts.model.labelsAmong(names, second)
	}
	roles, err := in.rolesOf(names, n, labels)
	if err != nil {
		return nil, err
	}
	if !in.stream && least > in.budget.left/imageCost(1, len(roles.data)) { // too large for certain: fail before reading
		return nil, in.budget.spend(int(min(least, math.MaxInt32)), 1, len(roles.data))
	}
	return &csvRows{r: r, table: newTextTable(in, roles), first: first, record: second}, nil
}

// csvRows reads the rows of a CSV file.
type csvRows struct {
	r             *csv.Reader
	table         *textTable
	first, record []string // read, but not yet part of the table; nil for none
	some          bool     // there was a row
}

func (d *csvRows) next() (*Set, error) {
	width := len(d.table.roles.data)
	n := d.table.in.opts.partRows(2*int64(width), 1, width)
	d.table.begin()
	if d.first != nil {
		if err := d.table.add(d.first); err != nil {
			return nil, onLine(err, 1)
		}
		d.first = nil
	}
	for d.record != nil && d.table.set.Len() < n {
		line, _ := d.r.FieldPos(0)
		if len(d.record) != d.table.roles.n {
			return nil, &FormatError{Line: line, Msg: fmt.Sprintf("%d columns, but line 1 has %d", len(d.record), d.table.roles.n),
				Hint: "make all lines of one length, or check the delimiter"}
		}
		if err := d.table.add(d.record); err != nil {
			return nil, onLine(err, line)
		}
		var err error
		if d.record, err = nextRecord(d.r); err == io.EOF {
			d.record = nil
		} else if err != nil {
			return nil, err
		}
	}
	switch {
	case d.table.set.Len() > 0:
		d.some = true
		return d.table.part(), nil
	case !d.some:
		return nil, &FormatError{Msg: "the table has no rows"}
	}
	return nil, io.EOF
}

// nextRecord reads a record and rephrases the errors of encoding/csv.
func nextRecord(r *csv.Reader) ([]string, error) {
	record, err := r.Read()
	var pe *csv.ParseError
	if errors.As(err, &pe) {
		return nil, &FormatError{Line: pe.Line, Msg: "malformed CSV", Err: pe.Err, Hint: "quote a cell as a whole and double the quotes inside it"}
	}
	return record, err
}

func onLine(err error, line int) error {
	var fe *FormatError
	if errors.As(err, &fe) && fe.Line == 0 {
		fe.Line = line
	}
	return err
}

// looksLikeHeader implements [HeaderAuto]. A first line of plain 0s and 1s, or
// of other numbers that do not count the columns, is data.
func looksLikeHeader(first, second []string) bool {
	if len(first) >= 3 && counts(first) {
		return true
	}
	for i, s := range first {
		if _, state := parseCell(s); state != cellBad {
			continue
		}
		if i < len(second) {
			if _, state := parseCell(second[i]); state == cellBit || state == cellNumber {
				return true
			}
		}
	}
	return false
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
// expected one if it is there; "" expects none.
func delimiter(br *bufio.Reader, expected string) rune {
	head, _ := br.Peek(br.Size())
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	if expected != "" && bytes.Contains(head, []byte(expected)) {
		return []rune(expected)[0]
	}
	best, most := ',', 0
	for _, c := range ",\t;" {
		if n := strings.Count(string(head), string(c)); n > most {
			best, most = c, n
		}
	}
	return best
}

// leastLines returns a lower bound on the lines of a file of the given size (0:
// unknown), assuming that no line is four times as long as the longest of the
// first lines; 0 if the file is less than four times as large as these.
func leastLines(br *bufio.Reader, size int64) int64 {
	head, _ := br.Peek(br.Size())
	if size < 4*int64(len(head)) {
		return 0
	}
	most := 0
	for line := range bytes.Lines(head) {
		most = max(most, len(line))
	}
	return size / int64(4*max(most, 1))
}

// lineGuard returns an error when a line becomes absurdly long.
type lineGuard struct {
	r     io.Reader
	since int // bytes since the last line end
}

func (g *lineGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		g.since = n - i - 1
	} else {
		g.since += n
	}
	if g.since > maxLine {
		return n, &FormatError{Msg: fmt.Sprintf("a line of more than %d bytes", maxLine), Hint: "is this a text table?"}
	}
	return n, err
}

func trim(s string) string { return strings.TrimSpace(s) }
