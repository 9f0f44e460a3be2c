package recipe

import (
	"reflect"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
)

// An alphabet by the flags is the one of package learn, with the same poses; resolving
// it again changes nothing.
func TestAlphabetIsThatOfLearn(t *testing.T) {
	for _, size := range [][2]int{{56, 56}, {28, 41}} {
		d := Facts{Rows: 3, Height: size[0], Width: size[1]}
		r, line := (Recipe{Alphabet: 4}).Resolve(d)
		if !strings.Contains(line, "an alphabet of 4 parts") {
			t.Errorf("%q", line)
		}
		plan, err := r.Plan(d.Height, d.Width)
		if err != nil {
			t.Fatal(err)
		}
		want := learn.Alphabet(d.Height, d.Width)
		got := plan.Config
		for i := range want.Poses.Len() {
			if got.Poses.Len() != want.Poses.Len() || got.Poses.At(i) != want.Poses.At(i) {
				t.Fatalf("%v: poses %+v, want %+v", size, got.Poses, want.Poses)
			}
		}
		if got.Poses, want.Poses = (pose.Grid{}), (pose.Grid{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
		if o := plan.Learn; !o.Alphabet || o.Experts != 4 {
			t.Errorf("%+v", o)
		}
		twice, _ := r.Resolve(d)
		if a, b := strings.Join(r.Args(), " "), strings.Join(twice.Args(), " "); a != b ||
			!strings.Contains(a, "--alphabet 4 ") || strings.Contains(a, "--experts") {
			t.Errorf("%q, then %q", a, b)
		}
	}
	own, _ := (Recipe{Alphabet: 2, Poses: Poses{Shift: 4, Rotate: "180:45"}}).Resolve(Facts{Rows: 3, Height: 56,
		Width: 56})
	if own.Shift != 4 || own.ShiftStep != 0 || own.Rotate != "180:45" {
		t.Errorf("given settings are not kept: %v", own.Args())
	}
}

func TestParseStretches(t *testing.T) {
	for text, want := range map[string][]pose.Stretch{
		"": nil, "1": nil, "0.75,1.33": {{}, {Y: 0.75, X: 1}, {Y: 1.33, X: 1}},
		" 2 , 1x0.5,1x1": {{}, {Y: 2, X: 1}, {Y: 1, X: 0.5}},
	} {
		if got, err := ParseStretches(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"x", "0", "9", "1x", "2,2", "nan", "1x2x3", ",", strings.Repeat("2,", 80) + "2"} {
		if got, err := ParseStretches(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestAlphabetChecks(t *testing.T) {
	for _, r := range []Recipe{
		{Alphabet: 2, Count: Count{Auto: true}}, {Alphabet: 2, For: ForScenes}, {Alphabet: 2, Rule: "mean"},
		{Alphabet: 2, For: ForPaper},
		{Alphabet: 2, Method: "both"}, {Alphabet: 2, Begin: "pairs"}, {Alphabet: 2, From: new(patchwork.Model)},
		{Alphabet: 2, Straight: 1},
	} {
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), "alphabet") {
			t.Errorf("%v: %v", r.Args(), err)
		}
	}
	for text, want := range map[string]int{"auto": AlphabetParts, "3": 3, "0": 0, "a": 0, "": 0} {
		if k, err := ParseAlphabet(text); k != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, k, err)
		}
	}
}
