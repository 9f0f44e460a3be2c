package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRule(t *testing.T) {
	for line, want := range map[string]string{
		"max-minus-min 0.9 0.1 0.9": "0.5\n",
		"max:0.5 0.3":               "0.5\n",
		"mean --curve 0.5":          "\n0.40\t0.450000\n",
		"0.7 0.2":                   "\nmean              none        yes        0.450000\n",
	} {
		if got, err := run(strings.Fields(line)); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, %q; want %q", line, err, got, want)
		}
	}
	picture := filepath.Join(t.TempDir(), "curve.svg")
	if _, err := run([]string{"--curve", "0.7", "-o", picture}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(picture); err != nil {
		t.Error(err)
	}
	for _, line := range []string{"", "1.2", "noisy 0.5", "0.5 -o out.png"} {
		if got, err := run(strings.Fields(line)); err == nil {
			t.Errorf("%q: %q, want an error", line, got)
		}
	}
}
