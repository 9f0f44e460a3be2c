package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mistake is something that people do and that cannot work: what they meant to do, the
// command line, and two parts of the message, of the place and of the way out. The
// page docs/mistakes.md has the whole text.
type mistake struct{ doing, line, place, way string }

// mistakePages are the chapters of docs/mistakes.md.
var mistakePages = []struct {
	title    string
	mistakes []mistake
}{
	{"Files", []mistake{
		{"The model goes where the data are.", "learn sites.csv -o sites.csv", "-o sites.csv", "name another file"},
		{"So it does under another name of the file.", "learn sites.csv -o folder/../link.csv", "sites.csv", "name another file"},
		{"The picture becomes one of those to learn from.", "learn letters -k 2 -o m.npz --picture letters/parts.png", "the folder letters", "elsewhere"},
		{"The name says another format than the command writes.", "learn sites.csv -o model.csv", "-o model.csv", "choose .npz"},
		{"The same for a picture.", "sample -m model.npz -o samples.jpg", "-o samples.jpg", ".png"},
		{"Nothing says where the model goes.", "learn sites.csv -k 2", "-o MODEL", "name the model file"},
		{"The folder of the model does not exist.", "learn sites.csv -k 2 -o results/model.npz", "folder results", "create it first"},
		{"The name of the data is mistyped.", "learn sties.csv -k 2 -o m.npz", "sties.csv", "did you mean sites.csv?"},
		{"The data were not named.", "learn -k 2 -o m.npz", "no data", "name files"},
		{"Only half of the file arrived.", "learn half.npz -k 2 -o m.npz", "half.npz", "again"},
		{"The file is something else altogether.", "learn letter.pdf -k 2 -o m.npz", "letter.pdf", "export"},
	}},
	{"Models", []mistake{
		{"The data are given as the model.", "explain -m sites.csv sites.csv", "sites.csv is a table, not a model", "patchwork learn sites.csv"},
		{"The same with an archive.", "explain -m letters.npz model.npz", "letters.npz is data", "patchwork learn letters.npz"},
		{"The model is given as the data.", "explain -m model.npz model.npz", "model.npz is a model, not data", "name the images"},
		{"The model is not named.", "explain letters.npz", "-m MODEL", "name the model file"},
		{"The model is of images of another size.", "explain -m model.npz bars.npz", "bars.npz", "use a model"},
		{"The model is of a table, and these are images.", "explain -m sites.npz letters.npz", "letters.npz holds images of 24 x 24", "rows of these columns"},
		{"The model is of images, and this is a table.", "explain -m model.npz sites.csv", "sites.csv", "give images"},
		{"The explanations are explained again.", "explain -m model.npz picks.jsonl", "picks.jsonl is explanations", "name the images"},
		{"The data are given as counts.", "mstep -m model.npz letters.npz -o next.npz", "letters.npz is data", "patchwork stats"},
		{"The folder keeps a run with other options.", "learn sites.csv -o m.npz -k 3 --checkpoint kept", "kept", "another folder"},
	}},
	{"Commands and flags", []mistake{
		{"A command is mistyped.", "lern sites.csv", `"lern"`, "did you mean learn?"},
		{"So it is when asking for help.", "help explian", `"explian"`, "did you mean explain?"},
		{"A flag is mistyped.", "learn letters.npz -k 2 --shfit 3 -o m.npz", "--shfit", "did you mean --shift?"},
		{"A flag lacks a dash.", "learn letters.npz -experts 2 -o m.npz", "-experts", "did you mean --experts?"},
		{"The other name of a flag is mistyped.", "learn letters.npz --parst 2 -o m.npz", "--parst", "did you mean --experts?"},
		{"The value of a flag is missing.", "learn letters.npz -k 2 -o m.npz --rotate", "--rotate", "RANGE:STEP"},
		{"A value is mistyped.", "learn letters.npz -k 2 -o m.npz --rule max-minusmin", "--rule", "did you mean max-minus-min?"},
		{"The number of parts is a word.", "learn letters.npz -k many -o m.npz", "--experts many", "auto"},
		{"A range goes down.", "learn letters.npz -k 5..2 -o m.npz", "5..2", "2..5"},
		{"Rows are counted from 0.", "explain -m model.npz letters.npz --rows 0:9", "--rows 0:9", "from 1"},
		{"There are not so many rows.", "explain -m model.npz letters.npz --rows 500:", "--rows 500:", "12 images"},
		{"Parts are shifted out of the image.", "learn letters.npz -k 2 --shift 40 -o m.npz", "--shift 40", "at most 23"},
		{"Rotations without a step.", "learn letters.npz -k 2 --rotate 24 -o m.npz", "--rotate", "24:6"},
		{"Parts of a table are to move.", "learn letters.npz -k 2 --method soft --shift 3 -o m.npz", "--shift", "without poses"},
		{"The server is opened to everybody.", "serve --addr 0.0.0.0:8080", "--addr 0.0.0.0:8080", "PATCHWORK_TOKEN"},
	}},
	{"Selecting rows", []mistake{
		{"No column has the name.", "learn letters.npz -k 2 --where wrter=3 -o m.npz", "wrter", "did you mean writer?"},
		{"No row has the value.", "learn letters.npz -k 2 --where y=Z -o m.npz", "y=Z", "T, L"},
		{"A selection without a comparison.", "learn letters.npz -k 2 --where y -o m.npz", "y", "y=T"},
		{"Rows are selected in two ways.", "learn letters.npz -k 2 --rows 3: --skip 2 -o m.npz", "--rows", "alone"},
	}},
	{"Tables", []mistake{
		{"A row has too few cells.", "learn short.csv -o m.npz -k 2", "line 3", "one length"},
		{"Cells hold counts.", "learn counts.csv -o m.npz -k 2", "counts.csv", "--threshold"},
		{"A column that is to be taken is mistyped.", "learn sites.csv -k 2 -o m.npz --columns 'Veronica mino,Poa repens'", "Veronica mino", "did you mean Veronica minor?"},
		{"The table has lost a column since the model was learned.", "explain -m sites.npz lost.csv", "Carex nigra", "empty cells"},
		{"A column has another name now.", "explain -m sites.npz renamed.csv", "Poa repenss", "did you mean"},
		{"The array is mistyped.", "learn letters.npz --array xs -k 2 -o m.npz", "xs", "did you mean x?"},
		{"The file is empty.", "learn empty.csv -o m.npz -k 2", "empty.csv", "again"},
	}},
}

const mistakesPage = "../../docs/mistakes.md"

// mistakeFiles writes the files of the mistakes into the present folder.
func mistakeFiles(t *testing.T) {
	t.Helper()
	must(t, fields("synth letters --letters TL --writers 6 --side 24 --seed 3 -o letters.npz -q")...)
	must(t, fields("synth bars --n 10 --seed 1 -o bars.npz -q")...)
	must(t, fields("learn letters.npz -o model.npz -k 2 --shift 2 --starts 1 -q")...)
	must(t, fields("explain -m model.npz letters.npz --rows 1 -o picks.jsonl -q")...)
	write(t, "sites.csv", "site,Veronica minor,Poa repens,Salix alba,Carex nigra\nmoor,1,1,0,0\nbog,0,0,1,1\nmeadow,1,1,0,0\nbank,0,0,1,1\n")
	write(t, "short.csv", "site,Veronica minor,Poa repens\nmoor,1,1\nbog,0\n")
	write(t, "counts.csv", "site,Veronica minor,Poa repens\nmoor,1,0\nbog,0,3\n")
	write(t, "empty.csv", "")
	must(t, fields("learn sites.csv -o sites.npz -k 2 -q")...)
	write(t, "lost.csv", "site,Veronica minor,Poa repens,Salix alba\nmoor,1,1,0\n")
	write(t, "renamed.csv", "site,Veronica minor,Poa repenss,Salix alba,Carex nigra\nmoor,1,1,0,0\n")
	write(t, "letter.pdf", "%PDF-1.7\x00\x01\x02\xff\xfe")
	good := read(t, "letters.npz")
	write(t, "half.npz", good[:len(good)/2])
	for _, dir := range []string{"folder", "letters", "kept"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("sites.csv", "link.csv"); err != nil {
		t.Fatal(err)
	}
	c := checkpoint{dir: "kept"}
	j, err := c.open(programLine() + "\n--experts 2\n")
	if err == nil {
		err = j.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Each of these mistakes is answered by one line that names the place and the way
// out, changes no file, and stands in docs/mistakes.md as it is; -update writes that
// page.
func TestMistakesPage(t *testing.T) {
	page, err := filepath.Abs(mistakesPage)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	if !*update {
		want = read(t, page)
	}
	t.Chdir(t.TempDir())
	mistakeFiles(t)
	before := snapshot(t)
	var b strings.Builder
	b.WriteString("# Mistakes, and what Patchwork says\n\nEvery message names the place and the way out, comes before any work, and leaves every file as it is. A test\n" +
		"makes each of these mistakes and compares the text: `go test -run TestMistakesPage ./cmd/patchwork` (`-update` writes this page).\n")
	n := 0
	for _, p := range mistakePages {
		fmt.Fprintf(&b, "\n## %s\n", p.title)
		for _, m := range p.mistakes {
			n++
			o := patchworkCommand(t, fields(m.line)...)
			says := regexp.MustCompile(`(?m)^patchwork: note: .*\n`).ReplaceAllString(o.err, "")
			if o.code != exitRequest && o.code != exitFailed || o.out != "" || strings.Count(says, "\n") != 1 || !strings.HasPrefix(says, "patchwork: ") {
				t.Errorf("%s: exit %d, stdout %q, stderr %q", m.line, o.code, o.out, o.err)
			}
			if !strings.Contains(says, m.place) || !strings.Contains(says, m.way) {
				t.Errorf("%s: %q does not name %q and %q", m.line, o.err, m.place, m.way)
			}
			if after := snapshot(t); after != before {
				t.Fatalf("%s changed a file:\n%s\nbefore\n%s", m.line, after, before)
			}
			fmt.Fprintf(&b, "\n%s\n\n```\n$ patchwork %s\n%s```\n", m.doing, m.line, o.err)
		}
	}
	writeDataMistakes(&b)
	if n < 22 {
		t.Errorf("only %d mistakes", n)
	}
	if *update {
		write(t, page, b.String())
	} else if b.String() != want {
		got, old := strings.Split(b.String(), "\n"), strings.Split(want, "\n")
		for i := range got {
			if i >= len(old) || got[i] != old[i] {
				t.Fatalf("docs/mistakes.md, line %d, is not what the command says, which is\n%s\n-update writes the page", i+1, got[i])
			}
		}
		t.Error("docs/mistakes.md has further lines; -update writes it")
	}
}

// writeDataMistakes adds to the page the mistakes in people's tables, which TestMistakes
// makes: those whose content can be shown.
func writeDataMistakes(b *strings.Builder) {
	b.WriteString("\n## What is in a table\n")
	for _, m := range mistakes {
		if len(m.content) > 100 || strings.ContainsFunc(m.content, func(r rune) bool { return r < ' ' && r != '\n' || r > '~' }) {
			continue
		}
		fmt.Fprintf(b, "\n%s%s.\n\n```\n", strings.ToUpper(m.name[:1]), m.name[1:])
		if m.content != "" {
			fmt.Fprintf(b, "$ cat %s\n%s", m.file, m.content)
			if !strings.HasSuffix(m.content, "\n") {
				b.WriteString("\n")
			}
		}
		fmt.Fprintf(b, "$ patchwork %s\npatchwork: %s\n```\n", m.line, m.says)
	}
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
		fmt.Fprintln(&b, path, digest([]byte(read(t, path))))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
