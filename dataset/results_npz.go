package dataset

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"math/bits"
	"os"
	"time"

	"github.com/klauspost/compress/flate"

	"example.com/patchwork/internal/npy"
)

// npzTable writes a table as an archive of arrays. An array begins with its
// number of rows, which is known at the end only, and the members of an archive
// stand one after the other. So each array is compressed as its rows come, into
// memory or a temporary file, and put behind its header at the end.
type npzTable struct {
	w       io.Writer
	columns []TableColumn
	spools  []*spool   // of the columns of numbers
	text    [][]string // of the columns of text
	rows    int
}

func newNPZTable(w io.Writer) *npzTable { return &npzTable{w: w} }

func (t *npzTable) begin(columns []TableColumn) error {
	t.columns, t.text = columns, make([][]string, len(columns))
	for _, c := range columns {
		var s *spool
		if c.Type != ColumnText {
			s = newSpool()
		}
		t.spools = append(t.spools, s)
	}
	return nil
}

func (t *npzTable) write(values []any, rows int) error {
	t.rows += rows
	for i, s := range t.spools {
		if s == nil {
			t.text[i] = append(t.text[i], values[i].([]string)...)
		} else if err := npy.WriteElements(s, values[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *npzTable) end() error {
	z := zip.NewWriter(t.w)
	for i, c := range t.columns {
		name := c.Name + ".npy"
		var err error
		if t.spools[i] != nil {
			err = t.numbers(z, name, i)
		} else {
			var f io.Writer
			if f, err = z.CreateHeader(member1980(name)); err == nil {
				err = npy.Write(f, npy.New(t.text[i], t.rows))
			}
		}
		var ne *npy.FormatError
		if errors.As(err, &ne) {
			ne.Member = name
			return at(err, "")
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// numbers writes the array of column i.
func (t *npzTable) numbers(z *zip.Writer, name string, i int) error {
	c, s := &t.columns[i], t.spools[i]
	shape := []int{t.rows}
	if c.Block != nil {
		shape = append(shape, len(c.Block))
	}
	head, err := npy.HeaderOf([...]any{ColumnInt: []int64(nil), ColumnFloat: []float64(nil), ColumnByte: []uint8(nil)}[c.Type], shape...)
	if err != nil {
		return err
	}
	body, err := s.finish()
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	d, _ := flate.NewWriter(&packed, 1) // fails for an unknown level only
	if _, err := d.Write(head); err != nil {
		return err
	}
	if err := d.Flush(); err != nil { // not closed: the blocks of the body follow
		return err
	}
	h := member1980(name)
	h.CRC32 = joinCRC(crc32.ChecksumIEEE(head), s.crc, s.n)
	h.UncompressedSize64, h.CompressedSize64 = uint64(int64(len(head))+s.n), uint64(int64(packed.Len())+s.size)
	f, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.MultiReader(&packed, body))
	return err
}

func member1980(name string) *zip.FileHeader {
	return &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (t *npzTable) close() error {
	var err error
	for _, s := range t.spools {
		if s != nil {
			err = firstError(err, s.close())
		}
	}
	return err
}

// spoolMemory is how much of a compressed array is kept in memory.
const spoolMemory = 16 << 20

// spool compresses what is written to it and keeps it until it is read.
type spool struct {
	deflate *flate.Writer
	memory  bytes.Buffer
	file    *os.File // for what exceeds the memory; nil for none
	n, size int64    // bytes written, and after compression
	crc     uint32
}

func newSpool() *spool {
	s := &spool{}
	s.deflate, _ = flate.NewWriter(packedSpool{s}, 1)
	return s
}

func (s *spool) Write(b []byte) (int, error) {
	s.n += int64(len(b))
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b)
	return s.deflate.Write(b)
}

// packedSpool takes the compressed bytes of a spool.
type packedSpool struct{ *spool }

func (s packedSpool) Write(b []byte) (int, error) {
	s.size += int64(len(b))
	if s.file == nil && s.memory.Len()+len(b) <= spoolMemory {
		return s.memory.Write(b)
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "patchwork-*")
		if err != nil {
			return 0, err
		}
		s.spool.file = f
	}
	return s.file.Write(b)
}

// finish returns a reader of the compressed bytes.
func (s *spool) finish() (io.Reader, error) {
	if err := s.deflate.Close(); err != nil {
		return nil, err
	}
	if s.file == nil {
		return &s.memory, nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.MultiReader(&s.memory, s.file), nil
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	err := firstError(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
	return err
}

// joinCRC returns the checksum of two texts one after the other from theirs and
// the length of the second. A checksum is linear over bits: appending n zeros
// multiplies it by a power of x modulo the polynomial.
func joinCRC(a, b uint32, n int64) uint32 {
	power := uint32(1) << 30 // x, in the reversed order of bits of crc32.IEEE
	result := uint32(1) << 31
	for n := 8 * uint64(n); n > 0; n >>= 1 { // x^(8n) by squaring
		if n&1 != 0 {
			result = multiplyCRC(result, power)
		}
		power = multiplyCRC(power, power)
	}
	return multiplyCRC(a, result) ^ b
}

// multiplyCRC multiplies two polynomials modulo that of crc32.IEEE.
func multiplyCRC(a, b uint32) uint32 {
	var product uint32
	for a = bits.Reverse32(a); a != 0; a >>= 1 {
		if a&1 != 0 {
			product ^= b
		}
		b = b>>1 ^ crc32.IEEE&-(b&1)
	}
	return product
}
