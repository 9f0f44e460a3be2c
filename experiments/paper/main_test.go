package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command makes the figures that are named.
func TestPaper(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	var out strings.Builder
	if err := run(t.Context(), &out, []string{"2", "1", "--quick", "-o", dir}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Figure 1: ", "holds         Figure 2: ", "index.html: 2 figures"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	for _, name := range []string{"index.html", "ledger.csv", "ledger.md", "figure-1/asymmetric.png",
		"figure-2/log-odds.svg", "figure-2/ascent.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestPaperRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"9": `no figure "9"`, "1 --workers 0": "--workers 0", "7 --ticc none.npz": "none.npz",
		"3 --mnist none.npz":                 "none.npz",
		"7 --ticc none.npz --threshold dark": "threshold",
	} {
		err := run(t.Context(), &strings.Builder{}, append(strings.Fields(line), "-o", t.TempDir()))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
