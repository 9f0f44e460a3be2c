package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// notWritten lists the flags with a text as value that are no output. A new flag
// goes here, or says what it writes: it is named output, is a picturePath, or is
// marked by writes.
var notWritten = strings.Fields(`
	addr allow-host array beam by categories checkpoint columns csv cut data delimiter first-per labels letters meta mnist model must names never pairs
	rival shard symbol ticc tls token weight where`)

// Whoever adds a command or a flag decides whether it names a file to write, so that
// the guard knows it.
func TestOutputsAreKnown(t *testing.T) {
	for _, c := range commands((&app{}).rootCommand()) {
		if c.HasParent() && (c.PersistentPreRun != nil || c.PersistentPreRunE != nil || c.PersistentPostRun != nil || c.PersistentPostRunE != nil || c.PreRunE != nil || c.PreRun != nil) {
			t.Errorf("%s runs something before or after its work; that hides the guard of the root command", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if text := f.Value.Type(); !isOutput(f) && (text == "string" || strings.HasPrefix(text, "string")) && !slices.Contains(notWritten, f.Name) {
				t.Errorf("%s --%s: a text that may name a file to write; list it as one that does not, or mark it with writes", c.CommandPath(), f.Name)
			}
		})
	}
}

// waysTo are ways to name one file that no comparison of names sees through, and
// files that do not exist yet.
func waysTo(t *testing.T, file string) []string {
	t.Helper()
	for _, dir := range []string{"folder", "links"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	symbolic, hard, far := "links/soft-"+file, "links/hard-"+file, "links/far-"+file
	for path, link := range map[string]func() error{
		symbolic: func() error { return os.Symlink(filepath.Join("..", file), symbolic) },
		hard:     func() error { return os.Link(file, hard) },
		far:      func() error { return os.Symlink(filepath.Join("soft-"+file), far) },
	} {
		if _, err := os.Lstat(path); err != nil {
			if err := link(); err != nil {
				t.Fatal(err)
			}
		}
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return []string{file, "./" + file, "folder/../" + file, abs, symbolic, hard, far}
}

// Every command refuses, before any work, to write over what it reads: an argument or
// a file of a flag, under any name.
func TestNothingIsOverwritten(t *testing.T) {
	t.Chdir(t.TempDir())
	const content = "this is not to be lost\n"
	checked := 0
	for _, c := range commands((&app{}).rootCommand()) {
		for _, out := range outputFlags(c) {
			file := "keep.csv"
			if _, picture := out.Value.(*picturePath); picture {
				file = "keep.png"
			}
			write(t, file, content)
			ways := waysTo(t, file)
			for _, in := range readers(c, out, file) {
				for _, way := range ways {
					line := append(strings.Fields(c.CommandPath())[1:], in...)
					o := patchworkCommand(t, append(line, "--"+out.Name, way)...)
					if o.code != exitRequest || !strings.Contains(o.err, "would replace the input") || o.out != "" {
						t.Errorf("%s --%s %s: exit %d, %q", strings.Join(line, " "), out.Name, way, o.code, o.err)
					}
					if got := read(t, file); got != content {
						t.Fatalf("%s --%s %s lost its input", strings.Join(line, " "), out.Name, way)
					}
					checked++
				}
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d command lines", checked)
	}
}

// readers returns arguments with which a command reads a file, in each of its ways.
func readers(c *cobra.Command, out *pflag.Flag, file string) (ways [][]string) {
	if c.Args == nil || c.Args(c, []string{file}) == nil {
		ways = append(ways, []string{file})
	}
	replaced := strings.Split(c.Annotations[inPlaceAnnotation], ",")
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != out.Name && !isOutput(f) && strings.HasPrefix(f.Value.Type(), "string") && !slices.Contains(replaced, f.Name) {
			way := []string{"--" + f.Name, file}
			if c.Args != nil && c.Args(c, nil) != nil {
				way = append(way, "other.csv") // data that need not exist
			}
			ways = append(ways, way)
		}
	})
	return ways
}

// Outputs may not be the same file, and a picture may not become one of those that a
// folder holds; a step may replace its own model, and devices are no files.
func TestOutputsOfOneCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	if err := os.MkdirAll("letters/T", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("letters", "same"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, says string }{
		{"learn t.npz -k 2 -o a.npz --picture p.png --progress-picture ./p.png", "--picture p.png and --progress-picture ./p.png are the same file; name two"},
		{"learn letters -k 2 -o a.npz --picture letters/new.png", "--picture letters/new.png would be one of the pictures in the folder letters, which is an input; write it elsewhere"},
		{"learn letters -k 2 -o a.npz --picture same/T/new.PNG", "would be one of the pictures in the folder letters"},
		{"learn same/T -k 2 -o a.npz --picture letters/T/new.png", "would be one of the pictures in the folder same/T"},
		{"synth scenes --n 1 -o s.npz --model d.csv", "--model d.csv: .csv is not a format that this command writes; choose .npz"},
		{"learn t.npz -k 2 --names model.npz -o ./model.npz", "-o ./model.npz would replace the input --names model.npz; name another file"},
	} {
		if o := patchworkCommand(t, fields(c.line)...); o.code != exitRequest || !strings.Contains(o.err, c.says) {
			t.Errorf("%s: exit %d, %q", c.line, o.code, o.err)
		}
	}
	write(t, "rows.csv", "a,b\n1,0\n0,1\n")
	if o := patchworkCommand(t, fields("learn rows.csv -k 1 -o table.npz")...); o.code != 0 {
		t.Fatal(o.err)
	}
	if err := errors.Join(os.Symlink("r-rows.csv", "r.html"), os.Symlink("q-parts.csv", "q-rows.csv")); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"r.html", "q.html"} {
		if o := patchworkCommand(t, "report", "-m", "table.npz", "rows.csv", "-o", page, "--csv", ".", "--stability", "0"); o.code != exitRequest || !strings.Contains(o.err, "are the same file; name two") {
			t.Errorf("report -o %s: exit %d, %q", page, o.code, o.err)
		}
	}
	for _, line := range []string{
		"stats -m model.npz t.npz -o 1.tally", "mstep -m model.npz 1.tally -o model.npz", // in place
		"explain -m model.npz t.npz -o letters.jsonl --picture letters.png", // beside the folder
	} {
		must(t, fields(line)...)
	}
}

// What a command writes it also says: on stdout, or beside data on stderr.
func TestWritesAreSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	for _, c := range []struct{ line, out, err string }{
		{"explain -m model.npz t.npz --take 1 -o e.jsonl --picture e.png", "wrote e.jsonl: explanations of 1 image of 24 x 24\nwrote e.png\n", ""},
		{"explain -m model.npz t.npz --take 1 --picture e.svg", "{", "wrote e.svg\n"},
		{"sample -m model.npz -o s.npz --picture s.png", "wrote s.npz: 9 samples of 24 x 24\nwrote s.png\n", ""},
		{"sample -m model.npz -o s.png -q", "", ""},
		{"draw model.npz -o d.svg", "wrote d.svg\n", ""},
		{"stats -m model.npz t.npz -o 1.tally", "wrote 1.tally: counts of 12 images, log-likelihood ", ""},
		{"mstep -m model.npz 1.tally -o n.npz", "added 1 shard of 12 rows", ""},
		{"predict -m model.npz t.npz -o p.csv", "wrote p.csv: 12 images of 24 x 24\n", ""},
		{"synth scenes --n 1 -o s.npz --model d.npz", "wrote s.npz: 1 image of 100 x 100\nwrote d.npz\n", ""},
	} {
		o := patchworkCommand(t, fields(c.line)...)
		if o.code != 0 || !strings.HasPrefix(o.out, c.out) || o.out != "" && c.out == "" || o.err != c.err {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", c.line, o.code, o.out, o.err)
		}
	}
}
