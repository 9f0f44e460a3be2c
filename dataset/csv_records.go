package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// csvRecords are the records of a text, as encoding/csv divides it. Lines whose quotes, if they
// have any, enclose whole cells are divided here, in less than half of the time and without buffers
// several times as large as the longest line. From the first line on that needs more, because of
// quotes or line ends within quotes, or a mistake, encoding/csv reads.
//
// Empty lines are skipped: in a table of one column an unknown value must be written as ? or NA.
type csvRecords struct {
	form  csvForm
	guard *recordGuard
	text  *bufio.Reader
	line  int         // read here
	cells []string    // of the last of them
	rest  *csv.Reader // of the lines after it; nil before there are any
}

// records returns a reader of records.
func (f csvForm) records(text io.Reader) *csvRecords {
	guard := &recordGuard{r: text, comma: []byte(string(f.comma))}
	return &csvRecords{form: f, guard: guard, text: bufio.NewReader(guard)}
}

// read returns the cells of the next record, until the next call, and its first line.
func (c *csvRecords) read() (cells []string, line int, err error) {
	for c.rest == nil {
		text, err := c.text.ReadString('\n')
		if err != nil && (err != io.EOF || text == "") {
			return nil, 0, err
		}
		line := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		if c.form.runs {
			line = strings.Join(strings.Fields(line), " ")
		}
		if !c.divide(line) {
			c.rest = c.form.reader(io.MultiReader(strings.NewReader(text), c.text))
			break
		}
		if c.line++; line != "" {
			c.guard.bytes, c.guard.cells = 0, 0
			return c.cells, c.line, nil
		}
	}
	cells, err = c.rest.Read()
	if err == nil {
		c.guard.bytes, c.guard.cells = 0, 0
		line, _ = c.rest.FieldPos(0)
		return cells, c.line + line, nil
	}
	var pe *csv.ParseError
	if errors.As(err, &pe) && errors.Is(pe.Err, csv.ErrQuote) && pe.Line > pe.StartLine {
		return nil, 0, &FormatError{Line: c.line + pe.StartLine, Msg: "a quote begins here",
			Hint: "close it, or double the quotes inside a cell",
			Err:  fmt.Errorf("it is not closed by line %d", c.line+pe.Line)}
	}
	if errors.As(err, &pe) {
		return nil, 0, &FormatError{Line: c.line + pe.Line, Msg: "malformed CSV", Err: pe.Err,
			Hint: "quote a cell as a whole and double the quotes inside it"}
	}
	return nil, 0, err
}

// divide finds the cells of a line; false says that it needs more than the line shows.
func (c *csvRecords) divide(line string) bool {
	comma := string(c.form.comma)
	if n := strings.Count(line, comma) + 1; n > cap(c.cells) {
		c.cells = make([]string, 0, n)
	}
	c.cells = c.cells[:0]
	trims, quotes := c.form.trims(), strings.IndexByte(line, '"') >= 0
	for more := true; more; {
		if trims && line != "" && (line[0] <= ' ' || line[0] >= utf8.RuneSelf) {
			line = strings.TrimLeftFunc(line, unicode.IsSpace)
		}
		var cell string
		if quotes && line != "" && line[0] == '"' {
			var closed bool
			if cell, line, closed = strings.Cut(line[1:], `"`); !closed {
				return false
			}
			c.cells = append(c.cells, cell)
			if line, more = strings.CutPrefix(line, comma); !more && line != "" {
				return false
			}
			continue
		}
		cell, line, more = strings.Cut(line, comma)
		if quotes && strings.IndexByte(cell, '"') >= 0 {
			return false
		}
		c.cells = append(c.cells, cell)
	}
	return true
}

// trims reports whether blanks before a cell are no part of it. Where they divide cells, that
// would drop empty ones.
func (f csvForm) trims() bool { return f.comma != '\t' && f.comma != ' ' }

// reader returns the reader of encoding/csv, which knows quotes.
func (f csvForm) reader(text io.Reader) *csv.Reader {
	r := csv.NewReader(text)
	r.FieldsPerRecord = -1 // checked by the caller, for a better message
	r.TrimLeadingSpace = f.trims()
	r.ReuseRecord = true
	r.Comma = f.comma
	return r
}

// recordGuard returns an error when a record becomes absurdly long, before its cells
// are kept. What is read ahead of the next record counts for this one.
type recordGuard struct {
	r            io.Reader
	comma        []byte
	bytes, cells int // since the last record was complete
}

func (g *recordGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	g.bytes, g.cells = g.bytes+n, g.cells+bytes.Count(p[:n], g.comma)
	switch {
	case g.bytes > maxRecord:
		return n, longRecord()
	case g.cells > maxCells:
		return n, &FormatError{Msg: fmt.Sprintf("a row of more than %d cells", maxCells),
			Hint: "swap the rows and columns of the table, or give it as an array (N,D) in an .npy file"}
	}
	return n, err
}
