package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command makes the requested figures, prints the verdicts, and does not make a
// figure again.
func TestPaper(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	out := must(t, "paper", "2", "1", "--quick", "-o", dir)
	for _, want := range []string{"Figure 1: ", "holds         Figure 2: ", "2 figures, 2 of them made now", filepath.Join(dir, "index.html")} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, name := range []string{"index.html", "ledger.csv", "ledger.md", "figure-1/asymmetric.png", "figure-1/asymmetric.svg", "figure-2/ascent.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if out := must(t, "paper", "1", "--quick", "-o", dir); !strings.Contains(out, ", 0 of them made now") {
		t.Errorf("made again:\n%s", out)
	}
	if out := must(t, "paper", "1", "--quick", "--quiet", "-o", dir); out != "" {
		t.Errorf("quiet says %q", out)
	}
}

func TestPaperRefuses(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.npz")
	for want, args := range map[string][]string{
		`no figure "9"`: {"paper", "9"}, "--workers 0": {"paper", "1", "--workers", "0"},
		"check the name": {"paper", "7", "--ticc", missing}, "missing.npz": {"paper", "3", "--mnist", missing},
	} {
		o := patchworkCommand(t, append(args, "-o", filepath.Join(t.TempDir(), "out"))...)
		if o.code != exitRequest || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%v: exit %d, %q; want 2 and %q", args, o.code, o.err, want)
		}
	}
}
