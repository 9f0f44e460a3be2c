package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSessions runs the sessions of testdata/*.txt, each in a folder of its
// own. A session is text with these lines:
//
//	# a comment
//	$ patchwork ARGUMENTS
//	what it prints, stdout and stderr; … stands for anything within a line
//	[exit 2]               the exit code, if it is not 0
//	$ file NAME            the lines that follow go to a file
//
// Output may be followed by blank lines, which do not count.
func TestSessions(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) < 3 {
		t.Fatalf("%d sessions, %v", len(paths), err)
	}
	for _, path := range paths {
		text := read(t, path)
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, s := range parseSession(text) {
				s.play(t)
			}
		})
	}
}

// step is a command of a session and what follows it.
type step struct {
	line    int
	command string
	after   []string
}

func parseSession(text string) []step {
	var out []step
	for i, l := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(l, "#"):
		case strings.HasPrefix(l, "$ "):
			out = append(out, step{line: i + 1, command: l[2:]})
		case len(out) > 0:
			last := &out[len(out)-1]
			last.after = append(last.after, l)
		}
	}
	return out
}

func (s step) play(t *testing.T) {
	t.Helper()
	want := strings.TrimRight(strings.Join(s.after, "\n"), "\n")
	words := fields(s.command)
	if words[0] == "file" {
		write(t, words[1], want+"\n")
		return
	}
	if words[0] != "patchwork" {
		t.Fatalf("line %d: %q is no command of a session", s.line, words[0])
	}
	var b bytes.Buffer
	code := run(context.Background(), words[1:], console{out: &b, err: &b, getenv: os.Getenv})
	if code != 0 {
		fmt.Fprintf(&b, "[exit %d]\n", code)
	}
	got := strings.TrimRight(b.String(), "\n")
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…", "[^\n]*")
	if !regexp.MustCompile(`\A` + pattern + `\z`).MatchString(got) {
		t.Errorf("line %d: %s\n--- got\n%s\n--- want\n%s", s.line, s.command, got, want)
	}
}
