package learn

import (
	"context"
	"math"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/pose"
)

// The method of strokes is the default where parts move and only write, on one
// background above 0; other learners are as they were.
func TestStrokesAreTheDefault(t *testing.T) {
	grid := pose.Grid{DY: pose.Symmetric(2, 1)}
	moving := patchwork.NewConfig(patchwork.RuleMax, 20, 20, grid)
	with := func(change func(*patchwork.Config)) patchwork.Config {
		c := moving
		change(&c)
		return c
	}
	for _, c := range []struct {
		what string
		cfg  patchwork.Config
		opt  Options
		want Method
	}{
		{"moving", moving, Options{}, MethodStrokes},
		{"reused", with(func(c *patchwork.Config) { c.Reuse = 3 }), Options{}, MethodBoth},
		{"without background", with(func(c *patchwork.Config) { c.Q = 0 }), Options{}, MethodBoth},
		{"scenes", with(func(c *patchwork.Config) { c.Scene = true }), Options{}, MethodBoth},
		{"a background for every pixel", with(func(c *patchwork.Config) { c.QMap = make([]float64, 400) }), Options{},
			MethodBoth},
		{"large", with(func(c *patchwork.Config) { c.Height, c.Width = 1000, 1000 }), Options{}, MethodBoth},
		{"still", patchwork.NewConfig(patchwork.RuleMax, 20, 20, pose.Grid{}), Options{}, MethodBoth},
		{"votes for and against", patchwork.NewConfig(patchwork.RuleMaxMinusMin, 20, 20, grid), Options{}, MethodBoth},
		{"the paper", PaperConfig(patchwork.RuleMax, 20, 20, grid), Options{Paper: true}, MethodOnline},
		{"said otherwise", moving, Options{Method: MethodBoth}, MethodBoth},
	} {
		if got := c.opt.WithDefaults(c.cfg); got.Method != c.want {
			t.Errorf("%s: %v, want %v", c.what, got.Method, c.want)
		}
	}
	o := Options{}.WithDefaults(moving)
	if o.StartFrom != StartFromSplits || o.Starts != 8 || o.Iterations != 9 {
		t.Errorf("%+v", o)
	}
	if o := (Options{Straight: 60}).WithDefaults(moving); o.Starts != 14 {
		t.Errorf("%d starts where straight parts are preferred", o.Starts)
	}
	if o := (Options{StartFrom: StartFromOrders, Starts: 2}).WithDefaults(moving); o.StartFrom != StartFromOrders ||
		o.Starts != 2 {
		t.Errorf("%+v", o)
	}
}

// What does not go together with strokes is refused.
func TestStrokesRefuse(t *testing.T) {
	data, cfg := posedLetters(t)
	still := cfg
	still.Poses = pose.Grid{}
	both := cfg
	both.Rule, both.Q, both.Truncate = patchwork.RuleMaxMinusMin, 0.5, false
	for want, c := range map[string]struct {
		cfg patchwork.Config
		opt Options
	}{
		"preferred by the method strokes, not by both": {cfg, Options{Experts: 2, Method: MethodBoth, Straight: 1}},
		"a price of -1 nats":                           {cfg, Options{Experts: 2, Straight: -1}},
		"a price of NaN nats":                          {cfg, Options{Experts: 2, Straight: math.NaN()}},
		"where parts move":                             {still, Options{Experts: 2, Method: MethodStrokes}},
		"not the paper's":                              {cfg, Options{Experts: 2, Method: MethodStrokes, Paper: true}},
		"under the rule max":                           {both, Options{Experts: 2, Method: MethodStrokes}},
	} {
		if _, err := Learn(t.Context(), data, c.cfg, c.opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	stream := &inBlocks{data: data, sizes: []int{3}}
	opt := Options{Experts: 2, Method: MethodStrokes, Sample: 4}
	if _, err := Learn(t.Context(), stream, cfg, opt); err == nil ||
		!strings.Contains(err.Error(), "more than the sample of 4") {
		t.Errorf("a stream: %v", err)
	}
	opt.Method = MethodAuto
	m, err := Learn(t.Context(), stream, cfg, opt)
	if err != nil || m.Extras().Record.Method != "both" || m.Extras().Record.Sample != 4 {
		t.Errorf("a stream by default: %v", err)
	}
}

// The steps of a run come start by start and are the same for any number of workers;
// the two shortest starts go on, and the record has them all.
func TestStrokesRun(t *testing.T) {
	data, cfg := posedLetters(t)
	var want []Step
	for _, workers := range []int{1, 3} {
		var steps []Step
		for s, err := range Run(t.Context(), data, cfg, Options{Experts: 2, Starts: 3, Iterations: 5, Workers: workers,
			Seed: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, s)
		}
		if workers == 1 {
			want = steps
		}
		if len(steps) != len(want) {
			t.Fatalf("%d steps, with one worker %d", len(steps), len(want))
		}
		for i, s := range steps {
			if s.Start != want[i].Start || s.Iteration != want[i].Iteration || s.CurvePoint != want[i].CurvePoint ||
				!sameTemplates(s.Model, want[i].Model) ||
				!sameTemplates(s.Best, want[i].Best) {
				t.Errorf("step %d of %d workers: %+v, with one %+v", i, workers, s.CurvePoint, want[i].CurvePoint)
			}
		}
	}
	ends := 0
	for _, s := range want {
		if s.Stage == StageStart {
			ends++
		}
	}
	m := want[len(want)-1].Model
	r := m.Extras().Record
	if ends != 3 || len(want) != 3*(5+1)+2+1 || len(r.Starts) != 3 || r.Method != "strokes" {
		t.Errorf("%d starts, %d steps, record %+v", ends, len(want), r)
	}
	for i, s := range r.Starts {
		if s.DescriptionLength < r.DescriptionLength || i == r.Chosen && s.DescriptionLength != r.DescriptionLength {
			t.Errorf("start %d: %v nats, the chosen one %v", i, s.DescriptionLength, r.DescriptionLength)
		}
	}
	if c := m.Extras().Counts; c == nil || !c.Fits(m) || c.LogLik() != r.LogLik || m.Extras().Geometry == nil {
		t.Error("the model lacks its counts or the poses of its parts")
	}
}

// A run that is ended by Enough has the best start that has come to a result.
func TestStrokesEnough(t *testing.T) {
	data, cfg := posedLetters(t)
	for _, after := range []int{1, 7, 15, 20} {
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		var last, best Step
		for s, err := range Run(ctx, data, cfg, Options{Experts: 2, Starts: 3, Iterations: 5, Seed: 2}) {
			if err != nil {
				t.Fatal(after, err)
			}
			if s.Stage == StageStart && n <= after {
				best = s
			}
			if n++; n == after {
				cancel(Enough)
			}
			last = s
		}
		cancel(nil)
		if last.Stage != StageFinal || last.Model.K() != 2 {
			t.Errorf("after %d: %+v", after, last.CurvePoint)
		}
		if best.Best != nil && after > 7 && last.Model.Extras().Geometry == nil {
			t.Errorf("after %d steps the result has no poses", after)
		}
	}
}

// Where straight parts are preferred the result has them, from more starts.
func TestStraightRun(t *testing.T) {
	data, cfg := posedLetters(t)
	m, err := Learn(t.Context(), data, cfg, Options{Experts: 2, Starts: 4, Straight: 60, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Extras().Record; len(r.Starts) != 4 || m.K() != 2 {
		t.Errorf("%d experts, record %+v", m.K(), r)
	}
}
