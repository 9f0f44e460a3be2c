package learn

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/pose"
)

func quadrants(t testing.TB, n int) patchwork.Data {
	t.Helper()
	set, err := synth.Quadrants(synth.QuadrantsOptions{N: n, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return patchwork.Data{Images: set.Images}
}

func letters(t testing.TB, letter string, n, side int) patchwork.Data {
	t.Helper()
	set, err := synth.Letters(synth.LettersOptions{Letters: letter, N: n, Side: side, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return patchwork.Data{Images: set.Images}
}

// quadrantConfig returns the default configuration of the paper's synthetic set.
func quadrantConfig() patchwork.Config {
	return patchwork.NewConfig(patchwork.RuleMaxMinusMin, 6, 6, pose.Grid{})
}

// posedLetters returns a small problem with shifts and rotations.
func posedLetters(t testing.TB) (patchwork.Data, patchwork.Config) {
	poses := pose.Grid{DY: pose.Symmetric(2, 1), DX: pose.Symmetric(2, 1), Angles: pose.Evenly(12, 12)}
	return letters(t, "T", 40, 16), patchwork.NewConfig(patchwork.RuleMax, 16, 16, poses)
}

// posedModel returns them with a model of two strokes, learned in one pass.
func posedModel(t testing.TB) (patchwork.Data, *patchwork.Model) {
	t.Helper()
	data, cfg := posedLetters(t)
	m, err := Learn(t.Context(), data, cfg, Options{Experts: 2, Method: MethodOnline, Starts: 1})
	if err != nil {
		t.Fatal(err)
	}
	return data, m
}

// One worker, many workers, and merged parts give the same tally to the bit.
func TestEStepIsTheSameForAnyWorkers(t *testing.T) {
	data, m := posedModel(t)
	data.Weights = make([]int64, len(data.Images))
	for i := range data.Weights {
		data.Weights[i] = int64(i % 3)
	}
	ctx := t.Context()
	opt := patchwork.PursuitOptions{Forced: true}
	explain := func(from, to, workers int) *patchwork.Tally {
		part := patchwork.Data{Images: data.Images[from:to], Weights: data.Weights[from:to]}
		tally, err := patchwork.EStep(ctx, m, part, opt, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		return tally
	}
	want := explain(0, 40, 1)
	for _, workers := range []int{0, 2, 7} {
		if got := explain(0, 40, workers); !testkit.SameTally(got, want) {
			t.Errorf("%d workers count something else", workers)
		}
	}
	parts := explain(25, 40, 2)
	parts.Merge(explain(0, 11, 1))
	parts.Merge(explain(11, 25, 3))
	if !testkit.SameTally(parts, want) {
		t.Error("three parts, merged out of order, count something else")
	}
	if !testkit.SameModel(parts.MStep(m, patchwork.MStep{}), want.MStep(m, patchwork.MStep{})) {
		t.Error("and give another model")
	}
}

// An image of weight n counts like n images.
func TestExplainWeights(t *testing.T) {
	data := quadrants(t, 30)
	m, err := randomModel(quadrantConfig(), 3, rng(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	var repeated patchwork.Data
	for i, img := range data.Images {
		data.Weights = append(data.Weights, int64(i%4))
		for range i % 4 {
			repeated.Images = append(repeated.Images, img)
		}
	}
	weighted, err := patchwork.EStep(t.Context(), m, data, patchwork.PursuitOptions{}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := patchwork.EStep(t.Context(), m, repeated, patchwork.PursuitOptions{}, 1, nil); err != nil ||
		!testkit.SameTally(weighted, want) {
		t.Errorf("weighted images count something else than repeated ones (%v)", err)
	}
}

// Explain shows every explanation once, with the number of its image.
func TestExplainShowsEveryImage(t *testing.T) {
	data := quadrants(t, 50)
	m, err := randomModel(quadrantConfig(), 3, rng(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := make([]*patchwork.Explanation, len(data.Images))
	if _, err := patchwork.EStep(t.Context(), m, data, patchwork.PursuitOptions{}, 3,
		func(i int, e *patchwork.Explanation) {
			mu.Lock()
			defer mu.Unlock()
			if seen[i] != nil {
				t.Errorf("image %d was explained twice", i)
			}
			seen[i] = e
		}); err != nil {
		t.Fatal(err)
	}
	for i, e := range seen {
		if want := testkit.MustExplain(t, m, data.Images[i], patchwork.PursuitOptions{}); e == nil ||
			!testkit.SameExplanation(e, want) {
			t.Errorf("image %d: %+v, want %+v", i, e, want)
		}
	}
}

// roundsOf returns the rounds of batch EM.
func roundsOf(t *testing.T, m *patchwork.Model, src patchwork.Source, opt emOptions) (rounds []iteration) {
	t.Helper()
	if err := iterate(t.Context(), m, src, opt, func(it iteration) {
		rounds = append(rounds, it)
	}); err != nil {
		t.Fatal(err)
	}
	return rounds
}

func TestEMIsTheSameForAnyWorkers(t *testing.T) {
	data := quadrants(t, 100)
	start, err := randomModel(quadrantConfig(), 8, rng(7, 0))
	if err != nil {
		t.Fatal(err)
	}
	run := func(workers int) (rounds []iteration) {
		opt := emOptions{Iterations: 6, Workers: workers, Step: patchwork.MStep{AbstainMargin: 1e-3},
			Pursuit: patchwork.PursuitOptions{Forced: true}}
		return roundsOf(t, start, data, opt)
	}
	want := run(1)
	if len(want) != 7 {
		t.Fatalf("%d rounds of 6 iterations", len(want))
	}
	for _, workers := range []int{2, 7} {
		for n, it := range run(workers) {
			if it.Number != n || !testkit.SameModel(it.Model, want[n].Model) || !testkit.SameTally(it.Tally, want[n].Tally) {
				t.Errorf("%d workers: round %d is another", workers, n)
			}
		}
	}
}

// EM stops when an M-step changes nothing, which is a fixed point; bestOf keeps
// the first of the best rounds.
func TestEMStopsAtAFixedPoint(t *testing.T) {
	data := quadrants(t, 100)
	m, err := randomModel(quadrantConfig(), 2, rng(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	opt := emOptions{Iterations: 200, Step: patchwork.MStep{AbstainMargin: 1e-3},
		Pursuit: patchwork.PursuitOptions{Forced: true}}
	rounds := roundsOf(t, m, data, opt)
	last, best := rounds[len(rounds)-1], rounds[0]
	for _, it := range rounds {
		if it.Tally.LogLik() > best.Tally.LogLik() {
			best = it
		}
	}
	if last.Number == 200 {
		t.Fatal("no fixed point in 200 guarded iterations")
	}
	if next := last.Tally.MStep(last.Model, opt.Step); !reflect.DeepEqual(next.Templates(), last.Model.Templates()) {
		t.Error("it stopped where the M-step still moves")
	}
	steps := 0
	o := Options{note: func(Step) { steps++ }}
	if it, err := o.bestOf(t.Context(), m, data, opt); err != nil || it.Number != best.Number || steps != len(rounds) {
		t.Errorf("best round %v of %d, %v; want %v of %d", it.Number, steps, err, best.Number, len(rounds))
	}
}

func TestLearnIsTheSameForAnyWorkers(t *testing.T) {
	posed, posedCfg := posedLetters(t)
	posed.Images = posed.Images[:12]
	for _, c := range []struct {
		name string
		data patchwork.Data
		cfg  patchwork.Config
		opt  Options
	}{
		{"quadrants", quadrants(t, 40), quadrantConfig(), Options{Experts: 3, Starts: 3, Iterations: 2, Seed: 5}},
		{"letters", posed, posedCfg, Options{Experts: 2, Starts: 3, Iterations: 2, Seed: 5}},
		{"paper", posed, PaperConfig(patchwork.RuleMax, 16, 16, posedCfg.Poses), Options{Experts: 2, Paper: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want *patchwork.Model
			for _, workers := range []int{1, 2, 7} {
				opt := c.opt
				opt.Workers = workers
				m, err := Learn(t.Context(), c.data, c.cfg, opt)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = m
					checkLearned(t, m, c.data, c.opt.WithDefaults(c.cfg))
					continue
				}
				if !testkit.SameModel(m, want) || !reflect.DeepEqual(m.Extras().Record, want.Extras().Record) {
					t.Errorf("%d workers learn another model", workers)
				}
				if g := m.Extras().Geometry; g != nil && !reflect.DeepEqual(g.Normal.Cov(), want.Extras().Geometry.Normal.Cov()) {
					t.Errorf("%d workers: another geometry", workers)
				}
			}
		})
	}
}

// checkLearned checks that the record is about this model and these data.
func checkLearned(t *testing.T, m *patchwork.Model, data patchwork.Data, opt Options) {
	t.Helper()
	r, counts := m.Extras().Record, m.Extras().Counts
	if m.K() != opt.Experts || len(r.Starts) != opt.Starts || r.Rows != int64(len(data.Images)) || r.Seed != opt.Seed {
		t.Errorf("%d experts, record %+v", m.K(), r)
	}
	chosen := trial{Start: r.Starts[r.Chosen], Index: r.Chosen}
	for i, s := range r.Starts {
		start := trial{Start: s, Index: i}
		if start.better(&chosen) || i < r.Chosen && !chosen.better(&start) {
			t.Errorf("start %+v was better than the chosen start %+v", start, chosen)
		}
	}
	if counts == nil || counts.Rows() != r.Rows {
		t.Errorf("the model's counts are not of the %d training images", r.Rows)
	}
	if (m.Extras().Geometry != nil) != (m.Config().Poses.Len() > 1) {
		t.Errorf("geometry %v with %d poses", m.Extras().Geometry, m.Config().Poses.Len())
	}
	tally, err := patchwork.EStep(t.Context(), m, data, opt.pursuit(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tally.LogLik() != r.LogLik {
		t.Errorf("the model's training log-likelihood is %v, the record says %v", tally.LogLik(), r.LogLik)
	}
	for k, u := range m.Extras().Usage {
		if want := float64(tally.Active(k)) / float64(tally.Rows()); u != want {
			t.Errorf("expert %d is used in %v of the images, the model says %v", k, want, u)
		}
	}
}

// noLeaks fails the test if goroutines that it started are still there after it.
func noLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 6000 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%d goroutines, before the test %d", runtime.NumGoroutine(), before)
	})
}

// endless returns a run that would take hours.
func endless(t *testing.T) (patchwork.Data, patchwork.Config, Options) {
	return quadrants(t, 1000), quadrantConfig(), Options{Experts: 8, Starts: 1000, Iterations: 100000, Workers: 3,
		Paper: true} // eq. (1) finds no fixed point
}

func TestLearningCanBeCancelled(t *testing.T) {
	noLeaks(t)
	data, cfg, opt := endless(t)
	for name, learn := range map[string]func(context.Context) error{
		"Learn": func(ctx context.Context) error { _, err := Learn(ctx, data, cfg, opt); return err },
		"EM": func(ctx context.Context) error {
			m, err := randomModel(cfg, 8, rng(1, 1))
			if err != nil {
				return err
			}
			_, _, err = em(m, 1<<40, func(m *patchwork.Model) (*patchwork.Tally, error) {
				return patchwork.EStep(ctx, m, data, patchwork.PursuitOptions{}, 3, nil)
			})
			return err
		},
		"online": func(ctx context.Context) error {
			long := patchwork.Data{Images: make([]*bitmap.Image, 1<<22)}
			for i := range long.Images {
				long.Images[i] = data.Images[i%1000]
			}
			opt := Options{Experts: 8, Method: MethodOnline, Workers: 2}
			_, err := Learn(ctx, long, cfg, opt)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			if err := learn(cancelled); !errors.Is(err, context.Canceled) {
				t.Errorf("begun after the end: error %v", err)
			}
			soon, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			defer cancel()
			begun := time.Now()
			if err := learn(soon); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			if late := time.Since(begun); late > 2*time.Minute {
				t.Errorf("it came back after %v", late)
			}
		})
	}
}

func TestLearningRefuses(t *testing.T) {
	data, cfg := quadrants(t, 5), quadrantConfig()
	with := func(f func(*Options)) Options {
		o := Options{Experts: 2}
		f(&o)
		return o
	}
	two := Options{Experts: 2}
	scene := cfg
	scene.Scene = true
	large := cfg
	large.Height = 7
	other := testkit.MustModel(t, cfg, randomTemplates(t, 2))
	posed := patchwork.NewConfig(patchwork.RuleMax, 6, 6, pose.Grid{DY: pose.Symmetric(1, 1)})
	for _, c := range []struct {
		data patchwork.Data
		cfg  patchwork.Config
		opt  Options
		want string
	}{
		{data, cfg, Options{Experts: -3}, "cannot learn -3 parts"},
		{data, cfg, with(func(o *Options) { o.Starts = -1 }), "-1 starts"},
		{data, cfg, with(func(o *Options) { o.Iterations = -1 }), "of -1 iterations"},
		{data, cfg, with(func(o *Options) { o.Method = 9 }), "unknown method"},
		{data, posed, with(func(o *Options) { o.StartFrom = 9 }), "StartFrom(9)"},
		{patchwork.Data{}, cfg, two, "no images"},
		{patchwork.Data{Images: data.Images, Weights: []int64{1}}, cfg, two, "1 weights for 5 images"},
		{patchwork.Data{Images: data.Images, Weights: []int64{1, 1, -2, 1, 1}}, cfg, two, "image 2 has weight -2"},
		{patchwork.Data{Images: data.Images, Weights: make([]int64, 5)}, cfg, two, "every image has weight 0"},
		{data, patchwork.Config{}, two, "frame of 0 x 0"},
		{data, large, two, "image 0: image of 6 x 6, the model explains images of 7 x 6"},
		{data, cfg, with(func(o *Options) { o.Sample = -1 }), "a sample of -1"},
		{data, cfg, Options{Paper: true}, "say how many"},
		{data, large, Options{Continue: other}, "a model of 6 x 6 pixels cannot be continued as one of 7 x 6"},
		{data, cfg, Options{Continue: other, Method: MethodOnline}, "not with a model"},
		{data, scene, with(func(o *Options) { o.Method = MethodOnline }), "not scenes"},
	} {
		if _, err := Learn(t.Context(), c.data, c.cfg, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one about %q", err, c.want)
		}
	}
}

// The error for an image that does not fit says which it is and what its size is.
func TestExplainNamesTheImage(t *testing.T) {
	noLeaks(t)
	m, err := randomModel(quadrantConfig(), 2, rng(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	data := quadrants(t, 40)
	data.Images[33] = bitmap.New(6, 7)
	for _, workers := range []int{1, 3} {
		_, err = patchwork.EStep(t.Context(), m, data, patchwork.PursuitOptions{}, workers, nil)
		var size *patchwork.SizeError
		if !errors.As(err, &size) || *size != (patchwork.SizeError{Height: 6, Width: 7, ModelHeight: 6, ModelWidth: 6}) ||
			!strings.HasPrefix(err.Error(), "image 33: ") {
			t.Errorf("%d workers: error %v", workers, err)
		}
	}
	if _, err := patchwork.EStep(t.Context(), m, data, patchwork.PursuitOptions{Alpha: 2}, 1, nil); err == nil ||
		!strings.Contains(err.Error(), "alpha") {
		t.Errorf("error %v for alpha = 2", err)
	}
}

// The order of start 0 is that of the data; the others are permutations that
// depend on the seed and the start alone.
func TestOrder(t *testing.T) {
	for i := range 3 {
		perm := order(10, 4, i)
		seen := make([]bool, 10)
		for _, j := range perm {
			if seen[j] {
				t.Fatalf("order %v", perm)
			}
			seen[j] = true
		}
		if !reflect.DeepEqual(perm, order(10, 4, i)) {
			t.Errorf("start %d has two orders", i)
		}
		if sorted := reflect.DeepEqual(perm, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}); sorted != (i == 0) {
			t.Errorf("start %d: order %v", i, perm)
		}
	}
	if reflect.DeepEqual(order(10, 4, 1), order(10, 5, 1)) {
		t.Error("two seeds, one order")
	}
}
