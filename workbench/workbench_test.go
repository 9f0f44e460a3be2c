package workbench

import (
	"bytes"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
)

// models returns a model of each kind, of a table with two columns.
func models(t *testing.T) map[string]Model {
	t.Helper()
	part := func(p ...float64) *patchwork.Model {
		m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMax, 1, 2, pose.Grid{}), [][]float64{p})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m, err := part(.9, 0).WithExtras(patchwork.Extras{Columns: []string{"a", "b"}, Usage: []float64{.5}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := classes.New([]classes.Class{{Name: "x", Rows: 3, Learned: part(.9, .1)},
		{Name: "y", Rows: 1, Learned: part(.1, .9)}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	vote := real.Entry{Vote: real.MeanAndVar, Normal: real.Normal{Mean: 27, Var: 1}}
	return map[string]Model{"bits": Bits{m}, "classes": Classes{c},
		"numbers": Numbers{&real.Model{Height: 1, Width: 2, Pi: []float64{.5},
			Background: []real.Normal{{Mean: 20, Var: 4}, {Mean: 3, Var: 1}}, Experts: [][]real.Entry{{vote, {}}}}}}
}

// A file of any kind is read as what was written, and describes itself; what has parts is drawn and named.
func TestFiles(t *testing.T) {
	for kind, m := range models(t) {
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		back, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
		read := modelfile.KindOf(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil || read != kind || back.K() != m.K() {
			t.Fatalf("%s: %T, %v", kind, back, err)
		}
		got, want := strings.Join(back.Describe().Lines(), "\n"), strings.Join(m.Describe().Lines(), "\n")
		if got != want || !strings.HasPrefix(got, m.Size()) || m.Table() != (kind != "numbers") {
			t.Errorf("%s: written\n%s\nread\n%s", kind, want, got)
		}
		named, err := back.Name(0, "bog")
		picture, e := back.Draw()
		if kind == "classes" {
			if err == nil || e == nil || !strings.Contains(got, "x, 3 rows") {
				t.Errorf("classes are named %v and drawn %v:\n%s", named, picture, got)
			}
			continue
		}
		if err != nil || e != nil || Full(named, 0) != "bog (part 1)" || Called(back, 0) != "part 1" {
			t.Errorf("%s: %v, %v", kind, err, e)
		}
		p, of := named.Part(0), map[bool]string{true: "rows", false: "images"}[m.Table()]
		if _, rows := picture.(render.Rows); rows != m.Table() || !strings.Contains(got, "part 1, 50 % of "+of+": ") {
			t.Errorf("%s: %T, %s", kind, picture, got)
		}
		if p.Name != "bog" || p.Abstains != 1 || m.Table() && (len(p.Votes) != 1 || p.Votes[0].Name != "a") {
			t.Errorf("%s: %+v", kind, p)
		}
	}
}

// Names go to the same parts of another model of the same kind, and to no others.
func TestKeepNames(t *testing.T) {
	all := models(t)
	for kind, m := range all {
		if kind == "classes" {
			continue
		}
		named, err := m.Name(0, "bog")
		if err != nil {
			t.Fatal(err)
		}
		if now, kept, lost := KeepNames(m, named); Given(now, 0) != "bog" || len(kept) != 1 || len(lost) != 0 {
			t.Errorf("%s: kept %v, lost %v", kind, kept, lost)
		}
		for other, of := range all {
			if now, kept, _ := KeepNames(of, named); other != kind && (now.Names() != nil || kept != nil) {
				t.Errorf("names of %s for %s: %v", kind, other, kept)
			}
		}
	}
}

// TestConfusion: what is confused most is said where there are many classes, and labels
// that are no class count as wrong.
func TestConfusion(t *testing.T) {
	few := newClassScores("y", []string{"a", "b"})
	few.add("a", 0)
	few.add("b", 0)
	few.add("z", 0)
	few.add("", 0)
	if few.Labelled != 3 || few.Right != 1 || few.others != 1 || len(few.lines()) != 4 {
		t.Errorf("%+v\n%s", few, strings.Join(few.lines(), "\n"))
	}
	many := newClassScores("y", strings.Split("abcdefghijklmnop", ""))
	many.add("c", 3)
	many.add("c", 3)
	many.add("d", 2)
	if got := strings.Join(many.lines(),
		"\n"); got != "0 of 3 right, 0.0 %\n  2 of \"c\" named \"d\"\n  1 of \"d\" named \"c\"" {
		t.Error(got)
	}
}
