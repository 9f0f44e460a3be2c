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
	"github.com/parquet-go/parquet-go/format"
)

// parquet-go allocates what the headers of a file claim: lists of the footer,
// buffers of pages. A few hostile bytes could request hundreds of gigabytes,
// and a program cannot recover from running out of memory. So the headers are
// checked here first, and claims that the file cannot satisfy are refused. Both
// are structures in Thrift's compact protocol:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

// parquetCodecs are the codecs that are read: of others only the library knows to what
// a page unpacks, and it takes what it gets.
var parquetCodecs = []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Zstd}

// maxPage bounds a decompressed page. Writers aim at 1 MiB.
const maxPage = 256 << 20

// checkFooter checks the footer of a Parquet file.
func checkFooter(ra io.ReaderAt, size int64) error {
	bad := func(msg string) error {
		return &FormatError{Msg: "damaged Parquet file: " + msg, Hint: "copy or write the file again"}
	}
	var tail [8]byte
	if size < 12 {
		return bad("too short")
	}
	if _, err := ra.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return bad("the end mark is missing, so the file is cut off")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 {
		return bad(fmt.Sprintf("the footer claims %d of %d bytes", n, size))
	}
	footer := make([]byte, n)
	if _, err := ra.ReadAt(footer, size-8-n); err != nil {
		return err
	}
	s := schemaShape{}
	t := thrift{b: footer, visit: s.number, enter: s.enter}
	t.structure(nil)
	if t.bad {
		return bad("the footer is malformed")
	}
	if problem := s.check(); problem != "" {
		return bad(problem)
	}
	return nil
}

// schemaShape is how the columns of a file are nested, and how many each row group has.
type schemaShape struct {
	children []int64 // of the elements of the schema, in their order, each before its children
	chunks   []int   // columns of each row group
}

// maxSchemaDepth is far above the nesting of any table: a table has columns below a root.
const maxSchemaDepth = 64

// enter is called at the beginning of each structure of the footer.
func (s *schemaShape) enter(path []int64) {
	switch {
	case slices.Equal(path, []int64{2, -1}):
		s.children = append(s.children, 0)
	case slices.Equal(path, []int64{4, -1}):
		s.chunks = append(s.chunks, 0)
	case slices.Equal(path, []int64{4, -1, 1, -1}):
		s.chunks[len(s.chunks)-1]++
	}
}

// number is called with each number of the footer.
func (s *schemaShape) number(path []int64, v int64) {
	if slices.Equal(path, []int64{2, -1, 5}) {
		s.children[len(s.children)-1] = v
	}
}

// check returns what is wrong with the shape. The library takes memory for the path of
// every element and for every column of every row group, whether they are there or not.
func (s *schemaShape) check() string {
	var open []int64 // children to come, of the elements above the next one
	leaves := 0
	for i, n := range s.children {
		if i > 0 {
			for len(open) > 0 && open[len(open)-1] == 0 {
				open = open[:len(open)-1]
			}
			if len(open) == 0 {
				return "its schema has elements that belong to none"
			}
			open[len(open)-1]--
		}
		if n < 0 || n > int64(len(s.children)) {
			return fmt.Sprintf("an element of its schema claims %d columns", n)
		}
		if n == 0 {
			leaves++
		}
		if open = append(open, n); len(open) > maxSchemaDepth {
			return fmt.Sprintf("its schema is nested deeper than %d", maxSchemaDepth)
		}
	}
	for i, n := range s.chunks {
		if n != leaves {
			return fmt.Sprintf("row group %d has %d columns, the schema has %d", i+1, n, leaves)
		}
	}
	return ""
}

// checkPages checks the pages of the chunks of a row group that will be read. All these
// are flat, so no page has more values than rows.
func checkPages(ra io.ReaderAt, size int64, group *format.RowGroup, columns []int, limit int64) error {
	for _, i := range columns {
		if i >= len(group.Columns) {
			return damagedAt(0, "a row group lacks a column")
		}
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
			return damagedAt(0, fmt.Sprintf("a column at bytes %d to %d of %d", from, end, size))
		}
		for pos := from; pos < end; {
			h, err := readPageHeader(ra, pos, end)
			if err != nil {
				return err
			}
			if problem := h.check(end-pos, group.NumRows, limit); problem != "" {
				return damagedAt(pos, problem)
			}
			body := io.NewSectionReader(ra, pos+h.bytes+h.levels, h.compressed-h.levels)
			if problem := h.unpacks(m.Codec, body); problem != "" {
				return damagedAt(pos, problem)
			}
			pos += h.bytes + h.compressed
		}
	}
	return nil
}

func damagedAt(at int64, msg string) error {
	return &FormatError{Offset: at, Msg: "damaged Parquet file: " + msg, Hint: "copy or write the file again"}
}

// pageHeader holds the numbers by which the library allocates.
type pageHeader struct {
	bytes                            int64 // of the header itself; 0 if it is malformed
	compressed, uncompressed, values int64
	levels                           int64 // bytes of version 2 before the values, not compressed
	plain                            bool  // nor are the values
}

// set takes a number of the header.
func (h *pageHeader) set(path []int64, v int64) {
	if len(path) == 1 {
		switch path[0] {
		case 2:
			h.uncompressed = v
		case 3:
			h.compressed = v
		}
		return
	}
	if len(path) != 2 || path[0] != 5 && path[0] != 7 && path[0] != 8 {
		return
	}
	switch v2 := path[0] == 8; {
	case path[1] == 1:
		h.values = max(h.values, v) // of a data, dictionary, or version 2 page
	case v2 && (path[1] == 5 || path[1] == 6):
		if v < 0 || v > maxPage {
			v = 2 * maxPage // longer than any page
		}
		h.levels += v
	case v2 && path[1] == 7:
		h.plain = v == 0
	}
}

// check returns what is wrong with a header that so many bytes follow.
func (h *pageHeader) check(left, rows, limit int64) string {
	switch {
	case h.bytes == 0:
		return "a page header is malformed"
	case h.compressed < 0 || h.compressed > left-h.bytes:
		return "a page reaches beyond its column"
	case h.levels > h.compressed:
		return "levels longer than their page"
	case h.uncompressed < 0 || h.uncompressed > min(maxPage, limit):
		return fmt.Sprintf("a page of %d bytes", h.uncompressed)
	case h.values < 0 || h.values > min(max(rows, 0), limit/imageOverhead)+h.uncompressed:
		// A dictionary may have more entries than there are rows, but not more than bytes.
		return fmt.Sprintf("a page of %d values in a group of %d rows", h.values, rows)
	}
	return ""
}

// unpacks returns a problem if the values of a page unpack to more than its header says:
// the library goes on beyond that.
func (h *pageHeader) unpacks(codec format.CompressionCodec, body io.Reader) string {
	n, err := int64(0), error(nil)
	switch {
	case h.plain:
	case codec == format.Snappy:
		var says uint64
		says, err = binary.ReadUvarint(bufio.NewReaderSize(body, 16))
		n = int64(min(says, math.MaxInt64))
	case codec == format.Gzip:
		var z *gzip.Reader
		if z, err = gzip.NewReader(body); err == nil {
			n, err = h.length(z)
		}
	case codec == format.Zstd:
		var z *zstd.Decoder
		window := uint64(max(h.uncompressed, 1<<20))
		if z, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(window)); err == nil {
			n, err = h.length(z)
			z.Close()
		}
	}
	if err != nil || n > h.uncompressed {
		return "a page that is not compressed as its header says"
	}
	return ""
}

// length returns how many bytes of a page are unpacked, or one more than its header says.
func (h *pageHeader) length(unpacked io.Reader) (int64, error) {
	return io.Copy(io.Discard, io.LimitReader(unpacked, h.uncompressed+1))
}

// readPageHeader reads more and more bytes until the header is complete; its
// statistics may be long.
func readPageHeader(ra io.ReaderAt, pos, end int64) (pageHeader, error) {
	for window := int64(512); ; window *= 8 {
		buf := make([]byte, min(window, end-pos))
		if _, err := ra.ReadAt(buf, pos); err != nil {
			return pageHeader{}, err
		}
		h := pageHeader{compressed: -1, uncompressed: -1}
		t := thrift{b: buf, visit: h.set}
		t.structure(nil)
		if !t.bad {
			h.bytes = int64(t.at)
			return h, nil
		}
		if window >= end-pos || window > 1<<24 {
			return pageHeader{}, nil
		}
	}
}

// thrift walks one value in the compact protocol without building anything.
type thrift struct {
	b     []byte
	at    int
	bad   bool // malformed, or longer than b
	visit func(path []int64, v int64)
	enter func(path []int64) // called for each structure; may be nil
}

// maxThriftDepth is far above Parquet's own structures.
const maxThriftDepth = 32

func (t *thrift) fail() { t.bad, t.at = true, len(t.b) }

func (t *thrift) byte() byte {
	if t.at >= len(t.b) {
		t.fail()
		return 0
	}
	t.at++
	return t.b[t.at-1]
}

func (t *thrift) varint() uint64 {
	v, n := binary.Uvarint(t.b[t.at:])
	if n <= 0 {
		t.fail()
		return 0
	}
	t.at += n
	return v
}

func (t *thrift) zigzag() int64 {
	v := t.varint()
	return int64(v>>1) ^ -int64(v&1)
}

func (t *thrift) skip(n uint64) {
	if n > uint64(len(t.b)-t.at) {
		t.fail()
		return
	}
	t.at += int(n)
}

// structure walks fields up to the stop byte.
func (t *thrift) structure(path []int64) {
	if len(path) > maxThriftDepth {
		t.fail()
	}
	if t.enter != nil {
		t.enter(path)
	}
	id := int64(0)
	for !t.bad {
		b := t.byte()
		if b&15 == 0 {
			return
		}
		if b>>4 != 0 {
			id += int64(b >> 4)
		} else {
			id = t.zigzag()
		}
		at := append(path[:len(path):len(path)], id)
		if b&15 > 2 {
			t.value(b&15, at)
		} else if t.visit != nil { // 1 and 2 are true and false, without a body
			t.visit(at, int64(2-b&15))
		}
	}
}

// value walks the body of a value of the given compact type.
func (t *thrift) value(kind byte, path []int64) {
	switch kind {
	case 1, 2, 3: // bool in a list, byte
		t.byte()
	case 4, 5, 6: // i16, i32, i64
		if v := t.zigzag(); t.visit != nil && !t.bad {
			t.visit(path, v)
		}
	case 7: // double
		t.skip(8)
	case 8: // binary
		t.skip(t.varint())
	case 9, 10: // list, set
		head := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = t.varint()
		}
		t.items(n, path, head&15)
	case 11: // map
		if n := t.varint(); n > 0 {
			kinds := t.byte()
			t.items(n, path, kinds>>4, kinds&15)
		}
	case 12:
		t.structure(path)
	default:
		t.fail()
	}
}

// items walks n groups of values. Every value takes at least one byte, a bound
// that the library does not check before it allocates n of them.
func (t *thrift) items(n uint64, path []int64, kinds ...byte) {
	if n > uint64(len(t.b)-t.at) || len(path) > maxThriftDepth {
		t.fail()
		return
	}
	inner := append(path[:len(path):len(path)], -1)
	for range n {
		for _, k := range kinds {
			t.value(k, inner)
		}
		if t.bad {
			return
		}
	}
}
