package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// notWritten lists the flags with a text as value that are no output. A new flag
// goes here, or says what it writes: it is named output, or is
// marked by writes.
var notWritten = strings.Fields(`
	addr allow-host array beam by checkpoint columns csv cut data delimiter first-per keep key labels letters missing mnist model must name names never pairs q
	rival shard symbol ticc tls token update where`)

// Whoever adds a command or a flag decides whether it names a file to write, so that
// the guard knows it.
func TestOutputsAreKnown(t *testing.T) {
	for _, c := range commands((&app{}).rootCommand()) {
		if c.HasParent() && (c.PersistentPreRun != nil || c.PersistentPreRunE != nil || c.PersistentPostRun != nil ||
			c.PersistentPostRunE != nil || c.PreRunE != nil || c.PreRun != nil) {
			t.Errorf("%s runs something before or after its work; that hides the guard of the root command", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if text := f.Value.Type(); !isOutput(f) && (text == "string" || strings.HasPrefix(text, "string")) &&
				!slices.Contains(notWritten, f.Name) {
				t.Errorf("%s --%s: a text that may name a file to write; list it as one that does not, or mark it with writes",
					c.CommandPath(), f.Name)
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
	if _, err := os.Lstat("here"); err != nil {
		if err := os.Symlink(".", "here"); err != nil {
			t.Fatal(err)
		}
	}
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
	return []string{file, "./" + file, "folder/../" + file, abs, "here/" + file, symbolic, hard, far}
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
			if formats := out.Annotations[writesAnnotation]; slices.Contains(formats, ".png") {
				file = "keep.png"
			}
			inside := out.Annotations[insideAnnotation]
			if inside != nil {
				file = inside[0]
			}
			write(t, file, content)
			ways := waysTo(t, file)
			// Read by its name and written by all others, and the other way round.
			names := make(map[[2]string]bool)
			for _, way := range ways {
				names[[2]string{file, way}], names[[2]string{way, file}] = true, true
			}
			if inside != nil { // the folder is named
				names = make(map[[2]string]bool)
				for _, way := range ways {
					names[[2]string{way, "."}], names[[2]string{way, "here"}] = true, true
				}
			}
			for name := range names {
				for _, in := range readers(c, out, name[0]) {
					line := append(strings.Fields(c.CommandPath())[1:], in...)
					o := patchworkCommand(t, append(line, "--"+out.Name, name[1])...)
					if o.code != exitRequest || !strings.Contains(o.err, "would replace the input") || o.out != "" {
						t.Errorf("%s --%s %s: exit %d, %q", strings.Join(line, " "), out.Name, name[1], o.code, o.err)
					}
					if got := read(t, file); got != content {
						t.Fatalf("%s --%s %s lost its input", strings.Join(line, " "), out.Name, name[1])
					}
					checked++
				}
			}
		}
	}
	if checked < 1000 {
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
		if f.Name != out.Name && !isOutput(f) && strings.HasPrefix(f.Value.Type(), "string") &&
			!slices.Contains(replaced, f.Name) {
			way := []string{"--" + f.Name, file}
			if c.Args != nil && c.Args(c, nil) != nil {
				way = append(way, "other.csv") // data that need not exist
			}
			ways = append(ways, way)
			if _, many := f.Value.(pflag.SliceValue); many { // as in --symbol NAME=FILE
				ways = append(ways, append([]string{"--" + f.Name, "name=" + file}, way[2:]...))
			}
		}
	})
	return ways
}

// door lists what opens files. Of the sources of this package only these may use them:
// whatever else is written passes files.write, and data are read with Options.Opened.
var door = map[string]string{
	"os.Create": "pipe.go", "os.CreateTemp": "", "os.MkdirTemp": "pipe.go findout.go", "os.Mkdir": "",
	"os.MkdirAll": "guard.go checkpoint.go",
	"os.OpenFile": "", "os.WriteFile": "", "os.Rename": "", "os.Link": "", "os.Symlink": "", "os.Truncate": "",
	"pipes.OpenWriter": "", "atomicfile.Write": "", "atomicfile.Stage": "guard.go", "atomicfile.Commit": "guard.go",
	"atomicfile.Check": "guard.go",
	"render.Save":      "", "render.SaveUntil": "", "modelfile.Save": "",
	"journal.Open": "checkpoint.go", "flock.New": "output.go",
	"os.Open": "kind.go pipe.go", "os.ReadFile": "findout.go", "os.DirFS": "", "pipes.Open": "parts.go learnanswers.go",
}

// Nobody goes round the door.
func TestDoor(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				of, _ := n.X.(*ast.Ident)
				if of == nil {
					break
				}
				name := of.Name + "." + n.Sel.Name
				if may, opens := door[name]; opens {
					used++
					if !slices.Contains(strings.Fields(may), source) {
						t.Errorf("%s uses %s; write by app.output or files.write, read with what notes it", source, name)
					}
				}
			case *ast.CompositeLit:
				if of, ok := n.Type.(*ast.SelectorExpr); ok && of.Sel.Name == "Options" && fmt.Sprint(of.X) == "dataset" &&
					!hasKey(n, "Opened") {
					t.Errorf("%s reads data by options without Opened", source)
				}
			}
			return true
		})
	}
	if used < 5 {
		t.Errorf("only %d uses", used)
	}
}

// hasKey reports whether a literal of a struct sets a field, or none at all.
func hasKey(n *ast.CompositeLit, field string) bool {
	return len(n.Elts) == 0 || slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
		kv, ok := e.(*ast.KeyValueExpr)
		return ok && fmt.Sprint(kv.Key) == field
	})
}

// Files whose names show only in the work, as those of drawings and of pictures in folders, are not lost either, and
// nothing else is written.
func TestDerivedNames(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "sheet", "--size", "200x200", "--seed", "1", "-o", "page.png", "--model", "m.npz")
	must(t, "synth", "quadrants", "--n", "30", "--seed", "1", "-o", "q.npz")
	must(t, "learn", "q.npz", "--rule", "max-minus-min", "-k", "2", "--starts", "1", "-o", "model.npz")
	page := read(t, "page.png")
	for _, dir := range []string{"letters/T", "letters/L"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, dir+"/0.png", page)
	}
	var pages bytes.Buffer
	z := zip.NewWriter(&pages)
	for _, name := range []string{"a.png", "b.png"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, page)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, "pages.zip", pages.String())
	for _, c := range []struct{ line, input, says string }{
		{"find -m m.npz page.png p-2.png --picture p.png -o o.csv", "p-2.png", "p-2.png"},
		{"find -m m.npz pages.zip --symbol p-2.png --picture p.png -o o.csv", "p-2.png", "p-2.png"},
		{"find -m m.npz pages.zip --rival x=p-2.png --picture p.png -o o.csv", "p-2.png", "p-2.png"},
		{"show letters -o p.png", "letters/T/0.png", "would"},
		{"explain -m model.npz letters --size 6x6 -o o.jsonl --picture p.png", "letters/T/0.png", "would"},
	} {
		for how, link := range map[string]func(from, to string) error{
			"hard": os.Link,
			"soft": func(from, to string) error { return os.Symlink(relative(t, to, from), to) },
			"turned": func(from, to string) error {
				return errors.Join(os.Rename(from, to), os.Symlink(relative(t, from, to), from))
			},
		} {
			for _, name := range []string{"p.png", "p-2.png", "o.csv", "o.npz", "o.jsonl", "c.csv"} {
				os.Remove(name)
			}
			os.Remove(c.input)
			write(t, c.input, page)
			if c.input != "p-2.png" {
				if err := link(c.input, "p.png"); err != nil {
					t.Fatal(err)
				}
			}
			o := patchworkCommand(t, fields(c.line)...)
			if o.code != exitRequest || !strings.Contains(o.err, "would") || !strings.Contains(o.err, c.says) {
				t.Errorf("%s, %s: exit %d, %q", how, c.line, o.code, o.err)
			}
			if read(t, c.input) != page {
				t.Errorf("%s, %s: %s is lost", how, c.line, c.input)
			}
			for _, name := range []string{"o.csv", "o.npz", "o.jsonl", "c.csv"} {
				if _, err := os.Stat(name); err == nil {
					t.Errorf("%s, %s: wrote %s", how, c.line, name)
				}
			}
			if _, err := os.Stat("p.png"); err == nil && c.input == "p-2.png" {
				t.Errorf("%s: wrote p.png", c.line)
			}
		}
	}
}

// relative returns the text of a link at a path to a file.
func relative(t *testing.T, at, file string) string {
	t.Helper()
	text, err := filepath.Rel(filepath.Dir(at), file)
	if err != nil {
		t.Fatal(err)
	}
	return text
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
		{"synth scenes --n 1 -o p.npz --model ./p.npz", "--model ./p.npz and -o p.npz are the same file; name two"},
		{"show letters -o letters/new.png",
			"-o letters/new.png would be one of the pictures in the folder letters, which is an input; write it elsewhere"},
		{"show letters -o same/T/new.PNG", "would be one of the pictures in the folder letters"},
		{"show same/T -o letters/T/new.png", "would be one of the pictures in the folder same/T"},
		{"synth scenes --n 1 -o s.npz --model d.csv",
			"--model d.csv: .csv is not a format that this command writes; choose .npz"},
		{"learn t.npz -k 2 --names model.npz -o ./model.npz",
			"-o ./model.npz would replace the input --names model.npz; name another file"},
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
		if o := patchworkCommand(t, "report", "-m", "table.npz", "rows.csv", "-o", page, "--csv", ".", "--stability",
			"0"); o.code != exitRequest || !strings.Contains(o.err, "are the same file; name two") {
			t.Errorf("report -o %s: exit %d, %q", page, o.code, o.err)
		}
	}
	for _, line := range []string{
		"count -m model.npz t.npz -o 1.tally", "merge -m model.npz 1.tally -o model.npz", // in place
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
		{"explain -m model.npz t.npz --rows :1 -o e.jsonl --picture e.png",
			"wrote e.jsonl: explanations of 1 image of 24 x 24\nwrote e.png\n", ""},
		{"explain -m model.npz t.npz --rows :1 --picture e.svg", "{", "wrote e.svg\n"},
		{"sample -m model.npz -o s.png", "wrote s.png: 9 images of 24 x 24\n", ""},
		{"sample -m model.npz -o s.png -q", "", ""},
		{"show model.npz -o d.svg", "wrote d.svg\n", ""},
		{"count -m model.npz t.npz -o 1.tally", "wrote 1.tally: counts of 12 images, log-likelihood ", ""},
		{"merge -m model.npz 1.tally -o n.npz", "added 1 shard of 12 rows", ""},
		{"predict -m model.npz t.npz -o p.csv", "wrote p.csv: 12 images of 24 x 24\n", ""},
		{"synth scenes --n 1 -o s.npz --model d.npz", "wrote s.npz: 1 image of 100 x 100\nwrote d.npz\n", ""},
	} {
		o := patchworkCommand(t, fields(c.line)...)
		if o.code != 0 || !strings.HasPrefix(o.out, c.out) || o.out != "" && c.out == "" || o.err != c.err {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", c.line, o.code, o.out, o.err)
		}
	}
}
