package dataset

import (
	"io"
	"math"
	"strconv"
	"strings"
)

// csvTable writes a table as encoding/csv would, without a slice per row.
type csvTable struct {
	w       io.Writer
	columns []TableColumn
	text    []byte // of a chunk
}

func (t *csvTable) end() error { return nil }

func (t *csvTable) begin(columns []TableColumn) error {
	t.columns = columns
	var line []byte
	for _, c := range columns {
		for _, name := range c.names() {
			line = append(appendText(line, name), ',')
		}
	}
	_, err := t.w.Write(endLine(line, 0))
	return err
}

// endLine ends a line of text that begins at from and whose cells all end in a comma.
func endLine(text []byte, from int) []byte {
	switch len(text) - from {
	case 0:
		return text
	case 1:
		text = append(text[:from], "\"\","...) // a reader would take an empty line for none
	}
	text[len(text)-1] = '\n'
	return text
}

func (t *csvTable) write(values []any, rows int) error {
	t.text = t.text[:0]
	for i := range rows {
		from := len(t.text)
		for k, c := range t.columns {
			t.text = appendCells(t.text, values[k], i*c.width(), (i+1)*c.width())
		}
		t.text = endLine(t.text, from)
	}
	_, err := t.w.Write(t.text)
	return err
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
