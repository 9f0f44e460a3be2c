package dataset

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
	"pgregory.net/rapid"
)

// readAll returns the records and their lines until the first error.
func readAll(read func() ([]string, int, error)) (records [][]string, lines []int, err error) {
	for {
		cells, line, err := read()
		if err != nil {
			return records, lines, err
		}
		records, lines = append(records, slices.Clone(cells)), append(lines, line)
	}
}

// Records, their lines and errors are those of encoding/csv, wherever quotes begin.
func TestRecordsAsEncodingCSV(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b0", ",", ",", ";", "\t", " ", "\n", "\n", "\r\n", "\r", "é", "\u00a0",
		"\u0085", "\xff", "\v", strings.Repeat("x,", 3000)})
	quote := rapid.SampledFrom([]string{`"`, `"a`, `b"`, `,"`, `"",`, "\"\n", "\n", `"a"`, `"b;c,d"`, "\"e\"\n", ",",
		"\t"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "quotes") {
			text += strings.Join(rapid.SliceOfN(rapid.OneOf(piece, quote), 0, 20).Draw(t, "rest"), "")
		}
		form := csvForm{comma: rapid.SampledFrom([]rune{',', ';', '\t', ' ', 'é', '\u00a0', '\v'}).Draw(t, "comma")}
		got, gotLines, gotErr := readAll(form.records(strings.NewReader(text)).read)
		r := form.reader(strings.NewReader(text))
		want, wantLines, wantErr := readAll(func() ([]string, int, error) {
			cells, err := r.Read()
			if err != nil {
				return nil, 0, err
			}
			line, _ := r.FieldPos(0)
			return cells, line, nil
		})
		if !slices.EqualFunc(got, want, slices.Equal) || !slices.Equal(gotLines, wantLines) {
			t.Fatalf("%q: %q in lines %v, want %q in %v", text, got, gotLines, want, wantLines)
		}
		var fe *FormatError
		var pe *csv.ParseError
		if errors.As(wantErr, &pe) != errors.As(gotErr, &fe) || pe != nil &&
			!(fe.Line == pe.Line && fe.Err == pe.Err || pe.Line > pe.StartLine && fe.Line == pe.StartLine) || pe == nil &&
			gotErr != io.EOF {
			t.Fatalf("%q: %v, want %v", text, gotErr, wantErr)
		}
	})
}

// A record that never ends is refused, with quotes and without, and so is one of too many cells.
// What is read ahead of it does not count.
func TestRecordsAreBounded(t *testing.T) {
	const ahead = 1 << 12
	for _, text := range []string{
		"a\n" + strings.Repeat("x", maxRecord+ahead),
		"a\n\"" + strings.Repeat("x\n", (maxRecord+ahead)/2),
		"a\n" + strings.Repeat(",", maxCells+ahead),
		"a\n\"b\"" + strings.Repeat(",\"\"", maxCells+ahead) + "\n",
	} {
		records, _, err := readAll(csvForm{comma: ','}.records(strings.NewReader(text)).read)
		if len(records) != 1 || err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%.10q: %d records, %v", text, len(records), err)
		}
	}
}

// BenchmarkRecords divides a table of bits, here and by encoding/csv alone.
func BenchmarkRecords(b *testing.B) {
	text := strings.Repeat(strings.Repeat("0,1,0,0,1,", 20)+"1\n", 10000)
	text += strings.Repeat(strings.Repeat(`"0","1",`, 50)+"\"1\"\n", 10000)
	form := csvForm{comma: ','}
	for name, records := range map[string]func() func() error{
		"by=here": func() func() error {
			r := form.records(strings.NewReader(text))
			return func() error { _, _, err := r.read(); return err }
		},
		"by=encoding/csv": func() func() error {
			r := form.reader(strings.NewReader(text))
			return func() error { _, err := r.Read(); return err }
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				next, n := records(), 0
				for ; next() == nil; n++ {
				}
				if n != 20000 {
					b.Fatal(n)
				}
			}
		})
	}
}

// TestLineEndsOfCR: carriage returns alone end the lines of a text of any length, of bits and of numbers, as line
// feeds do.
func TestLineEndsOfCR(t *testing.T) {
	text := "a,b\n" + strings.Repeat("0,1\n1,1\n", 20_000)
	old := strings.ReplaceAll(text, "\n", "\r")
	want, err := Decode(t.Context(), "t.csv", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(t.Context(), "t.csv", []byte(old), Options{})
	if err != nil || !slices.EqualFunc(got.Images, want.Images, (*bitmap.Image).Equal) {
		t.Error(got, err)
	}
	v, err := decodeNumbers("t.csv", []byte(old), Options{})
	if err != nil || v.Len() != want.Len() {
		t.Error(v, err)
	}
	wide := strings.Repeat("1,", headBytes/2) // the head breaks off between the two of a line end
	for _, line := range []string{wide[:headBytes-1] + "\r\n", wide + "1\r\n"} {
		text := line + line
		s, err := Decode(t.Context(), "t.txt", []byte(text), Options{Items: true})
		if err != nil || s.Len() != 2 {
			t.Error(s, err)
		}
	}
}
