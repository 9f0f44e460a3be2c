package dataset

import (
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"example.com/patchwork/internal/npy"
)

// fuzzOptions keep one run small; a threshold lets most numbers through.
func fuzzOptions(bits byte) Options {
	o := Options{MaxMemory: 1 << 20, Invert: bits&1 != 0}
	if bits&2 != 0 {
		o.Threshold = threshold(float64(bits))
	}
	if bits&4 != 0 {
		o.Edits = []Edit{{"n", "weight"}}
	}
	switch {
	case bits&8 != 0:
		o.Edits = append(o.Edits, Edit{"*", "category"})
	case bits&16 != 0:
		o.Items = true
	case bits&32 != 0:
		o.Pairs = []string{"1", "2"}
	}
	return o
}

// checkOutcome checks that reading gave a FormatError of one line, or a
// consistent set.
func checkOutcome(t *testing.T, s *Set, err error) {
	t.Helper()
	if err != nil {
		var fe *FormatError
		if !errors.As(err, &fe) || strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("error %q (%T) is no FormatError of one line", err, err)
		}
		return
	}
	h, w := s.Size()
	if s.Len() == 0 || h < 1 || w < 1 || s.Table && h != 1 {
		t.Fatalf("%d images of %d x %d, table %v", s.Len(), h, w, s.Table)
	}
	for _, m := range s.Images {
		if m.Height() != h || m.Width() != w {
			t.Fatalf("images of %d x %d and %d x %d", h, w, m.Height(), m.Width())
		}
	}
	if s.Weights != nil && len(s.Weights) != s.Len() || s.Columns != nil && len(s.Columns) != w {
		t.Fatalf("%d images of width %d, %d weights, %d columns", s.Len(), w, len(s.Weights), len(s.Columns))
	}
	for _, c := range s.Meta {
		if c.Len() != s.Len() {
			t.Fatalf("%d images, %d values of %q", s.Len(), c.Len(), c.Name)
		}
	}
}

func fuzzFormat(f *testing.F, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed, byte(0))
		f.Add(seed, byte(0x42))
		f.Add(seed[:len(seed)-1], byte(5))
		f.Add(seed, byte(8))
		f.Add(seed, byte(16))
		f.Add(seed, byte(32))
	}
	f.Fuzz(func(t *testing.T, b []byte, bits byte) {
		o := fuzzOptions(bits)
		s, err := readBytes(b, o)
		checkOutcome(t, s, err)
		o.partBytes = 1 // image by image gives the same
		parts, partsErr := readBytes(b, o)
		if (err == nil) != (partsErr == nil) || err == nil && !cmp.Equal(s, parts, sameSets) {
			t.Fatalf("as a whole: %v, %v; image by image: %v, %v", s, err, parts, partsErr)
		}
	})
}

func FuzzNPY(f *testing.F) {
	a := npyFile(f, npy.New([]float64{0, 1, 1, 0}, 2, 2))
	fuzzFormat(f, a, fortran(a), npyFile(f, npy.New([]bool{true, false}, 1, 2, 1)),
		npyFile(f, npy.New([]uint8{1}, 1, 1, 1, 1)))
}

func FuzzNPZ(f *testing.F) {
	fuzzFormat(f, npz(f, arr("x", []uint8{1, 0, 0, 1}, 2, 2), arr("known", []bool{true, true, false, true}, 2, 2),
		arr("weight", []int64{1, 2}, 2), arr("n", []int64{1, 2}, 2), arr("y", []string{"a", "b"}, 2),
		arr("columns", []string{"p", "q"}, 2)))
}

func FuzzCSV(f *testing.F) {
	fuzzFormat(f, []byte("0,1\n1,?\n"), []byte("a;b;n\n0;yes;3\nNA;;4\n"), []byte("0,1,2\n1,1,1\n"),
		[]byte("\xef\xbb\xbf\"a\",\"b\"\r\n1,0\r\n"), []byte("a\tb\n\t1\n"), zipped([]byte("0,1\n")),
		[]byte("site,a,b\nu,X,+\nv,,-\n"),
		[]byte(",a\n0,P\n1,A\n2,?\n"), []byte("soil,a\nclay,1\npeat,0\nclay,1\npeat,1\n"), []byte("milk,tea\ntea\n"),
		[]byte(utf16le("a;b\n0;1\n")),
		zstded([]byte("0,1\n1,0\n")), []byte("\"a\" \"b\"\n\"u\" 1 0\n"))
}

// zstded compresses with zstd.
func zstded(b []byte) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return z.EncodeAll(b, nil)
}

// Run it with -fuzzminimizetime 5x: the library pools buffers, so coverage
// differs between runs and minimising an input never ends.
func FuzzParquet(f *testing.F) {
	fuzzFormat(f, parquetFile(f, parquetRows()), parquetFile(f, parquetRows(), parquet.Compression(&parquet.Zstd)),
		parquetFile(f, parquetRows(), parquet.DataPageVersion(1)),
		parquetFile(f, [][]struct {
			A bool `parquet:"a"`
		}{{{true}, {false}}}))
}

func FuzzIDX(f *testing.F) {
	fuzzFormat(f, idx(8, []byte{0, 1, 1, 0}, 1, 2, 2), idx(0x0E, make([]byte, 16), 1, 2), idx(8, []byte{1}, 1),
		zipped(idx(8, []byte{0, 255}, 2, 1)))
}

func FuzzPicture(f *testing.F) {
	checks := func(y, x int) uint8 { return uint8(255 * ((x + y) % 2)) }
	r := image.Rect(0, 0, 5, 3)
	fuzzFormat(f, pngFile(f, draw(image.NewGray(r), checks)), pngFile(f, draw(image.NewNRGBA(r), checks)),
		pngFile(f, draw(image.NewPaletted(r, color.Palette{color.White, color.Black}), checks)),
		picture(f, "P1 3 2 101 010"))
}

func FuzzCondition(f *testing.F) {
	for _, s := range []string{"y=T", "y!=T,L", `a="b,c"`, "w<=20", "w>=1e3", "==", `y="`} {
		f.Add(s)
	}
	set, err := readBytes(npz(f, arr("x", []uint8{1, 0}, 2, 1), arr("y", []string{"T", ""}, 2),
		arr("w", []int64{1, 30}, 2)), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCondition(text)
		if err != nil {
			return
		}
		got, err := set.Where(c)
		if err == nil && got.Len() == 0 {
			t.Fatalf("%q selects nothing and says so nowhere", text)
		}
	})
}
