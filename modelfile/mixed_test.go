package modelfile_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/modelfile"
)

// mixedRows returns rows of a yes or no, words, a measurement, a skewed one, a count and a column that is never known;
// the first ones go together in some rows.
func mixedRows(seed uint64, rows int) *mixed.Data {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &mixed.Data{Fields: []mixed.Field{{Name: "ill"}, {Name: "ward", Kind: mixed.Category}, {Name: "pulse"},
		{Name: "crp"}, {Name: "visits"}, {Name: "empty"}}}
	for range rows {
		row := []float64{0, float64(rng.IntN(3)), rng.NormFloat64(), math.Exp(rng.NormFloat64()),
			float64(rng.IntN(2) + rng.IntN(3)), math.NaN()}
		if rng.Float64() < .3 {
			row[0], row[1], row[2], row[3] = 1, 2, row[2]+4, 20*row[3]
		}
		if rng.Float64() < .1 {
			row[rng.IntN(5)] = math.NaN()
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

// mixedModel returns a model of such rows.
func mixedModel(t *testing.T, rows int) *mixed.Model {
	t.Helper()
	m, err := mixed.Learn(context.Background(), mixedRows(7, rows), mixed.Options{Starts: 1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func writeMixed(t *testing.T, m *mixed.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.WriteMixed(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readMixed(b []byte) (*mixed.Model, error) {
	return modelfile.ReadMixed(bytes.NewReader(b), int64(len(b)))
}

// Models with parts, with names, without parts, and of one row come back as they were, with the same bytes.
func TestMixedModelsComeBack(t *testing.T) {
	named := mixedModel(t, 120)
	if len(named.Parts) == 0 || named.Graded == nil {
		t.Fatalf("%d parts, graded %v: there is nothing to come back", len(named.Parts), named.Graded)
	}
	named.Parts[0].Name, named.ShowGraded, named.GradedShare, named.Reading = "ill", true, .25, []byte(`{"columns":[]}`)
	named.Record.Interrupted = true
	bare := new(mixed.Model)
	*bare = *named
	bare.Parts, bare.Graded, bare.Record = nil, nil, mixed.Record{}
	for name, m := range map[string]*mixed.Model{"named": named, "bare": bare, "one row": mixedModel(t, 1),
		"two rows": mixedModel(t, 2)} {
		b := writeMixed(t, m)
		got, err := readMixed(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := writeMixed(t, got); !bytes.Equal(b, again) {
			t.Errorf("%s: other bytes", name)
		}
		if len(got.Parts) != len(m.Parts) || !reflect.DeepEqual(got.Record, m.Record) ||
			len(m.Parts) > 0 && !reflect.DeepEqual(got.Parts[0].Entries[:4], m.Parts[0].Entries[:4]) {
			t.Errorf("%s: read %d parts, record %+v, wrote %d, %+v", name, len(got.Parts), got.Record, len(m.Parts), m.Record)
		}
		for _, row := range mixedRows(8, 20).Rows {
			one, two := mixed.NewExplainer(m).Explain(row), mixed.NewExplainer(got).Explain(row)
			if one.LogLik != two.LogLik || one.Believe(2).Mean() != two.Believe(2).Mean() {
				t.Errorf("%s: a row has log-likelihood %v, of the file %v", name, one.LogLik, two.LogLik)
			}
		}
	}
}

// Whatever is wrong with an array is told with the file's member, or the model is one that passes its check.
func TestMixedArraysAreChecked(t *testing.T) {
	whole := writeMixed(t, mixedModel(t, 120))
	z, err := npy.ReadZip(bytes.NewReader(whole), int64(len(whole)), 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := z.File("model.json")
	if err != nil {
		t.Fatal(err)
	}
	names := z.Arrays()
	rapid.Check(t, func(t *rapid.T) {
		spoilt := rapid.SampledFrom(names).Draw(t, "array")
		members := []npy.Member{{Name: "model.json", Raw: text}}
		for _, name := range names {
			a, err := z.Array(name)
			if err != nil {
				t.Fatal(err)
			}
			if name == spoilt {
				switch v := a.Data.(type) {
				case []float64:
					if len(v) > 0 {
						v[rapid.IntRange(0, len(v)-1).Draw(t, "at")] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), -1, 0,
							1e300, .5, 3}).Draw(t, "value")
					}
				case []int64:
					v[rapid.IntRange(0, len(v)-1).Draw(t, "at")] = rapid.SampledFrom([]int64{-1, 0, 1, 2, 3, 255, math.MaxInt64,
						math.MinInt64}).Draw(t, "value")
				}
				if rapid.IntRange(0, 9).Draw(t, "gone") == 0 {
					continue
				}
			}
			members = append(members, npy.Member{Name: name, Array: a})
		}
		var file bytes.Buffer
		if err := npy.WriteZip(&file, npy.Store, members...); err != nil {
			t.Fatal(err)
		}
		checkMixed(t, file.Bytes())
	})
}

// checkMixed checks that reading gives a FormatError of one line, or a model that explains rows and comes back.
func checkMixed(t interface{ Fatalf(string, ...any) }, in []byte) {
	m, err := readMixed(in)
	if err != nil {
		var fe *modelfile.FormatError
		if !errors.As(err, &fe) || strings.ContainsAny(err.Error(), "\r\n") {
			t.Fatalf("error %q (%T) is no FormatError of one line", err, err)
		}
		return
	}
	row := make([]float64, len(m.Columns))
	mixed.NewExplainer(m).Explain(row)
	m.Sample(rand.New(rand.NewPCG(1, 2)))
	var b bytes.Buffer
	if err := modelfile.WriteMixed(&b, m); err != nil {
		t.Fatalf("read, but not written: %v", err)
	}
	if back, err := readMixed(b.Bytes()); err != nil || len(back.Parts) != len(m.Parts) {
		t.Fatalf("written, but not read back: %v", err)
	}
}

// FuzzReadMixed reads whole files.
func FuzzReadMixed(f *testing.F) {
	m, err := mixed.Learn(context.Background(), mixedRows(7, 60), mixed.Options{Starts: 1})
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := modelfile.WriteMixed(&b, m); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-9])
	f.Fuzz(func(t *testing.T, in []byte) { checkMixed(t, in) })
}

// What a file says wrongly of its model is refused with where it is.
func TestMixedRefusals(t *testing.T) {
	whole := writeMixed(t, mixedModel(t, 120))
	z, err := npy.ReadZip(bytes.NewReader(whole), int64(len(whole)), 0)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"kind":"mixed","columns":["a"]}`:                             "family.npy",
		`{"kind":"mixed"}`:                                             "columns",
		`{"kind":"numbers","columns":["a"]}`:                           `is "numbers", not "mixed"`,
		`{"kind":"mixed","columns":[],"wings":2}`:                      "wings",
		`{"kind":"mixed","version":99,"columns":["a","b"]}`:            "version",
		`{"columns":["a","b","c","d","e","f"],"names":["x","y","z"]}`:  "names",
		`{"columns":["a","b","c","d","e","f"],"reading":"everything"}`: "reading",
	} {
		members := []npy.Member{{Name: "model.json", Raw: []byte(text)}}
		for _, name := range z.Arrays() {
			a, err := z.Array(name)
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, npy.Member{Name: name, Array: a})
		}
		var file bytes.Buffer
		if err := npy.WriteZip(&file, npy.Store, members...); err != nil {
			t.Fatal(err)
		}
		if _, err := readMixed(file.Bytes()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
