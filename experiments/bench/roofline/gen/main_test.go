package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The assembly that is committed is what this program writes. The first line
// names the command and its paths.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	dir := t.TempDir()
	args := []string{"run", ".", "-out", filepath.Join(dir, "kernels_amd64.s"), "-stubs", filepath.Join(dir, "kernels_amd64.go"), "-pkg", "roofline"}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"kernels_amd64.s", "kernels_amd64.go"} {
		want, got := body(t, filepath.Join(dir, name)), body(t, filepath.Join("..", name))
		if !bytes.Equal(want, got) {
			t.Errorf("%s is not what gen writes: run go generate in experiments/bench/roofline", name)
		}
	}
}

// body returns a file without its first line.
func body(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte("\n"))
	return rest
}
