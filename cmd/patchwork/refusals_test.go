package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// refusal is a command line that is refused, of testdata/refusals.txt.
type refusal struct {
	before []string // lines of the file before it: comments, and a file to write
	line   string
	says   string // stderr
	code   int
}

// mistake returns what people do by it, if it stands on docs/mistakes.md.
func (r refusal) mistake() string {
	for _, l := range r.before {
		if doing, ok := strings.CutPrefix(l, "#! "); ok {
			return doing
		}
	}
	return ""
}

// file returns the file that is written before the command line runs.
func (r refusal) file(t *testing.T) (name, content string) {
	t.Helper()
	for _, l := range r.before {
		if l, ok := strings.CutPrefix(l, "< "); ok {
			name, quoted, _ := strings.Cut(l, " ")
			content, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("%s: %v", l, err)
			}
			return name, content
		}
	}
	return "", ""
}

func parseRefusals(t *testing.T, text string) (out []refusal) {
	t.Helper()
	var next refusal
	for l := range strings.Lines(text) {
		code, ended := strings.CutPrefix(l, "exit ")
		switch {
		case strings.HasPrefix(l, "$ "):
			next.line = strings.TrimSpace(l[2:])
		case next.line == "":
			next.before = append(next.before, strings.TrimSuffix(l, "\n"))
		case ended:
			if _, err := fmt.Sscan(code, &next.code); err != nil {
				t.Fatalf("%s: %q", next.line, l)
			}
		case strings.TrimSpace(l) == "":
			out, next = append(out, next), refusal{}
		default:
			next.says += l
		}
	}
	return out
}

func formatRefusals(all []refusal) string {
	var b strings.Builder
	for _, r := range all {
		for _, l := range r.before {
			b.WriteString(l + "\n")
		}
		fmt.Fprintf(&b, "$ %s\n%sexit %d\n\n", r.line, r.says, r.code)
	}
	return b.String()
}

// notes match the notes that come before a refusal.
var notes = regexp.MustCompile(`(?m)^patchwork: note: .*\n`)

// TestRefusals: each of these command lines is answered by one line, as in
// testdata/refusals.txt, comes before any work, and changes no file. With -update what is
// said is taken over, there and on docs/mistakes.md, which has the commonest.
func TestRefusals(t *testing.T) {
	list, err := filepath.Abs("testdata/refusals.txt")
	if err != nil {
		t.Fatal(err)
	}
	page, err := filepath.Abs("../../docs/mistakes.md")
	if err != nil {
		t.Fatal(err)
	}
	text, commonest := read(t, list), read(t, page)
	all := parseRefusals(t, text)
	t.Chdir(t.TempDir())
	badInputs(t)
	mistakeFiles(t)
	for i, r := range all {
		if name, content := r.file(t); name != "" {
			write(t, name, content)
		}
		if strings.Contains(r.line, "/dev/full") && !exists("/dev/full") {
			continue
		}
		before := snapshot(t)
		o := patchworkCommand(t, fields(r.line)...)
		says := notes.ReplaceAllString(o.err, "")
		if o.code != exitRequest && o.code != exitFailed || o.out != "" || strings.Count(says, "\n") != 1 ||
			!strings.HasPrefix(says, "patchwork: ") || strings.Count(says, "patchwork: ") > 1 {
			t.Errorf("%s: exit %d, stdout %q, stderr is not one line of ours: %q", r.line, o.code, o.out, o.err)
		}
		if after := snapshot(t); after != before {
			t.Fatalf("%s changed a file:\n%s\nbefore\n%s", r.line, after, before)
		}
		all[i].says, all[i].code = o.err, o.code
		if (o.err != r.says || o.code != r.code) && !*update {
			t.Errorf("%s: exit %d\n%sbefore exit %d\n%s-update takes it over", r.line, o.code, o.err, r.code, r.says)
		}
	}
	if *update {
		write(t, list, formatRefusals(all))
		write(t, page, mistakesPage(t, all))
	} else if mistakesPage(t, all) != commonest {
		t.Error("docs/mistakes.md is not what the command says; -update writes it")
	}
}

// mistakesPage returns docs/mistakes.md.
func mistakesPage(t *testing.T, all []refusal) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Mistakes, and what Patchwork says\n\nEvery message names the place and the way out, comes before " +
		"any work, and leaves every file as it is. " +
		"These are the commonest\n(`go test -run TestRefusals ./cmd/patchwork -update` writes this page; it makes two " +
		"hundred more).\n")
	for _, r := range all {
		if r.mistake() == "" {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n\n", r.mistake())
		for l := range strings.Lines("$ patchwork " + r.line + "\n" + r.says) {
			b.WriteString("    " + l)
		}
	}
	return b.String()
}

// badInputs writes files that cannot be used into the present folder, beside those of
// smallLetters.
func badInputs(t *testing.T) {
	t.Helper()
	smallLetters(t)
	good := read(t, "t.npz")
	write(t, "truncated.npz", good[:len(good)/2])
	write(t, "truncated-model.npz", read(t, "model.npz")[:1000])
	write(t, "text.npz", "this is not an archive")
	write(t, "empty.csv", "")
	write(t, "ragged.csv", "a,b,c\n1,0,1\n0,1\n")
	write(t, "small.csv", "a,b,c\n1,0,1\n0,1,0\n")
	save(t, "colour.npy", npy.Member{Array: npy.New(make([]uint8, 2*4*4*3), 2, 4, 4, 3)})
	save(t, "two.npy", npy.Member{Array: npy.New([]uint8{0, 1, 2, 0}, 1, 2, 2)})
	save(t, "none.npy", npy.Member{Array: npy.New([]uint8{}, 0, 2, 2)})
	save(t, "negative.npz", npy.Member{Name: "x", Array: npy.New([]uint8{0, 1}, 2, 1)},
		npy.Member{Name: "weight", Array: npy.New([]int64{1, -1}, 2)})
	must(t, "synth", "bars", "--n", "10", "-o", "bars.npz", "-q")
	must(t, "synth", "bars", "--n", "10", "--side", "9", "-o", "wide.npz", "-q")
	must(t, "learn", "bars.npz", "--rule", "max-minus-min", "-k", "2", "-o", "bars-model.npz", "-q")
	if err := os.Symlink("nowhere", "dangling"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
}

// mistakeFiles writes further files of the command lines into the present folder.
func mistakeFiles(t *testing.T) {
	t.Helper()
	must(t, fields("synth letters --letters TL --writers 6 --side 24 --seed 3 -o letters.npz -q")...)
	must(t, fields("explain -m model.npz letters.npz --rows 1 -o picks.jsonl -q")...)
	write(t, "sites.csv",
		"site,Veronica minor,Poa repens,Salix alba,Carex nigra\nmoor,1,1,0,0\nbog,0,0,1,1\nmeadow,1,1,0,0\nbank,0,0,1,1\n")
	write(t, "short.csv", "site,Veronica minor,Poa repens\nmoor,1,1\nbog,0\n")
	write(t, "counts.csv", "site,Veronica minor,Poa repens\nmoor,1,0\nbog,0,3\n")
	must(t, fields("learn sites.csv -o sites.npz -k 2 -q")...)
	write(t, "lost.csv", "site,Veronica minor,Poa repens,Salix alba\nmoor,1,1,0\n")
	write(t, "renamed.csv", "site,Veronica minor,Poa repenss,Salix alba,Carex nigra\nmoor,1,1,0,0\n")
	write(t, "letter.pdf", "%PDF-1.7\x00\x01\x02\xff\xfe")
	write(t, "genes.csv", genes())
	write(t, "g.csv", "a,b\n1,0\n0,1\n1,0\n")
	must(t, "learn", "g.csv", "-k", "1", "-o", "m.npz", "-q")
	good := read(t, "letters.npz")
	write(t, "half.npz", good[:len(good)/2])
	for _, dir := range []string{"letters", "kept"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("sites.csv", "link.csv"); err != nil {
		t.Fatal(err)
	}
	c := checkpoint{dir: "kept"}
	j, err := c.open("program " + version() + "\n--experts 2\n")
	if err == nil {
		err = j.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// genes returns a table of many columns of text.
func genes() string {
	var b strings.Builder
	for row := range 5 {
		for i := range 2000 {
			if i > 0 {
				b.WriteByte(',')
			}
			if row == 0 {
				fmt.Fprintf(&b, "gene%d", i)
			} else {
				fmt.Fprintf(&b, "%s%d", strings.Repeat("ACGT"[i%4:i%4+1], 3), row*2000+i)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// snapshot returns the names and contents of all files in the present folder.
func snapshot(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Fprintln(&b, path)
			return err
		}
		content, _ := os.ReadFile(path) // a link may lead nowhere
		fmt.Fprintln(&b, path, digest(content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
