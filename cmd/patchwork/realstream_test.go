package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/workbench"
)

// mixedTable returns a table of two columns of bits and three of real values, of two parts, and one of names.
func mixedTable(n int) string {
	rng := rand.New(rand.NewPCG(6, 4))
	var b strings.Builder
	b.WriteString("site,wet,dark,ph,depth,salt\n")
	words := []string{"no", "yes"}
	for i := range n {
		var p, mean [2]float64
		for k := range p {
			if p[k] = .1; rng.IntN(3) == 0 {
				p[k], mean[k] = .9, 4
			}
		}
		bit := func(k int) string {
			if rng.Float64() < p[k] {
				return words[1]
			}
			return words[0]
		}
		fmt.Fprintf(&b, "s%d,%s,%s,%.2f,%.2f,%.2f\n", i, bit(0), bit(1), mean[0]+rng.NormFloat64(), mean[1]+rng.NormFloat64(),
			mean[0]+rng.NormFloat64())
	}
	return b.String()
}

func saveText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRealStreams: what does not fit in memory gives the same model for any number of workers and after an
// interruption; if the sample holds all rows, that of the same data in memory.
func TestRealStreams(t *testing.T) {
	streams(t, "--column *=number ")
}

// streams learns a table of a kind from a stream, and uses it.
func streams(t *testing.T, kind string) {
	t.Chdir(t.TempDir())
	saveText(t, "t.csv", mixedTable(3000))
	stream := "learn t.csv " + kind + "--starts 1 -q --memory 172800 " // a sample of 300 rows: a quarter, of 144 bytes each
	must(t, fields(stream+"-o a.npz")...)
	must(t, fields(stream+"--workers 7 --checkpoint kept -o b.npz")...)
	if read(t, "a.npz") != read(t, "b.npz") {
		t.Error("another model with seven workers and a checkpoint")
	}
	if _, err := os.Stat("kept/" + journalName); err == nil {
		t.Error("the checkpoint is left")
	}
	for _, line := range []string{"explain -m a.npz t.csv", "explain -m a.npz t.csv --best 2 --rows 2901: -o -",
		"score -m a.npz t.csv --json", "predict -m a.npz t.csv --all --cells --rows 1401:1600 -o -"} {
		if in, streamed := must(t, fields(line)...), must(t, fields(line+" -q --memory 64KiB")...); in != streamed {
			t.Errorf("%s: %d bytes, streamed %d", line, len(in), len(streamed))
		}
	}
	checkStreamed(t, "a.npz")
	must(t, fields("learn t.csv "+kind+"--starts 1 -q --rows :200 -o c.npz")...)
	must(t, fields(stream+"--rows :200 -o d.npz")...)
	if read(t, "c.npz") != read(t, "d.npz") {
		t.Error("a stream whose sample holds it gives another model than the same rows in memory")
	}
	if said := mustTalking(t, fields("learn t.csv "+kind+"--starts 1 --memory 64KiB -o e.npz")...); !strings.Contains(
		said, "from 3000 rows") {
		t.Errorf("it says %q", said)
	}
}

// checkStreamed looks at a model of mixedTable.
func checkStreamed(t *testing.T, path string) {
	t.Helper()
	of, err := workbench.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := of.(workbench.Mixed)
	if !ok {
		t.Fatalf("a model of %T", of)
	}
	if m.K() != 2 || m.Record.Rows != 3000 || m.Record.Sample != 300 || m.Columns[1].Family != mixed.Levels ||
		m.Columns[2].Family != mixed.Real || m.Columns[0].Name != "wet" {
		t.Errorf("%d parts of %+v, record %+v", m.K(), m.Columns, m.Record)
	}
}

// TestRealTallies: three parts of a table, counted apart, give the model of the step over all, and rows are not
// counted twice.
func TestRealTallies(t *testing.T) {
	t.Chdir(t.TempDir())
	text := mixedTable(600)
	saveText(t, "t.csv", text)
	lines := strings.SplitAfter(text, "\n")
	for i, r := range [][2]int{{1, 201}, {201, 250}, {250, 601}} {
		saveText(t, fmt.Sprintf("p%d.csv", i), lines[0]+strings.Join(lines[r[0]:r[1]], ""))
	}
	must(t, fields("learn t.csv --column *=number --starts 1 -q --rows :150 -o m.npz")...)
	must(t, fields("count -m m.npz t.csv -o all.tally -q")...)
	for i, more := range []string{"--workers 2", "--memory 64KiB --workers 7 --lines", "--workers 1"} {
		must(t, fields(fmt.Sprintf("count -m m.npz p%d.csv -o %d.tally -q %s", i, i, more))...)
	}
	must(t, fields("merge -m m.npz all.tally -o one.npz -q")...)
	must(t, fields("merge -m m.npz 2.tally 0.tally 1.tally -o three.npz -q")...)
	if read(t, "one.npz") != read(t, "three.npz") {
		t.Error("three parts give another model than all rows")
	}
	for args, says := range map[string]string{
		"merge -m m.npz 0.tally 0.tally -o x.npz":                    "counted twice",
		"merge -m one.npz 0.tally -o x.npz":                          "made with the model",
		"merge -m m.npz m.npz -o x.npz":                              "tally",
		"merge -m m.npz 0.tally -o x.npz --last":                     "real values",
		"learn t.csv --column *=number -o x.npz --engine goroutines": "real values",
	} {
		if o := patchworkCommand(t, fields(args)...); o.code != exitRequest || !strings.Contains(o.err, says) {
			t.Errorf("%s: code %d, %q", args, o.code, o.err)
		}
	}
	if _, err := os.Stat("x.npz"); err == nil {
		t.Error("a refused command writes")
	}
}
