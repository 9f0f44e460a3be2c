package figures

import (
	"math"
	"strings"
	"testing"

	"example.com/patchwork/experiments/rivals"
	"example.com/patchwork/render"
)

// A figure holds if all of its statements do, and in part if they differ.
func TestVerdicts(t *testing.T) {
	if judge(true, false) != Holds || judge(false, true) != InPart || judge(false, false) != DoesNotHold {
		t.Error("judge")
	}
	for _, c := range []struct {
		of   []Verdict
		want Verdict
	}{{nil, Holds}, {[]Verdict{Holds, Holds}, Holds}, {[]Verdict{Holds, DoesNotHold}, InPart},
		{[]Verdict{DoesNotHold}, DoesNotHold}} {
		var r Result
		for _, v := range c.of {
			r.Statements = append(r.Statements, Statement{Verdict: v})
		}
		if got := r.Verdict(); got != c.want {
			t.Errorf("%v: %v, want %v", c.of, got, c.want)
		}
		s := section{Result: r}
		if held := s.Held(); held > len(c.of) || c.want == Holds && held != len(c.of) {
			t.Errorf("%v: %d hold", c.of, held)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(1. / 3), "0.3333333333"}, {number(math.NaN()), ""}, {number(200), "200"},
		{between([]float64{2, -1.5, 0}, 1), "−1.5 to 2.0"}, {between(nil, 1), ""}, {percent(.256), "26 %"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// The ledger escapes what would end a cell, and has a line for each statement, with the command.
func TestLedger(t *testing.T) {
	p := page{Sections: []section{
		{Figure: figure3, Command: command(figure3, Options{Seed: 2, Quick: true, Labels: []int{1}}),
			Result: Result{Statements: []Statement{{"a|b", "1", "exact", Holds}, {"c", "2", "sets", InPart}}}}}}
	var md, table strings.Builder
	if err := p.markdown(&md); err != nil {
		t.Fatal(err)
	}
	if err := p.ledger(&table); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(md.String(),
		"| 3 | a\\|b | 1 | exact | holds | `go run ./experiments/paper 3 --quick --seed 2` | 0 |\n") ||
		strings.Count(md.String(), "\n") != 4 {
		t.Errorf("Markdown\n%s", &md)
	}
	if !strings.Contains(table.String(), "\n3,c,2,sets,holds in part,") {
		t.Errorf("CSV\n%s", &table)
	}
}

// A small picture is embedded as vectors, a large one as pixels; both files are written.
func TestPictureIsEmbedded(t *testing.T) {
	small := Picture{Name: "small", Caption: "a tile",
		Drawing: render.Tiled(render.Template(2, 2, []float64{0, 1, 1, 0}, render.Ink), 4)}
	dir := t.TempDir()
	d, err := small.save(dir)
	if err != nil || d.Alt != "a tile" || !strings.HasPrefix(string(d.Source), "data:image/svg+xml;base64,") || d.Wide {
		t.Errorf("%.60s, %+v, %v", d.Source, d.Alt, err)
	}
	if files := read(t, dir); len(files) != 2 || files["small.png"] == "" || files["small.svg"] == "" {
		t.Errorf("%d files", len(files))
	}
}

// Columns and rows by training size go together.
func TestBySize(t *testing.T) {
	shared := rivals.Results{Options: rivals.Options{Sizes: []int{20, 100}},
		Curves: []rivals.Curve{{Name: rivals.NMF, Code: "8", Points: []rivals.Point{{N: 20, Setting: "rate 1"}, {N: 100}}}},
		Truth:  make([]rivals.Point, 2)}
	shared.Curves[0].Points[1].Median.L2, shared.Curves[0].Points[1].High.L2 = 3, 4
	table := measureTable(shared, "l2", "L2", func(m rivals.Measure) float64 { return m.L2 })
	if len(table.Columns) != 4 || table.Columns[3] != (Column{"N = 100", 2}) ||
		strings.Join(table.Rows[0], " ") != "NMF 8 0 3" || table.Rows[1][0] != "truth" {
		t.Errorf("%+v", table)
	}
	if set := settingsTable(shared, shared); len(set.Rows) != 2 || set.Rows[1][2] != "rate 1" {
		t.Errorf("%+v", set)
	}
	if q := quartileTable(shared); len(q.Rows) != 4 || len(q.Columns) != 3+3*len(rivals.Figures) ||
		len(q.Rows[0]) != len(q.Columns) {
		t.Errorf("%d rows, %d columns", len(q.Rows), len(q.Columns))
	}
	if at := rivals.Nearest(shared.Options.Sizes); at != 1 {
		t.Errorf("nearest to 100 is %d", at)
	}
}

// The laws of rules for variances: under the pool nothing opposite helps, and only soft does not jump.
func TestLaws(t *testing.T) {
	l := composeLaws(7)
	if l.rules[0].helps != 0 || l.rules[3].jumps != 0 || l.rules[0].jumps == 0 || l.rules[1].helps == 0 {
		t.Errorf("%+v", l.rules)
	}
}
