package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// docsPages are the pages of which every block of code is run; TestDocsNotRun says what
// becomes of the others.
func docsPages(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(documentPages(t), func(page string) bool {
		return slices.Contains([]string{"serve.md", "mistakes.md", "architecture.md"}, path.Base(page))
	})
}

// documentPages are the README and the pages below docs/, by their
// paths from the root of the repository.
func documentPages(t *testing.T) []string {
	t.Helper()
	pages := []string{"README.md"}
	err := filepath.WalkDir("../../docs", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(name, ".md"):
			pages = append(pages, strings.TrimPrefix(name, "../../"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// codeBlock is a block of code of a page: its language, what it needs, and where its
// lines begin.
type codeBlock struct {
	language string
	needs    []string
	line     int
	text     string
}

var fence = regexp.MustCompile("(?m)^```(.*)\n((?s:.*?))^```$")

// codeBlocks returns the blocks of code of a page.
func codeBlocks(t *testing.T, page, text string) []codeBlock {
	t.Helper()
	var out []codeBlock
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		info := strings.Fields(text[m[2]:m[3]])
		b := codeBlock{line: strings.Count(text[:m[4]], "\n"), text: text[m[4]:m[5]]}
		if len(info) == 0 {
			t.Errorf("%s, line %d: a block without a language; console, sh, go, gomod and python are run, text, csv and "+
				"json are not", page, b.line)
			continue
		}
		b.language, b.needs = info[0], info[1:]
		out = append(out, b)
	}
	return out
}

// sharedFiles are the files that pages fetch, by their names there and where the
// shared data have them.
var sharedFiles = map[string]string{
	"house-votes-84.data": "data/house_votes_84/house-votes-84.data",
	"optdigits.npz":       "data/optdigits_orig/optdigits_orig.npz",
	"conv_problem.npz":    "data/peers/conv_problem.npz",
	"roles_fire1.npz":     "data/peers/roles_fire1.npz",
}

// TestDocs runs the blocks of code of every page, in their order, in a folder of the
// page's own: sessions (console) and what they print, where … stands for anything
// within a line; scripts (sh); programs (go, python). Files of docs/data that a page
// links to are in the folder, and so are those that a block needs, as in
// "console needs=FILE"; from a block on that is slow the rest of a page is run where
// everything is tested. Pictures of the page that its commands write are the same as
// those in docs/pictures; -update writes both pages and pictures.
func TestDocs(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	d := docs{root: root, bin: t.TempDir()}
	for _, page := range docsPages(t) {
		t.Run(strings.ReplaceAll(page, "/", "."), func(t *testing.T) {
			if strings.HasPrefix(page, "docs/gallery/") || slices.Contains(long, page) {
				testenv.Slow(t)
			}
			if !apart(t) {
				d.run(t, page)
			}
		})
	}
}

// long are pages whose commands take many seconds and are run by other tests, too.
var long = []string{"docs/howto/classes.md", "docs/howto/few-examples.md", "docs/howto/how-many.md",
	"docs/howto/photos.md",
	"docs/paper.md", "docs/tutorials/grey.md", "docs/tutorials/letters.md"}

// docs are the pages that are run: the root of the repository, and a folder for the
// program.
type docs struct{ root, bin string }

// seconds are how long a command took.
var seconds = regexp.MustCompile(` in \d+(\.\d+)? s\b`)

var pageLink = regexp.MustCompile(`\]\(([^()\s#]+)[^()]*\)`)

func (d *docs) run(t *testing.T, page string) {
	if os.Getenv("PATCHWORK_SHARED") == "" { // each page is run in a folder elsewhere
		t.Setenv("PATCHWORK_SHARED", filepath.Join(d.root, "..", "shared"))
	}
	file := filepath.Join(d.root, filepath.FromSlash(page))
	text := read(t, file)
	blocks := codeBlocks(t, page, text)
	dir := t.TempDir()
	t.Chdir(dir)
	var pictures []string
	for _, m := range pageLink.FindAllStringSubmatch(text, -1) {
		to := filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1]))
		switch filepath.Base(filepath.Dir(to)) {
		case "data":
			if page == "README.md" { // whose commands run in the clone
				if err := os.MkdirAll(filepath.Dir(m[1]), 0o777); err != nil {
					t.Fatal(err)
				}
				write(t, m[1], read(t, to))
			}
			write(t, filepath.Base(to), read(t, to))
		case "pictures":
			pictures = append(pictures, to)
		}
	}
	lines, shift := strings.Split(text, "\n"), 0
	python := ""
	for i, b := range blocks {
		if slices.Contains(b.needs, "slow") {
			testenv.Slow(t)
		}
		d.fetch(t, b)
		switch b.language {
		case "console":
			for _, s := range parseSession(strings.TrimSuffix(b.text, "\n")) {
				s.line += b.line
				if got, ok := s.play(t); !ok && *update {
					after := s.updated(seconds.ReplaceAllString(got, " in … s"))
					at := s.line + shift
					lines = slices.Replace(lines, at, at+len(s.after), after...)
					shift += len(after) - len(s.after)
				}
			}
		case "sh":
			if slices.Contains(b.needs, "serve") {
				d.serveLines(t, b)
			} else {
				d.script(t, b)
			}
		case "go":
			if !testing.Short() {
				runProgram(t, filepath.Join(d.root, "cmd", "patchwork"), b.text)
			}
		case "python":
			python += b.text + "\n" // blocks of one page go on from each other
			if next := slices.IndexFunc(blocks[i+1:], isRun); next < 0 || blocks[i+1+next].language != "python" {
				d.python(t, python)
			}
		case "gomod":
			if !testing.Short() {
				d.goMod(t, b, slices.DeleteFunc(slices.Clone(blocks), func(p codeBlock) bool { return p.language != "go" }))
			}
		case "text", "csv", "json", "r", "sql":
		default:
			t.Errorf("%s, line %d: blocks of %q are not run", page, b.line, b.language)
		}
	}
	if *update {
		write(t, file, strings.Join(lines, "\n"))
	}
	for _, p := range pictures {
		d.compare(t, p)
	}
}

// fetch brings the files that a block needs. Without them the test of the page ends
// here, skipped.
func (d *docs) fetch(t *testing.T, b codeBlock) {
	for _, need := range b.needs {
		name, ok := strings.CutPrefix(need, "needs=")
		if !ok {
			continue
		}
		if _, err := os.Stat(name); err == nil {
			continue
		}
		switch name {
		case "photos":
			drawPhotos(t, name)
			continue
		case "Greek":
			unpack(t, testenv.Shared(t, "data/omniglot_small1/images_background_small1.zip"), "images_background_small1/Greek/")
			continue
		}
		from, ok := sharedFiles[name]
		if !ok {
			t.Fatalf("line %d: where is %s?", b.line, name)
		}
		write(t, name, string(testenv.ReadShared(t, from)))
	}
}

// unpack writes the folder of an archive, whose name ends in "/", into the present one.
func unpack(t *testing.T, archive, folder string) {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	above := path.Dir(path.Clean(folder)) + "/"
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, folder) || strings.HasSuffix(f.Name, "/") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.FromSlash(strings.TrimPrefix(f.Name, above))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, name, string(data))
	}
}

// onPath puts the program on the PATH: this test binary, under its name.
func (d *docs) onPath(t *testing.T) {
	t.Helper()
	program := filepath.Join(d.bin, "patchwork")
	if _, err := os.Lstat(program); err != nil {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(self, program); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	t.Setenv("PATH", d.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("PATCHWORK", program)
	t.Setenv(beMain, "1")
}

// script runs a block for the shell.
func (d *docs) script(t *testing.T, b codeBlock) {
	if testing.Short() {
		return
	}
	if strings.Contains(b.text, "patchwork") {
		d.onPath(t)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", b.text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("line %d: %v\n%s\n%s", b.line, err, b.text, out)
	}
}

// The Python of python/README.md is a sketch, of data that it does not have; it
// compiles.
func TestPythonPage(t *testing.T) {
	python := testenv.NumPy(t)
	blocks := codeBlocks(t, "python/README.md", read(t, "../../python/README.md"))
	if len(blocks) < 2 {
		t.Errorf("%d blocks", len(blocks))
	}
	for _, b := range blocks {
		python(t.TempDir(), fmt.Sprintf("compile(%q, 'README', 'exec')", b.text))
	}
}

// isRun reports whether a block is run.
func isRun(b codeBlock) bool {
	return !slices.Contains([]string{"text", "csv", "json", "r", "sql"}, b.language)
}

// python runs the Python of a page up to some block.
func (d *docs) python(t *testing.T, text string) {
	if testing.Short() {
		return
	}
	d.onPath(t)
	t.Setenv("PYTHONPATH", filepath.Join(d.root, "python"))
	testenv.NumPy(t)(".", text)
}

// compare compares a picture of a page with the one that its commands wrote.
func (d *docs) compare(t *testing.T, picture string) {
	name := filepath.Base(picture)
	made, err := os.ReadFile(name)
	if err != nil {
		made, err = os.ReadFile(filepath.Join("demo", name))
	}
	if err != nil {
		return // made elsewhere, see TestPictures
	}
	if *update {
		write(t, picture, string(made))
		return
	}
	kept := read(t, picture)
	if kept != string(made) && !sameImage([]byte(kept), made) {
		t.Errorf("the commands of the page draw another %s; -update writes it", name)
	}
}

// sameImage reports whether two files hold the same pixels: another version of Go may
// compress them differently.
func sameImage(a, b []byte) bool {
	p, _, err := image.Decode(bytes.NewReader(a))
	if err != nil {
		return false
	}
	q, _, err := image.Decode(bytes.NewReader(b))
	if err != nil || p.Bounds() != q.Bounds() {
		return false
	}
	for y := range p.Bounds().Dy() {
		for x := range p.Bounds().Dx() {
			if color.RGBAModel.Convert(p.At(x, y)) != color.RGBAModel.Convert(q.At(x, y)) {
				return false
			}
		}
	}
	return true
}

// A command line in the prose of a page names a command and flags that there are.
func TestDocsFlags(t *testing.T) {
	checked := 0
	for _, page := range docsPages(t) {
		text := fence.ReplaceAllString(read(t, filepath.Join("../..", page)), "")
		for _, m := range regexp.MustCompile("`patchwork ([^`\n]+)`").FindAllStringSubmatch(text, -1) {
			words := fields(m[1])
			if words[0] == "COMMAND" || words[0] == "FILE" ||
				strings.HasPrefix(words[0], "-") || strings.Contains(m[1], "…") && len(words) == 1 {
				continue
			}
			cmd, rest, err := (&app{}).rootCommand().Find(words)
			if err != nil || !cmd.HasParent() {
				t.Errorf("%s: `patchwork %s`: there is no such command", page, m[1])
				continue
			}
			checked++
			for _, w := range rest {
				name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
				if w == "--help" || w == "--help-all" || !strings.HasPrefix(w, "-") || w == "-" {
					continue
				}
				flag := cmd.Flag(name)
				if !strings.HasPrefix(w, "--") {
					flag = cmd.Flags().ShorthandLookup(name[:1])
				}
				if flag == nil {
					t.Errorf("%s: `patchwork %s`: there is no flag %s", page, m[1], w)
				}
			}
		}
	}
	if checked < 12 {
		t.Errorf("only %d command lines are checked", checked)
	}
}

// runProgram builds a program as a part of this module, and runs it in the present
// folder.
func runProgram(t *testing.T, here, text string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "main.go")
	write(t, source, text)
	place := filepath.Join(filepath.Dir(here), "docs-program", "main.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {place: source}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(filepath.Dir(source), "overlay.json")
	write(t, list, string(overlay))
	program := filepath.Join(filepath.Dir(source), "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", list, "-o", program, place)
	build.Dir = here
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the program does not build: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program).CombinedOutput()
	if err != nil {
		t.Fatalf("the program fails: %v\n%s", err, out)
	}
	return string(out)
}
