package recipe

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/learn"
	"example.com/patchwork/table"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]Count{"3": {Experts: 3}, "2..2": {Experts: 2}, "2..12": {AtLeast: 2, AtMost: 12},
		"auto": {Auto: true}} {
		c, err := ParseCount(text)
		if err != nil || c != want || c.Open() != (text == "2..12" || text == "auto") {
			t.Errorf("%s is %+v, %v", text, c, err)
		}
		if again, err := ParseCount(c.Text()); err != nil || again != c {
			t.Errorf("%s is written %q", text, c.Text())
		}
	}
	if auto, some := (Count{Auto: true}).Most(), (Count{AtLeast: 2, AtMost: 12}).Most(); auto != mostFound ||
		some != 12 {
		t.Errorf("at most %d and %d experts", auto, some)
	}
	for _, text := range []string{"", "0", "-1", "two", "5..2", "0..2", "2..", "..2", "1...3", "99999999999999999999"} {
		if c, err := ParseCount(text); err == nil {
			t.Errorf("%q is %+v", text, c)
		}
	}
}

func TestRotations(t *testing.T) {
	for text, want := range map[string][]float64{"": nil, "0": nil, "0:5": nil, "4:6": nil, "12:6": {-12, -6, 0, 6, 12},
		"180:90": {-90, 0, 90, 180}} {
		if got, err := ParseRotations(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"24", "24:0", "-1:1", "181:1", "NaN:NaN", "24:6:1", "180:1e-300", ":", "a:b"} {
		if got, err := ParseRotations(text); err == nil {
			t.Errorf("%q is %d rotations", text, len(got))
		}
	}
}

func TestShift(t *testing.T) {
	for text, want := range map[string][2]int{"0": {}, "14": {14, 14}, "14,10": {14, 10}, " 3, 0": {3, 0}, "3,3": {3, 3},
		"4,2:2": {4, 2}} {
		var p Poses
		if err := p.SetShift(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if dy, dx := p.reach(); [2]int{dy, dx} != want {
			t.Errorf("%q is %d, %d", text, dy, dx)
		}
	}
	for _, text := range []string{"", "far", "1,", "-1", "1,-1", "1.5", "3:", "3:0", ":2"} {
		if new(Poses).SetShift(text) == nil {
			t.Errorf("the shift %q was read", text)
		}
	}
}

func TestMethod(t *testing.T) {
	for text, want := range map[string]Recipe{"both": {Method: "both"}, "strokes": {Method: "strokes"},
		"strokes:60": {Method: "strokes", Straight: 60}} {
		var r Recipe
		if err := r.SetMethod(text); err != nil || r != want || r.methodText() != text {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
	for _, text := range []string{"", "stroke", "strokes:", "strokes:0", "strokes:-1", "strokes:Inf", "both:60"} {
		if err := new(Recipe).SetMethod(text); err == nil {
			t.Errorf("the method %q was read", text)
		}
	}
}

// TestRefused: settings that cannot be used are refused with the field, in the words
// of a request and of the command.
func TestRefused(t *testing.T) {
	two := Count{Experts: 2}
	for _, c := range []struct {
		r              Recipe
		field          string
		request, flags string
	}{
		{Recipe{}, "experts", "experts is missing",
			"--experts is missing: give --experts K, or a range to try such as --experts 2..12, or --experts auto"},
		{Recipe{Count: Count{Experts: 2, Auto: true}}, "auto", "experts and auto exclude",
			"--experts and --experts auto exclude"},
		{Recipe{Count: two, Rule: "mean"}, "rule", "rule mean", "--rule mean"},
		{Recipe{Count: two, Method: "fast"}, "method", "method fast", "--method fast"},
		{Recipe{Count: two, Aim: "predict"}, "aim", "for method soft", "for --method soft"},
		{Recipe{Count: two, Begin: "grow"}, "begin", "begin grow is for", "--start-from grow is for"},
		{Recipe{Count: two, Begin: "never"}, "begin", "begin never", "--start-from never"},
		{Recipe{For: ForPaper}, "experts", "the paper's learning needs", "give --experts K"},
		{Recipe{Count: Count{Auto: true}}, "auto", "auto where parts stay",
			"--experts auto where parts stay in their places needs --method soft"},
		{Recipe{Count: Count{Auto: true}, For: ForPaper, Poses: Poses{Shift: 1}}, "auto", "for paper",
			"--experts auto cannot be combined with --for paper"},
		{Recipe{Count: two, Begin: "pairs", Poses: Poses{Shift: 2}}, "shift", "shift cannot be combined with begin pairs",
			"--shift cannot be combined with --start-from pairs: parts lie anywhere"},
		{Recipe{Count: two, Begin: "pairs", Rule: "max-minus-min"}, "rule", "rule cannot", "--rule cannot"},
		{Recipe{Count: two, Begin: "pairs", Method: "online"}, "method", "method cannot", "--method cannot"},
		{Recipe{Count: two, Method: "soft", Begin: "pairs"}, "begin", "begin pairs cannot", "--start-from pairs cannot"},
		{Recipe{Count: two, Method: "soft", Begin: "orders"}, "begin", "begin orders cannot", "--start-from orders cannot"},
		{Recipe{Count: two, Method: "soft", Poses: Poses{ShiftStep: 2}}, "shift_step",
			"shift_step cannot be combined with method soft", "--shift S:STEP cannot be combined with --method soft"},
		{Recipe{Count: two, Method: "soft", Reuse: 2}, "reuse", "reuse cannot", "--reuse cannot"},
		{Recipe{Count: two, Straight: 60}, "straight", "straight is for drawings whose parts move",
			"--method strokes:NATS is for drawings"},
		{Recipe{Count: two, Poses: Poses{Shift: 2}, Straight: -1}, "straight", "straight -1", "--method strokes:NATS -1"},
		{Recipe{Count: two, Poses: Poses{Shift: 2}, Straight: 60, Method: "both"}, "straight", "learned as strokes",
			"learned as strokes"},
		{Recipe{Count: two, Method: "strokes"}, "method", "give shift or rotate", "give --shift or --rotate"},
		{Recipe{Count: two, Method: "soft", Straight: 60}, "straight", "straight cannot", "--method strokes:NATS cannot"},
		{Recipe{Count: two, Poses: Poses{Shift: 20}}, "shift", "shift 20 moves parts of 20 x 30 pixels out",
			"--shift 20 moves"},
		{Recipe{Count: two, Poses: Poses{Rotate: "24"}}, "rotate", "rotate 24: rotations are RANGE:STEP",
			"--rotate 24: rotations"},
		{Recipe{Count: Count{Experts: 1000}, Poses: Poses{Shift: 15, Rotate: "180:5"}}, "rotate", "larger steps (shift_step)",
			"larger steps (--shift S:STEP)"},
		{Recipe{Count: Count{Experts: 1 << 20}}, "experts",
			"too large a model; bring pictures to a size, such as size 56x56, or use fewer parts or rotations (rotate)",
			"such as --size 56x56, or use fewer parts or rotations (--rotate)"},
	} {
		_, err := c.r.Plan(20, 30)
		var e *Error
		if !errors.As(err, &e) || e.Field != c.field || !strings.Contains(e.Error(), c.request) ||
			!strings.Contains(e.Flags(), c.flags) {
			t.Errorf("%v: %v, want %s, %q, %q", c.r.Args(), err, c.field, c.request, c.flags)
		}
	}
}

// reused returns a configuration whose parts may be used twice in an image.
func reused(c patchwork.Config) patchwork.Config {
	c.Reuse = 2
	return c
}

// TestPlan: the zero value is the default of the learner, and every setting reaches
// it.
func TestPlan(t *testing.T) {
	still, err := new(Poses).Grid(1, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	moving, err := (&Poses{Shift: 1}).Grid(2, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r    Recipe
		want Plan
	}{
		{Recipe{Count: Count{Experts: 2}}, Plan{Config: patchwork.NewConfig(patchwork.RuleMax, 4, 5, still),
			Learn: learn.Options{Experts: 2}}},
		{Recipe{Count: Count{Experts: 2}, For: ForPaper, Memory: 1 << 20},
			Plan{Config: learn.PaperConfig(patchwork.RuleMax, 4, 5, still),
				Learn: learn.Options{Experts: 2, Paper: true, Sample: 1 << 18 / (128 + 4*8)}}},
		{Recipe{Count: Count{Experts: 3}, Rule: "max-minus-min", Method: "both", Begin: "splits", Starts: 3,
			Iterations: 4, Seed: 5, Reuse: 2, Memory: 4 * (128 + 4*8) * 7, Workers: 6},
			Plan{Config: reused(patchwork.NewConfig(patchwork.RuleMaxMinusMin, 4, 5, still)),
				Learn: learn.Options{Experts: 3, Method: learn.MethodBoth, StartFrom: learn.StartFromSplits,
					Starts: 3, Iterations: 4, Seed: 5, Sample: 7, Workers: 6}}},
		{Recipe{Count: Count{Auto: true}, Begin: "pairs", Starts: 3},
			Plan{Config: patchwork.Config{Height: 4, Width: 5, Poses: still, Q: 0.01,
				Defaults: patchwork.Defaults{Truncate: true}},
				Learn: learn.Options{StartFrom: learn.StartFromPairs, Starts: 3}}},
		{Recipe{Count: Count{Experts: 2}, Rule: "max", Method: "strokes", Straight: 60, Poses: Poses{Shift: 1}},
			Plan{Config: patchwork.NewConfig(patchwork.RuleMax, 4, 5, moving),
				Learn: learn.Options{Experts: 2, Method: learn.MethodStrokes, Straight: 60}}},
		{Recipe{Count: Count{Auto: true}, Rule: "max-minus-min", Method: "soft", Aim: "interpret", Begin: "mixture",
			Iterations: 4, Seed: 5, Workers: 6},
			Plan{Config: patchwork.NewConfig(patchwork.RuleMaxMinusMin, 4, 5, still),
				Table: &table.Options{StartFrom: table.StartFromMixture, Iterations: 4, Seed: 5,
					Workers: 6}}},
		{Recipe{Count: Count{AtLeast: 2, AtMost: 5}, Method: "soft", Aim: "predict"},
			Plan{Config: patchwork.NewConfig(patchwork.RuleMax, 4, 5, still),
				Table: &table.Options{MinExperts: 2, MaxExperts: 5}, Predict: true}},
	} {
		p, err := c.r.Plan(4, 5)
		if err != nil || !reflect.DeepEqual(p, &c.want) {
			t.Errorf("%v: %+v, %v, want %+v", c.r.Args(), p, err, c.want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for want, args := range map[string][]string{"a b-1.npz x=y": {"a", "b-1.npz", "x=y"},
		`'' 'two words' 'it'\''s' 'a;b'`: {"", "two words", "it's", "a;b"}} {
		if got := CommandLine(args); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
