//go:build !js

package dataset

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	parquetform "github.com/parquet-go/parquet-go/format"
)

// parquet-go allocates what the headers of a file claim: lists of the footer, values and
// buffers of pages. A few hostile bytes could request hundreds of gigabytes,
// and a program cannot recover from running out of memory. So the headers are
// checked here first, and claims that the file cannot satisfy are refused.

// parquetCodecs are the codecs that are read: of others only the library knows to what
// a page unpacks, and it takes what it gets.
var parquetCodecs = []parquetform.CompressionCodec{parquetform.Uncompressed, parquetform.Snappy, parquetform.Gzip, parquetform.Zstd}

const (
	maxSchemaDepth = 64        // a table has columns below a root
	maxPage        = 256 << 20 // bytes of a page, unpacked; writers aim at 1 MiB
	// What any page may have; in a larger file more, for each byte of it. A page of equal values packs them all into a
	// few bytes, and writers put a million rows or so into one.
	leastPage, pagePerByte     = 16 << 20, 1 << 10
	leastValues, valuesPerByte = 4 << 20, 64
)

func damagedAt(at int64, format string, args ...any) error {
	return &FormatError{Offset: at, Msg: "damaged Parquet file: " + fmt.Sprintf(format, args...),
		Hint: "copy or write the file again"}
}

// decodeThrift decodes a structure at the beginning of b, if it claims no more than b holds, and returns its length.
func decodeThrift(b []byte, v any) (int, error) {
	c := thriftClaims{b: b}
	if c.value(12, 0); c.bad {
		return 0, io.ErrUnexpectedEOF
	}
	n := len(b) - len(c.b)
	return n, thrift.Unmarshal(new(thrift.CompactProtocol), b[:n:n], v)
}

// checkFooter checks the footer of a Parquet file.
func checkFooter(ra io.ReaderAt, size int64) error {
	if size < 12 {
		return damagedAt(0, "too short")
	}
	var tail [8]byte
	if _, err := ra.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return damagedAt(0, "the end mark is missing, so the file is cut off")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 {
		return damagedAt(0, "the footer claims %d of %d bytes", n, size)
	}
	footer := make([]byte, n)
	if _, err := ra.ReadAt(footer, size-8-n); err != nil {
		return err
	}
	var m parquetform.FileMetaData
	if _, err := decodeThrift(footer, &m); err != nil {
		return damagedAt(0, "the footer is malformed")
	}
	return checkSchema(&m)
}

// checkSchema checks the shape of the schema and of the row groups. The library takes memory for the path of
// every element and for every column of every row group, whether they are there or not.
func checkSchema(m *parquetform.FileMetaData) error {
	var open []int32 // children to come, of the elements above the next one
	leaves := 0
	for _, e := range m.Schema {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		n := e.NumChildren.V
		if n < 0 || int(n) > len(m.Schema) {
			return damagedAt(0, "an element of its schema claims %d columns", n)
		}
		if n == 0 {
			leaves++
		}
		if open = append(open, n); len(open) > maxSchemaDepth {
			return damagedAt(0, "its schema is nested deeper than %d", maxSchemaDepth)
		}
	}
	for i, g := range m.RowGroups {
		if len(g.Columns) != leaves {
			return damagedAt(0, "row group %d has %d columns, the schema has %d", i+1, len(g.Columns), leaves)
		}
	}
	return nil
}

// checkPages checks the pages of the chunks of a row group that will be read. All these
// are flat, so no page has more values than rows.
func checkPages(ra io.ReaderAt, size int64, group *parquetform.RowGroup, columns []int, limit int64) error {
	for _, i := range columns {
		m := &group.Columns[i].MetaData
		from := m.DataPageOffset
		if m.DictionaryPageOffset > 0 {
			from = min(from, m.DictionaryPageOffset)
		}
		if !slices.Contains(parquetCodecs, m.Codec) {
			return &FormatError{Msg: fmt.Sprintf("its pages are compressed by %v, which is not read here", m.Codec),
				Hint: "write the file with snappy or zstd"}
		}
		end := from + m.TotalCompressedSize
		if from < 4 || m.TotalCompressedSize < 0 || end < from || end > size {
			return damagedAt(0, "a column at bytes %d to %d of %d", from, end, size)
		}
		rows := min(max(group.NumRows, 0), limit/imageOverhead, leastValues+valuesPerByte*size)
		for pos := from; pos < end; {
			n, err := checkPage(ra, pos, end, m.Codec, rows, limit)
			if err != nil {
				return err
			}
			pos += n
		}
	}
	return nil
}

// checkPage checks the page at a place of a column that has so many rows, and returns its length.
func checkPage(ra io.ReaderAt, pos, end int64, codec parquetform.CompressionCodec, rows, limit int64) (int64, error) {
	var h parquetform.PageHeader
	n := 0
	for window := int64(512); n == 0; window *= 8 { // statistics may be long
		buf := make([]byte, min(window, end-pos))
		if _, err := ra.ReadAt(buf, pos); err != nil {
			return 0, err
		}
		var err error
		if n, err = decodeThrift(buf, &h); err != nil && (window >= end-pos || window > 1<<24) {
			return 0, damagedAt(pos, "a page header is malformed")
		} else if err != nil {
			n = 0
		}
	}
	v2 := &h.DataPageHeaderV2.V
	values := int64(max(h.DataPageHeader.V.NumValues, h.DictionaryPageHeader.V.NumValues, v2.NumValues))
	// before the values, not compressed
	levels := int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength)
	packed, bytes := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	switch {
	case packed < 0 || packed > end-pos-int64(n):
		return 0, damagedAt(pos, "a page reaches beyond its column")
	case min(v2.RepetitionLevelsByteLength, v2.DefinitionLevelsByteLength) < 0 || levels > packed:
		return 0, damagedAt(pos, "levels longer than their page")
	case bytes < 0 || bytes > min(maxPage, limit, leastPage+pagePerByte*packed):
		return 0, damagedAt(pos, "a page of %d bytes, packed %d", bytes, packed)
	case values < 0 || values > rows+bytes: // a dictionary has more entries than there are rows, but not more than bytes
		return 0, damagedAt(pos, "a page of %d values in a group of %d rows", values, rows)
	}
	if h.DataPageHeaderV2.Valid && v2.IsCompressed.Valid && !v2.IsCompressed.V {
		codec = parquetform.Uncompressed
	}
	body := io.NewSectionReader(ra, pos+int64(n)+levels, packed-levels)
	if got, err := unpackedLength(codec, body, bytes); err != nil || got > bytes {
		return 0, damagedAt(pos, "a page that is not compressed as its header says")
	}
	return int64(n) + packed, nil
}

// unpackedLength returns to how many bytes the values of a page unpack, or one more than its header says: the library
// goes on beyond that.
func unpackedLength(codec parquetform.CompressionCodec, body io.Reader, says int64) (int64, error) {
	switch codec {
	case parquetform.Snappy:
		n, err := binary.ReadUvarint(bufio.NewReaderSize(body, 16))
		return int64(min(n, math.MaxInt64)), err
	case parquetform.Gzip:
		z, err := gzip.NewReader(body)
		if err != nil {
			return 0, err
		}
		return io.Copy(io.Discard, io.LimitReader(z, says+1))
	case parquetform.Zstd:
		z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(uint64(max(says, 1<<20))))
		if err != nil {
			return 0, err
		}
		defer z.Close()
		return io.Copy(io.Discard, io.LimitReader(z, says+1))
	}
	return 0, nil
}

// thriftClaims walks a value in Thrift's compact protocol without building anything: lists and texts that claim more
// than there is are bad. https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type thriftClaims struct {
	b   []byte // what is left
	bad bool
}

func (c *thriftClaims) skip(n uint64) {
	if c.bad = c.bad || n > uint64(len(c.b)); !c.bad {
		c.b = c.b[n:]
	}
}

func (c *thriftClaims) byte() byte {
	before := c.b
	if c.skip(1); c.bad {
		return 0
	}
	return before[0]
}

func (c *thriftClaims) varint() uint64 {
	v, n := binary.Uvarint(c.b)
	c.bad = c.bad || n <= 0
	c.skip(uint64(max(n, 0)))
	return v
}

// value walks a value of the given type: 1 to 3 bytes, 4 to 6 integers, 7 a double, 8 bytes, 9 and 10 lists, 11 a map,
// 12 a structure.
func (c *thriftClaims) value(kind byte, depth int) {
	switch {
	case kind >= 1 && kind <= 3:
		c.skip(1)
	case kind >= 4 && kind <= 6:
		c.varint()
	case kind == 7:
		c.skip(8)
	case kind == 8:
		c.skip(c.varint())
	case kind == 12 && depth < 32: // far above Parquet's own structures
		for head := c.byte(); head&15 != 0 && !c.bad; head = c.byte() {
			if head>>4 == 0 {
				c.varint() // the number of the field
			}
			if head&15 > 2 { // 1 and 2 are true and false, without a body
				c.value(head&15, depth+1)
			}
		}
	case kind == 9 || kind == 10:
		head := c.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = c.varint()
		}
		c.items(n, depth, head&15)
	case kind == 11:
		if n := c.varint(); n > 0 {
			kinds := c.byte()
			c.items(n, depth, kinds>>4, kinds&15)
		}
	default:
		c.bad = true
	}
}

// items walks n groups of values, each of which takes a byte at least.
func (c *thriftClaims) items(n uint64, depth int, kinds ...byte) {
	if c.bad = c.bad || n > uint64(len(c.b)) || depth >= 32; c.bad {
		return
	}
	for range n {
		for _, k := range kinds {
			c.value(k, depth+1)
		}
		if c.bad {
			return
		}
	}
}
