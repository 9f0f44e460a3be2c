package main

import (
	"os"
	"testing"
)

// A page of the parts comes first only where there is no page yet: an older one is replaced by a whole one.
func TestFirstPage(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("old.html", []byte("whole"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"new.html": true, "old.html": false, "-": false, "": false} {
		if got := (&reportFlags{output: path}).first(&app{}) != nil; got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
