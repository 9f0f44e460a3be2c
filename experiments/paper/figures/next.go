package figures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/experiments/real"
	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// nextFigure is the paper's next step: real values.
type nextFigure struct{}

func (nextFigure) Name() string  { return "next" }
func (nextFigure) Title() string { return "The next step: real values" }

func (nextFigure) Claim() string {
	return `The paper ends: "A natural next step is to study compositions of experts for real-valued data. This includes considering composition rules for variances (in addition to means) and achieving continuity when transitioning from one expert to another."`
}

// nextSizes are how much is measured.
type nextSizes struct {
	sets, test, scenes int
	quadrants          []int // images to learn from
	bars, side         int
	classes            []int
	digits             int // of each class: half to learn from, half to test
}

func sizesOf(o Options) nextSizes {
	switch {
	case o.least:
		return nextSizes{1, 50, 2, []int{50}, 60, 3, []int{3}, 40}
	case o.Quick:
		return nextSizes{1, 300, 5, []int{50, 100}, 300, 5, []int{3}, 100}
	}
	return nextSizes{5, 1000, 20, []int{50, 100, 200}, 500, 5, []int{0, 2, 3, 8}, 300}
}

// Run learns and measures.
func (f nextFigure) Run(ctx context.Context, o Options) (Result, error) {
	s := sizesOf(o)
	n := &next{Options: o, sizes: s}
	if err := n.measure(ctx, f.Name()); err != nil {
		return Result{}, err
	}
	var r Result
	r.Text = fmt.Sprintf(`The background says Normal(b, s2) of every pixel, and is the abstention. An expert abstains, says a mean, or a mean and a variance. The strength of an opinion is the square root of twice its divergence from the background. Of all opinions on a pixel the strongest above and the strongest below the background are heard, and if there are both, they are mixed by their strengths: the pool. For opinions of a probability it is exactly max minus min, so the paper's new rule has always been a pool of the two extreme opinions. The rule "soft" hears all opinions, the stronger the more, and is continuous.

Quadrants: %s for each size; images of 6 x 6, each quadrant on with probability 1/2 and then 2 or -2, under noise of deviation 1; the truth's density is known. Bars: %s of each kind, of %d images of %d x %d, each bar in a fifth of the images, the brighter one where they cross. Digits: the project's own, as counts of ink in squares of 4 x 4 pixels; rivals choose their size by a fifth of the training images. Scenes: five of ten digits of 14 x 14 anywhere in 40 x 40 pixels, %d scenes for each noise. Our number of experts is found; rivals of parts are told it.`,
		words.Count(s.sets, "set"), words.Count(s.sets, "set"), s.bars, s.side, s.side, s.scenes)
	laws := composeLaws(o.Seed)
	r.Pictures = append([]Picture{continuityPicture()}, n.pictures()...)
	r.Tables = []Table{laws.table(), n.quadrantTable(), n.barTable(), n.digitTable(), n.sceneTable()}
	r.Statements = n.statements(laws)
	return r, nil
}

// next is what is measured.
type next struct {
	Options
	sizes nextSizes

	quadrants [][]quadrantSet // by size and set
	bars      [][]barSet      // by kind and set
	digits    []digitSet      // by class
	scenes    []int           // found, by noise
	scene     real.Scene      // the first, of the middle noise
	sceneFor  *model.Model
	picks     []model.Pick
}

// quadrantSet is one set of quadrants: how many parts are found, and how far the density is behind the truth, in nats
// per image.
type quadrantSet struct {
	experts, found, nmf, dictionary int
	excess, ppca, factors, mixture  float64
	model                           *model.Model
}

// barSet is one set of bars: how many are found.
type barSet struct {
	experts, found, nmf, dictionary, ica int
	model                                *model.Model
	rows                                 [][]float64
	templates                            [4][][]float64 // ours, NMF, dictionary, ICA
}

// digitSet is one class of digits: log-densities of test images, with the number of parameters.
type digitSet struct {
	class  int
	model  *model.Model
	by     [4]float64 // ours, mixture, factor analysis, PPCA
	params [4]int
	size   [4]int // experts, components, factors
}

// barKinds are the kinds of bars.
var barKinds = []struct {
	name string
	real.BarOptions
}{{"level 1, noise 0.25", real.BarOptions{Rate: .2, SD: .25}},
	{"levels 0.6 to 1.6, noise 0.25", real.BarOptions{Rate: .2, SD: .25, Levels: true}}}

// sceneNoise are the deviations of the noise of scenes.
var sceneNoise = []float64{.25, .5, 1}

// measure makes all measurements, side by side.
func (n *next) measure(ctx context.Context, figure string) error {
	s := n.sizes
	n.quadrants, n.bars = make([][]quadrantSet, len(s.quadrants)), make([][]barSet, len(barKinds))
	n.digits, n.scenes = make([]digitSet, len(s.classes)), make([]int, len(sceneNoise))
	var jobs []func(context.Context) error
	for i, size := range s.quadrants {
		n.quadrants[i] = make([]quadrantSet, s.sets)
		for set := range s.sets {
			jobs = append(jobs, func(ctx context.Context) (err error) {
				n.quadrants[i][set], err = n.quadrant(ctx, size, set)
				return err
			})
		}
	}
	for i := range barKinds {
		n.bars[i] = make([]barSet, s.sets)
		for set := range s.sets {
			jobs = append(jobs, func(ctx context.Context) (err error) {
				n.bars[i][set], err = n.bar(ctx, i, set)
				return err
			})
		}
	}
	glyphs, labels, err := synth.Digits(max(s.digits, 1), n.Seed)
	if err != nil {
		return err
	}
	for i, class := range s.classes {
		var rows [][]float64
		for j, g := range glyphs {
			if labels[j] == class {
				rows = append(rows, real.Blocks(g, 4))
			}
		}
		jobs = append(jobs, func(ctx context.Context) (err error) {
			n.digits[i], err = n.digit(ctx, class, rows)
			return err
		})
	}
	var parts [][]float64
	for digit := range 10 {
		b := real.Blocks(glyphs[digit*max(s.digits, 1)], 2)
		for d := range b {
			b[d] /= 4
		}
		parts = append(parts, b)
	}
	for i := range sceneNoise {
		jobs = append(jobs, func(context.Context) error { return n.explainScenes(i, parts) })
	}
	return n.each(ctx, len(jobs), func(ctx context.Context, i int) error { return jobs[i](ctx) })
}

// learnt returns the model of rows.
func learnt(ctx context.Context, height, width int, rows [][]float64, seed uint64) (*model.Model, error) {
	data, err := model.NewData(height, width, rows)
	if err != nil {
		return nil, err
	}
	r, err := model.Learn(ctx, data, model.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	return r.Model, nil
}

// meanEvidence returns the mean log-density of rows over the best explanations of each.
func meanEvidence(m *model.Model, rows [][]float64) (float64, error) {
	p, err := model.NewPursuit(m)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, row := range rows {
		post, err := p.Best(row, 0)
		if err != nil {
			return 0, err
		}
		sum += post.Evidence / float64(len(rows))
	}
	return sum, nil
}

func (n *next) quadrant(ctx context.Context, size, set int) (q quadrantSet, err error) {
	seed := n.Seed + uint64(set)
	rng := rand.New(rand.NewPCG(seed, 7))
	s := real.Quadrants(size, 2, 1, rng)
	test := real.Quadrants(n.sizes.test, 2, 1, rng)
	if q.model, err = learnt(ctx, 6, 6, s.Rows, seed); err != nil {
		return q, err
	}
	ours, err := meanEvidence(q.model, test.Rows)
	if err != nil {
		return q, err
	}
	truth := 0.0
	for _, row := range test.Rows {
		truth += test.LogDensity(row) / float64(len(test.Rows))
	}
	rivals, err := real.Densities(ctx, s.Rows, test.Rows, .01, map[string][]int{"PPCA": {4}, "factor analysis": {4},
		"mixture": {8}})
	if err != nil {
		return q, err
	}
	parts, err := s.Parts(ctx, true)
	if err != nil {
		return q, err
	}
	q.experts, q.found, q.excess = q.model.K(), s.Recovered(q.model, .4, .2), truth-ours
	q.ppca, q.factors = truth-rivals["PPCA"].Mean, truth-rivals["factor analysis"].Mean
	q.mixture = truth - rivals["mixture"].Mean
	q.nmf, q.dictionary = s.Alike(parts["NMF"]), s.Alike(parts["dictionary learning"])
	return q, nil
}

func (n *next) bar(ctx context.Context, kind, set int) (b barSet, err error) {
	seed := n.Seed + uint64(set)
	opt := barKinds[kind].BarOptions
	opt.Side = n.sizes.side
	s := real.Bars(n.sizes.bars, opt, rand.New(rand.NewPCG(seed, 7)))
	if b.model, err = learnt(ctx, opt.Side, opt.Side, s.Rows, seed); err != nil {
		return b, err
	}
	parts, err := s.Parts(ctx, false)
	if err != nil {
		return b, err
	}
	b.rows, b.experts = s.Rows[:12], b.model.K()
	b.templates = [4][][]float64{real.Templates(b.model), parts["NMF"], parts["dictionary learning"], parts["ICA"]}
	for i, to := range []*int{&b.found, &b.nmf, &b.dictionary, &b.ica} {
		*to = s.Alike(b.templates[i])
	}
	return b, nil
}

func (n *next) digit(ctx context.Context, class int, rows [][]float64) (d digitSet, err error) {
	d.class = class
	const side, floor = 7, .25
	train, test := rows[:len(rows)/2], rows[len(rows)/2:]
	if d.model, err = learnt(ctx, side, side, train, n.Seed); err != nil {
		return d, err
	}
	if d.by[0], err = meanEvidence(d.model, test); err != nil {
		return d, err
	}
	votes, variances := d.model.Votes()
	d.params[0], d.size[0] = votes+variances+2*side*side+d.model.K(), d.model.K()
	sizes := pick(n.Options, []int{1, 2, 4, 8}, []int{1, 2, 3, 4, 6, 8, 12, 16})
	names := []string{"mixture", "factor analysis", "PPCA"}
	rivals, err := real.Densities(ctx, train, test, floor, map[string][]int{names[0]: sizes, names[1]: sizes,
		names[2]: sizes})
	if err != nil {
		return d, err
	}
	for i, name := range names {
		r := rivals[name]
		d.by[i+1], d.params[i+1], d.size[i+1] = r.Mean, r.Parameters, r.Size
	}
	return d, nil
}

// explainScenes explains the scenes of a noise.
func (n *next) explainScenes(noise int, parts [][]float64) error {
	m := real.SceneModel(parts, 14, 40, sceneNoise[noise])
	p, err := model.NewPursuit(m)
	if err != nil {
		return err
	}
	for i := range n.sizes.scenes {
		s := real.NewScene(m, 5, rand.New(rand.NewPCG(n.Seed, uint64(i))))
		e, err := p.Explain(s.Image)
		if err != nil {
			return err
		}
		if s.Found(e.Picks) {
			n.scenes[noise]++
		}
		if i == 0 && noise == 1 {
			n.scene, n.sceneFor, n.picks = s, m, e.Picks
		}
	}
	return nil
}

// mean returns the mean of a number over the sets.
func mean[T any](sets []T, of func(T) float64) (mean, sd float64) {
	var all []float64
	for _, s := range sets {
		all = append(all, of(s))
	}
	return stat.Mean(all), stat.SD(all)
}

// whole returns in how many sets something holds.
func whole[T any](sets []T, holds func(T) bool) int {
	n := 0
	for _, s := range sets {
		if holds(s) {
			n++
		}
	}
	return n
}

// law is how a rule for variances does on random opinions.
type law struct {
	name         string
	helps, jumps int // violations
	jump         float64
}

type laws struct {
	cases int
	rules []law
}

// composeLaws checks two laws on random pairs of opinions with variances of their own: what opposes never makes a value
// more
// probable than the best single opinion does, and nothing jumps where the stronger of two opinions of one side changes.
func composeLaws(seed uint64) laws {
	out := laws{cases: 400}
	b := model.Normal{Mean: 0, Var: 1}
	moments := func(m model.Mixture) model.Mixture {
		return model.Mixture{{Weight: 1, Normal: model.Normal{Mean: m.Mean(), Var: m.Variance()}}}
	}
	for _, r := range []struct {
		name string
		join func(o ...model.Normal) model.Mixture
	}{
		{"pool", func(o ...model.Normal) model.Mixture { return model.Pool.Compose(0, b, o...) }},
		{"one normal with the pool's mean and variance",
			func(o ...model.Normal) model.Mixture { return moments(model.Pool.Compose(0, b, o...)) }},
		{"hi + lo - b, variance of the stronger", func(o ...model.Normal) model.Mixture { return stronger(b, o) }},
		{"soft", func(o ...model.Normal) model.Mixture { return model.Soft.Compose(0, b, o...) }},
	} {
		l := law{name: r.name}
		rng := rand.New(rand.NewPCG(seed, 11))
		for range out.cases {
			up, down := model.Normal{Mean: 3 * rng.Float64(), Var: math.Exp(rng.NormFloat64())},
				model.Normal{Mean: -3 * rng.Float64(), Var: math.Exp(rng.NormFloat64())}
			both := r.join(up, down)
			for i := range 161 {
				x := float64(i)/10 - 8
				if both.LogDensity(x) > max(r.join(up).LogDensity(x), r.join(down).LogDensity(x), b.LogDensity(x))+1e-9 {
					l.helps++
					break
				}
			}
			// A second opinion above with the strength of the first, from a little less to a little more.
			mu := up.Strength(b)
			less, more := r.join(up, model.Normal{Mean: mu * (1 - 1e-9), Var: 1}),
				r.join(up, model.Normal{Mean: mu * (1 + 1e-9), Var: 1})
			step := math.Abs(more.Mean() - less.Mean())
			if l.jump = max(l.jump, step); step > 1e-6 {
				l.jumps++
			}
		}
		out.rules = append(out.rules, l)
	}
	return out
}

// stronger composes one normal: the sum of the extreme deviations, with the variance of the stronger opinion.
func stronger(b model.Normal, opinions []model.Normal) model.Mixture {
	high, low, variance, most := 0.0, 0.0, b.Var, 0.0
	for _, o := range opinions {
		high, low = max(high, o.Mean-b.Mean), min(low, o.Mean-b.Mean)
		if a := o.Strength(b); a > most {
			variance, most = o.Var, a
		}
	}
	return model.Mixture{{Weight: 1, Normal: model.Normal{Mean: b.Mean + high + low, Var: variance}}}
}

// continuityPicture shows what the rules make of a second opinion.
func continuityPicture() Picture {
	b, first := model.Normal{Var: 1}, model.Normal{Mean: 2, Var: .1}
	c := render.Chart{Title: "One opinion, and a second one", XLabel: "mean of the second opinion (variance 1)",
		YLabel: "mean of both, the first being 2 (variance 0.1)", Width: 760, Height: 440}
	for _, r := range []struct {
		name string
		join func(second model.Normal) model.Mixture
	}{
		{"pool", func(s model.Normal) model.Mixture { return model.Pool.Compose(0, b, first, s) }},
		{"soft", func(s model.Normal) model.Mixture { return model.Soft.Compose(0, b, first, s) }},
		{"max", func(s model.Normal) model.Mixture { return model.Max.Compose(0, b, first, s) }},
	} {
		s := render.Series{Name: r.name, Dashed: r.name == "max"}
		for i := range 401 {
			x := float64(i-200) / 50
			s.X, s.Y = append(s.X, x), append(s.Y, r.join(model.Normal{Mean: x, Var: 1}).Mean())
		}
		c.Series = append(c.Series, s)
	}
	return Picture{Name: "continuity",
		Caption: "The mean that two opinions have together. The first says 2 and is sure of it; where the second becomes " +
			"as strong on the same side, the pool goes over to it in one step, and soft gradually. A second opinion below the " +
			"background is weighed against the first.", Drawing: c}
}
