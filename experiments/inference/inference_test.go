package inference

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// random returns a model of experts with random opinions, some of which
// abstain, and an image.
func random(t *testing.T, rule patchwork.Rule, k int, rng *rand.Rand) (*patchwork.Model, *Problem, *bitmap.Image) {
	t.Helper()
	const h, w = 3, 4
	cfg := patchwork.Config{Rule: rule, Height: h, Width: w, Q: .5}
	if rule == patchwork.RuleMax {
		cfg.Q = .1
	}
	templates, prior := make([][]float64, k), make([]float64, k)
	for e := range templates {
		prior[e] = .05 + .6*rng.Float64()
		templates[e] = make([]float64, h*w)
		for i := range templates[e] {
			templates[e][i] = cfg.Q
			if rng.IntN(3) > 0 {
				templates[e][i] = .02 + .96*rng.Float64()
			}
		}
	}
	m, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		t.Fatal(err)
	}
	p := New(m, prior)
	img := bitmap.New(h, w)
	for i := range h * w {
		img.Set(i/w, i%w, rng.IntN(2) == 0)
	}
	return m, p, img
}

// cases runs f on models of both rules.
func cases(t *testing.T, n int, f func(m *patchwork.Model, p *Problem, img *bitmap.Image)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		m, p, img := random(t, patchwork.Rule(i%2), 1+rng.IntN(6), rng)
		f(m, p, img)
	}
}

// TestScoreAgreesWithModel: Score agrees with the model's own composition.
func TestScoreAgreesWithModel(t *testing.T) {
	cases(t, 60, func(m *patchwork.Model, p *Problem, img *bitmap.Image) {
		for s := range Set(1) << p.K() {
			var picks []patchwork.Pick
			for k := range p.K() {
				if s.Has(k) {
					picks = append(picks, patchwork.Pick{Expert: k})
				}
			}
			want := patchwork.LogLik(img, m.Compose(img.Height(), img.Width(), picks).P)
			if got, _ := p.Score(img, s); math.Abs(got-want) > 1e-9 {
				t.Fatalf("set %b: %v, the model says %v", s, got, want)
			}
		}
	})
}

// TestExhaustiveIsTheOptimum: the exhaustive optimum is the best score, the
// evidence is the sum of all, and the prior adds up to 1.
func TestExhaustiveIsTheOptimum(t *testing.T) {
	cases(t, 60, func(_ *patchwork.Model, p *Problem, img *bitmap.Image) {
		best, sum, prior := math.Inf(-1), 0.0, 0.0
		for s := range Set(1) << p.K() {
			_, joint := p.Score(img, s)
			best, sum, prior = max(best, joint), sum+math.Exp(joint), prior+math.Exp(p.logPrior(s))
		}
		found, evidence := p.Exhaustive(img)
		if math.Abs(found.LogJoint-best) > 1e-9 || math.Abs(evidence-math.Log(sum)) > 1e-9 || math.Abs(prior-1) > 1e-9 {
			t.Fatalf("%+v of evidence %v; by the scores %v, %v; the prior is %v in all", found, evidence, best, math.Log(sum),
				prior)
		}
		if found.Work != 1<<p.K() {
			t.Fatalf("%d sets of %d scored", found.Work, 1<<p.K())
		}
	})
}

// TestNothingBeatsTheOptimum: no method beats the optimum; with all candidates
// and any number of active experts, truncated search is exhaustive.
func TestNothingBeatsTheOptimum(t *testing.T) {
	cases(t, 100, func(_ *patchwork.Model, p *Problem, img *bitmap.Image) {
		best, _ := p.Exhaustive(img)
		mf, _, _ := p.MeanField(img)
		gr, _, _ := p.Gradient(img)
		for name, f := range map[string]Found{"independent": p.Independent(img), "greedy": p.Greedy(img),
			"truncated": p.Truncated(img, 3, 2), "mean field": mf, "gradient": gr} {
			if _, joint := p.Score(img, f.Active); f.LogJoint > best.LogJoint+1e-9 || f.LogJoint != joint || f.Work < 1 {
				t.Fatalf("%s: %+v, the optimum is %+v", name, f, best)
			}
		}
		if all := p.Truncated(img, p.K(), p.K()); all.Active != best.Active {
			t.Fatalf("truncated to everything %+v, exhaustive %+v", all, best)
		}
	})
}

// TestGreedyIsThePursuit: Greedy agrees with the pursuit of the library, with
// the prior as its costs.
func TestGreedyIsThePursuit(t *testing.T) {
	cases(t, 100, func(m *patchwork.Model, p *Problem, img *bitmap.Image) {
		costs := make([]float64, p.K())
		for k := range costs {
			costs[k] = -p.odds[k]
		}
		pursuit, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringOriginal,
			Costs: costs})
		if err != nil {
			t.Fatal(err)
		}
		e, err := pursuit.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		var s Set
		for _, pick := range e.Picks {
			s |= 1 << pick.Expert
		}
		if got := p.Greedy(img); got.Active != s || math.Abs(got.LogLik-e.LogLikModel) > 1e-9 {
			t.Fatalf("greedy %b at %v, pursuit %b at %v", got.Active, got.LogLik, s, e.LogLikModel)
		}
	})
}

// TestMeanFieldBound: the expectation of mean field equals that over all sets,
// and its bound is a lower bound.
func TestMeanFieldBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	cases(t, 60, func(_ *patchwork.Model, p *Problem, img *bitmap.Image) {
		r := make([]float64, p.K())
		for k := range r {
			r[k] = rng.Float64()
		}
		want := 0.0
		for s := range Set(1) << p.K() {
			weight := 1.0
			for k, a := range r {
				if !s.Has(k) {
					a = 1 - a
				}
				weight *= a
			}
			ll, _ := p.Score(img, s)
			want += weight * ll
		}
		if got := p.meanField(p.pixels(img)).expectation(r); math.Abs(got-want) > 1e-9 {
			t.Fatalf("expectation %v, over all sets %v", got, want)
		}
		_, evidence := p.Exhaustive(img)
		if _, r, bound := p.MeanField(img); bound > evidence+1e-9 || len(r) != p.K() {
			t.Fatalf("bound %v of the evidence %v", bound, evidence)
		}
	})
}

// TestGradientMatchesDifferences: the gradient agrees with finite differences, and ascent
// never lowers the objective.
func TestGradientMatchesDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	cases(t, 60, func(_ *patchwork.Model, p *Problem, img *bitmap.Image) {
		x := p.pixels(img)
		a, g := make([]float64, p.K()), make([]float64, p.K())
		for k := range a {
			a[k] = .1 + .8*rng.Float64()
		}
		p.relaxed(x, a, g)
		for k := range a {
			const h = 1e-7
			old := a[k]
			a[k] = old + h
			up := p.relaxed(x, a, nil)
			a[k] = old - h
			down := p.relaxed(x, a, nil)
			a[k] = old
			if d := (up - down) / (2 * h); math.Abs(d-g[k]) > 1e-4*(1+math.Abs(d)) {
				t.Fatalf("slope %v by expert %d, by differences %v", g[k], k, d)
			}
		}
		for k := range a {
			a[k] = .5
		}
		if _, _, v := p.Gradient(img); v < p.relaxed(x, a, nil) {
			t.Fatalf("gradient ascent ended at %v, below its start", v)
		}
	})
}
