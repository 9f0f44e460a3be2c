package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// People of one town have a part that those of the other have not; the town itself is not learned. Two files are
// compared alike, and without a difference nothing is said to differ.
func TestCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(3, 4))
	files := map[string]string{}
	for i := range 240 {
		town := []string{"north", "south"}[i%2]
		drives := town == "north" && rng.IntN(10) < 8
		reads := rng.IntN(2) == 0
		row := ""
		for d := range 6 {
			on := drives
			if d > 2 {
				on = reads
			}
			row += fmt.Sprintf(",%d", bit(on != (rng.IntN(30) == 0)))
		}
		files[town] += row[1:] + "\n"
		files["all"] += town + row + "\n"
		files["half"+fmt.Sprint(i/2%2)] += row[1:] + "\n"
	}
	names := "car,drives,fuel,books,reads,library\n"
	for name, text := range files {
		head := names
		if name == "all" {
			head = "town," + names
		}
		if err := os.WriteFile(name+".csv", []byte(head+text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	said := must(t, fields("compare all.csv --by town -o d.csv -q")...)
	if !strings.Contains(said, "compared: town=north (120 rows), town=south (120 rows)\n  part ") ||
		!strings.Contains(said, "drives") || strings.Contains(strings.SplitAfterN(said, "\n", 2)[1], "town=south (") {
		t.Error(said)
	}
	if first, _, _ := strings.Cut(read(t, "d.csv"), "\n"); first !=
		"kind,name,number,group,rows,value,low,high,others,left,p,q,finding,only" {
		t.Error(first)
	}
	if said := must(t, fields("compare north.csv south.csv --json")...); !strings.Contains(said, `"findings":["part `) {
		t.Error(said)
	}
	must(t, fields("learn all.csv --column town=label -o m.npz -q")...)
	if said := must(t, fields("compare half0.csv half1.csv -m m.npz")...); !strings.Contains(said, "nothing differs") {
		t.Error(said)
	}
	for line, want := range map[string]string{
		"compare all.csv":                       "name two files to compare, or one and --by COLUMN",
		"compare all.csv --by village -m m.npz": "village",
	} {
		if o := patchworkCommand(t, fields(line)...); o.code == 0 || !strings.Contains(o.err, want) {
			t.Errorf("%s: exit %d, %s", line, o.code, o.err)
		}
	}
}
