package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// stream builds a .npy stream by hand, so that reader and writer are not only
// tested against each other.
func stream(major byte, dict string, body ...byte) []byte {
	out := append([]byte(magic), major, 0)
	if major == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(dict)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(dict)))
	}
	return append(append(out, dict...), body...)
}

func dict(descr string, fortran bool, shape string) string {
	order := "False"
	if fortran {
		order = "True"
	}
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
}

func read(t *testing.T, b []byte) *Array {
	t.Helper()
	a, err := readAll(bytes.NewReader(b), 0)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestReadByHand(t *testing.T) {
	for _, c := range []struct {
		descr string
		body  []byte
		want  any
	}{
		{"|b1", []byte{0, 1, 2}, []bool{false, true, true}},
		{"|i1", []byte{0xff, 0, 127}, []int8{-1, 0, 127}},
		{"|u1", []byte{0xff, 0, 127}, []uint8{255, 0, 127}},
		{"<u1", []byte{1, 2, 3}, []uint8{1, 2, 3}},
		{"<i2", []byte{1, 0, 0, 1, 0xff, 0xff}, []int16{1, 256, -1}},
		{">i2", []byte{0, 1, 1, 0, 0xff, 0xff}, []int16{1, 256, -1}},
		{"=u2", []byte{1, 0, 0, 1, 0xff, 0xff}, []uint16{1, 256, 65535}},
		{">u4", []byte{0, 0, 0, 1, 0, 0, 1, 0, 255, 255, 255, 255}, []uint32{1, 256, math.MaxUint32}},
		{">f4", []byte{0x3f, 0x80, 0, 0, 0, 0, 0, 0, 0xbf, 0, 0, 0}, []float32{1, 0, -0.5}},
		{"<f2", []byte{0, 0x3c, 0, 0, 1, 0}, []float32{1, 0, 1.0 / (1 << 24)}},
		{">f2", []byte{0x3c, 0, 0x7c, 0, 0xc0, 0}, []float32{1, float32(math.Inf(1)), -2}},
		{"|S2", []byte("ab" + "c\x00" + "\x00\x00"), []string{"ab", "c", ""}},
		{"<U1", []byte{'a', 0, 0, 0, 0, 0, 0, 0, 0xe9, 0, 0, 0}, []string{"a", "", "é"}},
		{">U1", []byte{0, 0, 0, 'a', 0, 1, 0xf6, 0, 0, 0, 0xd8, 0}, []string{"a", "😀", "\uFFFD"}},
	} {
		for major := byte(1); major <= 3; major++ {
			got := read(t, stream(major, dict(c.descr, false, "(3,)"), c.body...))
			if diff := cmp.Diff(&Array{Shape: []int{3}, Data: c.want}, got); diff != "" {
				t.Errorf("%s, version %d (-want +got):\n%s", c.descr, major, diff)
			}
		}
	}
}

// TestHeaderForms reads dictionaries that NumPy accepts but does not write.
func TestHeaderForms(t *testing.T) {
	for _, d := range []string{
		"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }          \n",
		"{\"shape\":(2,),'descr':'|u1','fortran_order':False}",
		"{ 'fortran_order' : True , 'shape' : ( 2L , ) , 'descr' : '|u1' }\n",
	} {
		if got := read(t, stream(1, d, 7, 9)); !cmp.Equal(got, New([]uint8{7, 9}, 2)) {
			t.Errorf("%q gives %v", d, got)
		}
	}
	if got := read(t, stream(1, dict("<f8", false, "()"), 0, 0, 0, 0, 0, 0, 0xf0, 0x3f)); !cmp.Equal(got.Data,
		[]float64{1}) || len(got.Shape) != 0 {
		t.Errorf("scalar gives %v", got)
	}
}

func TestFortranOrder(t *testing.T) {
	// Element (i,j,k) of a 2x3x4 array is 100i+10j+k; the stream runs i fastest.
	var body []byte
	var want []uint8
	for k := range 4 {
		for j := range 3 {
			for i := range 2 {
				body = append(body, uint8(100*i+10*j+k))
			}
		}
	}
	for i := range 2 {
		for j := range 3 {
			for k := range 4 {
				want = append(want, uint8(100*i+10*j+k))
			}
		}
	}
	b := stream(1, dict("|u1", true, "(2, 3, 4)"), body...)
	if diff := cmp.Diff(New(want, 2, 3, 4), read(t, b)); diff != "" {
		t.Fatal(diff)
	}
	d, err := NewReader(bytes.NewReader(b), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Next(1); err == nil || !strings.Contains(err.Error(), "ascontiguousarray") {
		t.Fatalf("rows of Fortran order: %v", err)
	}
}

// half decodes binary16 by its definition; it is the reference for fromHalf.
func half(h uint16) float64 {
	s := 1 - 2*float64(h>>15)
	e, f := int(h>>10&31), float64(h&1023)/1024
	switch {
	case e == 31 && f == 0:
		return s * math.Inf(1)
	case e == 31:
		return math.NaN()
	case e == 0:
		return s * math.Ldexp(f, -14)
	}
	return s * math.Ldexp(1+f, e-15)
}

func TestHalfAll(t *testing.T) {
	for h := range 1 << 16 {
		got, want := float64(fromHalf(uint16(h))), half(uint16(h))
		if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("half %#04x is %v, want %v", h, got, want)
		}
	}
}

func drawSlice[T any](t *rapid.T, g *rapid.Generator[T], n int) []T {
	return rapid.SliceOfN(g, n, n).Draw(t, "data")
}

// drawArray generates an array of any type with up to four sides, which may be
// zero.
func drawArray(t *rapid.T) *Array {
	shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
	n, _ := product(shape)
	a := &Array{Shape: shape}
	switch rapid.IntRange(0, 11).Draw(t, "type") {
	case 0:
		a.Data = drawSlice(t, rapid.Bool(), n)
	case 1:
		a.Data = drawSlice(t, rapid.Int8(), n)
	case 2:
		a.Data = drawSlice(t, rapid.Int16(), n)
	case 3:
		a.Data = drawSlice(t, rapid.Int32(), n)
	case 4:
		a.Data = drawSlice(t, rapid.Int64(), n)
	case 5:
		a.Data = drawSlice(t, rapid.Uint8(), n)
	case 6:
		a.Data = drawSlice(t, rapid.Uint16(), n)
	case 7:
		a.Data = drawSlice(t, rapid.Uint32(), n)
	case 8:
		a.Data = drawSlice(t, rapid.Uint64(), n)
	case 9:
		a.Data = drawSlice(t, rapid.Float32(), n)
	case 10:
		a.Data = drawSlice(t, rapid.Float64(), n)
	default:
		a.Data = drawSlice(t, rapid.StringMatching(`[aé😀\x00]{0,5}[a-z?|]?`).Filter(func(s string) bool {
			return !strings.HasSuffix(s, "\x00")
		}), n)
	}
	return a
}

// same compares arrays; a nil and an empty shape both mean a scalar.
func same(a, b *Array) string { return cmp.Diff(a, b, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()) }

func TestWriteReadRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawArray(t)
		var buf bytes.Buffer
		if err := Write(&buf, a); err != nil {
			t.Fatal(err)
		}
		raw := buf.Bytes()
		got, err := readAll(iotest.OneByteReader(bytes.NewReader(raw)), 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(a, got); diff != "" {
			t.Fatal(diff)
		}
		// Any strict prefix is refused as cut off.
		cut := rapid.IntRange(0, len(raw)-1).Draw(t, "cut")
		_, err = readAll(bytes.NewReader(raw[:cut]), 0)
		var fe *FormatError
		if !errors.As(err, &fe) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut at %d of %d: %v", cut, len(raw), err)
		}
	})
}

func TestRowsEqualAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 300).Draw(t, "rows"), rapid.IntRange(1, 300).Draw(t, "cols")
		data := make([]uint16, rows*cols)
		for i := range data {
			data[i] = uint16(i * 40503)
		}
		var buf bytes.Buffer
		if err := Write(&buf, New(data, rows, cols)); err != nil {
			t.Fatal(err)
		}
		d, err := NewReader(&buf, 0)
		if err != nil {
			t.Fatal(err)
		}
		step := rapid.IntRange(1, rows+1).Draw(t, "step")
		var got []uint16
		for {
			a, err := d.Next(step)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, a.Data.([]uint16)...)
		}
		if !cmp.Equal(got, data) {
			t.Fatalf("%d x %d by %d rows differs", rows, cols, step)
		}
	})
}

func TestConversions(t *testing.T) {
	for _, c := range []struct {
		in     *Array
		ints   []int64
		floats []float64
		text   []string
	}{
		{New([]bool{true, false}, 2), []int64{1, 0}, []float64{1, 0}, []string{"true", "false"}},
		{New([]int8{-3}, 1), []int64{-3}, []float64{-3}, []string{"-3"}},
		{New([]int16{-300}, 1), []int64{-300}, []float64{-300}, []string{"-300"}},
		{New([]int32{70000}, 1), []int64{70000}, []float64{70000}, []string{"70000"}},
		{New([]int64{math.MinInt64}, 1), []int64{math.MinInt64}, []float64{math.MinInt64}, []string{"-9223372036854775808"}},
		{New([]uint8{255}, 1), []int64{255}, []float64{255}, []string{"255"}},
		{New([]uint16{65535}, 1), []int64{65535}, []float64{65535}, []string{"65535"}},
		{New([]uint32{math.MaxUint32}, 1), []int64{math.MaxUint32}, []float64{math.MaxUint32}, []string{"4294967295"}},
		{New([]uint64{7}, 1), []int64{7}, []float64{7}, []string{"7"}},
		{New([]uint64{math.MaxUint64}, 1), nil, []float64{math.MaxUint64}, []string{"18446744073709551615"}},
		{New([]float32{0.1}, 1), nil, []float64{float64(float32(0.1))}, []string{"0.1"}},
		{New([]float64{0.1}, 1), nil, []float64{0.1}, []string{"0.1"}},
		{New([]string{"a"}, 1), nil, nil, []string{"a"}},
	} {
		ints, err := c.in.Int64s()
		if !cmp.Equal(ints, c.ints) || (err == nil) != (c.ints != nil) {
			t.Errorf("%v: Int64s %v, %v", c.in.Data, ints, err)
		}
		floats, err := c.in.Float64s()
		if !cmp.Equal(floats, c.floats) || (err == nil) != (c.floats != nil) {
			t.Errorf("%v: Float64s %v, %v", c.in.Data, floats, err)
		}
		if text := c.in.Strings(); !cmp.Equal(text, c.text) {
			t.Errorf("%v: Strings %v", c.in.Data, text)
		}
	}
}

// TestRefusals pairs bad streams with a word that the message must contain:
// what is wrong, or what to do.
func TestRefusals(t *testing.T) {
	u1 := func(shape string) string { return dict("|u1", false, shape) }
	long := append([]byte(magic), 2, 0, 0xff, 0xff, 0xff, 0xff)
	for name, c := range map[string]struct {
		in   []byte
		want string
	}{
		"empty":            {nil, "cut off"},
		"other magic":      {[]byte("PK\x03\x04 0123456789"), "magic"},
		"version 9":        {stream(9, u1("(1,)"), 1), "version 9"},
		"4 GiB header":     {long, "claims 4294967295 bytes"},
		"header cut":       {stream(1, u1("(1,)"))[:20], "byte 20"},
		"not a dictionary": {stream(1, "[1, 2]\n"), "no dictionary"},
		"no newline":       {stream(1, ""), "no dictionary"},
		"missing key":      {stream(1, "{'descr': '|u1', 'shape': (1,)}\n", 1), "missing"},
		"key twice":        {stream(1, "{'descr': '|u1', 'descr': '|u1', 'shape': (1,)}\n", 1), "twice"},
		"unknown key":      {stream(1, "{'code': '|u1', }\n", 1), "no key"},
		"trailing text":    {stream(1, strings.TrimSpace(u1("(1,)"))+"; x\n", 1), "no dictionary"},
		"no comma":         {stream(1, u1("(1 2)"), 1), "is no"},
		"only a comma":     {stream(1, u1("(,)"), 1), "is no"},
		"negative side":    {stream(1, u1("(-1,)"), 1), "is no"},
		"no order":         {stream(1, "{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}\n", 1), "no key with a value"},
		"open string":      {stream(1, "{'descr\n"), "no dictionary"},
		"overflowing side": {stream(1, u1("(99999999999999999999,)"), 1), "is no"},
		"overflowing size": {stream(1, u1("(4294967296, 4294967296, 4294967296)"), 1), "larger than the limit"},
		"petabyte":         {stream(1, u1("(1000000000000000,)"), 1), "larger than the limit"},
		"many sides":       {stream(1, u1("("+strings.Repeat("1,", 40)+")"), 1), "32 sides"},
		"cut elements":     {stream(1, u1("(1000,)"), 1, 2, 3), "shape [1000]"},
		"objects":          {stream(1, dict("|O", false, "(1,)"), 1), "pickled"},
		"structured": {stream(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n"),
			"separate plain arrays"},
		"complex":         {stream(1, dict("<c16", false, "(1,)")), "astype"},
		"long double":     {stream(1, dict("<f16", false, "(1,)")), "astype"},
		"dates":           {stream(1, dict("<M8[s]", false, "(1,)")), "astype"},
		"text of width 0": {stream(1, dict("<U0", false, "(999999999,)")), "astype"},
		"huge text":       {stream(1, dict("<U99999999", false, "(1,)")), "astype"},
		"signed size":     {stream(1, dict("<i+4", false, "(1,)")), "astype"},
		"no byte order":   {stream(1, dict("f8", false, "(1,)")), "astype"},
	} {
		_, err := readAll(bytes.NewReader(c.in), 0)
		var fe *FormatError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want a FormatError with %q", name, err, c.want)
		}
	}
	if _, err := readAll(bytes.NewReader(stream(1, u1("(9,)"), make([]byte, 9)...)), 8); err == nil {
		t.Error("nine bytes within a limit of eight")
	}
}

// TestHostileHeaderCostsLittle: the header claims the whole limit, and the body
// is empty.
func TestHostileHeaderCostsLittle(t *testing.T) {
	for _, descr := range []string{"|u1", "<f8", "<U200000", "|S1"} {
		in := stream(1, dict(descr, false, "(1000,)"))
		if descr != "<U200000" {
			in = stream(1, dict(descr, false, "(100000000,)"))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readAll(bytes.NewReader(in), 0)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: accepted", descr)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
			t.Errorf("%s: %d bytes allocated for an empty body", descr, used)
		}
	}
}

func TestReaderErrorsPassThrough(t *testing.T) {
	boom := errors.New("cable pulled")
	in := io.MultiReader(bytes.NewReader(stream(1, dict("|u1", false, "(9,)"), 1, 2)), iotest.ErrReader(boom))
	if _, err := readAll(in, 0); err != boom {
		t.Fatalf("got %v", err)
	}
}

func TestWriteRefusesWhatCannotComeBack(t *testing.T) {
	for _, s := range []string{"a\x00", "\xff"} {
		var fe *FormatError
		if err := Write(io.Discard, New([]string{"ok", s}, 2)); !errors.As(err, &fe) ||
			!strings.Contains(err.Error(), "element 1") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"new":   func() { New([]int64{1, 2}, 3) },
		"write": func() { Write(io.Discard, &Array{Shape: []int{3}, Data: []int64{1}}) },
		"type":  func() { Write(io.Discard, &Array{Shape: []int{1}, Data: []complex128{1}}) },
		"scalars": func() {
			d, _ := NewReader(bytes.NewReader(stream(1, dict("|u1", false, "()"), 1)), 0)
			d.Next(1)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkReadUint8(b *testing.B) {
	var buf bytes.Buffer
	if err := Write(&buf, New(make([]uint8, 10000*784), 10000, 28, 28)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(buf.Len()))
	for b.Loop() {
		if _, err := readAll(bytes.NewReader(buf.Bytes()), 0); err != nil {
			b.Fatal(err)
		}
	}
}

// readAll reads one .npy stream, in either order, up to the end of its array.
func readAll(r io.Reader, limit int64) (*Array, error) {
	d, err := NewReader(r, limit)
	if err != nil {
		return nil, err
	}
	return d.All()
}
