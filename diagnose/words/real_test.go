package words_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/real"
)

// water is a model of images: part 0 votes up and down, part 1 for a deviation only, part 2 says nothing.
func water() *real.Model {
	vote := func(mean, variance float64) real.Entry {
		return real.Entry{Vote: real.MeanAndVar, Normal: real.Normal{Mean: mean, Var: variance}}
	}
	none := real.Entry{}
	return &real.Model{Height: 1, Width: 4,
		Background: []real.Normal{{Mean: 20, Var: 4}, {Mean: 7, Var: .01}, {Mean: 1284.4, Var: 100}, {Mean: 3, Var: 1}},
		Experts: [][]real.Entry{
			{vote(27.04, 1), vote(5.5, .04), vote(1384.4, 100), none},
			{none, none, none, {Vote: real.MeanOnly, Normal: real.Normal{Mean: 9.126, Var: 77}}},
			{none, none, none, none}}}
}

func TestRealPart(t *testing.T) {
	for k, want := range []string{"2 pixels brighter, 1 darker", "1 pixel brighter, 0 darker", "no vote"} {
		if got := words.RealPart(water(), k); got != want {
			t.Errorf("part %d: %q, want %q", k, got, want)
		}
	}
	v := words.RealVotes(water(), 1)
	if len(v) != 1 || v[0].At != 3 || v[0].Deviation != 1 || v[0].OwnDeviation || v[0].Before != 3 {
		t.Errorf("a vote for a mean has the background's deviation: %+v", v)
	}
}

func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1284.4: "1284", -99.96: "-100", .012345: "0.0123", 4.567: "4.57",
		5e8: "5e+08", 999.6: "1000"} {
		if got := words.Digits(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
}

// TestRenameReal: a name is kept, can be taken back, and is refused where Rename refuses it; the model that is renamed
// stays as
// it was.
func TestRenameReal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, k, name := water(), rapid.IntRange(-1, 3).Draw(t, "part"), rapid.String().Draw(t, "name")
		named, err := words.RenameReal(m, k, name)
		if m.Names != nil {
			t.Fatal("the model was changed")
		}
		if err != nil {
			return
		}
		if words.Clean(name) == "" {
			if named.Names != nil {
				t.Fatalf("an empty name gave %q", named.Names)
			}
			return
		}
		if got := named.Names[k]; got != strings.TrimSpace(name) {
			t.Fatalf("%q became %q", name, got)
		}
		if back, err := words.RenameReal(named, k, ""); err != nil || back.Names != nil {
			t.Fatalf("taken back: %q, %v", back.Names, err)
		}
		if _, err := words.RenameReal(named, (k+1)%3, name); err == nil {
			t.Fatal("two parts have one name")
		}
	})
}
