package dataset

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Cells of one place are summed, as SciPy does: several ones are a one, and numbers their sum.
func TestCellsThatComeTwice(t *testing.T) {
	file := npz(t, arr("shape", []int64{2, 3}, 2), arr("format", []string{"coo"}, 1), arr("row", []int32{1, 0, 1, 1}, 4),
		arr("col", []int32{2, 0, 2, 1}, 4), arr("data", []float64{1, 1, 1, 0}, 4))
	if got := pixels(mustRead(t, "a.npz", file, Options{})); got != "#..\n..#\n" {
		t.Error(got)
	}
	s := mustRead(t, "a.npz", file, Options{Kind: Number})
	if diff := cmp.Diff([][]float64{{1, 0, 0}, {0, 0, 2}}, s.Values); diff != "" {
		t.Error(diff)
	}
	if got := pixels(mustRead(t, "a.npz", file, Options{Threshold: threshold(1)})); got != "...\n..#\n" {
		t.Error(got)
	}
}

// Codes of missing values hold in arrays too, of bits and of numbers, read as a whole and in parts; a note says where
// they cannot.
func TestMissingInArrays(t *testing.T) {
	bits := npz(t, arr("x", []uint8{1, 9, 0, 1}, 2, 2))
	s := mustRead(t, "a.npz", bits, Options{Missing: []string{"9", "none"}})
	if got := pixels(s); got != "#?\n.#\n" || len(sentences(s)) != 1 {
		t.Error(got, sentences(s))
	}
	path := write(t, "b.npz", npz(t, arr("x", []float64{1.5, -999, 7, 3}, 2, 2), arr("columns", []string{"a", "b"}, 2)))
	o := Options{Kind: Number, Missing: []string{"b:3", "-999"}}
	stream, err := OpenStream(t.Context(), []string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := stream.Set(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Read([]string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Set{parts, whole} {
		all := slices.Concat(s.Values...)
		if !math.IsNaN(all[1]) || !math.IsNaN(all[3]) || all[0] != 1.5 || all[2] != 7 || len(sentences(s)) > 0 {
			t.Error(all, sentences(s))
		}
	}
}
