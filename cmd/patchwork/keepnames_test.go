package main

import (
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/modelfile"
)

// TestKeepNames: learning again over a model keeps the names of parts that are the
// same, and says which are lost.
func TestKeepNames(t *testing.T) {
	t.Chdir(t.TempDir())
	table := meadows(60)
	write(t, "sites.csv", table)
	mustTalking(t, fields("learn sites.csv -o m.npz -k 2")...)
	must(t, fields("show m.npz --name 1=bog --name 2=meadow")...)
	names := func() string {
		m, err := modelfile.Load("m.npz")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(m.Extras().Names, "|")
	}
	before := names()
	for _, c := range []struct{ line, kept, lost string }{
		{"learn sites.csv -o m.npz -k 2", `"bog" is part`, ""},
		{"learn sites.csv -o m.npz -k 2 --seed 7", `"meadow" is part`, ""},
		{"learn sites.csv -o m.npz -k 1", "", `"bog"`},
	} {
		o := patchworkCommand(t, fields(c.line)...)
		if o.code != 0 || !strings.Contains(o.err, c.kept) || !strings.Contains(o.err, c.lost) ||
			(c.lost == "") == strings.Contains(o.err, "names lost") {
			t.Errorf("%s: %+v", c.line, o)
		}
		if c.lost == "" && len(names()) != len(before) {
			t.Errorf("%s: names %q, before %q", c.line, names(), before)
		}
	}
	// A table of other columns has other parts, and a file that is no model is nothing
	// to keep names from.
	mustTalking(t, fields("learn sites.csv -o m.npz -k 2")...)
	must(t, fields("show m.npz --name 1=bog")...)
	write(t, "other.csv", strings.Replace(table, "Poa", "Lolium", 1))
	if o := patchworkCommand(t, fields("learn other.csv -o m.npz -k 2")...); o.code != 0 || !testenv.Said(t, o.err) {
		t.Errorf("%+v", o)
	}
	write(t, "m.npz", "x")
	if o := patchworkCommand(t, fields("learn sites.csv -o m.npz -k 2 -q")...); o.code != 0 || o.err != "" {
		t.Errorf("%+v", o)
	}
}
