package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// TestKindOfFile: pictures and arrays of every format are told from tables that begin alike.
func TestKindOfFile(t *testing.T) {
	dir := t.TempDir()
	for content, want := range map[string]string{
		"\x89PNG\r\n\x1a\n": kindPicture, "\xff\xd8\xff\xe0": kindPicture, "GIF89a": kindPicture,
		"II*\x00\x08\x00": kindPicture, "MM\x00*\x00": kindPicture,
		"RIFF\x10\x00\x00\x00WEBPVP8L": kindPicture, "BM\x76" + strings.Repeat("\x00", 11) + "\x28\x00\x00\x00": kindPicture,
		"\x93NUMPY\x01\x00": kindArray, "\x00\x00\x08\x03\x00": kindArray, "MATLAB 5.0 MAT-file, by hand": kindArray,
		"BMI,age\n1,0\n": kindTable, "P1,P2\n1,0\n": kindTable, "PAR1\x15": kindTable, "a;b\n": kindTable, "\x01\x02": "",
		"ARROW1\x00\x00":     kindArrow,
		packed("a,b\n1,0\n"): kindTable, packed("\x93NUMPY\x01\x00"): kindArray, packed("PK\x03\x04"): kindPacked,
		"\x1f\x8b\x08": kindPacked, "\x28\xb5\x2f\xfd\x00": kindPacked,
	} {
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := kindOfFile(file); got != want {
			t.Errorf("%q is %q, want %q", content, got, want)
		}
	}
	t.Chdir(dir)
	write(t, "t.csv.gz", packed("a,b\n1,0\n"))
	if got := refused(t, "score", "-m", "t.csv.gz", "t.csv.gz"); !testenv.Said(t, got) {
		t.Error(got)
	}
}
