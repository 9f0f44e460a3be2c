package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/learn"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
)

// Numbers in the billions are refused with facts before any memory is taken for them.
func TestNumbersInTheBillions(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth quadrants --n 20 --seed 1 -o q.npz -q")...)
	must(t, fields("learn q.npz -k 2 -o m.npz -q --rule max-minus-min --starts 1")...)
	for line, want := range map[string]string{
		"learn q.npz -k 2 -o x.npz --starts 3000000000":     "--starts 3000000000: give at most 20000",
		"learn q.npz -k 2 -o x.npz --workers 3000000000":    "--workers 3000000000: give at most 10000",
		"explain -m m.npz q.npz -o x.jsonl --workers 20000": "--workers 20000: give at most 10000",
	} {
		o := patchworkCommand(t, fields(line)...)
		if o.code != exitRequest || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: exit %d, %q; want %q", line, o.code, o.err, want)
		}
	}
	must(t, fields("explain -m m.npz q.npz -o x.jsonl --workers 10000 -q")...)
}

// A model file holds as many starts as learning may have.
func TestMostStartsAreWritten(t *testing.T) {
	m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMax, 1, 3, pose.Grid{}), [][]float64{{.5, .5, .9}})
	if err != nil {
		t.Fatal(err)
	}
	var r patchwork.Record
	for i := range learn.MaxStarts {
		r.Starts = append(r.Starts, patchwork.Start{Seed: math.MaxUint64, Score: -1234567.123456789, Method: "relocate",
			LeaveOneOut: -float64(i) / 3, DescriptionLength: float64(i) / 7})
	}
	if m, err = m.WithExtras(patchwork.Extras{Record: r}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.npz")
	if err := modelfile.Save(path, m); err != nil {
		t.Fatal(err)
	}
	if m, err = modelfile.Load(path); err != nil || len(m.Extras().Record.Starts) != learn.MaxStarts {
		t.Error(err)
	}
}

// A model of more parts than an image can be composed of is described and explains; what it
// cannot do is said.
func TestMoreParts(t *testing.T) {
	t.Chdir(t.TempDir())
	templates := make([][]float64, math.MaxInt16+2)
	for k := range templates {
		templates[k] = []float64{.5, .5, .9}
	}
	m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMaxMinusMin, 1, 3, pose.Grid{}), templates)
	if err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("m.npz", m); err != nil {
		t.Fatal(err)
	}
	write(t, "x.csv", "0,0,1\n")
	if o := patchworkCommand(t, fields("sample -m m.npz -n 2 -o s.npz")...); o.code != exitRequest ||
		!strings.Contains(o.err, "32769 parts") {
		t.Errorf("sample: exit %d, %q", o.code, o.err)
	}
	must(t, fields("show m.npz")...)
	must(t, fields("explain -m m.npz x.csv -o e.jsonl -q")...)
	if n := len(m.SamplePicks(nil)); n != math.MaxInt16 {
		t.Errorf("%d picks", n)
	}
}
