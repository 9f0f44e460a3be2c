//go:build !js

package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.com/patchwork/internal/testenv"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	compact "github.com/parquet-go/parquet-go/encoding/thrift"
	parquetform "github.com/parquet-go/parquet-go/format"
)

// codedRow has a column for each way in which values are coded.
type codedRow struct {
	Bool  bool    `parquet:"bool"`
	Runs  bool    `parquet:"runs"`
	Dict  int64   `parquet:"dict,dict"`
	Delta int32   `parquet:"delta,delta"`
	Maybe *int64  `parquet:"maybe,optional"`
	Split float64 `parquet:"split,split"`
	Site  string  `parquet:"site,dict"`
	Long  string  `parquet:"long,delta"` // lengths as differences
}

// parquetBytes returns a file of some rows.
func parquetBytes(t testing.TB, version int, codec compress.Codec, rows int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[codedRow](&b, parquet.DataPageVersion(version), parquet.Compression(codec),
		parquet.PageBufferSize(700), parquet.MaxRowsPerRowGroup(400))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		row := codedRow{Bool: i%3 == 0, Runs: i%100 < 50, Dict: int64(r.IntN(2)), Delta: int32(r.IntN(2)),
			Split: float64(i % 2), Site: fmt.Sprint("site ", i), Long: "x"}
		if v := int64(i % 2); i%5 > 0 {
			row.Maybe = &v
		}
		if _, err := w.Write([]codedRow{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var codecsRead = map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy,
	"gzip": &parquet.Gzip, "zstd": &parquet.Zstd}

// Files of every codec, version of pages and way of coding pass the guard, and say the same.
func TestParquetCodecs(t *testing.T) {
	var want *Set
	for version := 1; version <= 2; version++ {
		for name, codec := range codecsRead {
			got := mustRead(t, "x.parquet", parquetBytes(t, version, codec, 1000), Options{Edits: []Edit{{Column: "site", Want: "label"}, {Column: "long", Want: "label"}}})
			if want == nil {
				want = got
			}
			if got.Len() != 1000 || len(got.Columns) != 6 || got.Images[4].CountOn() != want.Images[4].CountOn() ||
				got.Images[0].CountKnown() != 5 {
				t.Fatalf("%s, version %d: %d rows of %q", name, version, got.Len(), got.Columns)
			}
			for i := range got.Images {
				if !got.Images[i].Equal(want.Images[i]) {
					t.Fatalf("%s, version %d: row %d differs", name, version, i)
				}
			}
		}
	}
}

// TestParquetCodecsNotRead: of LZ4 and Brotli nothing here knows to what a page unpacks.
func TestParquetCodecsNotRead(t *testing.T) {
	for _, codec := range []compress.Codec{&parquet.Lz4Raw, &parquet.Brotli} {
		refused(t, "x.parquet", parquetBytes(t, 1, codec, 10), Options{Edits: []Edit{{Column: "site", Want: "label"}, {Column: "long", Want: "label"}}})
	}
}

// packed compresses zeros.
func packed(t testing.TB, codec parquetform.CompressionCodec, zeros int) []byte {
	t.Helper()
	var b bytes.Buffer
	plain := make([]byte, zeros)
	switch codec {
	case parquetform.Snappy:
		return snappy.Encode(nil, plain)
	case parquetform.Gzip:
		w := gzip.NewWriter(&b)
		w.Write(plain)
		w.Close()
	case parquetform.Zstd:
		w, _ := zstd.NewWriter(&b)
		for range 4 { // frames, each of which is within what it says of itself
			w.Reset(&b)
			w.Write(plain[:zeros/4])
			w.Close()
		}
	}
	return b.Bytes()
}

// TestPagesThatClaimLess: a page that unpacks to more than its header says is refused
// before it is in memory; one that does not is not.
func TestPagesThatClaimLess(t *testing.T) {
	for _, codec := range []parquetform.CompressionCodec{parquetform.Snappy, parquetform.Gzip, parquetform.Zstd} {
		body := packed(t, codec, 64<<20)
		before := allocated()
		n, err := unpackedLength(codec, bytes.NewReader(body), 4000)
		if err == nil && n <= 4000 {
			t.Errorf("%v: 64 MB pass for 4000 bytes", codec)
		}
		if n := allocated() - before; n > 16<<20 {
			t.Errorf("%v: %d MB for a page of 4000 bytes", codec, n>>20)
		}
		if n, err := unpackedLength(codec, bytes.NewReader(packed(t, codec, 4000)), 4000); n > 4000 || err != nil {
			t.Errorf("%v: %d, %v", codec, n, err)
		}
	}
}

// TestPagesThatClaimMore: a page of a few bytes that claims two thousand million values, or as many bytes, is refused
// at once: by those who read all, a part at a time, or real values.
func TestPagesThatClaimMore(t *testing.T) {
	type row struct {
		A bool `parquet:"a"`
	}
	plain := map[bool][]byte{} // by whether its pages are of version 1
	for _, v1 := range []bool{false, true} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, parquet.Compression(&parquet.Snappy),
			parquet.DataPageVersion(map[bool]int{true: 1, false: 2}[v1]))
		if _, err := w.Write(make([]row, 1000)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		plain[v1] = b.Bytes()
	}
	for name, claim := range map[string]func(*parquetform.PageHeader){
		"values":       func(h *parquetform.PageHeader) { h.DataPageHeader.V.NumValues = 1<<31 - 1 },
		"values of v2": func(h *parquetform.PageHeader) { h.DataPageHeaderV2.V.NumValues = 1<<31 - 1 },
		"bytes":        func(h *parquetform.PageHeader) { h.UncompressedPageSize = 1<<31 - 1 },
		"some bytes":   func(h *parquetform.PageHeader) { h.UncompressedPageSize = 200 << 20 },
	} {
		file := plain[name == "values"]
		withFooter(t, file, func(m *parquetform.FileMetaData) {
			at := int(m.RowGroups[0].Columns[0].MetaData.DataPageOffset)
			var h parquetform.PageHeader
			n, err := decodeThrift(file[at:], &h)
			if err != nil {
				t.Fatal(err)
			}
			claim(&h)
			head, err := compact.Marshal(new(compact.CompactProtocol), h)
			if err != nil {
				t.Fatal(err)
			}
			grown := append(append(append([]byte(nil), file[:at]...), head...), file[at+n:]...)
			file = withFooter(t, grown, func(m *parquetform.FileMetaData) {
				c := &m.RowGroups[0].Columns[0].MetaData
				c.TotalCompressedSize += int64(len(head) - n)
				c.NumValues, m.RowGroups[0].NumRows, m.NumRows = 1<<31-1, 1<<31-1, 1<<31-1
			})
		})
		path := write(t, "a.parquet", file)
		before := allocated()
		for way, read := range map[string]func() error{
			"all": func() error { _, err := Read([]string{path}, Options{}); return err },
			"parts": func() error {
				s, err := OpenStream(t.Context(), []string{path}, Options{MaxMemory: 1 << 40})
				if err == nil {
					for _, err = range s.Blocks(t.Context()) {
						if err != nil {
							break
						}
					}
				}
				return err
			},
			"real values": func() error { _, err := readNumbers([]string{path}, Options{MaxMemory: 1 << 40}); return err },
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), "a page of 2") && way != "all" {
				t.Errorf("%s, %s: %v", name, way, err)
			}
		}
		if n := allocated() - before; n > 32<<20 {
			t.Errorf("%s: %d MB", name, n>>20)
		}
	}
}

// withFooter replaces the footer of a file.
func withFooter(t testing.TB, file []byte, change func(*parquetform.FileMetaData)) []byte {
	t.Helper()
	n := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	data, footer := file[:len(file)-8-n], file[len(file)-8-n:len(file)-8]
	var m parquetform.FileMetaData
	if err := compact.Unmarshal(new(compact.CompactProtocol), footer, &m); err != nil {
		t.Fatal(err)
	}
	change(&m)
	footer, err := compact.Marshal(new(compact.CompactProtocol), m)
	if err != nil {
		t.Fatal(err)
	}
	out := append(append([]byte(nil), data...), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...)
}

// TestFootersThatClaimMore: schemas and row groups whose claims cost memory are refused.
func TestFootersThatClaimMore(t *testing.T) {
	file := parquetBytes(t, 1, &parquet.Snappy, 30)
	one := func(v int32) compact.Null[int32] { return compact.Null[int32]{V: v, Valid: true} }
	for want, change := range map[string]func(*parquetform.FileMetaData){
		"nested deeper": func(m *parquetform.FileMetaData) {
			chain := []parquetform.SchemaElement{{Name: "root", NumChildren: one(1)}}
			for range 30_000 {
				chain = append(chain, parquetform.SchemaElement{Name: "g", NumChildren: one(1)})
			}
			m.Schema = append(chain, m.Schema[1])
		},
		"row group 2 has 0 columns": func(m *parquetform.FileMetaData) {
			m.RowGroups = append(m.RowGroups, make([]parquetform.RowGroup, 60_000)...)
		},
		"belong to none": func(m *parquetform.FileMetaData) { m.Schema[0].NumChildren = one(1) },
		"claims":         func(m *parquetform.FileMetaData) { m.Schema[0].NumChildren = one(1 << 30) },
	} {
		before := allocated()
		_, err := readBytes(withFooter(t, file, change), Options{})
		if err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%s: %v", want, err)
		}
		if n := allocated() - before; n > 100<<20 {
			t.Errorf("%s: %d MB", want, n>>20)
		}
	}
}

// TestParquetMutations: files with some numbers of their footer or some bytes of their
// pages changed are read or refused, in little time and memory.
func TestParquetMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var files [][]byte
	for version := 1; version <= 2; version++ {
		for _, name := range []string{"none", "snappy", "gzip", "zstd"} {
			files = append(files, parquetBytes(t, version, codecsRead[name], 60))
		}
	}
	number := func(v int64) int64 {
		switch r.IntN(4) {
		case 0:
			return v + int64(r.IntN(21)) - 10
		case 1:
			return -v
		case 2:
			return 1 << r.IntN(62)
		}
		return r.Int64N(1 << 40)
	}
	for i := range 600 {
		file := append([]byte(nil), files[r.IntN(len(files))]...)
		if i%2 == 0 {
			file = withFooter(t, file, func(m *parquetform.FileMetaData) {
				g := &m.RowGroups[r.IntN(len(m.RowGroups))]
				c := &g.Columns[r.IntN(len(g.Columns))].MetaData
				e := &m.Schema[r.IntN(len(m.Schema))]
				for _, v := range []*int64{&m.NumRows, &g.NumRows, &c.NumValues, &c.TotalCompressedSize, &c.TotalUncompressedSize,
					&c.DataPageOffset, &c.DictionaryPageOffset} {
					if r.IntN(5) == 0 {
						*v = number(*v)
					}
				}
				if r.IntN(4) == 0 {
					c.Codec = parquetform.CompressionCodec(r.IntN(9))
				}
				if r.IntN(4) == 0 {
					e.NumChildren = compact.Null[int32]{V: int32(number(int64(e.NumChildren.V))), Valid: true}
				}
				if r.IntN(4) == 0 {
					e.TypeLength = compact.Null[int32]{V: int32(number(8)), Valid: true}
				}
			})
		} else {
			for range 1 + r.IntN(6) {
				file[4+r.IntN(len(file)-12)] = byte(r.Uint32())
			}
		}
		before, began := allocated(), time.Now()
		_, err := readBytes(file, Options{Edits: []Edit{{Column: "site", Want: "label"}, {Column: "long", Want: "label"}}})
		if n, took := allocated()-before, time.Since(began); n > 200<<20 || took > 20*time.Second {
			t.Errorf("mutation %d: %d MB, %v: %v", i, n>>20, took, err)
		}
	}
}
