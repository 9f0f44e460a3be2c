package dataset

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// matLetters returns a file in the layout of the TiCC letters: one image per
// row, its pixels column by column, and one letter per row.
func matLetters(packed bool) []byte {
	return matFile(packed,
		matDouble("X", []float64{1, 0, 0, .9, 0, .1, 1, 1, 0, 0, 0, 1}, 2, 6), // the rows 1 0 0 1 0 0 and 0 0.9 0.1 1 0 1
		matText("labels", "T", "L"),
		matDouble("writer", []float64{3, 4}, 1, 2),
		matDouble("mean", []float64{.5}, 1, 1))
}

func TestMAT(t *testing.T) {
	for _, packed := range []bool{false, true} {
		s := mustRead(t, "a.mat", matLetters(packed), Options{Threshold: threshold(.5), Height: 2, Width: 3, Transpose: true})
		// By columns of two: (1 0) (0 1) (0 0), and (0 1) (0 1) (0 1).
		if got := pixels(s); got != "#..\n.#.\n...\n###\n" {
			t.Error(got)
		}
		meta := []Labels{LabelsOf("labels", []string{"T", "L"}), LabelsOf("writer", []float64{3, 4})}
		if diff := cmp.Diff(meta, s.Meta); diff != "" {
			t.Error(diff)
		}
		zipped := zipOf(t, entry{"set/readme.txt", "x"}, entry{"set/a.mat", string(matLetters(packed))})
		o := Options{Threshold: threshold(.5)}
		want, got := mustRead(t, "a.mat", matLetters(packed), o), mustRead(t, "a.zip", zipped, o)
		want.Source = got.Source
		if diff := cmp.Diff(want, got, sameSets); diff != "" {
			t.Error(diff)
		}
	}
	refused(t, "a.mat", matLetters(true), Options{})
	refused(t, "a.mat", matLetters(true), Options{Threshold: threshold(.5), Transpose: true})
	refused(t, "a.mat", matLetters(true), Options{Array: "Y"})
	refused(t, "a.mat", matLetters(true), Options{Array: "labels"})
	refused(t, "a.mat", matLetters(true), Options{Edits: []Edit{{Column: "hours", Want: "weight"}}, Threshold: threshold(.5)})
	refused(t, "a.mat", matLetters(true), Options{Edits: []Edit{{Column: "mean", Want: "weight"}}, Threshold: threshold(.5)})
	refused(t, "a.mat", matFile(true, matUint8("a", []uint8{1}, 1, 1), matUint8("b", []uint8{1}, 1, 1)), Options{})
	refused(t, "a.mat", matFile(true, matUint8("x", []uint8{}, 0, 5)), Options{})
}

func TestMATCompanions(t *testing.T) {
	images := matUint8("x", []uint8{1, 0, 1, 0, 0, 1}, 3, 2)
	s := mustRead(t, "a.mat", matFile(false, images,
		matCells("y", matText("", "one"), matText("", "2"), matText("", "é")),
		matUint8("weight", []uint8{1, 2, 3}, 1, 3),
		matText("row", "abc"),
		matCells("things", matUint8("", []uint8{1}, 1, 1), matText("", "2"), matText("", "x"))), Options{})
	if got := pixels(s); got != "#.\n..\n##\n" {
		t.Error(got)
	}
	want := []Labels{LabelsOf("y", []string{"one", "2", "é"}), LabelsOf("row", []string{"a", "b", "c"})}
	if diff := cmp.Diff(want, s.Meta); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{1, 2, 3}, s.Weights); diff != "" {
		t.Error(diff)
	}
	refused(t, "a.mat", matFile(true, images, matCells("y", images, images, images)),
		Options{Where: conditions(t, "y=1")})
	refused(t, "a.mat", matFile(true, images, matUint8("y", []uint8{1, 2}, 2, 1)),
		Options{Edits: []Edit{{Column: "y", Want: "label"}}})
}

func TestTranspose(t *testing.T) {
	file := npz(t, arr("x", []uint8{1, 0, 0, 1, 1, 0}, 1, 2, 3), arr("known", []bool{true, true, true, true, true, false},
		1, 2, 3))
	s := mustRead(t, "a.npz", file, Options{Transpose: true})
	if got := pixels(s); got != "##\n.#\n.?\n" {
		t.Error(got)
	}
	if s = mustRead(t, "a.npz", file, Options{Transpose: true, Height: 3, Width: 2}); pixels(s) != "##\n.#\n.?\n" {
		t.Error(pixels(s))
	}
	refused(t, "a.npz", file, Options{Transpose: true, Height: 2, Width: 3})
}

func FuzzMAT(f *testing.F) {
	files := [][]byte{matLetters(true), matLetters(false)}
	for _, v := range everyVariable() {
		files = append(files, matFile(true, v))
	}
	fuzzFormat(f, files...)
}
