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
	stats := func(name, line string) string {
		t.Helper()
		must(t, fields("stats -q -m model.npz -o "+name+".tally "+line)...)
		return name + ".tally "
	}
	a := stats("a", "rows.npz --rows 1:30")
	for i, c := range []struct{ line, says string }{
		{"rows.npz --rows 31:", ""},
		{"rows.npz --rows 21:40", "a.npz rows 21:30 of one file would be counted twice: one part counts rows 1:30 (of rows.npz), another rows 21:40 (of rows.npz)"},
		{"same.npz --rows 30", "rows 30:30 of one file"},
		{"more.npz rows.npz --rows 60:", "rows 30:30 of one file"},
		{"more.npz rows.npz --rows 61:", ""},
		{"more.npz rows.npz --rows :30", ""},
		{"rows.npz more.npz --rows 61:", ""},
		{"rows.npz --memory 64KiB --rows 30:31", "rows 30:30 of one file"},
		{"rows.npz --rows 21:40 --shard mine", ""},
	} {
		b := stats(fmt.Sprint(i), c.line)
		for _, order := range []string{a + b, b + a} {
			o := patchworkCommand(t, fields("mstep -q -m model.npz -o next.npz "+order)...)
			says := strings.TrimPrefix(c.says, "a.npz ")
			if c.says == "" && o.code != 0 || c.says != "" && (o.code != exitRequest || order == a+b && !strings.Contains(o.err, says)) {
				t.Errorf("%s, %s: exit %d, %s", order, c.line, o.code, o.err)
			}
		}
	}
}

// Rows that conditions select are told from each other, also in a stream and in real values.
func TestOverlapOfSelectedRows(t *testing.T) {
	t.Chdir(t.TempDir())
	text, values := "y,a,b,c\n", "y,u,v\n"
	for i := range 40 {
		text += fmt.Sprintf("%c,%d,%d,%d\n", 'p'+i%2, i/2%2, i/3%2, i/5%2)
		values += fmt.Sprintf("%c,%d.5,%d\n", 'p'+i%2, i%7, i%5*i)
	}
	write(t, "bits.csv", text)
	write(t, "real.csv", values)
	must(t, fields("learn bits.csv -q -o bits.npz -k 2 --rule noisy-or --start-from grow")...)
	must(t, fields("learn real.csv --for real -q -o real.npz -k 1 --starts 1")...)
	for _, kind := range []string{"bits", "real"} {
		for name, flags := range map[string]string{"p": "--where y=p", "q": "--where y=q", "both": "--rows :10", "rest": "--where y=p --rows 6:"} {
			must(t, fields("stats -q -m "+kind+".npz "+kind+".csv -o "+name+".tally "+flags)...)
		}
		for files, ok := range map[string]bool{"p.tally q.tally": true, "p.tally both.tally": false, "q.tally both.tally": false, "q.tally rest.tally": true, "both.tally rest.tally": true, "rest.tally p.tally": false} {
			if o := patchworkCommand(t, fields("mstep -q -m "+kind+".npz -o next.npz "+files)...); (o.code == 0) != ok || !ok && !strings.Contains(o.err, "counted twice") {
				t.Errorf("%s: %s: exit %d, %s", kind, files, o.code, o.err)
			}
		}
	}
}
