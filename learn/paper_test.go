package learn

import (
	"cmp"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
)

// matchingPursuit explains an image by section 3: "The data is first explained by the expert that
// yields the highest likelihood for the observation x. Additional experts are
// then evaluated by forming the composition of the current global template with
// the candidate experts and computing the new likelihood. The best expert is
// added and the global template is updated accordingly. The procedure ends when
// the likelihood cannot be improved anymore." Beyond the paper: of candidates
// equal within score.Tie the first is the best.
func matchingPursuit(m *patchwork.Model, x *bitmap.Image) (picks []patchwork.Pick, err error) {
	poses, err := m.GridFor(x.Height(), x.Width())
	if err == nil {
		m, err = truncated(m)
	}
	for err == nil {
		now := logLik(x, m.Compose(x.Height(), x.Width(), picks).P)
		var candidates []patchwork.Pick
		var gains []score.Gain
		for k := range m.K() {
			if slices.ContainsFunc(picks, func(p patchwork.Pick) bool { return p.Expert == k }) {
				continue // section 4: "only one of the transformed versions is present in each image"
			}
			for t := range poses.Len() { // rotations, then shifts down, then shifts to the right
				candidate := patchwork.Pick{Expert: k, Pose: poses.At(t)}
				then := logLik(x, m.Compose(x.Height(), x.Width(), append(picks, candidate)).P)
				candidates = append(candidates, candidate)
				gains = append(gains, score.Gain{Possible: then.Possible - now.Possible, Nats: then.Nats - now.Nats})
			}
		}
		if len(candidates) == 0 {
			break
		}
		top := slices.MaxFunc(gains, func(a, b score.Gain) int {
			return cmp.Or(cmp.Compare(a.Possible, b.Possible), cmp.Compare(a.Nats, b.Nats))
		})
		best := slices.IndexFunc(gains, func(g score.Gain) bool {
			return g.Possible == top.Possible && g.Nats >= top.Nats-score.Tie
		})
		if len(picks) > 0 && !gains[best].Exceeds(score.Tie) {
			break
		}
		candidates[best].Gain = gains[best].Float()
		picks = append(picks, candidates[best])
	}
	return picks, err
}

// truncated returns the model with the templates max(1/2, mu_k(d)), by which
// section 3 scores the experts of the max rule.
func truncated(m *patchwork.Model) (*patchwork.Model, error) {
	cfg, mu := m.Config(), m.Templates()
	if !cfg.Truncate {
		return m, nil
	}
	cfg.Q = max(0.5, cfg.Q)
	for _, template := range append(mu, cfg.QMap) {
		for d := range template {
			template[d] = max(0.5, template[d])
		}
	}
	return patchwork.NewModel(cfg, mu)
}

// logLik returns log P(x | mu). Beyond the paper: log 0 is counted separately.
func logLik(x *bitmap.Image, mu []float64) (sum score.Gain) {
	for d := range mu {
		if p := likelihood(x, d, mu[d]); p > 0 {
			sum.Nats += elem.Log(p)
		} else {
			sum.Possible--
		}
	}
	return sum
}

// must returns the value of a call that cannot fail.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// nasty draws probabilities of few values, which make gains equal and pixels
// impossible; smooth draws any; inner stays away from 0 and 1.
var (
	nasty  = rapid.SampledFrom([]float64{0, 1, 0.5, 0.01, 0.9})
	smooth = rapid.Float64Range(0, 1)
	inner  = rapid.OneOf(rapid.SampledFrom([]float64{0.5, 0.01, 0.9}), rapid.Float64Range(0.01, 0.99))
)

// drawConfig draws a configuration of small images: either rule, with and
// without poses, some of which leave the frame or lack the zero pose.
func drawConfig(t *rapid.T, levels *rapid.Generator[float64]) patchwork.Config {
	c := patchwork.Config{
		Rule:   rapid.SampledFrom([]patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin}).Draw(t, "rule"),
		Height: rapid.IntRange(1, 4).Draw(t, "height"), Width: rapid.IntRange(1, 5).Draw(t, "width"),
		Q:     levels.Draw(t, "q"),
		ZeroQ: true,
		Defaults: patchwork.Defaults{UnknownOutside: rapid.Bool().Draw(t, "outside"),
			Prior: rapid.SampledFrom([]patchwork.Prior{{}, {On: 1, Off: 1}, {On: 0.3, Off: 0.3}, {On: 0.1, Off: 0.7},
				{On: 0.1, Off: 1}}).Draw(t, "prior")},
	}
	if c.Rule == patchwork.RuleMax {
		c.Truncate = rapid.Bool().Draw(t, "truncate")
	}
	if rapid.Bool().Draw(t, "moves") {
		shifts := func(name string) pose.Range {
			low := rapid.IntRange(-3, 1).Draw(t, name)
			return pose.Range{Min: low, Max: low + rapid.IntRange(0, 3).Draw(t, name), Step: rapid.IntRange(1, 2).Draw(t, name)}
		}
		c.Poses = pose.Grid{DY: shifts("dy"), DX: shifts("dx"),
			Angles: rapid.SampledFrom([][]float64{nil, {0}, {-30, 0, 90}, {15}}).Draw(t, "angles")}
	}
	if n := c.Height * c.Width; rapid.IntRange(0, 3).Draw(t, "q map") == 0 {
		c.QMap = rapid.SliceOfN(levels, n, n).Draw(t, "q per pixel")
	}
	return c
}

// drawModel draws one to four experts, which abstain at some entries.
func drawModel(t *rapid.T, levels *rapid.Generator[float64]) *patchwork.Model {
	c := drawConfig(t, levels)
	n := c.Height * c.Width
	entry := rapid.OneOf(levels, rapid.Just(c.Q))
	return must(patchwork.NewModel(c, rapid.SliceOfN(rapid.SliceOfN(entry, n, n), 1, 4).Draw(t, "templates")))
}

func drawImages(t *rapid.T, height, width, least, most int) []*bitmap.Image {
	images := make([]*bitmap.Image, rapid.IntRange(least, most).Draw(t, "images"))
	for n := range images {
		images[n] = bitmap.New(height, width)
		for d := range height * width {
			switch rapid.SampledFrom([]rune("#.#.?")).Draw(t, "pixel") {
			case '#':
				images[n].Set(d/width, d%width, true)
			case '?':
				images[n].SetUnknown(d/width, d%width)
			}
		}
	}
	return images
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*(1+math.Abs(a)) }

// The fast pursuit finds the picks of section 3, in their order, with
// their gains, whatever it knows of bounds, tables and shifts.
func TestPursuitIsThePapers(t *testing.T) {
	for name, levels := range map[string]*rapid.Generator[float64]{"nasty": nasty, "smooth": smooth} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			m := drawModel(t, levels)
			fast := must(patchwork.NewPursuit(m, patchwork.PursuitOptions{Paper: true, Forced: true}))
			for _, x := range drawImages(t, m.Height(), m.Width(), 1, 3) {
				want := must(matchingPursuit(m, x))
				got := must(fast.Explain(x)).Picks
				if !slices.EqualFunc(got, want, func(a, b patchwork.Pick) bool {
					return a.Expert == b.Expert && a.Pose == b.Pose && near(a.Gain, b.Gain)
				}) {
					t.Fatalf("%v\nthe paper picks %+v,\nthe fast code   %+v", x, want, got)
				}
			}
		}))
	}
}

// In a scene the experts may be anywhere.
func TestPursuitIsThePapersInScenes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, nasty)
		c := m.Config()
		c.Scene, c.QMap = true, nil
		m = must(m.WithConfig(c))
		x := drawImages(t, c.Height+rapid.IntRange(0, 3).Draw(t, "down"), c.Width+rapid.IntRange(0, 3).Draw(t, "right"), 1,
			1)[0]
		want, got := must(matchingPursuit(m, x)), must(fastPursuit(t.Context())(m, x))
		if !slices.EqualFunc(got, want, func(a, b patchwork.Pick) bool { return a.Expert == b.Expert && a.Pose == b.Pose }) {
			t.Fatalf("the paper picks %+v, the fast code %+v", want, got)
		}
	})
}

// eStep returns the sums of eq. (1) over all images: the E-step of section 4.
func eStep(m *patchwork.Model, data patchwork.Data, represent pursuit) *sums {
	s := newSums(m.K() * m.Height() * m.Width())
	for n, x := range data.Images {
		for range data.Weight(n) {
			s.add(m, x, must(represent(m, x)), m.K())
		}
	}
	return s
}

// The fast E-step counts the sums of eq. (1), to the bit, and EM comes to the
// same with it.
func TestEMIsThePapers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, rapid.OneOf(nasty, smooth))
		data := patchwork.Data{Images: drawImages(t, m.Height(), m.Width(), 1, 4)}
		data.Weights = slices.Repeat([]int64{1, 0, 3}, 2)[:len(data.Images)]
		tally := must(patchwork.EStep(t.Context(), m, data, patchwork.PursuitOptions{Paper: true, Forced: true}, 1, nil))
		want := eStep(m, data, matchingPursuit)
		if !reflect.DeepEqual(*want, sums(tally.Counts())) {
			t.Fatalf("the paper counts %+v,\nthe fast code   %+v", *want, tally.Counts())
		}
		iterations := rapid.IntRange(0, 4).Draw(t, "iterations")
		got, explained, err := em(m, iterations, func(m *patchwork.Model) (*patchwork.Tally, error) {
			return must(patchwork.TallyOf(m, patchwork.Counts(*eStep(m, data, matchingPursuit)), tally.Rows())), nil
		})
		fast, counted, failed := em(m, iterations, func(m *patchwork.Model) (*patchwork.Tally, error) {
			return Options{}.eStep(t.Context(), m, data)
		})
		if errors.Join(err, failed) != nil || !reflect.DeepEqual(got.Templates(), fast.Templates()) ||
			!reflect.DeepEqual(explained.Counts(), counted.Counts()) {
			t.Fatalf("%d iterations of the paper come to %v, of the fast code to %v, %v", iterations, got.Templates(),
				fast.Templates(), errors.Join(err, failed))
		}
	})
}

// If the first M-step changes nothing there is still a second E-step, so that the
// last model has counts.
func TestEMFromAFixedPoint(t *testing.T) {
	m := must(patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 2, Q: 0.5},
		[][]float64{{0.5, 0.5}}))
	data := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#.")}}
	steps := 0
	got, _, err := em(m, 5, func(m *patchwork.Model) (*patchwork.Tally, error) {
		steps++
		return patchwork.EStep(t.Context(), m, data, patchwork.PursuitOptions{Paper: true, Forced: true}, 1, nil)
	})
	if err != nil || steps != 2 || got.Extras().Counts == nil {
		t.Errorf("%d E-steps, counts %v, %v", steps, got.Extras().Counts, err)
	}
}

// sameLearned reports whether templates and counts are the same to the bit.
func sameLearned(a, b *patchwork.Model) bool {
	x, y := a.Extras().Counts, b.Extras().Counts
	return reflect.DeepEqual(a.Templates(), b.Templates()) && x.Rows() == y.Rows() &&
		reflect.DeepEqual(x.Counts(), y.Counts())
}

// Online learning is the same, to the bit, with the fast pursuit and with that of the paper.
func TestOnlineIsThePapers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t, inner)
		experts := rapid.IntRange(1, 3).Draw(t, "experts")
		product := newOnline(c, experts, readingLiteral, fastPursuit(t.Context()))
		paper := newOnline(c, experts, readingLiteral, matchingPursuit)
		for n, x := range drawImages(t, c.Height, c.Width, 2, 6) {
			learnAll(t, product, []*bitmap.Image{x})
			if err := paper.learn(x); err != nil {
				t.Fatal(err)
			}
			if !sameLearned(paper.model, product.model) {
				t.Fatalf("after image %d\n%v\nthe paper has %v,\nthe fast code   %v", n, x, paper.model.Templates(),
					product.model.Templates())
			}
		}
	})
}

// "mu_k(d) <- (N_k(d) mu_k(d) + x(d)) / (N_k(d) + 1)", as printed, in floating
// point, is what the sums say.
func TestRunningMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon := rapid.SampledFrom([]float64{1, 0.5, 2}).Draw(t, "epsilon")
		c := patchwork.Config{Height: 1, Width: 1,
			Defaults: patchwork.Defaults{Prior: patchwork.Prior{On: epsilon, Off: epsilon}}}
		m, o := must(patchwork.NewModel(c, [][]float64{{0.5}})), newOnline(c, 1, readingLiteral, matchingPursuit)
		mu, n := 0.5, 2*epsilon
		for _, on := range rapid.SliceOfN(rapid.SampledFrom([]int64{0, 1}), 1, 50).Draw(t, "x") {
			o.sums.Seen[0]++
			o.sums.On[0] += on
			mu = (n*mu + float64(on)) / (n + 1)
			n++
			if got := must(o.step(m)).Template(0)[0]; !near(got, mu) {
				t.Fatalf("mu = %v by the sums, %v by the printed update", got, mu)
			}
		}
	})
}

// Eq. (1) by hand: two experts, k* and l* of a pixel where they disagree.
func TestEquationOneByHand(t *testing.T) {
	c := patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 3, Q: 0.5}
	m := must(patchwork.NewModel(c, [][]float64{{0.9, 0.8, 0.5}, {0.7, 0.1, 0.5}}))
	data := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#.#"), bitmap.Parse("##.")}}
	both := func(*patchwork.Model, *bitmap.Image) ([]patchwork.Pick, error) {
		return []patchwork.Pick{{Expert: 0}, {Expert: 1}}, nil
	}
	s := eStep(m, data, both)
	next := EquationOne(m, must(patchwork.TallyOf(m, patchwork.Counts(*s), 2)))
	// Pixel 0: k* = 0 in both images, on twice. Pixel 1: k* = 0, which loses, and
	// l* = 1, on once of two. Pixel 2: neither.
	want := [][]float64{{3. / 4, 2. / 4, 1. / 2}, {1. / 2, 2. / 4, 1. / 2}}
	if !reflect.DeepEqual(next.Templates(), want) || s.LostSeen[1] != 2 || s.Seen[4] != 2 {
		t.Errorf("eq. (1) gives %v, want %v; sums %+v", next.Templates(), want, *s)
	}
}

// If no pixel is lost, the guarded step is eq. (1).
func TestGuardedIsEquationOneWhereNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := testkit.DrawModel(t, testkit.DrawConfig(t, testkit.AnyLevel), testkit.AnyLevel)
		tally := testkit.TallyFrom(m, testkit.DrawExplained(t, m, 4))
		guarded, one := tally.MStep(m, patchwork.MStep{}), EquationOne(m, tally)
		n := m.Height() * m.Width()
		for i, lost := range tally.Counts().LostSeen {
			if a, b := guarded.Template(i / n)[i%n], one.Template(i / n)[i%n]; lost == 0 && a != b {
				t.Fatalf("entry %d of expert %d: guarded %v, eq. (1) %v", i%n, i/n, a, b)
			}
		}
	})
}

// paperStartByHand runs start i of a run in the paper's mode, with matchingPursuit
// for every explanation.
func paperStartByHand(t *testing.T, data patchwork.Data, cfg patchwork.Config, opt Options, i int) (*patchwork.Model,
	*sums) {
	t.Helper()
	m := must(randomModel(cfg, opt.Experts, rng(opt.Seed, i)))
	if opt.Method != MethodBatch {
		o := newOnline(cfg, opt.Experts, readingLiteral, matchingPursuit)
		for _, n := range order(len(data.Images), opt.Seed, i) {
			for range data.Weight(n) {
				if err := o.learn(data.Images[n]); err != nil {
					t.Fatal(err)
				}
			}
		}
		m = o.model
	}
	iterations := opt.Iterations
	if opt.Method == MethodOnline {
		iterations = 0
	}
	m, tally, err := em(m, iterations, func(m *patchwork.Model) (*patchwork.Tally, error) {
		return patchwork.TallyOf(m, patchwork.Counts(*eStep(m, data, matchingPursuit)), rows.Total(data))
	})
	if err != nil {
		t.Fatal(err)
	}
	counts := sums(tally.Counts())
	return m, &counts
}

// A run in the paper's mode ends every start with the experts and counts that the
// formulas of paper.go give.
func TestPaperMode(t *testing.T) {
	quadrants := patchwork.Data{Images: must(synth.Quadrants(synth.QuadrantsOptions{N: 60, Seed: 1})).Images}
	letters := patchwork.Data{
		Images: must(synth.Letters(synth.LettersOptions{Letters: "T", N: 6, Side: 16, Seed: 1})).Images}
	quadrants.Weights = slices.Repeat([]int64{1, 2, 0, 1}, 15)
	poses := pose.Grid{DY: pose.Symmetric(2, 1), DX: pose.Symmetric(2, 1), Angles: pose.Evenly(12, 12)}
	for _, c := range []struct {
		name  string
		data  patchwork.Data
		rule  patchwork.Rule
		poses pose.Grid
		opt   Options
	}{
		{"max", quadrants, patchwork.RuleMax, pose.Grid{}, Options{Experts: 3}},
		{"max batch", quadrants, patchwork.RuleMax, pose.Grid{}, Options{Experts: 3, Method: MethodBatch, Starts: 3}},
		{"max both", quadrants, patchwork.RuleMax, pose.Grid{}, Options{Experts: 3, Method: MethodBoth, Starts: 3}},
		{"max with poses", letters, patchwork.RuleMax, poses, Options{Experts: 2, Starts: 2, Workers: 2}},
		{"max with poses both", letters, patchwork.RuleMax, poses, Options{Experts: 2, Method: MethodBoth, Iterations: 2}},
		{"max with poses batch", letters, patchwork.RuleMax, poses, Options{Experts: 2, Method: MethodBatch, Iterations: 2}},
		{"max-minus-min", quadrants, patchwork.RuleMaxMinusMin, pose.Grid{},
			Options{Experts: 8, Starts: 2, Seed: 5, Iterations: 8}},
		{"max-minus-min online", quadrants, patchwork.RuleMaxMinusMin, pose.Grid{},
			Options{Experts: 5, Method: MethodOnline, Starts: 2}},
		{"max-minus-min both", quadrants, patchwork.RuleMaxMinusMin, pose.Grid{}, Options{Experts: 5, Method: MethodBoth}},
		{"max-minus-min with poses both", letters, patchwork.RuleMaxMinusMin, poses,
			Options{Experts: 2, Method: MethodBoth, Iterations: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			height, width := c.data.Images[0].Height(), c.data.Images[0].Width()
			cfg := PaperConfig(c.rule, height, width, c.poses)
			c.opt.Paper = true
			full, starts := c.opt.WithDefaults(cfg), 0
			for s, err := range Run(t.Context(), c.data, cfg, c.opt) {
				if err != nil {
					t.Fatal(err)
				}
				if s.Stage != StageStart {
					continue
				}
				want, counts := paperStartByHand(t, c.data, cfg, full, s.Start)
				if !reflect.DeepEqual(s.Model.Templates(), want.Templates()) {
					t.Errorf("start %d: other experts", s.Start)
				}
				if got := must(full.eStep(t.Context(), s.Model, c.data)); !reflect.DeepEqual(sums(got.Counts()), *counts) ||
					got.LogLik() != s.LogLik {
					t.Errorf("start %d: other counts, or not of this log-likelihood", s.Start)
				}
				starts++
			}
			if starts != full.Starts {
				t.Errorf("%d starts of %d", starts, full.Starts)
			}
		})
	}
}

// A run ends with an error that says so if an image does not fit or the context
// ends.
func TestPaperErrors(t *testing.T) {
	cfg := PaperConfig(patchwork.RuleMax, 1, 3, pose.Grid{})
	opt := Options{Experts: 2, Paper: true}.WithDefaults(cfg)
	data := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#.#"), bitmap.Parse("#.##")}}
	var size *patchwork.SizeError
	if _, err := paperStart(t.Context(), data, cfg, opt, 0); !errors.As(err, &size) || err.Error()[:8] != "image 1:" {
		t.Errorf("a larger image: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := paperStart(ctx, data, cfg, opt, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	opt.Method = MethodBatch
	if _, err := paperStart(ctx, data, cfg, opt, 0); err == nil {
		t.Error("cancelled: no error")
	}
	cfg.Prior.On = math.NaN()
	if _, err := paperStart(t.Context(), data, cfg, opt, 0); err == nil {
		t.Error("an invalid prior: no error")
	}
}
