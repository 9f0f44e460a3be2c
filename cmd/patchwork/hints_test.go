package main

import (
	"os"
	"strings"
	"testing"

	"example.com/patchwork"
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

// A table is learned as numbers where a column holds them; show says how many cells are empty.
func TestLookAtNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	table := "age,town,a,b\n,Ulm,ja,nein\n12,,nein,ja\n30,Ulm,ja,ja\n12,,nein,nein\n"
	if err := os.WriteFile("t.csv", []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := mustTalking(t, "learn", "t.csv", "-o", "m.npz"); !strings.Contains(out,
		"since 1 of 4 columns holds numbers") ||
		!strings.Contains(out, "--column NAME=label leaves one out") {
		t.Errorf("learn: %q", out)
	}
	out := must(t, "show", "t.csv", "--column", "age=label", "--column", "town=label")
	if strings.Contains(out, "NaN") || !strings.Contains(out, "12 (2), 30; 1 of 4 unknown") ||
		!strings.Contains(out, "Ulm (2); 2 of 4 unknown") {
		t.Errorf("look: %s", out)
	}
}

// One line says why the numbers of parts end: what one more must gain, and what it does.
func TestTooLittle(t *testing.T) {
	got := choiceLines([]patchwork.CurvePoint{{Experts: 2, Rows: 10, DescriptionLength: 800, Chosen: true},
		{Experts: 3, Rows: 10, DescriptionLength: 700}}, true)
	want := "a part more, 3, shortens the description by 10.0 nats per image, which is too little"
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
}
