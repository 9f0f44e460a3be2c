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

// parquet-go allocates what a file claims: lists of the footer, values and buffers of pages. A few hostile bytes could
// request hundreds of gigabytes, and a program cannot recover from running out of memory. So claims that the file
// cannot satisfy are refused here first; a slice that leaves what is there panics, which recoverParquet takes.

// parquetCodecs are the codecs that are read: of others only the library knows to what
// a page unpacks, and it takes what it gets.
var parquetCodecs = []parquetform.CompressionCodec{parquetform.Uncompressed, parquetform.Snappy, parquetform.Gzip,
	parquetform.Zstd}

const (
	maxSchemaDepth = 64        // a table has columns below a root
	maxPage        = 256 << 20 // bytes of a page, unpacked; writers aim at 1 MiB
	maxPageHeader  = 1 << 20   // bytes, of which statistics may be many
	// What any page may have; in a larger file more, for each byte of it. A page of equal values packs them all into a
	// few bytes, and writers put a million rows or so into one.
	leastPage, pagePerByte     = 16 << 20, 1 << 10
	leastValues, valuesPerByte = 4 << 20, 64
)

func unlikeParquet(format string, args ...any) error {
	return &FormatError{Msg: "damaged Parquet file: " + fmt.Sprintf(format, args...),
		Hint: "copy or write the file again"}
}

// afterThrift returns what follows a value in Thrift's compact protocol; it panics if that claims more than there is.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
func afterThrift(b []byte, kind byte, depth int) []byte {
	varint := func() int {
		v, n := binary.Uvarint(b)
		b = b[n:]
		return int(min(v, math.MaxInt32))
	}
	list := func(n int, kinds ...byte) {
		for range b[:n] { // each takes a byte at least
			for _, kind := range kinds {
				b = afterThrift(b, kind, depth+1)
			}
		}
	}
	switch {
	case kind >= 1 && kind <= 3: // true, false, a byte
		return b[1:]
	case kind >= 4 && kind <= 6: // integers
		varint()
	case kind == 7: // a double
		return b[8:]
	case kind == 8: // bytes
		n := varint()
		return b[n:]
	case kind == 9 || kind == 10: // lists
		head := b[0]
		n := int(head >> 4)
		if b = b[1:]; n == 15 {
			n = varint()
		}
		list(n, head&15)
	case kind == 11: // a map
		if n := varint(); n > 0 {
			kinds := b[0]
			b = b[1:]
			list(n, kinds>>4, kinds&15)
		}
	case kind == 12 && depth < 32: // a structure; Parquet's own are far less deep
		for b[0] != 0 {
			head := b[0]
			if b = b[1:]; head>>4 == 0 {
				varint() // the number of the field
			}
			if head&15 > 2 { // 1 and 2 are true and false, without a body
				b = afterThrift(b, head&15, depth+1)
			}
		}
		return b[1:]
	default:
		panic("a value of no type that there is")
	}
	return b
}

// decodeThrift decodes a structure at the beginning of b and returns its length.
func decodeThrift(b []byte, v any) (int, error) {
	n := len(b) - len(afterThrift(b, 12, 0))
	return n, thrift.Unmarshal(new(thrift.CompactProtocol), b[:n:n], v)
}

// checkFooter checks the footer of a Parquet file: the shape of the schema and of the row groups. The library takes
// memory for the path of every element and for every column of every row group, whether they are there or not.
func checkFooter(ra io.ReaderAt, size int64) error {
	tail := make([]byte, 8)
	if _, err := ra.ReadAt(tail, max(0, size-8)); err != nil && err != io.EOF {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(tail))
	if string(tail[4:]) != "PAR1" || n > size-12 {
		return unlikeParquet("the end mark or the footer is missing, so the file is cut off")
	}
	footer := make([]byte, n)
	if _, err := ra.ReadAt(footer, size-8-n); err != nil {
		return err
	}
	var m parquetform.FileMetaData
	if _, err := decodeThrift(footer, &m); err != nil {
		return unlikeParquet("the footer is malformed")
	}
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
		if open = append(open, n); len(open) > maxSchemaDepth || n < 0 || int(n) > len(m.Schema) {
			return unlikeParquet("its schema is nested deeper than %d or claims columns that are not there", maxSchemaDepth)
		}
		leaves += btoi(n == 0)
	}
	for i, g := range m.RowGroups {
		if len(g.Columns) != leaves {
			return unlikeParquet("row group %d has %d columns, the schema has %d", i+1, len(g.Columns), leaves)
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
		left := m.TotalCompressedSize
		if from < 4 || left < 0 || from > size || left > size-from {
			return unlikeParquet("a column of %d bytes from byte %d of %d", left, from, size)
		}
		rows := min(max(group.NumRows, 0), limit/imageOverhead, leastValues+valuesPerByte*size)
		for r := bufio.NewReaderSize(io.NewSectionReader(ra, from, left), maxPageHeader); left > 0; {
			n, err := checkPage(r, left, m.Codec, rows, limit)
			if err != nil {
				return err
			}
			left -= n
		}
	}
	return nil
}

// checkPage checks the next page of a column that has so many rows and bytes left, and returns its length.
func checkPage(r *bufio.Reader, left int64, codec parquetform.CompressionCodec, rows, limit int64) (int64, error) {
	head, err := r.Peek(int(min(left, maxPageHeader)))
	if err != nil {
		return 0, err
	}
	var h parquetform.PageHeader
	n, err := decodeThrift(head, &h)
	if err != nil {
		return 0, unlikeParquet("a page header is malformed")
	}
	v2 := &h.DataPageHeaderV2.V
	values := int64(max(h.DataPageHeader.V.NumValues, h.DictionaryPageHeader.V.NumValues, v2.NumValues))
	// before the values, not compressed
	levels := int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength)
	packed, bytes := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	switch {
	case packed < 0 || packed > left-int64(n), min(v2.RepetitionLevelsByteLength, v2.DefinitionLevelsByteLength) < 0,
		levels > packed:
		return 0, unlikeParquet("a page of %d bytes with levels of %d where %d are left", packed, levels, left-int64(n))
	case bytes < 0 || bytes > min(maxPage, limit, leastPage+pagePerByte*packed):
		return 0, unlikeParquet("a page of %d bytes, packed %d", bytes, packed)
	case values < 0 || values > rows+bytes: // a dictionary has more entries than there are rows, but not more than bytes
		return 0, unlikeParquet("a page of %d values in a group of %d rows", values, rows)
	}
	if h.DataPageHeaderV2.Valid && v2.IsCompressed.Valid && !v2.IsCompressed.V {
		codec = parquetform.Uncompressed
	}
	_, _ = r.Discard(n + int(levels)) // the next read tells of an error
	body := io.LimitReader(r, packed-levels)
	if got, err := unpackedLength(codec, body, bytes); err != nil || got > bytes {
		return 0, unlikeParquet("a page that is not compressed as its header says")
	}
	return int64(n) + packed, drain(body)
}

// unpackedLength returns to how many bytes the values of a page unpack, or one more than its header says: the library
// goes on beyond that.
func unpackedLength(codec parquetform.CompressionCodec, body io.Reader, says int64) (int64, error) {
	var z io.Reader
	var err error
	switch codec {
	case parquetform.Snappy:
		n, err := binary.ReadUvarint(bufio.NewReaderSize(body, 16))
		return int64(min(n, math.MaxInt64)), err
	case parquetform.Gzip:
		z, err = gzip.NewReader(body)
	case parquetform.Zstd:
		z, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(uint64(max(says, 1<<20))))
	default:
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return io.Copy(io.Discard, io.LimitReader(z, says+1))
}
