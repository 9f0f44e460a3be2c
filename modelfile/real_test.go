package modelfile_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
)

// realModel returns a model of real values with all there can be, of one of a few kinds.
func realModel(kind int) *real.Model {
	rng := rand.New(rand.NewPCG(uint64(kind), 1))
	m := &real.Model{Height: 2, Width: 3, Rule: real.Rule(kind % 3), Background: make([]real.Normal, 6)}
	for d := range m.Background {
		m.Background[d] = real.Normal{Mean: rng.NormFloat64(), Var: 1 + rng.Float64()}
	}
	switch kind {
	case 1:
		m.Pi, m.Names = []float64{.1, .2}, []string{"bog", ""}
		m.Record = real.Record{Rows: 7, Seed: 3, LogLik: -12.5, DescriptionLength: 99, Starts: []float64{99, 101},
			Interrupted: true}
		m.Reading = []byte(`{"kind":"values"}`)
		for range 6 {
			m.Scales = append(m.Scales, real.Scale{Step: .01, Origin: 3, Floor: .5})
		}
	case 2:
		for d := range m.Background {
			m.Background[d] = real.Normal{Mean: 1, Var: 2}
		}
		m.FrameHeight, m.FrameWidth, m.Tau, m.Reuse = 1, 2, .5, 2
		m.Poses = pose.Grid{DY: pose.Symmetric(1, 1), DX: pose.Range{Min: -1, Max: 2, Step: 1}, Angles: []float64{0, 90}}
	}
	for range 2 {
		e := make([]real.Entry, m.F())
		for f := range e {
			b := m.Background[f]
			switch e[f] = (real.Entry{Vote: real.Vote(rng.IntN(3)), Normal: b}); e[f].Vote {
			case real.MeanAndVar:
				e[f].Var = rng.Float64()
				fallthrough
			case real.MeanOnly:
				e[f].Mean = rng.NormFloat64()
			}
		}
		m.Experts = append(m.Experts, e)
	}
	return m
}

func writeReal(t *testing.T, m *real.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.WriteReal(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRealModelsComeBack(t *testing.T) {
	for kind := range 3 {
		m := realModel(kind)
		b := writeReal(t, m)
		got, err := modelfile.ReadReal(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, m) {
			t.Errorf("kind %d: read\n%+v\nwrote\n%+v", kind, got, m)
		}
		if again := writeReal(t, got); !bytes.Equal(b, again) {
			t.Errorf("kind %d: other bytes", kind)
		}
		path := filepath.Join(t.TempDir(), "m.npz")
		if err := os.WriteFile(path, writeReal(t, m), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err = modelfile.LoadWith(path, "model", modelfile.ReadReal); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("kind %d: loaded %v, %v", kind, got, err)
		}
	}
	together := realModel(1)
	together.Committee = []*real.Model{realModel(0), realModel(1)}
	b := writeReal(t, together)
	if got, err := modelfile.ReadReal(bytes.NewReader(b), int64(len(b))); err != nil ||
		!reflect.DeepEqual(got, together) || !bytes.Equal(writeReal(t, got), b) {
		t.Errorf("with a committee: %v, %v", got, err)
	}
	empty := realModel(0)
	empty.Experts = nil
	b = writeReal(t, empty)
	if got, err := modelfile.ReadReal(bytes.NewReader(b), int64(len(b))); err != nil || got.K() != 0 {
		t.Errorf("without parts: %v, %v", got, err)
	}
	if err := modelfile.WriteReal(&bytes.Buffer{}, &real.Model{}); err == nil {
		t.Error("a model of nothing is written")
	}
	for _, path := range []string{"nowhere.npz", t.TempDir()} {
		if _, err := modelfile.LoadWith(path, "model", modelfile.ReadReal); err == nil {
			t.Errorf("%s is read", path)
		}
	}
}

// TestRealArrays: what NumPy sees has the names, shapes and types of the format.
func TestRealArrays(t *testing.T) {
	b := writeReal(t, realModel(1))
	z, err := npy.ReadZip(bytes.NewReader(b), int64(len(b)), 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		kind  byte
		shape []int
	}{"mean": {'f', []int{2, 6}}, "var": {'f', []int{2, 6}}, "vote": {'u', []int{2, 6}}, "pi": {'f', []int{2}},
		"background_mean": {'f', []int{6}}, "background_var": {'f', []int{6}}, "step": {'f', []int{6}},
		"origin": {'f', []int{6}}, "floor": {'f', []int{6}}} {
		r, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if h := r.Header(); byte(h.DType.Kind) != want.kind || !reflect.DeepEqual(h.Shape, want.shape) {
			t.Errorf("%s is %v of shape %v", name, h.DType, h.Shape)
		}
	}
}

// brought returns a file with the given model.json and arrays.
func brought(t *testing.T, text string, arrays map[string]*npy.Array) []byte {
	t.Helper()
	var b bytes.Buffer
	members := []npy.Member{{Name: "model.json", Raw: []byte(text)}}
	for name, a := range arrays {
		members = append(members, npy.Member{Name: name, Array: a})
	}
	if err := npy.WriteZip(&b, npy.Store, members...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRealModelsAreRefused(t *testing.T) {
	const text = `{"rule":"pool","height":1,"width":2,"x-mine":1}`
	arrays := func() map[string]*npy.Array {
		return map[string]*npy.Array{
			"mean": npy.New([]float64{1, 2}, 1, 2), "var": npy.New([]float64{1, 1}, 1, 2), "vote": npy.New([]int64{0, 2}, 1, 2),
			"background_mean": npy.New([]float64{0, 0}, 2), "background_var": npy.New([]float64{1, 1}, 2),
			"x-mine": npy.New([]float64{1}, 1)}
	}
	read := func(text string, a map[string]*npy.Array) error {
		b := brought(t, text, a)
		_, err := modelfile.ReadReal(bytes.NewReader(b), int64(len(b)))
		return err
	}
	if err := read(text, arrays()); err != nil {
		t.Fatalf("what users bring is refused: %v", err)
	}
	for _, c := range []struct{ what, from, to, says string }{
		{"rule", `"pool"`, `"max-minus-min"`, "rule"},
		{"version", `"height"`, `"version":2,"height"`, "newer"},
		{"no version", `"height"`, `"version":0,"height"`, "version"},
		{"format", `"height"`, `"format":"other","height"`, "format"},
		{"size", `"height":1`, `"height":0`, "frame"},
		{"huge", `"height":1`, `"height":1000000000000`, "pixels"},
		{"unknown field", `"height"`, `"q":1,"height"`, "q"},
		{"shift", `"height"`, `"shift_x":[1],"height"`, "shift"},
		{"empty shift", `"height"`, `"shift_x":[2,1,1],"height"`, "empty"},
		{"frame", `"height"`, `"frame":[1],"height"`, "frame"},
		{"not an object", text, `[1]`, "object"},
		{"width", `"width":2`, `"width":3`, "shape"},
		{"columns", `"height"`, `"columns":["a"],"height"`, "columns"},
	} {
		err := read(strings.Replace(text, c.from, c.to, 1), arrays())
		var fe *modelfile.FormatError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	for what, spoil := range map[string]func(a map[string]*npy.Array){
		"no mean":            func(a map[string]*npy.Array) { delete(a, "mean") },
		"no vote":            func(a map[string]*npy.Array) { delete(a, "vote") },
		"no background":      func(a map[string]*npy.Array) { delete(a, "background_var") },
		"vote 3":             func(a map[string]*npy.Array) { a["vote"] = npy.New([]int64{0, 3}, 1, 2) },
		"not a number":       func(a map[string]*npy.Array) { a["mean"] = npy.New([]float64{1, math.NaN()}, 1, 2) },
		"negative variance":  func(a map[string]*npy.Array) { a["background_var"] = npy.New([]float64{1, -1}, 2) },
		"step alone":         func(a map[string]*npy.Array) { a["step"] = npy.New([]float64{1, 1}, 2) },
		"unknown array":      func(a map[string]*npy.Array) { a["experts"] = npy.New([]float64{1, 1}, 2) },
		"pi of another size": func(a map[string]*npy.Array) { a["pi"] = npy.New([]float64{.5, .5}, 2) },
		"pi of 1":            func(a map[string]*npy.Array) { a["pi"] = npy.New([]float64{1}, 1) },
	} {
		a := arrays()
		spoil(a)
		var fe *modelfile.FormatError
		if err := read(text, a); !errors.As(err, &fe) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestRealTextsAreJudged: what no reader accepts is not written.
func TestRealTextsAreJudged(t *testing.T) {
	m := realModel(0)
	m.Names = slices.Repeat([]string{""}, m.K())
	m.Names[0] = strings.Repeat("y", 4<<20)
	var file bytes.Buffer
	var fe *modelfile.FormatError
	if err := modelfile.WriteReal(&file, m); !errors.As(err, &fe) ||
		!strings.Contains(err.Error(), "more than 4194304; shorten the names of columns, or leave them out") ||
		file.Len() > 0 {
		t.Errorf("%v, %d bytes written", err, file.Len())
	}
}

// TestRealCommitteesAreRefused: models of a committee that are damaged, of another size or with a committee of their
// own are errors that name
// the member.
func TestRealCommitteesAreRefused(t *testing.T) {
	nested := realModel(0)
	nested.Committee = []*real.Model{realModel(1)}
	good, tall := writeReal(t, realModel(0)), realModel(0)
	tall.Height, tall.Width = 3, 2
	for what, inner := range map[string][]byte{"nothing": nil, "no model": []byte("no model"), "half": good[:len(good)/2],
		"a committee of its own": writeReal(t, nested),
		"another size":           writeReal(t, tall)} {
		z, err := npy.ReadZip(bytes.NewReader(good), int64(len(good)), 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := z.File("model.json")
		if err != nil {
			t.Fatal(err)
		}
		members := []npy.Member{{Name: "model.json", Raw: text}, {Name: "committee-1.npz", Raw: inner}}
		for _, name := range z.Arrays() {
			a, err := z.Array(name)
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, npy.Member{Name: name, Array: a})
		}
		var b bytes.Buffer
		if err := npy.WriteZip(&b, npy.Store, members...); err != nil {
			t.Fatal(err)
		}
		var fe *modelfile.FormatError
		if m, err := modelfile.ReadReal(bytes.NewReader(b.Bytes()), int64(b.Len())); !errors.As(err, &fe) ||
			!strings.Contains(err.Error(), "committee") {
			t.Errorf("%s: %v, %v", what, m, err)
		}
	}
}

func FuzzReadReal(f *testing.F) {
	for kind := range 3 {
		var b bytes.Buffer
		if err := modelfile.WriteReal(&b, realModel(kind)); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := modelfile.ReadReal(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := modelfile.WriteReal(&again, m); err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
	})
}

func TestRealFileIsNotABinaryModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.npz")
	if err := os.WriteFile(path, writeReal(t, realModel(0)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := modelfile.Load(path); err == nil {
		t.Error("it is read as a binary model")
	}
}
