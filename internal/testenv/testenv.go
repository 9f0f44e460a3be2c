// Package testenv locates what some tests need and not every machine has:
// shared reference data, and a Python with NumPy. A test that lacks either is
// skipped with the reason; without the shared data it fails if CI=true. Only
// tests import it.
package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Long reports whether the tests that take many seconds run, as in .ci/nightly:
// PATCHWORK_LONG is 1 then.
func Long() bool { return os.Getenv("PATCHWORK_LONG") == "1" }

// Full reports whether tests take all their repetitions and inputs, which takes hours:
// PATCHWORK_FULL is 1 then.
func Full() bool { return os.Getenv("PATCHWORK_FULL") == "1" }

// Slow skips a test that takes many seconds and that quicker tests check in part.
func Slow(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("takes many seconds: PATCHWORK_LONG=1 runs it")
	}
}

// Shared returns the path of a file or folder of the shared data, given with
// slashes relative to its root. The root is the folder in PATCHWORK_SHARED; by
// default `shared` beside the repository.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(sharedRoot(t), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the shared data must be present in CI: %v", err)
		}
		t.Skipf("the shared data are not here (set PATCHWORK_SHARED): %v", err)
	}
	return path
}

// sharedRoot is the folder of the shared data, which need not be there.
func sharedRoot(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("PATCHWORK_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join(root(t), "..", "shared")
}

// ReadShared returns the content of a file of the shared data.
func ReadShared(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// root returns the folder of the repository, whose go.mod is that of the
// library: tests begin in the folder of their package, and experiments have a
// go.mod of their own.
func root(t testing.TB) string {
	t.Helper()
	dir := where
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module example.com/patchwork\n") {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod of the library above the working folder")
		}
		dir = parent
	}
}

// NumPy returns a function that runs a Python script in the given folder with
// an interpreter that can import numpy. If the script fails, the test fails
// with its output.
func NumPy(t testing.TB) func(dir, script string) {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		python, err := exec.LookPath(name)
		if err != nil || exec.Command(python, "-c", "import numpy").Run() != nil {
			continue
		}
		return func(dir, script string) {
			t.Helper()
			cmd := exec.Command(python, "-c", script)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	}
	t.Skip("no Python interpreter with NumPy here (Debian: apt-get install python3-numpy)")
	return nil
}
