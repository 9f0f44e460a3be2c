package dataset

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"time"

	"example.com/patchwork/internal/npy"
)

// npzTable writes a table as an archive of arrays, which are not compressed. An
// array begins with its number of rows, and the members of an archive stand one
// after the other. So all wait in memory or a temporary file until the last row is there.
type npzTable struct {
	zip     *zip.Writer
	columns []TableColumn
	spools  []*spool   // of the columns of numbers
	text    [][]string // of the columns of text
	rows    int        // written so far
}

func (t *npzTable) begin(columns []TableColumn) error {
	t.columns, t.text = columns, make([][]string, len(columns))
	for _, c := range columns {
		var s *spool
		if c.Type != ColumnText {
			s = new(spool)
		}
		t.spools = append(t.spools, s)
	}
	return nil
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
		if err := npy.WriteElements(s, values[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *npzTable) end() error {
	for i, s := range t.spools {
		var err error
		if s != nil {
			err = t.numbers(i)
		} else {
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
	c := &t.columns[i]
	shape := []int{t.rows}
	if c.Block != nil {
		shape = append(shape, len(c.Block))
	}
	head, err := npy.HeaderOf([...]any{ColumnInt: []int64(nil), ColumnFloat: []float64(nil),
		ColumnByte: []uint8(nil)}[c.Type], shape...)
	if err != nil {
		return err
	}
	f, err := t.member(c.Name)
	if err == nil {
		_, err = f.Write(head)
	}
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

// Close removes the temporary files.
func (t *npzTable) Close() error {
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

// spool holds what is written to it until it is read. Its memory grows by pieces, of which none is copied again.
type spool struct {
	memory [][]byte
	size   int      // bytes in memory
	file   *os.File // for what exceeds the memory; nil for none
}

func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil && s.size+len(b) <= spoolMemory {
		s.memory, s.size = append(s.memory, bytes.Clone(b)), s.size+len(b)
		return len(b), nil
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
	for i, block := range s.memory {
		if _, err := w.Write(block); err != nil {
			return err
		}
		s.memory[i] = nil
	}
	if s.file == nil {
		return nil
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
