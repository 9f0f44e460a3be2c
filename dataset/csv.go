package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxLine bounds a line of a CSV file, so that a stream without line ends does
// not fill the memory.
const maxLine = 1 << 26

// csv reads a table of text. Empty lines are skipped, as encoding/csv does: in
// a table of one column an unknown value must be written as ? or NA.
func (in *input) csv(path string, br *bufio.Reader) (*Set, error) {
	if bom, _ := br.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		_, _ = br.Discard(3)
	}
	r := csv.NewReader(&lineGuard{r: br})
	r.FieldsPerRecord = -1 // checked here, for a better message
	r.TrimLeadingSpace = true
	r.ReuseRecord = true
	r.Comma = in.opts.Delimiter
	if r.Comma == 0 {
		r.Comma = delimiter(br)
	}
	if r.Comma == '\t' || r.Comma == ' ' {
		r.TrimLeadingSpace = false // it would eat empty cells
	}
	if !validDelimiter(r.Comma) {
		return nil, &FormatError{Msg: fmt.Sprintf("%q cannot separate columns", r.Comma), Hint: "use a comma, a semicolon or a tab"}
	}
	return in.records(r)
}

// validDelimiter follows encoding/csv, which reports a bad one only as it reads.
func validDelimiter(c rune) bool {
	return c > 0 && c != '"' && c != '\r' && c != '\n' && c != 0xFFFD && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF)
}

// records reads the rows. The first two are looked at together, to tell whether
// the first is a header.
func (in *input) records(r *csv.Reader) (*Set, error) {
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
	more := err == nil

	var names []string
	mode := in.opts.Header
	if mode == HeaderPresent || mode == HeaderAuto && looksLikeHeader(first, second) {
		names = make([]string, n)
		for i, s := range first {
			names[i] = string([]byte(trim(s)))
		}
	}
	roles, err := in.rolesOf(names, n, nil)
	if err != nil {
		return nil, err
	}
	t := newTextTable(in, roles)
	if names == nil {
		if err := t.add(first); err != nil {
			return nil, onLine(err, 1)
		}
	}
	if more {
		if err := rest(r, t, second); err != nil {
			return nil, err
		}
	}
	return t.done()
}

// rest adds the given record and all that follow it.
func rest(r *csv.Reader, t *textTable, record []string) error {
	for {
		line, _ := r.FieldPos(0)
		if len(record) != t.roles.n {
			return &FormatError{Line: line, Msg: fmt.Sprintf("%d columns, but line 1 has %d", len(record), t.roles.n),
				Hint: "make all lines of one length, or check the delimiter"}
		}
		if err := t.add(record); err != nil {
			return onLine(err, line)
		}
		var err error
		if record, err = nextRecord(r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// nextRecord words the errors of encoding/csv.
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

// looksLikeHeader is the rule of [HeaderAuto]. A first line of plain 0s and 1s,
// or of other numbers that do not count the columns, is data.
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

// delimiter is the separator that the first line has most of.
func delimiter(br *bufio.Reader) rune {
	head, _ := br.Peek(br.Size())
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	best, most := ',', 0
	for _, c := range ",\t;" {
		if n := strings.Count(string(head), string(c)); n > most {
			best, most = c, n
		}
	}
	return best
}

// lineGuard fails when a line becomes absurdly long.
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
