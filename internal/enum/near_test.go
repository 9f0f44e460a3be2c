package enum

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	names := []string{"shift", "shift-step", "rotate", "rows", "output", "picture", "progress-picture", "seed", "q",
		"Veronica minor"}
	for name, want := range map[string]string{
		"shfit": "shift", "shift_step": "shift-step", "rotat": "rotate", "rotates": "rotate", "row": "rows", "oupt": "output",
		"ouput": "output", "pictrue": "picture",
		"pic": "picture", "prog": "progress-picture", "SEED": "seed", "veronica minor": "Veronica minor",
		"Veronica mino": "Veronica minor",
		"":              "", "x": "", "zebra": "", "xy": "", "s": "", "shifting-things": "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%q is near %q, want %q", name, got, want)
		}
	}
	if got := DidYouMean("shfit", names); got != "; did you mean shift?" {
		t.Errorf("%q", got)
	}
	if got := DidYouMean("zebra", names); got != "" {
		t.Errorf("%q", got)
	}
}

// One slip is one, in any word; a word has no slips from itself; both ways are alike.
func TestSlips(t *testing.T) {
	word := rapid.StringMatching(`[a-zé]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := slips(a, b)
		if slips(b, a) != d || slips(a, a) != 0 || (d == 0) != (a == b) || d > max(len([]rune(a)), len([]rune(b))) {
			t.Fatalf("%q to %q is %d, back %d", a, b, d, slips(b, a))
		}
		if r := []rune(a); len(r) >= 2 && r[0] != r[1] {
			r[0], r[1] = r[1], r[0]
			if slips(a, string(r)) != 1 {
				t.Fatalf("%q to %q is no single slip", a, string(r))
			}
		}
	})
}
