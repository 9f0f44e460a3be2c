package modelfile_test

import (
	"bytes"
	"reflect"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/table/lists"
)

func wideModel() *lists.Model {
	return &lists.Model{Parts: []lists.Part{{Columns: []int32{0, 3}, P: []float64{0.5, 0.75}}, {},
		{Columns: []int32{1}, P: []float64{0.875}}}, Usage: []float64{0.25, 0.1, 0.5}, Q: []float64{0.1, 0.2, 0.3, 0.4},
		Columns: []string{"a", "b", "c", "d"}, Record: lists.Record{Rows: 10, Length: 5}}
}

func levelModel() *lists.Model {
	m := wideModel()
	m.Level = &lists.Level{Slope: 0.5, Steps: []float64{-1, 0, 1}, Weights: []float64{0.25, 0.5, 0.25}}
	return m
}

func TestLevelsComeBack(t *testing.T) {
	var b bytes.Buffer
	if err := modelfile.WriteLists(&b, levelModel()); err != nil {
		t.Fatal(err)
	}
	got, err := modelfile.ReadLists(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || !reflect.DeepEqual(got, levelModel()) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestListsComeBack(t *testing.T) {
	var b bytes.Buffer
	if err := modelfile.WriteLists(&b, wideModel()); err != nil {
		t.Fatal(err)
	}
	if kind := modelfile.KindOf(bytes.NewReader(b.Bytes()), int64(b.Len())); kind != modelfile.KindLists {
		t.Errorf("kind %q", kind)
	}
	got, err := modelfile.ReadLists(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || !reflect.DeepEqual(got, wideModel()) {
		t.Errorf("%+v, %v", got, err)
	}
	z, err := npy.ReadZip(bytes.NewReader(b.Bytes()), int64(b.Len()), 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"vote_part": []int32{0, 0, 2}, "vote_column": []int32{0, 3, 1},
		"vote": []float32{0.5, 0.75, 0.875}} {
		if a, err := z.Array(name); err != nil || !reflect.DeepEqual(a.Data, want) {
			t.Errorf("%s is %v, %v", name, a, err)
		}
	}
}

func TestListsAreChecked(t *testing.T) {
	for name, spoil := range map[string]func(m *lists.Model){
		"a column too far":      func(m *lists.Model) { m.Parts[0].Columns[1] = 4 },
		"a column twice":        func(m *lists.Model) { m.Parts[0].Columns[1] = 0 },
		"a vote below q":        func(m *lists.Model) { m.Parts[0].P[1] = 0.3 },
		"a certain column":      func(m *lists.Model) { m.Q[2] = 0 },
		"usage of other parts":  func(m *lists.Model) { m.Usage = m.Usage[:2] },
		"a level of no steps":   func(m *lists.Model) { m.Level.Steps = nil },
		"weights beyond 1":      func(m *lists.Model) { m.Level.Weights[0] = 1 },
		"names of some columns": func(m *lists.Model) { m.Columns = m.Columns[:3] },
	} {
		m := levelModel()
		spoil(m)
		if err := modelfile.WriteLists(new(bytes.Buffer), m); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}
