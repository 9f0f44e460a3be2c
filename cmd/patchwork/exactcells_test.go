package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
)

// TestReadCells: files of cells are bounded by the data, and only regular files are read.
func TestReadCells(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	set, err := dataset.Read([]string{write("t.csv", "site,a,b\nu,1,0\nv,0,1\n")}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if cells, err := readCells(write("c.csv", "u,a\nv, 2\n"), set); err != nil || len(cells) != 2 || cells[1].Row != 1 ||
		cells[1].Column != 1 {
		t.Error(cells, err)
	}
	for _, bad := range [][2]string{{strings.Repeat("u,a\n", 5), "more lines than the 4"},
		{"u,a,b\n", "each line is a row and a column"},
		{"u," + strings.Repeat("c", 1<<20), "ccc..."}, {strings.Repeat("c", 1<<20) + ",a", "ccc..."},
		{strings.Repeat(",", 1<<20), "more than 262144 cells"}} {
		if _, err := readCells(write("c.csv", bad[0]), set); err == nil || !strings.Contains(err.Error(), bad[1]) ||
			len(err.Error()) > 500 {
			t.Errorf("want %q", bad[1])
		}
	}
	if _, err := readCells(os.DevNull, set); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}
