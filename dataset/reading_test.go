package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/modelfile"
	"pgregory.net/rapid"
)

// modelOf returns a model of a frame, with a reading unless that is "".
func modelOf(t testing.TB, height, width int, reading string) *patchwork.Model {
	t.Helper()
	m, err := patchwork.NewModel(patchwork.Config{Height: height, Width: width},
		[][]float64{make([]float64, height*width)})
	if err == nil && reading != "" {
		m, err = m.WithExtras(patchwork.Extras{Reading: json.RawMessage(reading)})
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestReadingAndOptions: a reading gives the options it was made from, through the
// model file, as far as they are about reading.
func TestReadingAndOptions(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "x", "Grün, \"quoted\"", "3"})
	texts := rapid.SliceOfN(rapid.StringN(1, 5, -1), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Array: text.Draw(t, "array"), Invert: rapid.Bool().Draw(t, "invert"), Missing: texts.Draw(t, "missing"),
			Names:     text.Draw(t, "names"),
			Transpose: rapid.Bool().Draw(t, "transpose"), Delimiter: rapid.SampledFrom([]rune{0, ' ', ';', '\t', '→'}).Draw(t,
				"delimiter"),
			Header: HeaderMode(rapid.IntRange(0, 2).Draw(t, "header"))}
		if rapid.Bool().Draw(t, "threshold given") {
			o.Threshold = threshold(rapid.Float64Range(-1e300, 1e300).Draw(t, "threshold"))
		} else {
			o.AutoThreshold = rapid.Bool().Draw(t, "auto")
		}
		if rapid.Bool().Draw(t, "size given") {
			o.Height, o.Width = rapid.IntRange(1, 2000).Draw(t, "height"), rapid.IntRange(1, 2000).Draw(t, "width")
		}
		s := &Set{reading: newReading(&o)}
		m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 1}, [][]float64{{0}})
		if err != nil {
			t.Fatal(err)
		}
		if m, err = s.Describe(m); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := modelfile.Write(&file, m); err != nil {
			t.Fatal(err)
		}
		if m, err = modelfile.Read(bytes.NewReader(file.Bytes()), int64(file.Len())); err != nil {
			t.Fatal(err)
		}
		r, err := readingOf(m.Extras().Reading)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Missing) == 0 {
			o.Missing = nil
		}
		if got := r.Options(); !reflect.DeepEqual(got, o) {
			t.Errorf("%+v came back as %+v from %s", o, got, m.Extras().Reading)
		}
	})
}

// TestDescribe: a model gets the names of its columns and of those that were not data,
// also where they were given as numbers, from sets and streams alike.
func TestDescribe(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	named := write("named.csv", "site,a,b,n\nA1,0,1,3\nA2,1,,1\n")
	bare := write("bare.csv", "A1,0,1,3\nA2,1,,1\n")
	for _, c := range []struct {
		path    string
		opts    Options
		columns []string
		reading string
	}{
		{named, Options{Edits: []Edit{{Column: "n", Want: "weight"}, {Column: "1", Want: "label"}}}, []string{"a", "b"}, `{"columns":[{"name":"site","kind":"label","by":"you"},` +
			`{"name":"n","kind":"weight","by":"you"}]}`},
		{named, Options{Columns: []string{"3", "a"}}, []string{"b", "a"}, `{"only":true}`},
		{named, Options{Edits: []Edit{{Column: "4", Want: "weight"}}, Where: []Condition{{Name: "site", Op: "=", Values: []string{"A1"}}}}, []string{"a", "b"},
			`{"columns":[{"name":"site","kind":"label","by":"you"},` +
				`{"name":"n","kind":"weight","by":"you"}]}`},
		{bare, Options{Edits: []Edit{{Column: "4", Want: "weight"}, {Column: "1", Want: "label"}}}, []string{"column 2", "column 3"},
			`{"columns":[{"name":"1","kind":"label","by":"you"},` +
				`{"name":"4","kind":"weight","by":"you"}],"numbered":true}`},
		{bare, Options{Columns: []string{"2", "3"}, Header: HeaderAbsent}, []string{"column 2", "column 3"},
			`{"numbered":true,"only":true,"header":"no"}`},
		{named, Options{Edits: []Edit{{Column: "n", Want: "weight"}, {Column: "site", Want: "label"}}, Height: 2, Width: 1}, nil,
			`{"columns":[{"name":"site","kind":"label","by":"you"},` +
				`{"name":"n","kind":"weight","by":"you"}],"size":[2,1]}`},
	} {
		set, err := Read([]string{c.path}, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		stream, err := OpenStream(t.Context(), []string{c.path}, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		h, w := set.Size()
		for _, s := range []*Set{set, set.Take(1), stream.Head()} {
			m, err := s.Describe(modelOf(t, h, w, `{"old":1}`))
			if err != nil {
				t.Fatal(err)
			}
			if e := m.Extras(); !reflect.DeepEqual(e.Columns, c.columns) || string(e.Reading) != c.reading {
				t.Errorf("%+v: columns %q, reading %s; want %q, %s", c.opts, e.Columns, e.Reading, c.columns, c.reading)
			}
		}
	}
}

// TestReadingRefused: a reading that this version does not understand is an error, not
// ignored.
func TestReadingRefused(t *testing.T) {
	for _, reading := range []string{
		`{"categories":{"a":1}}`,
		`{"meta":"site"}`,
		`{"header":"perhaps"}`,
		`{"delimiter":"ab"}`,
		`{"delimiter":"\n"}`,
		`{"size":[3]}`,
		`{"size":[0,0]}`,
		`{"size":[-1,1]}`,
		`{"size":[1048576,99999]}`,
	} {
		_, err := planFor(modelOf(t, 1, 1, reading))
		var fe *FormatError
		if !errors.As(err, &fe) {
			t.Errorf("%s: %v is no FormatError", reading, err)
			continue
		}
		if !testenv.Said(t, err.Error()) {
			t.Errorf("%s: %q", reading, err)
		}
	}
	if r, err := readingOf(nil); err != nil || !reflect.DeepEqual(r, Reading{}) {
		t.Errorf("nothing: %+v, %v", r, err)
	}
}
