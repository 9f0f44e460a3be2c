package main

import (
	"strings"
	"testing"

	"example.com/patchwork/modelfile"
)

// TestLearnLargeTable: a table beyond the memory is learned by the table learner from a
// sample, whose size is said, and all of its rows judge it; the same for any number of
// workers.
func TestLearnLargeTable(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "sites.csv", meadows(3000))
	line := "learn sites.csv -o one.npz --memory 100KB --workers 1"
	o := patchworkCommand(t, fields(line)...)
	if o.code != 0 || !strings.Contains(o.err,
		"note: sites.csv needs more than --memory 100000; learning from a uniform sample of 183 rows at most") {
		t.Fatalf("%+v", o)
	}
	for _, want := range []string{"learning as a table, from a sample", "learned 2 parts from 183 rows of 8 columns",
		"from a uniform sample of 183 rows of 3000", "all 3000 rows: log-likelihood -"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	mustTalking(t, fields("learn sites.csv -o two.npz --memory 100KB --workers 3 -q")...)
	if read(t, "one.npz") != read(t, "two.npz") {
		t.Error("another model on other workers")
	}
	mustTalking(t, fields("learn sites.csv -o three.npz --memory 64KiB -k 2 --json -q")...)
	m, err := modelfile.Load("three.npz")
	if err != nil || m.Extras().Record.Rows != 120 || m.Extras().Record.Method != "soft" ||
		m.Extras().Columns[0] != "Poa" {
		t.Errorf("%v, %v", m, err)
	}
}
