package main

import (
	"os"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
)

// refused runs a command line that is wrong and returns what is said.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	o := patchworkCommand(t, args...)
	if o.code != 2 || o.out != "" {
		t.Fatalf("patchwork %s: exit %d, %q", strings.Join(args, " "), o.code, o.out)
	}
	return o.err
}

// A table is learned as numbers where a quarter of its columns hold them; show says how many cells are empty.
func TestLookAtNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	table := "age,town,a,b\n,Ulm,ja,nein\n12,,nein,ja\n30,Ulm,ja,ja\n12,,nein,nein\n"
	if err := os.WriteFile("t.csv", []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := mustTalking(t, "learn", "t.csv", "-o", "m.npz"); !strings.Contains(out,
		"since 1 of 4 columns holds numbers") ||
		!strings.Contains(out, "--column NAME=label keeps one out") {
		t.Errorf("learn: %q", out)
	}
	out := must(t, "show", "t.csv", "--meta", "age,town")
	if strings.Contains(out, "NaN") || !strings.Contains(out, "12 (2), 30; 1 of 4 unknown") ||
		!strings.Contains(out, "Ulm (2); 2 of 4 unknown") {
		t.Errorf("look: %s", out)
	}
}

// One line says why the numbers of parts end: what one more must gain, and how that
// follows from the side of the frame.
func TestTooLittle(t *testing.T) {
	plan := func(h, w int) *recipe.Plan {
		c := patchwork.Config{Rule: patchwork.RuleMax, Height: h, Width: w,
			Poses: pose.Grid{DY: pose.Range{Min: -2, Max: 2, Step: 1}}}
		return &recipe.Plan{Config: c, Learn: learn.Options{Method: learn.MethodStrokes}}
	}
	two := patchwork.CurvePoint{Experts: 2, Rows: 10, DescriptionLength: 800}
	for _, c := range []struct {
		h, w   int
		length float64
		want   string
	}{
		{40, 40, 700, "2 parts are chosen, though 3 have a shorter description: one more part must shorten it by 24.3 nats " +
			"per image " +
			"(34 for frames with a side of 56 pixels, in proportion for the side of 40 here), and the step to 3 brings 10.0"},
		{56, 14, 795, "2 parts are chosen, though 3 have a shorter description: one more part must shorten it by 17.0 nats " +
			"per image " +
			"(34 for frames with a side of 56 pixels, in proportion for 28.0, the root of 56 x 14, here), and the step to 3 " +
			"brings 0.5"},
		{56, 56, 800, "chosen is the shortest description: one more part must shorten it by 34.0 nats per image " +
			"(34 for frames with a side of 56 pixels, in proportion for the side of 56 here), and 3 parts make it no shorter"},
	} {
		if got := tooLittleLine(two, patchwork.CurvePoint{Experts: 3, Rows: 10, DescriptionLength: c.length},
			plan(c.h, c.w)); got != c.want {
			t.Errorf("%d x %d: %q", c.h, c.w, got)
		}
	}
}
