package main

import (
	"strings"
	"testing"
)

func TestRule(t *testing.T) {
	for line, want := range map[string]string{
		"max-minus-min 0.9 0.1 0.9": "0.5\n",
		"max:0.5 0.3":               "0.5\n",
		"0.7 0.2":                   "\nmean              none        yes        0.450000\n",
		"":                          "usage:",
	} {
		if got, err := run(strings.Fields(line)); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, %q; want %q", line, err, got, want)
		}
	}
	for _, line := range []string{"max", "1.2", "noisy 0.5", "0.5 -o out.png"} {
		if got, err := run(strings.Fields(line)); err == nil {
			t.Errorf("%q: %q, want an error", line, got)
		}
	}
}
