package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/modelfile"
)

// commands lists a command and all below it except cobra's own.
func commands(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if n := sub.Name(); n != "help" && n != "completion" {
			out = append(out, commands(sub)...)
		}
	}
	return out
}

// examples returns the example lines of a help text, continuations joined.
func examples(text string) []string {
	var out []string
	for _, l := range strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "patchwork ") {
			out = append(out, strings.TrimPrefix(l, "patchwork "))
		}
	}
	return out
}

// Every command has a help text, and every example in it works, in the order in which a
// reader meets them after the session of the root's help.
func TestEveryExampleWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("learns models of full size; left out by -short")
	}
	if apart(t) {
		return
	}
	t.Chdir(t.TempDir())
	root := (&app{}).rootCommand()
	lines := examples(root.Long)
	for _, c := range commands(root) {
		if c.Hidden {
			continue // for programs
		}
		if c.Short == "" || c.Long == "" || len(examples(c.Example)) == 0 {
			t.Errorf("%s lacks a short text, a long text or an example", c.CommandPath())
		}
		lines = append(lines, examples(c.Example)...)
	}
	if len(lines) < 30 {
		t.Errorf("only %d examples", len(lines))
	}
	ownFiles(t)
	done := make(map[string]bool)
	for _, l := range lines {
		if !testenv.Long() && strings.HasPrefix(l, "synth letters ") && !strings.Contains(l, "--side") {
			l += " --side 28" // a quarter of the pixels
		}
		if !testenv.Long() && strings.HasPrefix(l, "learn ") && strings.Contains(l, "--by y") {
			l = strings.Replace(l, "writer<=5", "writer<=2", 1)
		}
		switch {
		case done[l]:
		case !testenv.Long() && (strings.HasPrefix(l, "synth sheet --size 7200x") ||
			strings.HasPrefix(l, "demo")): // TestDemo runs it
		case strings.HasPrefix(l, "serve"):
			serveOnce(t, fields(l)...)
		case strings.HasPrefix(l, "report "): // learns the model again, several times
			withSmall(t, func() { saysWhatItWrites(t, root, l) })
		default:
			saysWhatItWrites(t, root, l)
		}
		done[l] = true
	}
}

// ownFiles writes what the examples take for the reader's own: a table of sites with a
// model, and a folder of photos.
func ownFiles(t *testing.T) {
	t.Helper()
	drawPhotos(t, "photos")
	table := "site,habitat,bog rush,sundew,daisy,clover\n"
	for i := range 12 {
		table += fmt.Sprintf("a%d,bog,1,1,0,%d\nb%d,meadow,0,%d,1,1\n", i, btoi(i == 3), i, btoi(i == 5))
	}
	write(t, "sites.csv", table)
	must(t, fields("learn sites.csv -o sites-model.npz -k 2 -q")...)
	must(t, fields("synth sheet --seed 1 -o page.png --model symbols.npz -q")...)
	must(t, fields("synth letters --letters TL --writers 6 --side 28 -o letters.npz -q")...)
}

// withSmall calls f while t.npz and model.npz are smaller than those of the root's help.
func withSmall(t *testing.T, f func()) {
	t.Helper()
	images, model := read(t, "t.npz"), read(t, "model.npz")
	smallLetters(t)
	f()
	write(t, "t.npz", images)
	write(t, "model.npz", model)
}

// saysWhatItWrites runs an example, which has to succeed, to say each file that it
// writes, and to complain of nothing.
func saysWhatItWrites(t *testing.T, root *cobra.Command, line string) {
	t.Helper()
	args := fields(line)
	o := patchworkCommand(t, args...)
	if o.code != 0 || strings.Contains(strings.ReplaceAll(o.err, "patchwork: note:", ""), "patchwork: ") {
		t.Fatalf("patchwork %s: exit %d, stderr %q", line, o.code, o.err)
	}
	c, rest, err := root.Find(args)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ParseFlags(rest); err != nil {
		t.Fatal(err)
	}
	for _, f := range outputFlags(c) {
		if path := f.Value.String(); f.Changed && path != "-" && !strings.Contains(o.out+o.err, "wrote "+path) &&
			!strings.Contains(o.out, `"output":"`+path+`"`) {
			t.Errorf("patchwork %s does not say that it wrote %s:\n%s%s", line, path, o.out, o.err)
		}
		f.Changed = false
	}
}

// The demo writes the files it lists, without pictures in a pipe, and learns the two
// strokes.
func TestDemo(t *testing.T) {
	t.Chdir(t.TempDir())
	out := must(t, "demo")
	if !strings.Contains(out, "learned 2 parts from 10 images") || strings.ContainsAny(out, "█\x1b") ||
		strings.Count(out, "\n") > 16 {
		t.Errorf("in a pipe the demo says\n%s", out)
	}
	const want = "explanations.jsonl explanations.png index-parts.csv index-places.csv index-rows.csv " +
		"index-together.csv index.html learning.png letters.npz model.npz strokes.png"
	if got := listing(t, "demo"); got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	if page := read(t, filepath.Join("demo", "index.html")); regexp.MustCompile(
		`(?:src|href)="?(?:https?:|//|[a-z]+\.)`).MatchString(page) {
		t.Error("the page needs other files")
	}
	m, err := modelfile.Load(filepath.Join("demo", "model.npz"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bars(m); n != 2 {
		t.Errorf("%d of the demo's experts are strokes", n)
	}
	for _, l := range strings.Split(out, "\n") {
		if _, command, ok := strings.Cut(l, "patchwork "); ok {
			must(t, fields(command)...)
		}
	}
	if got, want := must(t, fields("explain -m demo/model.npz demo/letters.npz --rows 11:")...),
		read(t, filepath.Join("demo", "explanations.jsonl")); got != want {
		t.Error("explain says something else than the demo's explanations.jsonl")
	}
}

// On a terminal the demo shows its pictures.
func TestDemoOnTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("learns models of full size; left out by -short")
	}
	t.Chdir(t.TempDir())
	var out, stderr strings.Builder
	env := map[string]string{"NO_COLOR": "1", "TERM": "xterm"}
	code := run(t.Context(), []string{"demo"}, console{out: &out, err: &stderr, outTerminal: true, width: 100,
		getenv: func(name string) string { return env[name] }})
	if code != 0 || !strings.Contains(out.String(), "█") || !strings.Contains(out.String(), "part 2") {
		t.Errorf("exit %d, stderr %q, stdout\n%s", code, stderr.String(), out.String())
	}
	if _, err := os.Stat(filepath.Join("demo", "index.html")); err != nil {
		t.Error(err)
	}
}

// bars counts the templates that are strokes: at least 40 pixels of ink, 3.5
// times as long as wide.
func bars(m *patchwork.Model) int {
	n := 0
	for k := range m.K() {
		var s, sx, sy, sxx, syy, sxy float64
		for i, p := range m.Template(k) {
			if p > 0.5 {
				y, x := float64(i/m.Width()), float64(i%m.Width())
				s, sx, sy, sxx, syy, sxy = s+1, sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
			}
		}
		if s >= 40 && elongation(sxx/s-sx*sx/s/s, syy/s-sy*sy/s/s, sxy/s-sx*sy/s/s) >= 3.5 {
			n++
		}
	}
	return n
}

// elongation returns the ratio of the standard deviations along the principal axes of
// a covariance matrix.
func elongation(xx, yy, xy float64) float64 {
	mid, off := (xx+yy)/2, math.Hypot((xx-yy)/2, xy)
	return math.Sqrt((mid + off) / (mid - off))
}
