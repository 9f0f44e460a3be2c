package dataset

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFingerprint: a file has its content's under every name, a folder that of its pictures
// and their names; what is read only once has none.
func TestFingerprint(t *testing.T) {
	print := func(path string) string {
		t.Helper()
		sum, err := Fingerprint(path)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	a, b := write(t, "a.csv", []byte("x\n1\n")), write(t, "b.csv", []byte("x\n1\n"))
	if sum := print(a); len(sum) != 64 || sum != print(b) || sum == print(write(t, "c.csv", []byte("x\n0\n"))) {
		t.Errorf("fingerprint %q", sum)
	}
	dir := t.TempDir()
	put := func(name, content string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return print(dir)
	}
	one := put("1.png", "a")
	if two := put("2.png", "a"); one == two || two == put("2.png", "b") || print(dir) != put("notes.txt", "no picture") {
		t.Error("the fingerprint of a folder is not that of its pictures")
	}
	if sum := print("-"); sum != "" {
		t.Errorf("standard input: %q", sum)
	}
	if _, err := Fingerprint(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there has a fingerprint")
	}
}
