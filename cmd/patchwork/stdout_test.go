package main

import (
	"strings"
	"testing"
)

// Standard output may be named, models are no stream, and learn and score say why their
// log-likelihoods of a table differ.
func TestStandardStreams(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "t.csv", "a,b,c,d\n"+strings.Repeat("1,1,0,0\n0,0,1,1\n1,1,0,1\n0,0,0,0\n", 12))
	if out := must(t, "learn", "t.csv", "-o", "m.npz", "-k", "2"); !strings.Contains(out,
		" per row by all explanations, with what their parts cost; description length ") {
		t.Errorf("learn says\n%s", out)
	}
	want := must(t, "explain", "-m", "m.npz", "t.csv", "-q")
	if got := must(t, "explain", "-m", "m.npz", "t.csv", "-o", "/dev/stdout"); got != want ||
		!strings.HasPrefix(got, `{"index":0`) {
		t.Errorf("to /dev/stdout:\n%.200s", got)
	}
	if out := must(t, "score", "-m", "m.npz", "t.csv"); !strings.Contains(out,
		"given the best explanation, without what its parts cost") {
		t.Errorf("score says\n%s", out)
	}
	must(t, "learn", "t.csv", "-o", "plain.npz", "-k", "2", "--method", "batch")
	if out := must(t, "score", "-m", "plain.npz", "t.csv"); strings.Contains(out, "best explanation") {
		t.Errorf("score of a model without prices says\n%s", out)
	}
	for _, line := range []string{"show -m -", "explain -m - t.csv"} {
		if o := patchworkCommand(t, fields(line)...); o.code != 2 || !strings.Contains(o.err, "a model is read from a file") {
			t.Errorf("%s: exit %d, %s", line, o.code, o.err)
		}
	}
}
