package main

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/modelfile"
)

// Unused parts are warned of, one line each, up to a number of lines; --quiet prints
// no warnings.
func TestLearnWarns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "same.csv", strings.Repeat("1,1,0,0\n", 20))
	for experts, last := range map[string]string{
		"3":  "Part 3 explained no training row. Learn with fewer parts, or from more starts.",
		"12": "and 4 findings more; patchwork info lists them"} {
		o := patchworkCommand(t, "learn", "same.csv", "-k", experts, "-o", "m.npz", "--for", "drawings")
		lines := strings.Split(strings.TrimSuffix(o.err, "\n"), "\n")
		if o.code != 0 || len(lines) < 2 || len(lines) > maxWarnings || lines[len(lines)-1] != "patchwork: warning: "+last {
			t.Errorf("%s experts: exit %d, stderr\n%s", experts, o.code, o.err)
		}
		for _, l := range lines {
			if !strings.HasPrefix(l, "patchwork: warning: ") {
				t.Errorf("%q is no warning", l)
			}
		}
		must(t, "learn", "same.csv", "-k", experts, "-o", "m.npz", "-q", "--for", "drawings")
	}
}

// The certainty of the paper's mode was chosen by the user: info mentions it, learn
// does not warn.
func TestPaperModeIsNoWarning(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	loud := learnSmall("paper.npz", "--for", "paper", "--starts", "1")
	must(t, append([]string{"learn"}, strings.Fields(strings.ReplaceAll(strings.Join(loud[1:], " "), " -q", ""))...)...)
	if out := must(t, "info", "paper.npz"); !strings.Contains(out, "overconfident: The background is certain") {
		t.Errorf("info says\n%s", out)
	}
}

// Findings refer to images by their rows in the input, whatever was selected; without
// data only the model itself is examined.
func TestInfoExamines(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 3}, [][]float64{{.9, .9, 0}, {.9, .9, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("m.npz", m); err != nil {
		t.Fatal(err)
	}
	write(t, "x.csv", "1,1,0\n1,1,0\n0,0,1\n1,1,0\n0,0,0\n0,0,1\n")
	read := func(args ...string) modelReport {
		t.Helper()
		var r modelReport
		if err := json.Unmarshal([]byte(must(t, append([]string{"info", "--json"}, args...)...)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	kinds := func(r modelReport) string {
		var names []string
		for _, f := range r.Findings {
			names = append(names, f.Kind)
		}
		return strings.Join(names, " ")
	}
	alone := read("m.npz")
	if got := kinds(alone); got != "duplicate overconfident" || alone.Examined != "" {
		t.Errorf("of the model alone: %s, %q", got, alone.Examined)
	}
	for _, args := range [][]string{{"m.npz", "x.csv", "--rows", "3:"},
		{"-m", "m.npz", "x.csv", "--rows", "3:", "--workers", "1"}} {
		r := read(args...)
		if got := kinds(r); got != "unused duplicate overconfident unexplained impossible" ||
			r.Examined != "x.csv, 4 rows of 3 columns" {
			t.Fatalf("%v: %s of %s", args, got, r.Examined)
		}
		last := len(r.Findings) - 1
		if f := r.Findings[last]; len(f.Images) != 2 || f.Images[0] != 2 || f.Images[1] != 5 || f.Value != 0.5 {
			t.Errorf("impossible images %+v; rows 2 and 5 of the file are", f)
		}
		if f := r.Findings[last-1]; len(f.Images) != 1 || f.Images[0] != 4 {
			t.Errorf("unexplained images %+v; row 4 of the file is", f)
		}
	}
	if out := must(t, "info", "m.npz", "x.csv"); !strings.Contains(out,
		"examined   x.csv, 6 rows of 3 columns\nfindings   unused: Part 2 explains none of the 6 rows.") {
		t.Errorf("info says\n%s", out)
	}
}
