package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/workbench"
)

// TestAnswer: a file without a command is answered in few lines, with a model and a page beside it that hold what was
// said, and the same again from the model.
func TestAnswer(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("in", 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, "in/sites.csv", meadows(60))
	first := must(t, "in/sites.csv")
	if n := strings.Count(first, "\n"); n > 15 {
		t.Errorf("%d lines:\n%s", n, first)
	}
	m, err := workbench.Load("in/sites.parts.npz")
	if err != nil {
		t.Fatal(err)
	}
	for k := range m.K() {
		if !strings.Contains(first, m.Part(k).Words) {
			t.Errorf("part %d, %s, is not in\n%s", k+1, m.Part(k).Words, first)
		}
	}
	if page := read(t, "in/sites.parts.html"); len(page) > 1<<20 || !strings.Contains(page, "</html>") {
		t.Errorf("a page of %d bytes", len(page))
	}
	again := must(t, "in/sites.parts.npz", "in/sites.csv")
	parts := func(text string) string {
		_, text, _ = strings.Cut(text, "parts:")
		text, _, _ = strings.Cut(text, "wrote")
		return text
	}
	if parts(first) != parts(again) {
		t.Errorf("by the model:\n%s\nfirst:\n%s", parts(again), parts(first))
	}
	if shown := must(t, "in/sites.parts.npz"); shown != must(t, "show", "in/sites.parts.npz") {
		t.Errorf("the model alone: %s", shown)
	}
	before := read(t, "in/sites.parts.npz")
	if must(t, "in/sites.csv"); read(t, "in/sites.parts.npz") != before {
		t.Error("another model from the same file")
	}
}

// TestAnswerReplacesAnswers: a file of somebody else's is not replaced, nor is the data's own.
func TestAnswerReplacesAnswers(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.csv", meadows(40))
	write(t, "a.parts.html", "my,own\n1,0\n")
	o := patchworkCommand(t, "a.csv")
	if o.code != 2 || !strings.Contains(o.err, "a.parts.html is there") || read(t, "a.parts.html") != "my,own\n1,0\n" {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat("a.parts.npz"); err == nil {
		t.Error("a model was written nevertheless")
	}
	must(t, "a.csv", "-o", "b.npz")
	for _, name := range []string{"b.npz", "b.html"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	if o := patchworkCommand(t, "b.npz", "a.csv", "-o", "a.csv"); o.code != 2 {
		t.Errorf("%+v", o)
	}
}

// TestAnswerWithoutParts: what has no parts is said to have none, and nothing is written of it.
func TestAnswerWithoutParts(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("a,b,c,d\n")
	for i := range 64 {
		b.WriteString(strings.Join(strings.Split(string("01"[i&1])+string("01"[i>>1&1])+string("01"[i>>2&1])+
			string("01"[i>>3&1]), ""), ",") + "\n")
	}
	write(t, "chance.csv", b.String())
	if out := must(t, "chance.csv"); !strings.Contains(out, "no parts") {
		t.Error(out)
	}
	if left, _ := filepath.Glob("*.parts.*"); left != nil {
		t.Errorf("left %v", left)
	}
}

// TestAnswerNotes: one row is called one, a column of two words may be compared by, and the help is that of a file.
func TestAnswerNotes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "one.csv", "a,b,c\n1,0,1\n")
	if out := must(t, "one.csv"); !strings.Contains(out, "no parts: one row has no patterns") {
		t.Error(out)
	}
	write(t, "votes.csv", "party,a,b\n"+strings.Repeat("left,y,n\nright,n,y\nright,n,y\n", 20))
	const way = "otherwise --column party=label, or compare by it: patchwork compare votes.csv --by party"
	if out := must(t, "votes.csv"); !strings.Contains(out, way) {
		t.Error(out)
	}
	must(t, "compare", "votes.csv", "--by", "party")
	if o := patchworkCommand(t, "one.csv", "--nosuch"); !strings.Contains(o.err, "(see patchwork FILE --help)") {
		t.Error(o.err)
	}
}

// TestWithCommand: a command comes before a file of its name, and words that are neither are refused.
func TestWithCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "demo", "")
	write(t, "lean.csv", "a,b\n1,0\n")
	root := new(app).rootCommand()
	for line, want := range map[string]string{"demo -o x": "demo -o x", "-q lean.csv": "answer -q lean.csv", "": "",
		"lean": "lean", "help learn": "help learn", "lean.csv --rows 3": "answer lean.csv --rows 3"} {
		if got := strings.Join(withCommand(root, strings.Fields(line)), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]string{"lern": "no command", "lear.csv": "did you mean lean.csv"} {
		if o := patchworkCommand(t, line); o.code != 2 || !strings.Contains(o.err, want) {
			t.Errorf("%s: %+v", line, o)
		}
	}
}

// TestAnswerScales: large pictures are read smaller, which is said, and one page is told from pictures to learn from.
func TestAnswerScales(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth sheet --seed 1 -o page.png --model symbols.npz")...)
	if out := must(t, "page.png"); !strings.Contains(out, "patchwork find page.png --symbol") {
		t.Error(out)
	}
	drawPhotos(t, "photos")
	o := patchworkCommand(t, "photos", "-k", "1")
	if o.code != 0 || !strings.Contains(o.out, "read at") || !strings.Contains(o.out, "1 part:") {
		t.Errorf("%+v", o)
	}
}
