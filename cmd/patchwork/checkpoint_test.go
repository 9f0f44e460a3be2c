package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/internal/journal"
)

// keptBy leaves the checkpoint of a run that is described so.
func keptBy(t *testing.T, description string) {
	t.Helper()
	if err := os.MkdirAll("kept", 0o777); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join("kept", journalName), description)
	if err == nil {
		err = j.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// descriptionOf returns the description that a line gives its run.
func descriptionOf(t *testing.T, line string) string {
	t.Helper()
	// What it had is the first line of one, what this has that of the other: so the
	// description is found line by line.
	var lines []string
	for range 200 {
		if err := os.RemoveAll("kept"); err != nil {
			t.Fatal(err)
		}
		keptBy(t, strings.Join(append(lines[:len(lines):len(lines)], "nothing", ""), "\n"))
		o := patchworkCommand(t, fields(line+" --checkpoint kept")...)
		_, next, ok := strings.Cut(o.err, "it had nothing, this has ")
		if !ok {
			t.Fatalf("%s after %q: exit %d, %q", line, lines, o.code, o.err)
		}
		next, _, _ = strings.Cut(next, "); ")
		if next == "" {
			break
		}
		lines = append(lines, next)
	}
	if err := os.RemoveAll("kept"); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// The description of a run names the program, the flags, the data and every default.
func TestDescriptionOfARun(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth quadrants --n 40 --seed 1 -o q.npz -q")...)
	write(t, "v.csv", "a,b\n1.5,2\n2.5,7\n1.25,2.5\n9,1\n")
	for line, want := range map[string]string{
		"learn q.npz --rule max-minus-min -k 4 --method batch -o m.npz -q": "--experts 4\n--method batch\n--rule max-minus-min\ndata sha256:|Starts " +
			"5|Iterations 25|Q 0.5|Height 6|Sample 20000",
		"learn q.npz --method soft -k 3 -o m.npz -q": "MaxExperts 3|Iterations 12|Sample 3000",
		"learn v.csv -o m.npz -q":                    "data sha256:|Parts 0|Sample 0",
	} {
		got := descriptionOf(t, line)
		if !strings.HasPrefix(got, "program "+version()+"\n") {
			t.Errorf("%s: no version: %s", line, got)
		}
		for part := range strings.SplitSeq(want, "|") {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %q in\n%s", line, part, got)
			}
		}
		for _, never := range []string{"Workers", "checkpoint"} {
			if strings.Contains(got, never) {
				t.Errorf("%s: %q does not matter:\n%s", line, never, got)
			}
		}
	}
}

// Another version's run is refused with the way out, and stays.
func TestCheckpointOfAnotherVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth quadrants --n 40 --seed 1 -o q.npz -q")...)
	for _, had := range []string{"program v0.1.0\n--experts 4\n", "--experts 4\n"} {
		keptBy(t, had)
		before := read(t, filepath.Join("kept", journalName, "about"))
		o := patchworkCommand(t, fields("learn q.npz -k 4 -o m.npz -q --checkpoint kept")...)
		for _, want := range []string{"another program, data or options", "program " + version(), "or another folder, or remove it"} {
			if o.code != exitRequest || !strings.Contains(o.err, want) {
				t.Errorf("exit %d, %q; want %q", o.code, o.err, want)
			}
		}
		if read(t, filepath.Join("kept", journalName, "about")) != before {
			t.Error("the run of the other version was changed")
		}
		if err := os.RemoveAll("kept"); err != nil {
			t.Fatal(err)
		}
	}
}

// What is not a checkpoint is not touched, whatever its name.
func TestCheckpointLeavesOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth quadrants --n 40 --seed 1 -o q.npz -q")...)
	if err := os.Mkdir("kept", 0o777); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("kept", journalName)
	write(t, path, "my own notes\n")
	o := patchworkCommand(t, fields("learn q.npz -k 4 -o m.npz -q --checkpoint kept")...)
	if o.code != exitRequest ||
		!strings.Contains(o.err, path+" is not a file of a checkpoint, and stays as it is; give another folder") ||
		read(t, path) != "my own notes\n" {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
	write(t, "victim", "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "victim"), path); err != nil {
		t.Skip(err)
	}
	o = patchworkCommand(t, fields("learn q.npz -k 4 -o m.npz -q --checkpoint kept")...)
	if o.code != exitRequest || !strings.Contains(o.err, "stays as it is") || read(t, "victim") != "" {
		t.Errorf("a link: exit %d, %q", o.code, o.err)
	}
}
