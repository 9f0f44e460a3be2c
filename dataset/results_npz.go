package dataset

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"example.com/patchwork/internal/npy"
)

// npzTable writes a table as an archive of arrays, which are not compressed. An
// array begins with its number of rows, and the members of an archive stand one
// after the other. So only the first array can be written as the rows come, and
// that if their number is known; the others wait in memory or a temporary file.
// The first is the one with the most bytes per row; then come the others in their
// order.
type npzTable struct {
	zip     *zip.Writer
	columns []TableColumn
	first   int        // the array that comes first, -1 if all are text
	direct  io.Writer  // for its rows; nil if they wait like the others
	spools  []*spool   // of the columns of numbers
	text    [][]string // of the columns of text
	rows    int        // written so far
	known   int        // how many there will be, 0 if that is not known
}

func newNPZTable(w io.Writer, rows int) *npzTable {
	return &npzTable{zip: zip.NewWriter(w), known: rows}
}

func (t *npzTable) begin(columns []TableColumn) error {
	t.columns, t.first, t.text = columns, -1, make([][]string, len(columns))
	widest := 0
	for i, c := range columns {
		if c.Type == ColumnText {
			t.spools = append(t.spools, nil)
			continue
		}
		size := c.width() * [...]int{ColumnInt: 8, ColumnFloat: 8, ColumnByte: 1}[c.Type]
		t.spools = append(t.spools, &spool{expected: size * t.known})
		if size > widest {
			widest, t.first = size, i
		}
	}
	if t.first < 0 || t.known == 0 {
		return nil
	}
	var err error
	t.direct, err = t.open(t.first, t.known)
	return err
}

// open begins the array of a column of numbers.
func (t *npzTable) open(i, rows int) (io.Writer, error) {
	c := &t.columns[i]
	shape := []int{rows}
	if c.Block != nil {
		shape = append(shape, len(c.Block))
	}
	head, err := npy.HeaderOf([...]any{ColumnInt: []int64(nil), ColumnFloat: []float64(nil),
		ColumnByte: []uint8(nil)}[c.Type], shape...)
	if err != nil {
		return nil, err
	}
	f, err := t.member(c.Name)
	if err == nil {
		_, err = f.Write(head)
	}
	return f, err
}

// member begins the member of the archive for an array.
func (t *npzTable) member(name string) (io.Writer, error) {
	return t.zip.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store,
		Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
}

func (t *npzTable) write(values []any, rows int) error {
	t.rows += rows
	for i, s := range t.spools {
		if s == nil {
			t.text[i] = append(t.text[i], values[i].([]string)...)
			continue
		}
		var to io.Writer = s
		if i == t.first && t.direct != nil {
			to = t.direct
		}
		if err := npy.WriteElements(to, values[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *npzTable) end() error {
	if t.known > 0 && t.rows != t.known {
		return &FormatError{Msg: fmt.Sprintf("%d rows were announced for a table, there are %d", t.known, t.rows)}
	}
	if t.first >= 0 && t.direct == nil {
		if err := t.numbers(t.first); err != nil {
			return err
		}
	}
	for i, s := range t.spools {
		err := error(nil)
		switch {
		case i == t.first:
		case s != nil:
			err = t.numbers(i)
		default:
			err = t.texts(t.columns[i].Name, t.text[i])
		}
		if err != nil {
			return err
		}
	}
	for _, c := range t.columns {
		if c.BlockNames != "" {
			if err := t.texts(c.BlockNames, c.Block); err != nil {
				return err
			}
		}
	}
	return t.zip.Close()
}

// numbers writes the array of column i from its spool.
func (t *npzTable) numbers(i int) error {
	f, err := t.open(i, t.rows)
	if err != nil {
		return err
	}
	return t.spools[i].copyTo(f)
}

// texts writes an array of text.
func (t *npzTable) texts(name string, values []string) error {
	f, err := t.member(name)
	if err == nil {
		err = npy.Write(f, npy.New(values, len(values)))
	}
	var ne *npy.FormatError
	if errors.As(err, &ne) {
		ne.Member = name + ".npy"
		return at(err, "")
	}
	return err
}

func (t *npzTable) close() error {
	var err error
	for _, s := range t.spools {
		if s != nil {
			err = cmp.Or(err, s.close())
		}
	}
	return err
}

// spoolMemory is how much of a spool is in memory.
const spoolMemory = 32 << 20

// spool holds what is written to it until it is read.
type spool struct {
	memory   bytes.Buffer
	file     *os.File // for what exceeds the memory; nil for none
	expected int      // bytes, if known
}

func (s *spool) Write(b []byte) (int, error) {
	if s.memory.Cap() == 0 {
		s.memory.Grow(min(s.expected, spoolMemory))
	}
	if s.file == nil && s.memory.Len()+len(b) <= spoolMemory {
		return s.memory.Write(b)
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "patchwork-*")
		if err != nil {
			return 0, err
		}
		s.file = f
	}
	return s.file.Write(b)
}

// copyTo writes to w what was written, and empties the memory.
func (s *spool) copyTo(w io.Writer) error {
	if _, err := s.memory.WriteTo(w); err != nil || s.file == nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyBuffer(w, s.file, make([]byte, 1<<18))
	return err
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	err := cmp.Or(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
	return err
}
