package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// TestSessions runs the sessions of testdata/*.txt, each in a folder of its
// own. A session is text with these lines:
//
//	# a comment
//	$ patchwork ARGUMENTS
//	what it prints, stdout and stderr; … stands for anything within a line
//	[exit 2]               the exit code, if it is not 0
//	$ file NAME            the lines that follow go to a file
//	$ cat NAME             what a file holds
//	$ head -3 NAME         its first lines
//	$ go run ./experiments/NAME   runs a program of experiments
//	$ photos FOLDER        photos of drawn letters go to a folder
//
// Output may be followed by blank lines, which do not count.
func TestSessions(t *testing.T) {
	if apart(t) {
		return
	}
	paths, err := filepath.Glob("testdata/*.txt")
	paths = slices.DeleteFunc(paths, func(p string) bool { return filepath.Base(p) == "refusals.txt" }) // of TestRefusals
	if err != nil || len(paths) < 3 {
		t.Fatalf("%d sessions, %v", len(paths), err)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return filepath.Base(p) == "refusals.txt" }) // TestRefusals
	for _, path := range paths {
		text := read(t, path)
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			if slices.Contains([]string{"count", "walk-paper"}, name) {
				testenv.Slow(t)
			}
			file, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(text, "\n")
			t.Chdir(t.TempDir())
			shift := 0
			for _, s := range parseSession(text) {
				if got, ok := s.play(t); !ok && *update {
					after := s.updated(got)
					at := s.line + shift
					lines = slices.Replace(lines, at, at+len(s.after), after...)
					shift += len(after) - len(s.after)
				}
			}
			if *update {
				write(t, file, strings.Join(lines, "\n"))
			}
		})
	}
}

// update makes TestSessions rewrite the sessions by what the commands print. Lines that
// are as listed stay, with their …; look at those that change.
var update = testenv.Update

// updated returns what a command prints, with the lines before it where they agree.
func (s step) updated(got string) []string {
	var out []string
	old := slices.DeleteFunc(slices.Clone(s.after), func(l string) bool { return l == "" })
	for _, line := range strings.Split(got, "\n") {
		if i := slices.IndexFunc(old, func(l string) bool { return agrees(l, line) }); i >= 0 {
			line, old = old[i], old[i+1:]
		}
		out = append(out, line)
	}
	for i := len(s.after) - 1; i >= 0 && s.after[i] == ""; i-- {
		out = append(out, "")
	}
	return out
}

// agrees reports whether text is as wanted, where … stands for anything within a line.
func agrees(want, text string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…", "[^\n]*")
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(text)
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

// head returns the first lines of a file, as head -3 FILE does.
func head(t *testing.T, words []string) string {
	n, err := strconv.Atoi(strings.TrimPrefix(words[1], "-"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(read(t, words[2]), "\n")
	return strings.Join(lines[:min(n, len(lines))], "")
}

// testFolder is where the tests begin, before they go elsewhere.
var testFolder, _ = os.Getwd()

// goRun runs a program of experiments, as go run ./experiments/NAME does where the
// session is at the root of the repository.
func goRun(t *testing.T, words []string) string {
	t.Helper()
	if len(words) < 2 || words[0] != "run" || !strings.HasPrefix(words[1], "./experiments/") {
		t.Fatalf("go %s: sessions run ./experiments/... only", strings.Join(words, " "))
	}
	program := filepath.Join(t.TempDir(), "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, words[1])
	build.Dir = filepath.Join(testFolder, "../..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program, words[2:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// play runs a command, and returns what it prints and whether that is as listed.
func (s step) play(t *testing.T) (got string, ok bool) {
	t.Helper()
	want := strings.TrimRight(strings.Join(s.after, "\n"), "\n")
	words := fields(s.command)
	if words[0] == "photos" {
		drawPhotos(t, words[1])
		return "", true
	}
	if words[0] == "file" {
		write(t, words[1], want+"\n")
		return "", true
	}
	var b bytes.Buffer
	switch words[0] {
	case "cat":
		b.WriteString(read(t, words[1]))
	case "head":
		b.WriteString(head(t, words))
	case "patchwork":
		if code := run(context.Background(), words[1:], console{out: &b, err: &b, getenv: os.Getenv}); code != 0 {
			fmt.Fprintf(&b, "[exit %d]\n", code)
		}
	case "go":
		b.WriteString(goRun(t, words[1:]))
	default:
		t.Fatalf("line %d: %q is no command of a session", s.line, words[0])
	}
	got = strings.TrimRight(b.String(), "\n")
	if ok = agrees(want, got); !ok && !*update {
		t.Errorf("line %d: %s\n--- got\n%s\n--- want\n%s", s.line, s.command, got, want)
	}
	return got, ok
}
