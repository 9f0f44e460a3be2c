package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestFinding: what a refusal may not do is a finding; what is read may take longer.
func TestFinding(t *testing.T) {
	const idle = 20 << 20
	for want, r := range map[string]result{
		"not ended":           {code: 1, late: true},
		"exit code 2: \"gor":  {code: 2, output: []byte("goroutine 1 [running]:")},
		"exit code -1":        {code: -1},
		"exit code 3":         {code: 3},
		"an escape character": {code: 0, output: []byte("\x1b[2J")},
		"processor time":      {code: 1, spent: 3 * time.Second},
		"refused after 300":   {code: 2, memory: 300 << 20},
	} {
		if got := r.finding(idle); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
	for _, r := range []result{{code: 0, spent: time.Minute, memory: 1 << 30}, {code: 1, spent: time.Second, memory: 210 << 20}, {code: 2}} {
		if got := r.finding(idle); got != "" {
			t.Errorf("%+v: %q", r, got)
		}
	}
}

// TestRunOfAProgramThatCrashes: a program that crashes by what it reads makes a finding, its
// input is kept, and the run fails.
func TestRunOfAProgramThatCrashes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script for sh")
	}
	dir := t.TempDir()
	script, file := filepath.Join(dir, "patchwork"), filepath.Join(dir, "rows.csv")
	for name, text := range map[string]string{
		script: "#!/bin/sh\nif [ \"$1\" = score ] && grep -q bad \"$4\"; then echo goroutine 1; exit 2; fi\n[ \"$1\" != score ] || exit 1\n",
		file:   "bad,good\n0,1\n1,0\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p := plan{binary: script, dir: filepath.Join(dir, "kept"), copies: 2, seed: 1}
	var out strings.Builder
	err := p.run(t.Context(), &out, []string{file})
	if err == nil || !strings.Contains(err.Error(), "findings") || !strings.Contains(out.String(), "finding: patchwork score") {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if text, err := os.ReadFile(filepath.Join(p.dir, "rows.csv-0-score.csv")); err != nil || !strings.HasPrefix(string(text), "bad") {
		t.Errorf("kept %q, %v", text, err)
	}
}

// TestWide: wide tables have as many cells in every line, and the run reads them.
func TestWide(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script for sh")
	}
	const columns = 7
	script := filepath.Join(t.TempDir(), "patchwork")
	text := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = score ] || exit 0\nfor name; do :; done\nif grep -qvE '^([^,]+,|,){%d}[^,]*$' \"$name\"; then echo goroutine 1; fi\n", columns-1)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	p := plan{binary: script, dir: t.TempDir(), seed: 1, wide: columns}
	if err := p.run(t.Context(), &out, nil); err != nil || strings.Count(out.String(), "| wide-") != len(wideTables) {
		t.Errorf("%v\n%s", err, out.String())
	}
}
