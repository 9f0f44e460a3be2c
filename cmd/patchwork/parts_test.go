package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/learn"
	"example.com/patchwork/modelfile"
)

// startingPoint writes rows.npz and a model to continue from.
func startingPoint(t *testing.T, rule string) {
	t.Helper()
	t.Chdir(t.TempDir())
	must(t, "synth", "quadrants", "--n", "60", "--seed", "1", "-o", "rows.npz", "-q")
	must(t, "learn", "rows.npz", "-o", "model.npz", "--rule", rule, "--experts", "8", "--starts", "1", "-q")
}

// One step of learning gives the same bytes from one part or three, in any
// order, through files or pipes, in either form, and is the library's step.
func TestPartsAreOneStep(t *testing.T) {
	for _, rule := range []string{"max", "max-minus-min"} {
		t.Run(rule, func(t *testing.T) {
			startingPoint(t, rule)
			must(t, "count", "-q", "-m", "model.npz", "rows.npz", "-o", "all.tally", "--workers", "3")
			joined := ""
			for i := range 3 {
				name := fmt.Sprintf("%d.tally", i)
				args := []string{"count", "-q", "-m", "model.npz", "rows.npz", "--rows", fmt.Sprintf("%d:%d", 20*i+1, 20*i+20)}
				must(t, append(args, "-o", name)...)
				joined = must(t, append(args, "--lines")...) + joined
			}
			write(t, "joined.txt", joined)
			must(t, "merge", "-q", "-m", "model.npz", "all.tally", "-o", "want.npz")
			want := read(t, "want.npz")
			for _, parts := range [][]string{{"0.tally", "1.tally", "2.tally"}, {"2.tally", "0.tally", "1.tally"},
				{"joined.txt"}} {
				must(t, append([]string{"merge", "-q", "-m", "model.npz", "-o", "got.npz"}, parts...)...)
				if read(t, "got.npz") != want {
					t.Errorf("%v: another model than from one part", parts)
				}
			}

			m, err := modelfile.Load("model.npz")
			if err != nil {
				t.Fatal(err)
			}
			set := readSet(t, "rows.npz")
			var opt learn.Options
			tally, err := patchwork.EStep(t.Context(), m, set.Data, opt.Pursuit(m), 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := modelfile.Load("want.npz")
			if err != nil {
				t.Fatal(err)
			}
			for k, template := range opt.MStep(m, tally).Templates() {
				for i, p := range template {
					if got.Template(k)[i] != p {
						t.Fatalf("expert %d, pixel %d: %v from parts, %v from the library", k, i, got.Template(k)[i], p)
					}
				}
			}
		})
	}
}

// Steps from tallies end as learning in one place does: after --last no vote is beside
// its abstention value.
func TestLastStepSettles(t *testing.T) {
	startingPoint(t, "max-minus-min")
	must(t, "count", "-q", "-m", "model.npz", "rows.npz", "-o", "all.tally")
	must(t, "merge", "-q", "-m", "model.npz", "all.tally", "--last", "-o", "last.npz")
	m, err := modelfile.Load("last.npz")
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range m.Templates() {
		for _, p := range template {
			if p != .5 && p > .4985 && p < .5015 {
				t.Fatalf("a vote of %v is left beside 0.5", p)
			}
		}
	}
}

func TestPartsRefuse(t *testing.T) {
	startingPoint(t, "max-minus-min")
	must(t, "count", "-q", "-m", "model.npz", "rows.npz", "-o", "all.tally")
	must(t, "merge", "-q", "-m", "model.npz", "all.tally", "-o", "other.npz")
	whole := read(t, "all.tally")
	write(t, "cut.tally", whole[:len(whole)-7])
	write(t, "damaged.tally", whole[:len(whole)-7]+"\xff"+whole[len(whole)-6:])
	write(t, "empty.tally", "")
	write(t, "rows.arrow", "ARROW1\x00\x00")
	for _, c := range []struct{ line string }{
		{"merge -m model.npz all.tally all.tally -o x.npz"},
		{"merge -m other.npz all.tally -o x.npz"},
		{"merge -m model.npz cut.tally -o x.npz"},
		{"merge -m model.npz all.tally damaged.tally -o x.npz"},
		{"merge -m model.npz empty.tally -o x.npz"},
		{"merge -m model.npz rows.npz -o x.npz"},
		{"merge -m model.npz rows.arrow -o x.npz"},
		{"merge -m model.npz none.tally -o x.npz"},
		{"merge -m model.npz -o x.npz"},
		{"merge -m model.npz all.tally"},
		{"count -m model.npz"},
		{"count rows.npz"},
		{"count -m model.npz rows.npz --workers 0"},
	} {
		o := patchworkCommand(t, strings.Fields(c.line)...)
		if o.code != exitRequest || !testenv.Said(t, o.err) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("patchwork %s: exit %d, %q", c.line, o.code, o.err)
		}
	}
	if _, err := os.Stat("x.npz"); err == nil {
		t.Error("a refused step wrote a model")
	}
}
