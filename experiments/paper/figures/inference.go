package figures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork/posterior"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/inference"
	"example.com/patchwork/experiments/stat"
)

// inferenceFigure compares the inference methods of section 3 on the same
// models.
var inferenceFigure = Figure{"inference", "Section 3: other inference methods", `Independent activation (restricted Boltzmann machines) is fast but activates every expert that matches, not the sparsest set that explains. Relaxed activities (mean field; Saund's gradient ascent from 1/2) become inefficient where few of many experts are active. Truncated search evaluates all small sets. Likelihood matching pursuit adds one expert after the other as long as the likelihood rises: a sparse activation in one pass, because experts are only added for what is not yet explained.

The choice of the first expert may lead to a poor local maximum; an iterative procedure can resolve it.`, runInferenceFigure}

// puzzle is a model with images to explain.
type puzzle struct {
	name, about string
	model       *patchwork.Model
	prior       []float64
	images      []*bitmap.Image
	active      []inference.Set // the truth
}

// method is an inference method.
type method struct {
	name string
	run  func(p *solver, img *bitmap.Image) inference.Found
}

// solver holds what the methods need for one puzzle, for one goroutine.
type solver struct {
	*inference.Problem
	refined *patchwork.Pursuit
	nbest   *posterior.Searcher
}

const truncatedTo = 3 // active experts of truncated search

// methods lists the methods in the order of the table; the first is the
// optimum.
var methods = []method{
	{"exhaustive", func(s *solver, img *bitmap.Image) inference.Found { f, _ := s.Exhaustive(img); return f }},
	{"pursuit", func(s *solver, img *bitmap.Image) inference.Found { return s.Greedy(img) }},
	{"pursuit, refined", (*solver).bySweeps},
	{"pursuit, beam of 2", (*solver).beam},
	{"truncated search", func(s *solver, img *bitmap.Image) inference.Found { return s.Truncated(img, 8, truncatedTo) }},
	{"independent", func(s *solver, img *bitmap.Image) inference.Found { return s.Independent(img) }},
	{"mean field", func(s *solver, img *bitmap.Image) inference.Found { f, _, _ := s.MeanField(img); return f }},
	{"gradient from 1/2", func(s *solver, img *bitmap.Image) inference.Found { f, _, _ := s.Gradient(img); return f }},
}

// newSolver prepares the methods for a puzzle.
func newSolver(p puzzle) (*solver, error) {
	s := &solver{Problem: inference.New(p.model, p.prior)}
	costs := stat.Of(p.prior, func(pi float64) float64 { return math.Log((1 - pi) / pi) })
	opt := patchwork.PursuitOptions{Refined: true, Scoring: patchwork.ScoringOriginal, Costs: costs, RefineThreshold: -1}
	var err error
	if s.refined, err = patchwork.NewPursuit(p.model, opt); err != nil {
		return nil, err
	}
	withPrior, err := p.model.WithExtras(patchwork.Extras{Usage: p.prior})
	if err != nil {
		return nil, err
	}
	s.nbest, err = posterior.NewSearcher(withPrior, posterior.Options{})
	return s, err
}

// bySweeps explains with the library's pursuit, which does not count its work; that
// of the reference is about the same.
func (s *solver) bySweeps(img *bitmap.Image) inference.Found {
	e, err := s.refined.Explain(img)
	if err != nil {
		panic(err) // the images are of the model's size
	}
	return s.scored(img, e.Picks)
}

func (s *solver) beam(img *bitmap.Image) inference.Found {
	post, err := s.nbest.Explain(img)
	if err != nil {
		panic(err) // as in bySweeps
	}
	return s.scored(img, post.Alternatives[0].Picks)
}

func (s *solver) scored(img *bitmap.Image, picks []patchwork.Pick) inference.Found {
	var f inference.Found
	for _, p := range picks {
		f.Active |= 1 << p.Expert
	}
	f.LogLik, f.LogJoint = s.Score(img, f.Active)
	return f
}

// puzzles returns the models of the table, with images drawn by a seed.
func puzzles(n int, seed uint64) (out []puzzle, err error) {
	for _, q := range []struct {
		name, about string
		more        []region
	}{
		{"quadrants", "the 8 true experts of section 5.1 at 0.95 and 0.05", nil},
		// Experts that stand for two quadrants each make the set redundant.
		{"redundant quadrants", "the same and 4 more experts, the top, bottom, left and right half on",
			[]region{{0, 3, 0, 6}, {3, 6, 0, 6}, {0, 6, 0, 3}, {0, 6, 3, 6}}},
		// A bait covers more of two quadrants together than either expert does, but
		// not all of either: after picking it first, both quadrants are still
		// needed.
		{"baited quadrants", "the 8 and 4 baits, which cover two thirds of two neighbouring quadrants",
			[]region{{0, 3, 1, 5}, {3, 6, 1, 5}, {1, 5, 0, 3}, {1, 5, 3, 6}}},
	} {
		p, err := quadrantPuzzle(n, seed, q.name, q.about, q.more)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	bars, err := barPuzzle(n, seed)
	if err != nil {
		return nil, err
	}
	mixed, err := crossedPuzzle(n, seed)
	return append(out, bars, mixed), err
}

// region is rows and columns of a 6 x 6 image: from, to (not included).
type region struct{ y0, y1, x0, x1 int }

// quadrantPuzzle returns the quadrants with the true experts, and with experts
// that are on in further regions.
func quadrantPuzzle(n int, seed uint64, name, about string, more []region) (puzzle, error) {
	p := puzzle{name: name, about: about}
	set, err := synth.Quadrants(synth.QuadrantsOptions{N: n, Seed: seed})
	if err != nil {
		return p, err
	}
	p.images = set.Images
	templates := soften(set.Truth.Experts, .95)
	side := set.Truth.Side
	for _, r := range more {
		t := make([]float64, side*side)
		for i := range t {
			y, x := i/side, i%side
			if t[i] = .5; y >= r.y0 && y < r.y1 && x >= r.x0 && x < r.x1 {
				t[i] = .95
			}
		}
		templates = append(templates, t)
	}
	p.prior = slices.Repeat([]float64{.25}, len(templates))
	p.setActive(set.Truth.Active)
	p.model, err = still(patchwork.RuleMaxMinusMin, side, side, .5, templates)
	return p, err
}

// barPuzzle returns crossing bars under the max rule.
func barPuzzle(n int, seed uint64) (puzzle, error) {
	const side = 6
	p := puzzle{name: "bars",
		about: "12 bars of 6 pixels under the max rule, each on with probability 1/3, and one pixel in ten flipped"}
	on, flip := 1./3, .1
	set, err := synth.Bars(synth.BarsOptions{N: n, Side: side, On: &on, Flip: &flip, Seed: seed})
	if err != nil {
		return p, err
	}
	templates, err := synth.Templates(set.Truth.Bars, 1-flip, flip)
	if err != nil {
		return p, err
	}
	p.prior = slices.Repeat([]float64{on}, len(templates))
	p.images = set.Images
	p.setActive(set.Truth.Active)
	p.model, err = still(patchwork.RuleMax, side, side, flip, templates)
	return p, err
}

// crossedPuzzle returns experts that vote at random on half of the pixels, so
// that active ones contradict each other everywhere; images are drawn from the
// model.
func crossedPuzzle(n int, seed uint64) (puzzle, error) {
	const side, experts = 6, 12
	p := puzzle{name: "crossed votes",
		about: "12 experts that vote at random, 0.9 or 0.1, on a random half of 36 pixels; images drawn from the model, " +
			"each expert active with probability 1/4"}
	rng := rand.New(rand.NewPCG(seed, 3))
	var templates [][]float64
	for range experts {
		t := make([]float64, side*side)
		for i := range t {
			t[i] = []float64{.5, .5, .1, .9}[rng.IntN(4)]
		}
		templates, p.prior = append(templates, t), append(p.prior, .25)
	}
	var err error
	if p.model, err = still(patchwork.RuleMaxMinusMin, side, side, .5, templates); err != nil {
		return p, err
	}
	active := make([][]bool, n)
	for i := range active {
		var picks []patchwork.Pick
		active[i] = make([]bool, experts)
		for k := range experts {
			if active[i][k] = rng.Float64() < p.prior[k]; active[i][k] {
				picks = append(picks, patchwork.Pick{Expert: k})
			}
		}
		p.images = append(p.images, bitmap.Sample(rng, side, side, p.model.Compose(side, side, picks).P))
	}
	p.setActive(active)
	return p, nil
}

func (p *puzzle) setActive(active [][]bool) {
	for _, row := range active {
		var s inference.Set
		for k, on := range row {
			if on {
				s |= 1 << k
			}
		}
		p.active = append(p.active, s)
	}
}

// tried holds the mean results of one method on one set of a puzzle's images.
type tried struct {
	optimal, truth   float64 // fractions of the images: optimum reached; exactly the true set
	short            float64 // log joint below the optimum, nats
	logLik, parts    float64
	work             float64 // log-likelihoods per image
	worst            int     // image with the largest shortfall
	worstShort       float64
	worstSet, optSet inference.Set
}

// try runs all methods on a puzzle.
func try(ctx context.Context, p puzzle) ([]tried, error) {
	s, err := newSolver(p)
	if err != nil {
		return nil, err
	}
	n := float64(len(p.images))
	out := make([]tried, len(methods))
	best := make([]inference.Found, len(p.images))
	for m, way := range methods {
		found := make([]inference.Found, len(p.images))
		for i, img := range p.images {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			found[i] = way.run(s, img)
		}
		t := tried{worstShort: -1}
		if m == 0 {
			copy(best, found)
		}
		for i, f := range found {
			short := best[i].LogJoint - f.LogJoint
			if short < 1e-6 {
				t.optimal += 1 / n
			}
			if f.Active == p.active[i] {
				t.truth += 1 / n
			}
			t.short, t.logLik = t.short+short/n, t.logLik+f.LogLik/n
			t.parts, t.work = t.parts+float64(f.Active.Len())/n, t.work+float64(f.Work)/n
			if short > t.worstShort {
				t.worst, t.worstShort, t.worstSet, t.optSet = i, short, f.Active, best[i].Active
			}
		}
		out[m] = t
	}
	return out, nil
}

// Run tries all methods on all puzzles.
func runInferenceFigure(ctx context.Context, o Options) (Result, error) {
	sets, n := o.atLeast(1, pick(o, 2, 8)), o.atLeast(8, pick(o, 25, 100))
	first, err := puzzles(n, o.seed(0))
	if err != nil {
		return Result{}, err
	}
	all := make([][][]tried, len(first)) // by puzzle, set, method
	for i := range all {
		all[i] = make([][]tried, sets)
	}
	err = o.each(ctx, len(first)*sets, func(ctx context.Context, i int) error {
		ps, err := puzzles(n, o.seed(i%sets))
		if err != nil {
			return err
		}
		all[i/sets][i%sets], err = try(ctx, ps[i/sets])
		return err
	})
	if err != nil {
		return Result{}, err
	}
	var r Result
	var about []string
	for _, p := range first {
		about = append(about, p.name+": "+p.about)
	}
	r.Text = fmt.Sprintf(
		`All methods maximize the same objective, the log joint probability of an image and its active experts, on the same five models (%s). Activities are independent with known probabilities. %d sets of %d images each. Truncated search takes sets of at most %d of the 8 best candidates. Mean field has the exact expectation (at a pixel the strongest votes for on and for off are independent), and gradient ascent relaxes activities to strengths; both are rounded at 1/2 in the end. All are plain implementations of the formulas; only the refined pursuit and the beam are the library's.`,
		strings.Join(about, "; "), sets, n, truncatedTo)
	r.Tables = inferenceTables(first, all)
	r.Statements = inferenceStatements(all)
	r.Pictures = []Picture{inferenceChart(first, all), lossPicture(first, all)}
	return r, nil
}
