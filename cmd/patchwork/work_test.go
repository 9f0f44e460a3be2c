package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/learn"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
	"example.com/patchwork/workbench"
)

// The same request gives the same bytes for any number of workers.
func TestWorkersChangeNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "letters", "--letters", "TL", "--writers", "20", "--side", "24", "--seed", "3", "-o", "t.npz", "-q")
	var models, lines []string
	for _, workers := range []string{"1", "2", "7"} {
		must(t, learnSmall("m"+workers, "--workers", workers)...)
		must(t, "explain", "-m", "m"+workers, "t.npz", "-o", "e"+workers, "--workers", workers)
		models = append(models, read(t, "m"+workers))
		lines = append(lines, read(t, "e"+workers))
	}
	for i := range models {
		if models[i] != models[0] || lines[i] != lines[0] {
			t.Errorf("run %d differs from the first: model %t, explanations %t", i, models[i] != models[0], lines[i] != lines[0])
		}
	}
	if n := strings.Count(lines[0], "\n"); n != 40 {
		t.Errorf("%d lines for 40 images", n)
	}
}

// someImages returns how many images tests grow experts from: 40 in make long, with
// -short, which the race detector takes, 16.
func someImages() string {
	switch {
	case testenv.Full():
		return "40"
	case testing.Short():
		return "16"
	}
	return "24"
}

// So it does if the number of parts is to be determined, table included.
func TestWorkersChangeNoCount(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "quadrants", "--n", someImages(), "--seed", "3", "-o", "q.npz", "-q")
	for _, flags := range []string{"-k auto --rule max-minus-min", "-k 2..4 --rule max-minus-min", "-k 1..3"} {
		var models, tables []string
		counts := []string{"1", "2", "7"}
		if testing.Short() {
			counts = []string{"1", "7"}
		}
		for _, workers := range counts {
			out := must(t, fields("learn q.npz -o m.npz --seed 4 "+flags+" --workers "+workers)...)
			_, table, ok := strings.Cut(out, "\n  parts  ") // the first line has the time it took
			if !ok || strings.Count(table, "  chosen\n") != 1 {
				t.Fatalf("no table:\n%s", out)
			}
			models, tables = append(models, read(t, "m.npz")), append(tables, table)
		}
		for i := range models {
			if models[i] != models[0] || tables[i] != tables[0] {
				t.Errorf("%s: run %d differs from the first: model %t, table %t", flags, i, models[i] != models[0],
					tables[i] != tables[0])
			}
		}
		m, err := modelfile.Load("m.npz")
		if err != nil {
			t.Fatal(err)
		}
		curve := m.Extras().Record.Curve
		if lines := len(regexp.MustCompile(`(?m)^ +\d+ `).FindAllString(tables[0], -1)); len(curve) == 0 ||
			lines != min(len(learn.ByExperts(curve)), mostTried) {
			t.Errorf("%s: %d lines for a curve of %d points", flags, lines, len(curve))
		}
		var info struct {
			Learned struct{ Curve []patchwork.CurvePoint }
		}
		if err := json.Unmarshal([]byte(must(t, "show", "m.npz", "--json")), &info); err != nil ||
			len(info.Learned.Curve) != len(curve) {
			t.Errorf("%s: %d points of %d, %v", flags, len(info.Learned.Curve), len(curve), err)
		}
	}
}

// line is a line of explain as other programs read it.
type line struct {
	Index       *int             `json:"index"`
	Labels      map[string]any   `json:"labels"`
	StartLogLik *float64         `json:"start_log_lik"`
	LogLik      *float64         `json:"log_lik"`
	LogLikModel *float64         `json:"log_lik_model"`
	Picks       []map[string]any `json:"picks"`
}

func explained(t *testing.T, text string) []line {
	t.Helper()
	var out []line
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	for {
		var l line
		err := d.Decode(&l)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
}

// The lines of explain are what the library returns, in the order of the input, with
// the index of the row before any selection.
func TestExplainIsTheLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	lines := explained(t, must(t, "explain", "-m", "model.npz", "t.npz", "--where", "y=L", "--rows", "2:", "--pursuit",
		"refined"))
	m, err := modelfile.Load("model.npz")
	if err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Read([]string{"t.npz"}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Refined: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 5 {
		t.Fatalf("%d lines for the last 5 of 6 letters L", len(lines))
	}
	for j, l := range lines {
		i := 2*(j+1) + 1 // T and L take turns
		e, err := p.Explain(set.Images[i])
		if err != nil {
			t.Fatal(err)
		}
		if *l.Index != i || *l.LogLik != readable(e.LogLik) || *l.StartLogLik != readable(e.StartLogLik) ||
			*l.LogLikModel != readable(e.LogLikModel) || len(l.Picks) != len(e.Picks) {
			t.Fatalf("line %d is %+v, the library says %+v", j, l, e)
		}
		for n, pick := range e.Picks {
			want := map[string]any{"part": float64(pick.Expert), "expert": float64(pick.Expert), "dy": float64(pick.Pose.DY),
				"dx": float64(pick.Pose.DX), "angle": pick.Pose.Angle, "gain": readable(pick.Gain)}
			for name, v := range want {
				if l.Picks[n][name] != v || len(l.Picks[n]) != len(want) {
					t.Errorf("line %d, pick %d: %v, the library says %v", j, n, l.Picks[n], want)
				}
			}
		}
	}
}

// Infinite numbers are null, and no picks are an empty list.
func TestExplainInfinities(t *testing.T) {
	t.Chdir(t.TempDir())
	sure, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 3}, [][]float64{{1, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("m.npz", sure); err != nil {
		t.Fatal(err)
	}
	write(t, "x.csv", "1,1,0\n0,0,0\n0,0,1\n")
	got := must(t, "explain", "-m", "m.npz", "x.csv")
	want := `{"index":0,"start_log_lik":null,"log_lik":0,"log_lik_model":0,"picks":[{"part":0,"expert":0,"gain":null}]}
{"index":1,"start_log_lik":0,"log_lik":0,"log_lik_model":0,"picks":[]}
{"index":2,"start_log_lik":null,"log_lik":null,"log_lik_model":null,"picks":[]}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var s map[string]any
	if err := json.Unmarshal([]byte(must(t, "score", "-m", "m.npz", "x.csv", "--json")), &s); err != nil {
		t.Fatal(err)
	}
	if s["log_lik"] != nil || s["impossible"] != 1.0 || s["images"] != 3.0 {
		t.Errorf("score %v", s)
	}
}

// Score is the sum over the lines of explain, a weight counts as copies, and
// unknown pixels are not pixels.
func TestScore(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 3, Q: 0.1},
		[][]float64{{.9, .8, .1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("m.npz", m); err != nil {
		t.Fatal(err)
	}
	write(t, "x.csv", "a,b,c,n\n1,1,0,2\n0,?,0,3\n")
	var s struct {
		workbench.Scores
		Hidden *workbench.HiddenBits `json:"hidden"`
	}
	if err := json.Unmarshal([]byte(must(t, "score", "-m", "m.npz", "x.csv", "--column", "n=weight",
		"--json")), &s); err != nil {
		t.Fatal(err)
	}
	logLik := 2*(math.Log(.9)+math.Log(.8)+math.Log(.9)) + 3*2*math.Log(.9)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"log_lik", float64(s.LogLik), logLik},
		{"per image", float64(s.PerImage), logLik / 5},
		{"per pixel", float64(s.PerPixel), logLik / (2*3 + 3*2)},
		{"cross-entropy", float64(s.CrossEntropy), -logLik / 5},
		{"bits per pixel", float64(s.BitsPerPixel), -logLik / 12 / math.Ln2},
		{"picks", s.PicksPerImage, 2.0 / 5},
		{"weight", float64(s.Weight), 5},
	} {
		if math.Abs(c.got-c.want) > 1e-5 {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

// Templates placed anywhere in larger images.
func TestScene(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 2, Width: 2, Q: 0.05},
		[][]float64{{.95, .95, .05, .95}, {.05, .95, .95, .95}})
	if err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("m.npz", m); err != nil {
		t.Fatal(err)
	}
	img := bitmap.Parse(
		".......",
		"##.....",
		".#...#.",
		"....##.")
	if err := saveSet("x.npz", &dataset.Set{Data: patchwork.Data{Images: []*bitmap.Image{img}}}); err != nil {
		t.Fatal(err)
	}
	l := explained(t, must(t, "explain", "-m", "m.npz", "x.npz", "--scene"))[0]
	if len(l.Picks) != 2 {
		t.Fatalf("picks %v", l.Picks)
	}
	for i, want := range []map[string]float64{{"part": 0, "dy": 1, "dx": 0}, {"part": 1, "dy": 2, "dx": 4}} {
		for name, v := range want {
			if l.Picks[i][name] != v {
				t.Errorf("pick %d: %v, want %v", i, l.Picks[i], want)
			}
		}
	}
}

// With --quiet nothing is printed if nothing is wrong, and stdout holds nothing but the
// result.
func TestQuietAndStandardOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	if out := must(t, learnSmall("quiet.npz")...); out != "" {
		t.Errorf("a quiet learn said %q", out)
	}
	loud := learnSmall("-")
	loud = append(loud[:len(loud)-1:len(loud)-1], "--workers", "2") // without -q
	o := patchworkCommand(t, loud...)
	if o.code != 0 || o.out != read(t, "quiet.npz") || !strings.Contains(o.err, "start ") {
		t.Errorf("learn -o -: exit %d, %d bytes, stderr %q", o.code, len(o.out), o.err)
	}
	must(t, "synth", "bars", "--n", "9", "--seed", "2", "-o", "bars.npz")
	if out := must(t, "synth", "bars", "--n", "9", "--seed", "2", "-o", "-"); out != read(t, "bars.npz") {
		t.Error("synth -o - differs from a file")
	}
}

// On a terminal there is progress, and it leaves a clean line.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	w := &statusLine{to: &b}
	p := &progress{show: func(_, _ int, line string) { w.show(line) }, noun: "start", total: 8}
	if got, want := p.line(2*time.Second), "░░░░░░░░░░░░░░░░ start 1 of 8, 2s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.step("best log-likelihood -12.5")
	p.step("")
	if got, want := p.line(4*time.Second), "████░░░░░░░░░░░░ start 3 of 8, 12s left, best log-likelihood -12.5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.paint(4 * time.Second)
	if got := b.String(); got != "\r"+p.line(4*time.Second) {
		t.Errorf("painted %q", got)
	}
	w.show("")
	b.Reset()
	w.show("abcdef")
	w.show("xy")
	if got, want := b.String(), "\rabcdef\rxy    \b\b\b\b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	fmt.Fprintln(w, "a note") // begins where the line was
	if got, want := b.String(), "\r    \b\b\b\b\ra note\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	t.Chdir(t.TempDir())
	smallLetters(t)
	line := learnSmall("again.npz")
	var out, stderr bytes.Buffer
	code := run(context.Background(), line[:len(line)-1], console{out: &out, err: &stderr, errTerminal: true,
		getenv: os.Getenv})
	if code != 0 || !strings.HasSuffix(stderr.String(), "\r") && stderr.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}

// Samples can be read as data, with their poses.
func TestSampleFile(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	must(t, "sample", "-m", "model.npz", "-n", "5", "--seed", "1", "-o", "s5.npz")
	must(t, "sample", "-m", "model.npz", "-n", "3", "--seed", "1", "-o", "s3.npz")
	five, err := dataset.Read([]string{"s5.npz"}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	three, err := dataset.Read([]string{"s3.npz"}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if five.Len() != 5 || three.Len() != 3 {
		t.Fatalf("%d and %d samples", five.Len(), three.Len())
	}
	for i := range three.Images {
		if !three.Images[i].Equal(five.Images[i]) {
			t.Errorf("sample %d depends on how many there are", i)
		}
	}
	if lines := explained(t, must(t, "explain", "-m", "model.npz", "s5.npz")); len(lines) != 5 {
		t.Errorf("%d lines for 5 samples", len(lines))
	}
}

// The flags reach the learner, as the model records.
func TestLearnFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	must(t, fields("learn t.npz -o m.npz -k 3 --rule max-minus-min --shift 3,5:2 --rotate 10:5 --method online --starts "+
		"2 --seed 9 --where y=L --rows :4 -q")...)
	m, err := modelfile.Load("m.npz")
	if err != nil {
		t.Fatal(err)
	}
	c, r := m.Config(), m.Extras().Record
	want := pose.Grid{DY: pose.Range{Min: -2, Max: 2, Step: 2}, DX: pose.Range{Min: -4, Max: 4, Step: 2},
		Angles: []float64{-10, -5, 0, 5, 10}}
	if m.K() != 3 || c.Rule != patchwork.RuleMaxMinusMin || c.Poses.DY != want.DY || c.Poses.DX != want.DX ||
		len(c.Poses.Angles) != 5 {
		t.Errorf("configuration %+v", c)
	}
	if r.Method != "online" || r.Mode != "default" || r.Seed != 9 || r.Rows != 4 || len(r.Starts) != 2 {
		t.Errorf("record %+v", r)
	}
	var info map[string]any
	if err := json.Unmarshal([]byte(must(t, "show", "m.npz", "--json")), &info); err != nil {
		t.Fatal(err)
	}
	if info["rule"] != "max-minus-min" || info["experts"] != 3.0 || info["poses"].(map[string]any)["count"] != 75.0 {
		t.Errorf("show %v", info)
	}
	must(t, "show", "m.npz")
}

// Packages hold scripts by which shells complete commands and flags.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := must(t, "completion", shell); !strings.Contains(out, "patchwork") {
			t.Errorf("no completion script for %s", shell)
		}
	}
}

// mustTalking does what must does, for a run that may print on stderr.
func mustTalking(t *testing.T, args ...string) string {
	t.Helper()
	o := patchworkCommand(t, args...)
	if o.code != 0 {
		t.Fatalf("%v: exit %d, stderr %q", args, o.code, o.err)
	}
	return o.out
}
