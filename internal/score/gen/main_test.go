package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The assembly in package kernel is what this program writes.
func TestGeneratedIsCurrent(t *testing.T) {
	got := filepath.Join(t.TempDir(), "kernels.s")
	if out, err := exec.Command("go", "run", "main.go", "-out", got, "-pkg", "kernel").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The first line has the command.
	if a, b := body(t, got), body(t, "../kernel/kernels_amd64.s"); !bytes.Equal(a, b) {
		t.Errorf("kernels_amd64.s is not what the generator writes: go generate ./internal/score/kernel")
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
