package recipe

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is recognised of the data, what it makes of a recipe, and the line that says
// so.
func TestResolve(t *testing.T) {
	sites, letters := Facts{Rows: 300, Height: 1, Width: 60, Table: true}, Facts{Rows: 20, Height: 56, Width: 48}
	small, many := Facts{Rows: 1, Height: 6, Width: 6}, Facts{Rows: 501, Height: 28, Width: 28}
	long := Facts{Rows: 1e6, Height: 1, Width: 9, Table: true, Streamed: true}
	two := Count{Experts: 2}
	for name, c := range map[string]struct {
		r     Recipe
		d     Facts
		flags string // of the resolved recipe
		line  string // a part of it; "" for none
	}{
		"a table": {Recipe{}, sites, "--experts auto --method soft",
			"300 rows of 60 columns: learning as a table (--for drawings to change)"},
		"a table, settings": {Recipe{Count: two, Aim: "predict", Rule: "max-minus-min"}, sites,
			"--experts 2 --rule max-minus-min --method soft --aim predict", "as a table"},
		"a table, as images":    {Recipe{Count: two, Starts: 3}, sites, "--experts 2 --starts 3", ""},
		"a table, by default":   {Recipe{Count: two, Method: "default"}, sites, "--experts 2 --method soft", "as a table"},
		"a table, in batches":   {Recipe{Count: two, Method: "batch"}, sites, "--experts 2 --method batch", ""},
		"a table, for drawings": {Recipe{For: ForDrawings, Count: two}, sites, "--for drawings --experts 2", ""},
		"a long table": {Recipe{Count: two}, long, "--experts 2 --method soft",
			"1000000 rows of 9 columns: learning as a table, from a sample that fits in --memory"},
		"a long table, no number": {Recipe{}, long, "--experts auto --method soft", "from a sample"},
		"rows not counted yet": {Recipe{}, Facts{Height: 1, Width: 9, Table: true, Streamed: true},
			"--experts auto --method soft", "rows of 9 columns: learning as a table, from a sample"},
		"drawings": {Recipe{}, letters, "--experts auto --shift 14,12 --rotate 24:6",
			"20 images of 56 x 48: learning as drawings, parts shifted by up to 14 or 12 pixels and turned by up to 24 degrees"},
		"drawings, still": {Recipe{Count: two, Poses: Poses{Given: true}}, letters, "--experts 2 --shift 0", ""},
		"drawings, moved": {Recipe{Count: two, Poses: Poses{Shift: 3, Given: true}}, letters, "--experts 2 --shift 3",
			""},
		"drawings, turned": {Recipe{Count: two, Poses: Poses{Rotate: "12:6"}}, letters, "--experts 2 --rotate 12:6",
			""},
		"votes": {Recipe{Count: two, Rule: "max-minus-min"}, letters, "--experts 2 --rule max-minus-min --method soft",
			""},
		"small images": {Recipe{Count: two}, small, "--experts 2", ""},
		"small images, no number": {Recipe{}, small, "--experts auto --method soft",
			"1 image of 6 x 6: learning parts that stay in their places"},
		"many images":       {Recipe{Count: two}, many, "--experts 2", ""},
		"pixels as columns": {Recipe{For: ForTable}, letters, "--for table --experts auto --method soft", ""},
		"scenes":            {Recipe{For: ForScenes}, letters, "--for scenes --experts auto --start-from pairs", ""},
		"scenes, seven": {Recipe{For: ForScenes, Count: Count{Experts: 7}, Poses: Poses{Rotate: "180:90"}}, letters,
			"--for scenes --experts 7 --rotate 180:90 --start-from pairs", ""},
		"scenes, from orders": {Recipe{For: ForScenes, Begin: "orders"}, letters,
			"--for scenes --experts auto --shift 28,24 --start-from orders", ""},
		"scenes, streamed": {Recipe{For: ForScenes}, Facts{Rows: 9, Height: 56, Width: 48, Streamed: true},
			"--for scenes --experts auto --start-from pairs", ""},
		"pairs": {Recipe{Begin: "pairs"}, letters, "--experts auto --start-from pairs", ""},
		"pairs, turned": {Recipe{Begin: "pairs", Poses: Poses{Rotate: "180:90"}, Count: two}, many,
			"--experts 2 --rotate 180:90 --start-from pairs", ""},
		"pairs, for a table": {Recipe{Begin: "pairs", For: ForTable}, sites,
			"--for table --experts auto --method soft --start-from pairs", ""},
		"the paper": {Recipe{For: ForPaper, Count: two}, letters, "--for paper --experts 2", ""},
	} {
		got, line := c.r.Resolve(c.d)
		if flags := strings.Join(got.Args(), " "); flags != c.flags {
			t.Errorf("%s: %q, want %q", name, flags, c.flags)
		}
		if !strings.Contains(line, c.line) || c.line == "" && line != "" {
			t.Errorf("%s: %q, want %q", name, line, c.line)
		}
	}
	if _, err := ParseFor("real"); err == nil || !strings.Contains(err.Error(), "*=number") {
		t.Errorf("real: %v", err)
	}
	for _, name := range Choices("For") {
		if got, err := ParseFor(name); err != nil || got != name {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := ParseFor("photos"); err == nil {
		t.Error("photos are taken")
	}
}

// A recipe that is resolved says everything: resolving it again changes nothing, and
// a request whose poses are literal keeps them.
func TestResolveTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Facts{Rows: rapid.IntRange(1, 1000).Draw(t, "rows"), Height: rapid.SampledFrom([]int{1, 6, 28, 56}).Draw(t,
			"height"), Width: rapid.IntRange(1, 60).Draw(t, "width"),
			Streamed: rapid.Bool().Draw(t, "streamed")}
		d.Table = d.Height == 1
		r := Recipe{For: rapid.SampledFrom([]string{"", ForTable, ForDrawings}).Draw(t, "for"),
			Rule:   rapid.SampledFrom([]string{"", "max-minus-min"}).Draw(t, "rule"),
			Method: rapid.SampledFrom([]string{"", "default", "batch", "soft"}).Draw(t, "method"),
			Starts: rapid.IntRange(0, 1).Draw(t, "starts")}
		if rapid.Bool().Draw(t, "counted") {
			r.Experts = 2
		}
		once, _ := r.Resolve(d)
		twice, _ := once.Resolve(d)
		if a, b := strings.Join(once.Args(), " "), strings.Join(twice.Args(), " "); a != b {
			t.Fatalf("%q, then %q", a, b)
		}
		if literal, _ := r.Literally(d).Resolve(d); literal.move() {
			t.Fatalf("%v moves", literal.Args())
		}
	})
}

// A recipe is learned the same way in memory and streamed, or is known not to be.
func TestEverywhere(t *testing.T) {
	table := Facts{Rows: 9, Height: 1, Width: 9, Table: true}
	few := Facts{Rows: 20, Height: 56, Width: 48}
	two, still := Count{Experts: 2}, Poses{Given: true}
	for _, c := range []struct {
		recipe Recipe
		data   Facts
		want   bool
	}{
		{Recipe{}, table, true},
		{Recipe{Count: two, Method: "both"}, table, true},
		{Recipe{Count: two}, few, false},                                        // would be looked at
		{Recipe{Count: two, For: ForDrawings}, few, false},                      // moved by default where they are few
		{Recipe{Count: two, Poses: still}, few, true},                           // in their places
		{Recipe{Count: two, Poses: Poses{Shift: 3, Given: true}}, few, true},    // as far as said
		{Recipe{Count: two, For: ForScenes}, few, true},                         // by pairs
		{Recipe{Count: Count{Auto: true}, Poses: still}, few, true},             // as a table
		{Recipe{Count: two, Rule: "max-minus-min", Method: "batch"}, few, true}, // as in every test of engines
		{Recipe{Count: two, Rule: "max-minus-min", For: ForPaper}, few, true},
	} {
		if got := c.recipe.Everywhere(c.data); got != c.want {
			t.Errorf("%v of %+v: %v", c.recipe, c.data, got)
		}
	}
}
