package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The vector code and the declarations in package kernel are what the programs
// of this module write.
func TestGeneratedIsCurrent(t *testing.T) {
	for _, c := range []struct{ program, code, stubs string }{
		{".", "kernels_amd64.s", "kernels_amd64.go"},
		{"./rows", "rows_amd64.s", "rowstubs_amd64.go"},
	} {
		dir := t.TempDir()
		code, stubs := filepath.Join(dir, c.code), filepath.Join(dir, c.stubs)
		if out, err := exec.Command("go", "run", c.program, "-out", code, "-stubs", stubs, "-pkg",
			"kernel").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, name := range []string{c.code, c.stubs} {
			// The first line has the command.
			if a, b := body(t, filepath.Join(dir, name)), body(t, filepath.Join("..", "kernel", name)); len(a) == 0 ||
				!bytes.Equal(a, b) {
				t.Errorf("%s is not what the generator writes: go generate ./internal/score/kernel", name)
			}
		}
	}
}

func body(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, b, _ = bytes.Cut(b, []byte("\n"))
	return b
}
