package learn

import (
	"math"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/testkit"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// This file follows the paper ("Compact Compositional Models", Goessling and Amit,
// 2015) from section 2 to section 4.2: each test quotes the sentence it checks.
// Section 2 is about rules for one pixel; package rule tests it too. Where the
// project departs from the paper, the comment says so.

// rowModel returns a model of rows: experts that do not move.
func rowModel(t interface{ Fatal(...any) }, rule patchwork.Rule, q float64, experts ...[]float64) *patchwork.Model {
	return testkit.MustModel(t, patchwork.Config{Rule: rule, Height: 1, Width: len(experts[0]), Q: q}, experts)
}

// picked returns the experts of an explanation.
func picked(e *patchwork.Explanation) (experts []int) {
	for _, p := range e.Picks {
		experts = append(experts, p.Expert)
	}
	return experts
}

// picksOf returns picks of experts without poses.
func picksOf(experts ...int) []patchwork.Pick { return testkit.ExplanationOf(experts).Picks }

// "there exists a value q in [0,1] such that gamma(q,p_1,...,p_K) =
// gamma(p_1,...,p_K)".
// Reference: section 2
func TestPaperAbstention(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		c.Poses = pose.Grid{}
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		silent := make([]float64, c.Height*c.Width)
		for i := range silent {
			silent[i] = abstention(c, i)
		}
		with := testkit.MustModel(t, c, append(m.Templates(), silent))
		picks := testkit.DrawPicks(t, m, 0, 4)
		j := rapid.IntRange(0, len(picks)).Draw(t, "where the silent one joins")
		joined := slices.Insert(slices.Clone(picks), j, patchwork.Pick{Expert: m.K()})
		if a, b := m.Compose(c.Height, c.Width, picks).P, with.Compose(c.Height, c.Width, joined).P; !slices.Equal(a, b) {
			t.Fatalf("%v, with an expert that abstains %v", a, b)
		}
	})
}

// "the value 0 is used for regions far away from the expert support": the
// abstention value is 0 for write-black models and 1/2 for
// write-white-and-black ones.
// Reference: section 2
func TestPaperAbstentionValues(t *testing.T) {
	for rule, q := range map[patchwork.Rule]float64{patchwork.RuleMax: 0, patchwork.RuleMaxMinusMin: 0.5} {
		if c := PaperConfig(rule, 2, 2, pose.Grid{}); c.Q != q || rows.Resolved(c.Prior) != (patchwork.Prior{On: 1, Off: 1}) {
			t.Errorf("the paper's %v has q = %v and prior %v", rule, c.Q, c.Prior)
		}
	}
}

// "experts have no incentive to represent structures that are already present,
// unless their opinion is the most extreme one".
// Reference: section 2.1.3
func TestPaperMaxIgnoresWeakerOpinions(t *testing.T) {
	m := rowModel(t, patchwork.RuleMax, 0, []float64{0.9, 0.9, 0.1}, []float64{0.8, 0.7, 0.05}, []float64{0.8, 0.95, 0.05})
	img := bitmap.Parse("##.")
	if e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Paper: true}); !slices.Equal(picked(e), []int{2, 0}) &&
		!slices.Equal(picked(e), []int{0, 2}) {
		t.Errorf("picks %v; expert 1 has nothing to add", picked(e))
	}
}

// "In contrast to the noisy-or and the sum-of-odds rule, likelihoods cannot be
// improved by using the same expert multiple times." And of the proposed rule:
// "identical experts cannot be used to improve likelihoods".
// Reference: sections 1, 2.1.3 and 2.2.4
func TestPaperIdenticalExpertsDoNotHelp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		picks := testkit.DrawPicks(t, m, 1, 4)
		twice := append(slices.Clone(picks), picks[rapid.IntRange(0, len(picks)-1).Draw(t, "again")])
		if a, b := m.Compose(c.Height, c.Width, picks).P, m.Compose(c.Height, c.Width, twice).P; !slices.Equal(a, b) {
			t.Fatalf("%v, with an expert used again %v", a, b)
		}
		c.Poses = pose.Grid{}
		still, err := m.WithConfig(c)
		if err != nil {
			t.Fatal(err)
		}
		twins := testkit.MustModel(t, c, append(still.Templates(), still.Templates()...))
		e := testkit.MustExplain(t, twins, img, patchwork.PursuitOptions{Paper: true, Reuse: 3})
		used := make([]int, still.K())
		for _, k := range picked(e) {
			if used[k%still.K()]++; used[k%still.K()] > 1 {
				t.Fatalf("picks %v: an expert and its twin", picked(e))
			}
		}
	})
}

// "opposing opinions should result in a limitation of the maximum achievable
// likelihood"; equal opposing votes leave the abstention value.
// Reference: section 2.2.4
func TestPaperOpposingVotesLimitTheLikelihood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vote := rapid.Float64Range(0.01, 0.5).Draw(t, "vote against")
		m := rowModel(t, patchwork.RuleMaxMinusMin, 0.5, []float64{0.5 - vote},
			[]float64{rapid.Float64Range(0, 1).Draw(t, "anything")})
		on := bitmap.Parse("#")
		limit := math.Log(1 - vote)
		if got := patchwork.LogLik(on, m.Compose(1, 1, picksOf(0, 1)).P); got > limit+1e-12 {
			t.Fatalf("log-likelihood %v of an on pixel that an expert voted against by %v", got, vote)
		}
		opposed := rowModel(t, patchwork.RuleMaxMinusMin, 0.5, []float64{0.5 - vote}, []float64{0.5 + vote})
		if got := opposed.Compose(1, 1, picksOf(0, 1)).P[0]; math.Abs(got-0.5) > 1e-15 {
			t.Fatalf("equal and opposite votes of %v compose to %v", vote, got)
		}
	})
}

// "the ground-truth model, which creates completely white images with
// probability 1/4, completely black images with probability 1/4 and random
// images [...] with probability 1/2": "If both parameters are on the same side
// of 1/2 then moving along the gradient direction would only change the more
// extreme value", and "There are two equivalent global maxima, one at (1,0)
// and one at (0,1)".
// Reference: section 2.2.4
func TestPaperTwoExpertExample(t *testing.T) {
	// A large image of n equal pixels of which a share r is on: its log-likelihood
	// per pixel under the best of the four sets of experts.
	of := func(r, p1, p2 float64) float64 {
		best := math.Inf(-1)
		m := rowModel(t, patchwork.RuleMaxMinusMin, 0.5, []float64{p1}, []float64{p2})
		for _, set := range [][]int{{}, {0}, {1}, {0, 1}} {
			p := m.Compose(1, 1, picksOf(set...)).P
			on, off := patchwork.LogLik(bitmap.Parse("#"), p), patchwork.LogLik(bitmap.Parse("."), p)
			l := 0.0
			if r > 0 {
				l += r * on
			}
			if r < 1 {
				l += (1 - r) * off
			}
			best = max(best, l)
		}
		return best
	}
	expected := func(p1, p2 float64) float64 {
		return of(0, p1, p2)/4 + of(1, p1, p2)/4 + of(0.5, p1, p2)/2
	}
	const d = 1e-6
	slope := func(p1, p2 float64) (float64, float64) {
		return (expected(p1+d, p2) - expected(p1-d, p2)) / (2 * d), (expected(p1, p2+d) - expected(p1, p2-d)) / (2 * d)
	}
	for _, p := range [][2]float64{{0.7, 0.6}, {0.9, 0.55}, {0.3, 0.45}, {0.1, 0.2}} {
		extreme, other := slope(p[0], p[1])
		if math.Abs(extreme) < 0.1 || other != 0 {
			t.Errorf("at %v the gradient is (%v, %v): only the more extreme parameter should move", p, extreme, other)
		}
		if outward := p[0] > 0.5; outward != (extreme > 0) {
			t.Errorf("at %v the more extreme parameter moves towards 1/2", p)
		}
	}
	top := expected(1, 0)
	if top != expected(0, 1) || math.Abs(top-math.Log(0.5)/2) > 1e-15 {
		t.Errorf("the maxima are %v and %v, want the truth's log(1/2)/2", top, expected(0, 1))
	}
	for i := 0; i <= 20; i++ {
		for j := 0; j <= 20; j++ {
			p1, p2 := float64(i)/20, float64(j)/20
			if math.Abs(p1-p2) != 1 && expected(p1, p2) >= top {
				t.Errorf("(%v, %v) is as good as (1, 0)", p1, p2)
			}
		}
	}
}

// "The data is first explained by the expert [...] that yields the highest
// likelihood for the observation", and "The procedure ends when the likelihood
// cannot be improved anymore".
// Reference: section 3
func TestPaperPursuit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.InnerLevel)
		c.Poses = pose.Grid{}
		m := testkit.DrawModel(t, c, testkit.InnerLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		logLik := func(experts ...int) float64 {
			return patchwork.LogLik(img, m.Compose(c.Height, c.Width, picksOf(experts...)).P)
		}
		chosen := picked(testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Paper: true, Forced: true}))
		for k := range m.K() {
			if logLik(k) > logLik(chosen[0])+1e-8 {
				t.Fatalf("expert %d explains better than the first pick %d", k, chosen[0])
			}
			if logLik(append(slices.Clip(chosen), k)...) > logLik(chosen...)+1e-8 {
				t.Fatalf("expert %d would improve on %v", k, chosen)
			}
		}
	})
}

// "experts are only added if they are able to explain structures that have not
// been explained before".
// Reference: section 3
func TestPaperSparseActivation(t *testing.T) {
	m := rowModel(t, patchwork.RuleMax, 0.1,
		[]float64{0.9, 0.9, 0.9, 0.9, 0, 0},
		[]float64{0, 0.9, 0.9, 0.9, 0, 0}, // part of the first
		[]float64{0, 0, 0, 0, 0.9, 0.9})
	for row, want := range map[string][]int{"####..": {0}, "######": {0, 2}, ".###..": {1}, "......": nil} {
		if got := picked(testkit.MustExplain(t, m, bitmap.Parse(row), patchwork.PursuitOptions{Paper: true})); !slices.Equal(
			got, want) {
			t.Errorf("%s is explained by %v, want %v", row, got, want)
		}
	}
}

// "P(x | mu~_k) only depends on variables x(d) for those d that satisfy
// mu_k(d) > 1/2": what a first pick gains under truncated templates does not
// change with the data in its background.
// Reference: section 3
func TestPaperTruncatedLikelihoodDependsOnTheSupport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.SliceOfN(testkit.AnyLevel, 6, 6).Draw(t, "template")
		m := rowModel(t, patchwork.RuleMax, 0, level)
		a, b := testkit.DrawImage(t, 1, 6, "#."), bitmap.New(1, 6)
		for x := range 6 {
			on := a.At(0, x)
			if level[x] <= 0.5 {
				on = rapid.Bool().Draw(t, "background")
			}
			b.Set(0, x, on)
		}
		opt := patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringTruncated, Forced: true}
		x, y := testkit.MustExplain(t, m, a, opt), testkit.MustExplain(t, m, b, opt)
		if x.LogLik != y.LogLik || x.Picks[0] != y.Picks[0] {
			t.Fatalf("%+v, with another background %+v", x, y)
		}
	})
}

// "it is easy to run into situations where P(x | mu_k1) > P(x | mu_k'1)" for
// the wrong first expert; "As a simple fix we propose to use truncated
// templates".
// Reference: section 3
func TestPaperTruncationChoosesTheRightFirstExpert(t *testing.T) {
	m := rowModel(t, patchwork.RuleMax, 0.05,
		[]float64{0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.3, 0.3}, // the largest structure, a moderate fit
		[]float64{0.95, 0.95, 0.95, 0.95, 0.05, 0.05, 0.05, 0.05},
		[]float64{0.05, 0.05, 0.05, 0.05, 0.95, 0.95, 0.95, 0.95})
	img := bitmap.Parse("########")
	original := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringOriginal})
	truncated := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringTruncated})
	if picked(original)[0] != 0 {
		t.Errorf("original templates begin with %v; this example should mislead them", picked(original))
	}
	if !slices.Equal(picked(truncated), []int{1, 2}) {
		t.Errorf("truncated templates find %v, want 1 and 2", picked(truncated))
	}
}

// "this amounts to alpha mu(d) + (1-alpha)/2 for some alpha in (0,1), i.e., a
// convex combination between mu and 1/2".
// Reference: section 3
func TestPaperWilliamsTitsiasMixture(t *testing.T) {
	m := rowModel(t, patchwork.RuleMax, 0, []float64{0.8, 0, 1})
	const alpha = 0.7
	mixed := func(p float64) float64 { return alpha*p + (1-alpha)/2 }
	e := testkit.MustExplain(t, m, bitmap.Parse("#.."),
		patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringMixed, Alpha: alpha, Forced: true})
	testkit.Near(t, "log-likelihood", e.LogLik, math.Log(mixed(0.8))+math.Log(1-mixed(0))+math.Log(1-mixed(1)), 1e-12)
	testkit.Near(t, "at the start", e.StartLogLik, math.Log(mixed(0))+2*math.Log(1-mixed(0)), 1e-12)
	if !math.IsInf(e.LogLikModel, -1) {
		t.Errorf("untruncated and unmixed the image is impossible, not %v", e.LogLikModel)
	}
}

// "k*(d) and l*(d) are the active experts with the most extreme opinions",
// "provided that the maximum is larger than q and the minimum is smaller than
// q, respectively (otherwise we leave k*(d) or l*(d) undefined)".
// Reference: section 4
func TestPaperResponsibilities(t *testing.T) {
	m := rowModel(t, patchwork.RuleMaxMinusMin, 0.5,
		[]float64{0.9, 0.5, 0.2, 0.6, 0.5},
		[]float64{0.7, 0.4, 0.1, 0.6, 0.5},
		[]float64{0.1, 0.5, 0.9, 0.4, 0.5})
	c := m.Compose(1, 5, picksOf(1, 0, 2))
	// Indices of picks, not of experts; the tie of pixel 3 goes to the first.
	if !slices.Equal(c.Max, []int16{1, -1, 2, 0, -1}) || !slices.Equal(c.Min, []int16{2, 0, 0, 2, -1}) {
		t.Errorf("k* = %v, l* = %v", c.Max, c.Min)
	}
}

// Eq. (1), by its formula: sums over the images in which k is k* or l*, of the
// image pulled back, plus epsilon over counts plus 2 epsilon.
// Reference: section 4, eq. (1)
func TestPaperEquationOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		c.UnknownOutside = true // the sum is over pixels of the image
		c.Poses.Angles, c.Poses.Stretches = nil, nil
		epsilon := rapid.SampledFrom([]float64{1, 0.5, 2}).Draw(t, "epsilon")
		c.Prior = patchwork.Prior{On: epsilon, Off: epsilon}
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		list := testkit.DrawExplained(t, m, 4)
		n := c.Height * c.Width
		num, den := testkit.Make2D(m.K(), n), testkit.Make2D(m.K(), n)
		for _, x := range list {
			comp := m.Compose(c.Height, c.Width, x.E.Picks)
			for i := range n {
				if !x.Img.Known(i/c.Width, i%c.Width) {
					continue
				}
				for _, j := range []int16{comp.Max[i], comp.Min[i]} {
					if j < 0 {
						continue
					}
					pick := x.E.Picks[j]
					d := (i/c.Width-pick.Pose.DY)*c.Width + i%c.Width - pick.Pose.DX
					den[pick.Expert][d] += float64(x.Weight)
					if x.Img.At(i/c.Width, i%c.Width) {
						num[pick.Expert][d] += float64(x.Weight)
					}
				}
			}
		}
		next := EquationOne(m, testkit.TallyFrom(m, list))
		for k := range m.K() {
			for d := range n {
				want := (num[k][d] + epsilon) / (den[k][d] + 2*epsilon)
				if got := next.Template(k)[d]; math.Abs(got-want) > 1e-15 {
					t.Fatalf("mu_%d(%d) = %v, by the formula %v", k, d, got, want)
				}
			}
		}
	})
}

// "Phi^-1(x_n)": the image is pulled back into the frame of the expert. A
// quarter turn is exact, so what is counted is the expert's own ink.
// Reference: section 4, eq. (1)
func TestPaperPullback(t *testing.T) {
	for _, p := range []*pose.Pose{testkit.At(0, 0, 0), testkit.At(2, -3, 90), testkit.At(-1, 1, 90),
		testkit.At(1, 2, -90)} {
		m, data := testkit.Corners(t, [][2]*pose.Pose{{p, nil}})
		tally := patchwork.NewTally(m)
		tally.Add(m, data.Images[0], &patchwork.Explanation{Picks: []patchwork.Pick{{Expert: 0, Pose: *p}}}, 1)
		c := tally.Counts()
		for i, mu := range m.Template(0) {
			want := int64(0)
			if mu > 0.5 {
				want = 1
			}
			if c.On[i] != want || c.Seen[i] != want {
				t.Errorf("%+v: entry (%d, %d) was on %d times of %d, want %d", *p, i/9, i%9, c.On[i], c.Seen[i], want)
			}
		}
	}
}

// "for q=0 the max-minus-min model reduces to the max model. In that special
// case the update formula only involves k* but not l*."
// Reference: section 4
func TestPaperMaxIsMaxMinusMinAtZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		c.Q, c.QMap, c.Rule = 0, nil, patchwork.RuleMax
		one := testkit.DrawModel(t, c, testkit.AnyLevel)
		c.Rule = patchwork.RuleMaxMinusMin
		two := testkit.MustModel(t, c, one.Templates())
		picks := testkit.DrawPicks(t, one, 0, 4)
		a, b := one.Compose(c.Height, c.Width, picks), two.Compose(c.Height, c.Width, picks)
		if !slices.Equal(a.P, b.P) || !slices.Equal(a.Max, b.Max) || !slices.Equal(a.Min, b.Min) {
			t.Fatalf("max %+v, max-minus-min at 0 %+v", a, b)
		}
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		opt := patchwork.PursuitOptions{Paper: true, Forced: rapid.Bool().Draw(t, "forced")}
		if x, y := testkit.MustExplain(t, one, img, opt), testkit.MustExplain(t, two, img, opt); !slices.Equal(picked(x),
			picked(y)) || !testkit.About(x.LogLik, y.LogLik) {
			t.Fatalf("max explains %+v, max-minus-min at 0 %+v", x, y)
		}
		list := testkit.DrawExplained(t, one, 3)
		x := EquationOne(one, testkit.TallyFrom(one, list))
		y := EquationOne(two, testkit.TallyFrom(two, list))
		if !testkit.SameModel(x, y) {
			t.Fatal("the M-steps differ")
		}
	})
}

// "we start off with a single global template derived from the first training
// example": (x + epsilon) / (1 + 2 epsilon).
// Reference: section 4.1
func TestPaperFirstExpert(t *testing.T) {
	o := ours(PaperConfig(patchwork.RuleMax, 1, 4, pose.Grid{}), 3)
	learnAll(t, o, []*bitmap.Image{bitmap.Parse("##..")})
	if o.model.K() != 1 {
		t.Fatalf("%d experts after one image", o.model.K())
	}
	testkit.NearAll(t, "first expert", o.model.Template(0), []float64{2. / 3, 2. / 3, 1. / 3, 1. / 3}, 1e-15)
}

// "the new expert abstains from voting for dimensions that are already well
// explained by the other experts": 1/2 if P(x|mu) >= P(x|mu~), else mu~.
// Reference: section 4.1
func TestPaperSequentialInitialisation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := rapid.SliceOfN(rapid.Float64Range(0, 1), 5, 5).Draw(t, "composition so far")
		img := testkit.DrawImage(t, 1, 5, "#.")
		cfg := PaperConfig(patchwork.RuleMaxMinusMin, 1, 5, pose.Grid{})
		got, _ := newExpert(cfg, readingLiteral, img, mu)
		for i, p := range got {
			x, tilde := 0.0, 1./3
			likelihood, own := 1-mu[i], 2./3
			if img.At(0, i) {
				x, tilde, likelihood = 1, 2./3, mu[i]
			}
			want := tilde
			if likelihood >= own {
				want = 0.5
			}
			if math.Abs(p-want) > 1e-15 {
				t.Fatalf("x = %v, mu = %v: the new expert has %v, want %v", x, mu[i], p, want)
			}
		}
	})
}

// The sign in "P(x|mu) >= P(x|mu~)" is >=: as well explained is well enough.
// Reference: section 4.1
func TestPaperSequentialInitialisationAtEquality(t *testing.T) {
	cfg := PaperConfig(patchwork.RuleMaxMinusMin, 1, 2, pose.Grid{})
	got, _ := newExpert(cfg, readingLiteral, bitmap.Parse("#."), []float64{2. / 3, 1. / 3})
	testkit.NearAll(t, "the new expert", got, []float64{0.5, 0.5}, 0)
}

// "This makes sure that in the background region mu_{K+1} is close to 0 (rather
// than equal to 1/2)." The printed formula gives 1/2 there; the readings truncated
// and text do what the sentence says, and truncated is the default.
// Reference: section 4.1
func TestPaperMaxInitialisationKeepsTheBackground(t *testing.T) {
	img, mu := bitmap.Parse("##......"), []float64{0.9, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01}
	for reading, near0 := range map[Reading]bool{ReadingTruncated: true, ReadingText: true, readingLiteral: false} {
		cfg := asRun(patchwork.NewConfig(patchwork.RuleMax, 1, 8, pose.Grid{}))
		got, _ := newExpert(cfg, reading, img, mu)
		if got[0] != 0.5 || !(got[1] > 0.5) {
			t.Errorf("%v: explained ink %v, new ink %v; want 1/2 and more", reading, got[0], got[1])
		}
		for _, p := range got[2:] {
			if near0 && p > 0.05 || !near0 && p != 0.5 {
				t.Errorf("%v: background %v", reading, p)
			}
		}
	}
	if patchwork.NewConfig(patchwork.RuleMax, 1, 8, pose.Grid{}).Q > 0.01 || (Options{}).Reading != ReadingTruncated {
		t.Error("the default reading is not the truncated one")
	}
}

// "add more experts later on": one with each further example until there are
// K; each then only updates.
// Reference: section 4.1
func TestPaperExpertsAreAppended(t *testing.T) {
	o := ours(asRun(patchwork.NewConfig(patchwork.RuleMax, 1, 6, pose.Grid{})), 3)
	for i, row := range []string{"##....", "####..", "..##..", "....##", "##..##"} {
		learnAll(t, o, []*bitmap.Image{bitmap.Parse(row)})
		if want := min(i+1, 3); o.model.K() != want {
			t.Errorf("%d experts after %d images, want %d", o.model.K(), i+1, want)
		}
	}
}

// "This only requires us to compute the mean and covariance of the training
// configurations provided by the inference procedure."
// Reference: section 4.2
func TestPaperGeometry(t *testing.T) {
	places := [][2]*pose.Pose{
		{testkit.At(-2, -3, 0), testkit.At(2, 3, 0)}, {testkit.At(-3, -2, 0), testkit.At(3, 2, 0)},
		{testkit.At(-1, -1, 0), testkit.At(1, 3, 0)}, {testkit.At(-2, -2, 0), testkit.At(1, 1, 0)},
	}
	m, data := testkit.Corners(t, places)
	g, err := patchwork.FitGeometry(t.Context(), m, data, patchwork.PursuitOptions{Paper: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows := testkit.Make2D(len(places), 6)
	for n, where := range places {
		for k, p := range where {
			rows[n][3*k], rows[n][3*k+1], rows[n][3*k+2] = float64(p.DY), float64(p.DX), p.Angle
		}
	}
	mean, cov := make([]float64, 6), make([]float64, 36)
	for _, x := range rows {
		for i := range mean {
			mean[i] += x[i] / float64(len(rows))
		}
	}
	for _, x := range rows {
		for i := range 6 {
			for j := range 6 {
				cov[6*i+j] += (x[i] - mean[i]) * (x[j] - mean[j]) / float64(len(rows)-1)
			}
		}
	}
	testkit.NearAll(t, "mean", g.Normal.Mean(), mean, 1e-9)
	testkit.NearAll(t, "covariance", g.Normal.Cov(), cov, 1e-9)
}

// "Each template mu_k then provides multiple transformed versions": a rotation
// and a shift of the image find the same expert at the same gain.
// Reference: section 4
func TestPaperTransformedVersions(t *testing.T) {
	m, data := testkit.Corners(t, [][2]*pose.Pose{{testkit.At(0, 0, 0), nil}, {testkit.At(2, -3, 0), nil},
		{testkit.At(-1, 1, 90), nil}})
	var gain float64
	for n, want := range []*pose.Pose{testkit.At(0, 0, 0), testkit.At(2, -3, 0), testkit.At(-1, 1, 90)} {
		e := testkit.MustExplain(t, m, data.Images[n], patchwork.PursuitOptions{Paper: true})
		if len(e.Picks) != 1 || e.Picks[0].Expert != 0 || e.Picks[0].Pose != *want {
			t.Errorf("image %d: picks %+v, want expert 0 at %+v", n, e.Picks, *want)
			continue
		}
		if n == 0 {
			gain = e.Picks[0].Gain
		}
		testkit.Near(t, "gain", e.Picks[0].Gain, gain, 1e-9)
	}
}
