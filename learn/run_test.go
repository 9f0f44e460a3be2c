package learn

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
)

// runCase is a run of some kind, on images small enough to learn repeatedly.
type runCase struct {
	src patchwork.Source
	cfg patchwork.Config
	opt Options
}

// runCases returns runs of every kind.
func runCases(t *testing.T) map[string]runCase {
	mmm := patchwork.NewConfig(patchwork.RuleMaxMinusMin, 6, 6, pose.Grid{})
	data := quadrants(t, 40)
	cases := map[string]runCase{
		"still": {data, mmm, Options{Experts: 3, Starts: 3, Iterations: 2, Seed: 5}},
		"stream": {&inBlocks{data: data, sizes: []int{7}}, mmm,
			Options{Experts: 3, Starts: 2, Iterations: 2, Sample: 20}},
		"online stream": {&inBlocks{data: data, sizes: []int{7}}, mmm, Options{Experts: 3, Method: MethodOnline}},
	}
	for name, c := range memoryCases() {
		cases[name] = runCase{memoryData(), c.cfg, c.opt}
	}
	moving := cases["moving"]
	moving.opt.Experts, moving.opt.AtLeast, moving.opt.AtMost = 0, 1, 3
	cases["range"] = moving
	cases["online"] = runCase{memoryData(), cases["moving"].cfg, Options{Experts: 2, Starts: 2, Method: MethodOnline}}
	m, err := Learn(t.Context(), memoryData(), cases["moving"].cfg, cases["moving"].opt)
	if err != nil {
		t.Fatal(err)
	}
	cases["continued"] = runCase{memoryData(), cases["moving"].cfg, Options{Continue: m}}
	return cases
}

// stepsOf returns all steps of a run on so many workers.
func (c runCase) stepsOf(t *testing.T, workers int) (steps []Step) {
	t.Helper()
	c.opt.Workers = workers
	for s, err := range Run(t.Context(), c.src, c.cfg, c.opt) {
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, s)
	}
	return steps
}

// sameStep compares all that a step says.
func sameStep(a, b Step) bool {
	same := func(a, b *patchwork.Model) bool {
		return testkit.SameModel(a, b) && reflect.DeepEqual(a.Extras().Record, b.Extras().Record)
	}
	return a.CurvePoint == b.CurvePoint && a.Start == b.Start && a.Starts == b.Starts && a.Iteration == b.Iteration &&
		a.Image == b.Image &&
		same(a.Model, b.Model) && same(a.Best, b.Best)
}

// Steps come start by start, the same on any number of workers, and the last is
// what Learn returns.
func TestRunIsTheSameForAnyWorkers(t *testing.T) {
	for name, c := range runCases(t) {
		t.Run(name, func(t *testing.T) {
			want := c.stepsOf(t, 1)
			numbers := []int{3}
			if testenv.Full() {
				numbers = []int{2, 3, 7}
			}
			for _, workers := range numbers {
				got := c.stepsOf(t, workers)
				if len(got) != len(want) {
					t.Fatalf("%d workers: %d steps, one worker: %d", workers, len(got), len(want))
				}
				for n := range got {
					if !sameStep(got[n], want[n]) {
						t.Fatalf("%d workers: step %d is %+v, want %+v", workers, n, got[n].CurvePoint, want[n].CurvePoint)
					}
				}
			}
			last := want[len(want)-1]
			for n, s := range want {
				if s.Model == nil || s.Best == nil || s.Model.K() != s.Experts || s.Chosen != (n == len(want)-1) {
					t.Errorf("step %d: %+v", n, s)
				}
			}
			if last.Stage != StageFinal || last.Best != last.Model || last.LogLik != last.Model.Extras().Record.LogLik {
				t.Errorf("the last step is %+v", last)
			}
			m, err := Learn(t.Context(), c.src, c.cfg, c.opt)
			if err != nil || !alikeModels(t, m, last.Model) {
				t.Errorf("the last step is not Learn's model, %v", err)
			}
		})
	}
}

// Starts end in their order, whichever is ready first; each with what the record
// says of it, and with the best so far.
func TestStartsComeInOrder(t *testing.T) {
	data, cfg := quadrants(t, 60), quadrantConfig()
	opt := Options{Experts: 4, Starts: 7, Iterations: 2, Workers: 3, Seed: 2}
	var ended []Step
	var record patchwork.Record
	start, iteration := 0, -1
	for s, err := range Run(t.Context(), data, cfg, opt) {
		if err != nil {
			t.Fatal(err)
		}
		record = s.Model.Extras().Record
		switch {
		case start == 7:
			if s.Start != 0 || s.Starts != 0 {
				t.Errorf("%s after the starts came as one of start %d of %d", s.Stage, s.Start, s.Starts)
			}
		case s.Stage == StageEM:
			if iteration++; s.Start != start || s.Starts != 7 || s.Iteration != iteration {
				t.Errorf("iteration %d of start %d came as %d of %d", iteration, start, s.Iteration, s.Start)
			}
		case s.Stage == StageStart:
			if s.Start != start {
				t.Errorf("start %d ended as number %d", s.Start, start)
			}
			ended = append(ended, s)
			start, iteration = start+1, -1
		}
	}
	if len(ended) != 7 || len(record.Starts) != 7 {
		t.Fatalf("%d of 7 starts, %d in the record", len(ended), len(record.Starts))
	}
	best := 0
	for i, s := range ended {
		if r := record.Starts[i]; s.LogLik != r.Score || s.DescriptionLength != r.DescriptionLength {
			t.Errorf("start %d ended with %+v, the record says %+v", i, s.CurvePoint, r)
		}
		if s.LogLik > ended[best].LogLik {
			best = i
		}
		if s.Best != ended[best].Model {
			t.Errorf("after start %d the best is not start %d", i, best)
		}
	}
	if record.Chosen != best {
		t.Errorf("start %d is chosen, the best is %d", record.Chosen, best)
	}
}

// Of equal starts the first is chosen.
func TestEqualStarts(t *testing.T) {
	data, cfg := memoryData(), memoryCases()["max"].cfg
	opt := Options{Experts: 2}.WithDefaults(cfg)
	_, opt.online = rows.Priors(cfg, false)
	first, err := runStart(t.Context(), data, cfg, opt, 0)
	if err != nil {
		t.Fatal(err)
	}
	twin := first
	twin.Index = 1
	if m, err := choose(t.Context(), data, cfg, opt, []trial{first, twin}); err != nil ||
		m.Extras().Record.Chosen != 0 {
		t.Errorf("of equal starts number %d is chosen (%v)", m.Extras().Record.Chosen, err)
	}
}

// A caller that leaves at any step has the best model so far, and no worker goes
// on.
func TestRunCanBeLeft(t *testing.T) {
	for name, c := range runCases(t) {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			steps := c.stepsOf(t, 1)
			c.opt.Workers = 3
			for at := 0; at < len(steps); at += 1 + len(steps)/places(10) {
				n := 0
				for s, err := range Run(t.Context(), c.src, c.cfg, c.opt) {
					if err != nil {
						t.Fatal(err)
					}
					if !sameStep(s, steps[n]) {
						t.Errorf("step %d is another", n)
					}
					if n++; n > at {
						break
					}
				}
				if n != at+1 {
					t.Errorf("left at step %d of %d", n, at)
				}
			}
		})
	}
	noLeaks(t)
	data, cfg, opt := endless(t)
	opt.Iterations = 1
	for s, err := range Run(t.Context(), data, cfg, opt) {
		if err != nil || s.Start != 0 {
			t.Fatal(s.Start, err)
		}
		if s.Stage == StageStart {
			break
		}
	}
}

// places returns at how many steps of a run to try something: n with PATCHWORK_FULL, half
// as many with PATCHWORK_LONG, 3 by default.
func places(n int) int {
	switch {
	case testenv.Full():
		return n
	case testenv.Long():
		return n / 2
	}
	return 3
}

// enoughAt ends a run by Enough at step n and returns its steps.
func (c runCase) enoughAt(t *testing.T, n, workers int) (steps []Step) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	c.opt.Workers = workers
	for s, err := range Run(ctx, c.src, c.cfg, c.opt) {
		if err != nil {
			t.Fatalf("enough at step %d: %v", n, err)
		}
		if steps = append(steps, s); len(steps) == n+1 {
			cancel(Enough)
		}
	}
	return steps
}

// Enough at any step ends a run with the best so far, whose record has the starts
// that have ended and no others, on any number of workers.
func TestEnough(t *testing.T) {
	for name, c := range runCases(t) {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			all := c.stepsOf(t, 1)
			counting := c.opt.WithDefaults(c.cfg).finding()
			ended := 0
			for at := range len(all) - 1 {
				if all[at].Stage == StageStart {
					ended++
				}
				if at%(1+len(all)/places(6)) != 0 && (counting || all[at].Stage != StageStart) {
					continue
				}
				steps := c.enoughAt(t, at, 1)
				last := steps[len(steps)-1]
				if last.Stage != StageFinal || !last.Chosen || last.Best != last.Model {
					t.Fatalf("enough at step %d: the last step is %+v", at, last)
				}
				if r := last.Model.Extras().Record; !counting && len(r.Starts) != ended && ended > 0 {
					t.Errorf("enough at step %d (%s) after %d starts, the record has %d", at, all[at].Stage, ended, len(r.Starts))
				} else if !counting && ended > 0 && (r.LogLik != last.LogLik || r.Rows != last.Rows ||
					last.Model.Extras().Usage == nil) {
					t.Errorf("enough at step %d: record %+v of %+v", at, r, last.CurvePoint)
				}
				if again := c.enoughAt(t, at, 3); !sameStep(again[len(again)-1], last) {
					t.Errorf("enough at step %d: 3 workers end with %+v, one with %+v", at, again[len(again)-1].CurvePoint,
						last.CurvePoint)
				}
			}
		})
	}
}

// A search for the number of experts that is ended by Enough returns the best so far, with the curve.
func TestEnoughOfCounting(t *testing.T) {
	c := runCases(t)["range"]
	for n, s := range c.stepsOf(t, 1) {
		if s.Stage != StageFresh {
			continue
		}
		steps := c.enoughAt(t, n, 2)
		last := steps[len(steps)-1]
		if len(last.Model.Extras().Record.Curve) != s.Experts || last.Stage != StageFinal {
			t.Errorf("enough after %d experts: %+v, curve %v", s.Experts, last.CurvePoint, last.Model.Extras().Record.Curve)
		}
	}
}

// Another cause is an error, and so is Enough before there is a model.
func TestNotEnough(t *testing.T) {
	c := runCases(t)["max"]
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	n := 0
	for _, err := range Run(ctx, c.src, c.cfg, c.opt) {
		switch n++; {
		case n == 3:
			cancel(errors.New("no more power"))
		case n > 3 && !errors.Is(err, context.Canceled):
			t.Errorf("after the end: %v", err)
		}
	}
	if n != 4 {
		t.Errorf("%d steps, cancelled after 3", n)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(Enough)
	if m, err := Learn(ctx, c.src, c.cfg, c.opt); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("enough before the first step: %v, %v", m, err)
	}
}

// Continuing begins with the model's experts, in one start, whatever else the
// options say, and makes them no worse.
func TestContinue(t *testing.T) {
	for name, c := range memoryCases() {
		t.Run(name, func(t *testing.T) {
			few := memoryData()
			few.Images, few.Weights = few.Images[:5], few.Weights[:5]
			before, err := Learn(t.Context(), few, c.cfg, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			before = withTexts(t, before)
			opt := Options{Continue: before, Paper: c.opt.Paper, Starts: 3, AtLeast: 4, AtMost: 5}
			first, length := true, 0.0
			var m *patchwork.Model
			for s, err := range Run(t.Context(), memoryData(), c.cfg, opt) {
				if err != nil {
					t.Fatal(err)
				}
				if first {
					if length = s.DescriptionLength; !sameTemplates(s.Model, before) {
						t.Error("it begins with other experts")
					}
				}
				first, m = false, s.Model
			}
			r := m.Extras().Record
			checkTexts(t, m, before.Extras().Names)
			if m.K() != before.K() || len(r.Starts) != 1 || r.Starts[0].Method != "continue" || r.Rows != 18 {
				t.Errorf("%d experts, record %+v", m.K(), r)
			}
			opt = opt.WithDefaults(c.cfg)
			if opt.Method == MethodStrokes {
				if r.DescriptionLength > length {
					t.Errorf("%v nats, before %v", r.DescriptionLength, length)
				}
			} else if !opt.Paper {
				if tally, err := opt.eStep(t.Context(), before, memoryData()); err != nil || r.LogLik < tally.LogLik() {
					t.Errorf("log-likelihood %v, before %v, %v", r.LogLik, tally.LogLik(), err)
				}
			}
			stream, err := Learn(t.Context(), &inBlocks{data: memoryData(), sizes: []int{5}}, c.cfg,
				Options{Continue: before, Paper: c.opt.Paper})
			if err != nil || !alikeModels(t, stream, m) {
				t.Errorf("from a stream another model, %v", err)
			}
			checkTexts(t, stream, before.Extras().Names)
		})
	}
}

// A run with Options.Memory is the run without, for data in memory and from a
// stream; the memory keeps the sample of a stream and the whole apart.
func TestOptionsMemory(t *testing.T) {
	cases := runCases(t)
	for _, name := range []string{"still", "max", "moving", "paper", "stream", "online stream", "range"} {
		c := cases[name]
		want, err := Learn(t.Context(), c.src, c.cfg, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		n := &testkit.Notes{Values: map[string][]byte{}}
		c.opt.Memory = n
		for _, forget := range []int{0, 0, 3} {
			n.Forget = forget
			m, err := Learn(t.Context(), c.src, c.cfg, c.opt)
			if err != nil || !alikeModels(t, m, want) {
				t.Errorf("%s: another model, %v", name, err)
			}
		}
		if n.Recalled == 0 || n.Recalled == n.Asked {
			t.Errorf("%s: %d of %d recalled", name, n.Recalled, n.Asked)
		}
	}
	c := cases["stream"]
	src, n := c.src.(*inBlocks), &testkit.Notes{Values: map[string][]byte{}}
	c.opt.Memory = n
	for _, want := range []string{"a first run reads the images in every iteration", ""} {
		src.passes = 0
		if _, err := Learn(t.Context(), src, c.cfg, c.opt); err != nil {
			t.Fatal(err)
		}
		if repeated := src.passes == 1; repeated != (want == "") { // the sample is drawn again
			t.Errorf("%d readings; %s", src.passes, want)
		}
	}
	parts := map[string]int{}
	for key := range n.Values {
		var part string
		fmt.Sscan(key, &part)
		parts[part]++
	}
	if len(parts) != 2 || parts["sample"] < 5 || parts["all"] < 2 {
		t.Errorf("remembered of %v", parts)
	}
}
