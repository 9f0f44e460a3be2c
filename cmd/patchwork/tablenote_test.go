package main

import (
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/workbench"
)

// The line of progress says how good the latest model of a table is, and which is the best
// so far.
func TestTableNote(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "t.csv", "a,b,c,d\n"+strings.Repeat("1,1,0,0\n0,0,1,1\n", 8))
	must(t, "learn", "t.csv", "-o", "m.npz", "-k", "2", "-q")
	best, err := workbench.Load("m.npz")
	if err != nil {
		t.Fatal(err)
	}
	s := workbench.Step{Candidate: true, Best: best, CurvePoint: patchwork.CurvePoint{Experts: 5, Stage: "grow", Rows: 16,
		DescriptionLength: 32}}
	if got := tableNote(&s); got != "5 parts, 2.000 nats per row; best so far 2 parts" {
		t.Errorf("%q", got)
	}
	if s.Candidate = false; tableNote(&s) != "" {
		t.Errorf("a step on the way says %q", tableNote(&s))
	}
}
