package main

import (
	"fmt"
	"strings"
	"testing"
)

// Rows that two parts count are refused, whatever way each of them was given them; parts that
// share no row are added, and so are those that were named.
func TestOverlappingPartsAreRefused(t *testing.T) {
	startingPoint(t, "max-minus-min")
	write(t, "same.npz", read(t, "rows.npz"))
	must(t, fields("synth quadrants --n 30 --seed 2 -o more.npz -q")...)
	count := func(name, line string) string {
		t.Helper()
		must(t, fields("count -q -m model.npz -o "+name+".tally "+line)...)
		return name + ".tally "
	}
	a := count("a", "rows.npz --rows 1:30")
	for i, c := range []struct{ line, says string }{
		{"rows.npz --rows 31:", ""},
		{"rows.npz --rows 21:40",
			"rows of one file would be counted twice: one part counts rows 1:30 (of rows.npz), another rows 21:40 (of " +
				"rows.npz)"},
		{"same.npz --rows 30", "rows of one file"}, // of the same content
		{"rows.npz", "rows of one file"},
		{"more.npz --rows 5:9", ""},
		{"rows.npz --memory 64KiB --rows 30:31", "rows of one file"},
	} {
		b := count(fmt.Sprint(i), c.line)
		for _, order := range []string{a + b, b + a} {
			o := patchworkCommand(t, fields("merge -q -m model.npz -o next.npz "+order)...)
			if c.says == "" && o.code != 0 || c.says != "" &&
				(o.code != exitRequest || order == a+b && !strings.Contains(o.err, c.says)) {
				t.Errorf("%s, %s: exit %d, %s", order, c.line, o.code, o.err)
			}
		}
	}
}
