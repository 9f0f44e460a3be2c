package main

import (
	"fmt"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/table"
)

// Under the rules by which a cell is nobody's own, a step gives the same bytes from one
// part or three, in any order, in either form, with any number of workers, and is the
// library's step; and the next step goes on from it.
func TestSoftPartsAreOneStep(t *testing.T) {
	for _, rule := range []string{"noisy-or", "sum-of-odds", "mean", "sum-of-log-odds", "normalized-sum"} {
		t.Run(rule, func(t *testing.T) {
			t.Chdir(t.TempDir())
			must(t, fields("synth bars --n 90 --side 3 --seed 1 --hide 0.05 -o rows.npz -q")...)
			must(t, "learn", "rows.npz", "-o", "model.npz", "--rule", rule, "-k", "3", "--start-from", "grow", "-q")
			must(t, fields("count -q -m model.npz rows.npz -o all.tally --workers 3")...)
			joined := ""
			for i := range 3 {
				line := fields(fmt.Sprintf("count -q -m model.npz rows.npz --rows %d:%d", 30*i+1, 30*i+30))
				must(t, append(line, "-o", fmt.Sprintf("%d.tally", i))...)
				joined = must(t, append(line, "--lines")...) + joined
			}
			write(t, "joined.txt", joined)
			must(t, fields("merge -q -m model.npz all.tally -o want.npz")...)
			want := read(t, "want.npz")
			for _, parts := range []string{"0.tally 1.tally 2.tally", "2.tally 0.tally 1.tally", "joined.txt"} {
				must(t, fields("merge -q -m model.npz -o got.npz "+parts)...)
				if read(t, "got.npz") != want {
					t.Errorf("%s: another model than from one part", parts)
				}
			}
			m, err := modelfile.Load("model.npz")
			if err != nil {
				t.Fatal(err)
			}
			counts, err := table.Count(t.Context(), m, readSet(t, "rows.npz").Data, 2)
			if err != nil {
				t.Fatal(err)
			}
			got, err := modelfile.Load("want.npz")
			if err != nil {
				t.Fatal(err)
			}
			if next := counts.MStep(m, false, 1); fmt.Sprint(next.Templates(), next.Config(), next.Extras().Usage) != fmt.Sprint(
				got.Templates(), got.Config(), got.Extras().Usage) {
				t.Error("another model than the library's")
			}
			must(t, fields("count -q -m want.npz rows.npz -o next.tally")...)
			if out := must(t, fields("merge -m want.npz next.tally --last -o last.npz")...); !strings.Contains(out,
				"added 1 shard of 90 rows") {
				t.Error(out)
			}
			for line, says := range map[string]string{
				"merge -m want.npz all.tally -o x.npz":                    "made with the model",
				"merge -m model.npz all.tally 1.tally all.tally -o x.npz": "counted twice",
			} {
				if got := patchworkCommand(t, fields(line)...); got.code != 2 || !strings.Contains(got.err, says) {
					t.Errorf("%s: exit code %d, %s", line, got.code, got.err)
				}
			}
		})
	}
}

// Counts by a model that says that its parts occur more often are not added to those of
// the model: its rows are explained in other ways.
func TestSoftPartsKnowThePrior(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth bars --n 40 --side 3 --seed 1 -o rows.npz -q")...)
	must(t, fields("learn rows.npz -o model.npz --rule noisy-or -k 2 --start-from grow -q")...)
	m, err := modelfile.Load("model.npz")
	if err != nil {
		t.Fatal(err)
	}
	extras := m.Extras()
	extras.Usage = append([]float64{}, extras.Usage...)
	extras.Usage[0] /= 2
	var rarer *patchwork.Model
	if rarer, err = m.WithExtras(extras); err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save("rarer.npz", rarer); err != nil {
		t.Fatal(err)
	}
	must(t, fields("count -q -m rarer.npz rows.npz -o rarer.tally")...)
	if got := patchworkCommand(t, fields("merge -m model.npz rarer.tally -o x.npz")...); got.code != 2 ||
		!strings.Contains(got.err, "only parts made with the same options can be added") {
		t.Errorf("exit code %d, %s", got.code, got.err)
	}
}
