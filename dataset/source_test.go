package dataset

import (
	"bytes"
	"path/filepath"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
)

// A set, the data in it, and the stream of its file are one source to a
// learner; the memory is that of the set as a whole.
func TestSetsAndStreamsAreSources(t *testing.T) {
	images := []*bitmap.Image{bitmap.Parse("#.#"), bitmap.Parse("##."), bitmap.Parse("...")}
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := writeNPZ(path, &Set{Data: patchwork.Data{Images: images, Weights: []int64{2, 0, 5}}}); err != nil {
		t.Fatal(err)
	}
	set, err := Read([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := OpenStream(t.Context(), []string{path}, Options{partBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 3, Q: 0.1}, [][]float64{{0.9, 0.1, 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	notes := &testkit.Notes{Values: map[string][]byte{}}
	remembering := *set
	remembering.Memory = notes
	var want []byte
	for what, src := range map[string]patchwork.Source{"data": set.Data, "set": set, "stream": stream,
		"set with memory": &remembering} {
		tally, err := patchwork.EStep(t.Context(), m, src, patchwork.PursuitOptions{}, 2, nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got, _ := tally.MarshalBinary(); tally.Rows() != 7 || want != nil && !bytes.Equal(got, want) {
			t.Errorf("%s: %d rows, or other counts", what, tally.Rows())
		} else {
			want = got
		}
	}
	if len(notes.Values) != 1 {
		t.Errorf("the memory of a set holds %d E-steps, not 1", len(notes.Values))
	}
	if remembering.Take(1).Memory != nil {
		t.Error("a selection has the memory of the whole set")
	}
}
