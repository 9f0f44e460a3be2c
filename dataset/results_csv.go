package dataset

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
)

// csvTable writes a table as encoding/csv would, without a slice per row.
type csvTable struct {
	w       *bufio.Writer
	columns []TableColumn
}

func newCSVTable(w io.Writer) *csvTable { return &csvTable{w: bufio.NewWriterSize(w, 1<<16)} }

func (t *csvTable) close() error { return nil }
func (t *csvTable) end() error   { return t.w.Flush() }

func (t *csvTable) begin(columns []TableColumn) error {
	t.columns = columns
	var line []byte
	for _, c := range columns {
		for _, name := range c.names() {
			line = appendText(line, name)
			line = append(line, ',')
		}
	}
	return t.line(line)
}

// line writes a line whose cells all end in a comma.
func (t *csvTable) line(cells []byte) error {
	if len(cells) == 0 {
		return nil
	}
	cells[len(cells)-1] = '\n'
	if len(cells) == 1 {
		cells = append(cells[:0], "\"\"\n"...) // a reader would take an empty line for none
	}
	_, err := t.w.Write(cells)
	return err
}

func (t *csvTable) write(values []any, rows int) error {
	var line []byte
	for i := range rows {
		line = line[:0]
		for k, c := range t.columns {
			line = appendCells(line, values[k], i*c.width(), (i+1)*c.width())
		}
		if err := t.line(line); err != nil {
			return err
		}
	}
	return nil
}

// appendCells appends values a to b, each followed by a comma.
func appendCells(line []byte, values any, a, b int) []byte {
	switch v := values.(type) {
	case []uint8:
		for _, x := range v[a:b] {
			if x < 10 {
				line = append(line, '0'+x, ',')
			} else {
				line = append(strconv.AppendUint(line, uint64(x), 10), ',')
			}
		}
	case []int64:
		for _, x := range v[a:b] {
			line = append(strconv.AppendInt(line, x, 10), ',')
		}
	case []float64:
		for _, x := range v[a:b] {
			switch {
			case x == 0:
				line = append(line, '0')
			case !math.IsNaN(x):
				line = strconv.AppendFloat(line, x, 'g', -1, 64)
			}
			line = append(line, ',')
		}
	case []string:
		for _, s := range v[a:b] {
			line = append(appendText(line, s), ',')
		}
	}
	return line
}

// appendText appends a cell of text, in quotes where it needs them.
func appendText(line []byte, s string) []byte {
	if !strings.ContainsAny(s, "\",\r\n") && strings.TrimSpace(s) == s {
		return append(line, s...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(s, `"`, `""`)...)
	return append(line, '"')
}
