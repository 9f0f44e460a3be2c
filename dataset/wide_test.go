package dataset_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
)

// matrixFile writes a matrix of SciPy.
func matrixFile(t *testing.T, members ...npy.Member) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteZip(f, npy.Deflate, members...); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func array[T npy.Element](name string, v ...T) npy.Member {
	return npy.Member{Name: name, Array: npy.New(v, len(v))}
}

func text(name, v string) npy.Member {
	return npy.Member{Name: name, Array: &npy.Array{Data: []string{v}}}
}

// The same table, by rows, by columns and cell by cell.
func TestReadWideTakesEveryForm(t *testing.T) {
	want := [][]int32{{0, 2}, {}, {1, 2, 3}}
	shape, ones := array[int64]("shape", 3, 4), array[float64]("data", 1, 1, 1, 1, 1)
	for name, path := range map[string]string{
		"by rows": matrixFile(t, text("format", "csr"), shape, ones, array[int32]("indptr", 0, 2, 2, 5),
			array[int32]("indices", 2, 0, 1, 2, 3)),
		"by columns": matrixFile(t, text("format", "csc"), shape, ones, array[int32]("indptr", 0, 1, 2, 4, 5),
			array[int32]("indices", 0, 2, 0, 2, 2)),
		"by cells": matrixFile(t, text("format", "coo"), shape, ones, array[int32]("row", 2, 0, 2, 0, 2),
			array[int64]("col", 3, 0, 1, 2, 2)),
		"with a 0 and a cell twice": matrixFile(t, text("format", "csr"), shape, array[bool]("data", true, true, true, false,
			true, true, true), array[int32]("indptr", 0, 3, 4, 7), array[int32]("indices", 2, 0, 0, 3, 1, 2, 3)),
	} {
		w, err := dataset.ReadWide(path, dataset.Options{})
		if err != nil || w == nil {
			t.Fatalf("%s: %v, %v", name, w, err)
		}
		if w.Len() != 3 || w.Width != 4 {
			t.Fatalf("%s: %d rows of %d", name, w.Len(), w.Width)
		}
		for r, row := range want {
			if !slices.Equal(w.Row(r), row) {
				t.Errorf("%s: row %d is %v, not %v", name, r, w.Row(r), row)
			}
		}
	}
}

func TestReadWideFindsNamesBesideTheFile(t *testing.T) {
	path := matrixFile(t, text("format", "csr"), array[int64]("shape", 1, 2), array[int8]("data", 1),
		array[int32]("indptr", 0, 1), array[int32]("indices", 1))
	beside := strings.TrimSuffix(path, ".npz") + ".columns.txt"
	if err := os.WriteFile(beside, []byte("bread\nmilk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := dataset.ReadWide(path, dataset.Options{})
	if err != nil || !slices.Equal(w.Columns, []string{"bread", "milk"}) {
		t.Errorf("names are %v, %v", w, err)
	}
}

// What is no such table is left to Read, or said to be damaged.
func TestReadWideLeavesOthers(t *testing.T) {
	shape := array[int64]("shape", 2, 2)
	for name, path := range map[string]string{
		"counts": matrixFile(t, shape, array[float64]("data", 2, 1), array[int32]("indptr", 0, 1, 2),
			array[int32]("indices", 0, 1)),
		"no matrix": matrixFile(t, array[int64]("x", 1, 2)), "no file": filepath.Join(t.TempDir(), "none.npz"),
	} {
		if w, err := dataset.ReadWide(path, dataset.Options{}); w != nil || err != nil {
			t.Errorf("%s: %v, %v", name, w, err)
		}
	}
	for name, path := range map[string]string{
		"a column too far": matrixFile(t, shape, array[float64]("data", 1, 1), array[int32]("indptr", 0, 1, 2),
			array[int32]("indices", 0, 2)),
		"rows that end early": matrixFile(t, shape, array[float64]("data", 1, 1), array[int32]("indptr", 0, 1, 1),
			array[int32]("indices", 0, 1)),
		"fewer places than cells": matrixFile(t, shape, array[float64]("data", 1, 1), array[int32]("row", 0),
			array[int32]("col", 0)),
	} {
		if _, err := dataset.ReadWide(path, dataset.Options{}); err == nil || !strings.Contains(err.Error(), "m.npz") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
