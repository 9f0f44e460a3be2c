package figures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/experiments/real"
	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
)

// nextFigure is the paper's next step: real values.
var nextFigure = Figure{"next", "The next step: real values", `The paper ends: "A natural next step is to study compositions of experts for real-valued data. This includes considering composition rules for variances (in addition to means) and achieving continuity when transitioning from one expert to another."`, runNextFigure}

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
func runNextFigure(ctx context.Context, o Options) (Result, error) {
	s := sizesOf(o)
	n := &next{Options: o, sizes: s}
	if err := n.measure(ctx); err != nil {
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
	scenes    []sceneSet      // by noise
}

// quadrantSet is one set of quadrants.
type quadrantSet struct {
	model  *model.Model
	found  [3]int     // parts: ours, NMF, dictionary
	behind [4]float64 // the truth, in nats per image: ours, and those of quadrantRivals
}

// whole reports whether our parts are those of the truth, and no others.
func (q quadrantSet) whole() bool { return q.found[0] == 8 && q.model.K() == 8 }

// quadrantRivals are told how many factors or components there are.
var quadrantRivals = []struct {
	name, title string
	size        int
}{{"PPCA", "PPCA, 4 factors", 4}, {"factor analysis", "factor analysis, 4", 4}, {"mixture", "mixture, 8", 8}}

// barSet is one set of bars: templates, and how many bars they are, of each of barModels.
type barSet struct {
	model     *model.Model
	rows      [][]float64
	templates [4][][]float64
	found     [4]int
}

var barModels = []string{"ours", "NMF", "dictionary", "ICA"}

// whole reports whether a model has all of k bars, and ours no other part.
func (b barSet) whole(of, k int) bool { return b.found[of] == k && (of > 0 || b.model.K() == k) }

// digitSet is one class of digits: log-densities of test images, with the number of parameters, of digitModels.
type digitSet struct {
	class  int
	model  *model.Model
	by     [4]float64
	params [4]int
	size   [4]int // experts, components, factors
}

var digitModels = []string{"parts", "mixture", "factor analysis", "PPCA"}

// sceneSet is the scenes of one noise, the first of them with its explanation.
type sceneSet struct {
	found int
	model *model.Model
	first real.Scene
	picks []model.Pick
}

// barKinds are the kinds of bars.
var barKinds = []struct {
	name string
	real.BarOptions
}{{"level 1, noise 0.25", real.BarOptions{Rate: .2, SD: .25}},
	{"levels 0.6 to 1.6, noise 0.25", real.BarOptions{Rate: .2, SD: .25, Levels: true}}}

// sceneNoise are the deviations of the noise of scenes.
var sceneNoise = []float64{.25, .5, 1}

// later returns n results, which jobs that it adds will measure.
func later[T any](jobs *[]func(context.Context) error, n int, measure func(ctx context.Context, i int) (T, error)) []T {
	out := make([]T, n)
	for i := range out {
		*jobs = append(*jobs, func(ctx context.Context) (err error) {
			out[i], err = measure(ctx, i)
			return err
		})
	}
	return out
}

// measure makes all measurements, side by side.
func (n *next) measure(ctx context.Context) error {
	s := n.sizes
	var jobs []func(context.Context) error
	for _, size := range s.quadrants {
		n.quadrants = append(n.quadrants, later(&jobs, s.sets, func(ctx context.Context, set int) (quadrantSet, error) {
			return n.quadrant(ctx, size, set)
		}))
	}
	for _, kind := range barKinds {
		n.bars = append(n.bars, later(&jobs, s.sets, func(ctx context.Context, set int) (barSet, error) {
			return n.bar(ctx, kind.BarOptions, set)
		}))
	}
	glyphs, labels, err := synth.Digits(max(s.digits, 1), n.Seed)
	if err != nil {
		return err
	}
	n.digits = later(&jobs, len(s.classes), func(ctx context.Context, i int) (digitSet, error) {
		var rows [][]float64
		for j, g := range glyphs {
			if labels[j] == s.classes[i] {
				rows = append(rows, real.Blocks(g, 4))
			}
		}
		return n.digit(ctx, s.classes[i], rows)
	})
	var parts [][]float64
	for digit := range 10 {
		b := real.Blocks(glyphs[digit*max(s.digits, 1)], 2)
		for d := range b {
			b[d] /= 4
		}
		parts = append(parts, b)
	}
	n.scenes = later(&jobs, len(sceneNoise), func(_ context.Context, i int) (sceneSet, error) {
		return n.explainScenes(sceneNoise[i], parts)
	})
	return n.each(ctx, len(jobs), func(ctx context.Context, i int) error { return jobs[i](ctx) })
}

func (n *next) quadrant(ctx context.Context, size, set int) (q quadrantSet, err error) {
	seed := n.Seed + uint64(set)
	rng := rand.New(rand.NewPCG(seed, 7))
	s := real.Quadrants(size, 2, 1, rng)
	test := real.Quadrants(n.sizes.test, 2, 1, rng)
	if q.model, err = real.Learn(ctx, 6, 6, s.Rows, model.Options{Seed: seed}); err != nil {
		return q, err
	}
	ours, err := real.Evidence(q.model, test.Rows)
	if err != nil {
		return q, err
	}
	sizes := map[string][]int{}
	for _, r := range quadrantRivals {
		sizes[r.name] = []int{r.size}
	}
	rivals, err := real.Densities(ctx, s.Rows, test.Rows, .01, sizes)
	if err != nil {
		return q, err
	}
	parts, err := s.Parts(ctx, true)
	if err != nil {
		return q, err
	}
	truth := stat.MeanOf(test.Rows, test.LogDensity)
	q.behind[0] = truth - ours
	for i, r := range quadrantRivals {
		q.behind[i+1] = truth - rivals[r.name].Mean
	}
	q.found = [3]int{s.Recovered(q.model, .4, .2), s.Alike(parts["NMF"]), s.Alike(parts["dictionary learning"])}
	return q, nil
}

func (n *next) bar(ctx context.Context, opt real.BarOptions, set int) (b barSet, err error) {
	seed := n.Seed + uint64(set)
	opt.Side = n.sizes.side
	s := real.Bars(n.sizes.bars, opt, rand.New(rand.NewPCG(seed, 7)))
	if b.model, err = real.Learn(ctx, opt.Side, opt.Side, s.Rows, model.Options{Seed: seed}); err != nil {
		return b, err
	}
	parts, err := s.Parts(ctx, false)
	if err != nil {
		return b, err
	}
	b.rows = s.Rows[:12]
	b.templates = [4][][]float64{real.Templates(b.model), parts["NMF"], parts["dictionary learning"], parts["ICA"]}
	for i, t := range b.templates {
		b.found[i] = s.Alike(t)
	}
	return b, nil
}

func (n *next) digit(ctx context.Context, class int, rows [][]float64) (d digitSet, err error) {
	d.class = class
	const side, floor = 7, .25
	train, test := rows[:len(rows)/2], rows[len(rows)/2:]
	if d.model, err = real.Learn(ctx, side, side, train, model.Options{Seed: n.Seed}); err != nil {
		return d, err
	}
	if d.by[0], err = real.Evidence(d.model, test); err != nil {
		return d, err
	}
	d.params[0], d.size[0] = real.Parameters(d.model), d.model.K()
	sizes := map[string][]int{}
	for _, name := range digitModels[1:] {
		sizes[name] = pick(n.Options, []int{1, 2, 4, 8}, []int{1, 2, 3, 4, 6, 8, 12, 16})
	}
	rivals, err := real.Densities(ctx, train, test, floor, sizes)
	if err != nil {
		return d, err
	}
	for i, name := range digitModels[1:] {
		r := rivals[name]
		d.by[i+1], d.params[i+1], d.size[i+1] = r.Mean, r.Parameters, r.Size
	}
	return d, nil
}

// explainScenes explains the scenes of a noise.
func (n *next) explainScenes(noise float64, parts [][]float64) (s sceneSet, err error) {
	s.model = real.SceneModel(parts, 14, 40, noise)
	p, err := model.NewPursuit(s.model)
	if err != nil {
		return s, err
	}
	for i := range n.sizes.scenes {
		scene := real.NewScene(s.model, 5, rand.New(rand.NewPCG(n.Seed, uint64(i))))
		e, err := p.Explain(scene.Image)
		if err != nil {
			return s, err
		}
		if scene.Found(e.Picks) {
			s.found++
		}
		if i == 0 {
			s.first, s.picks = scene, e.Picks
		}
	}
	return s, nil
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
	c := chart.Chart{Title: "One opinion, and a second one", XLabel: "mean of the second opinion (variance 1)",
		YLabel: "mean of both, the first being 2 (variance 0.1)", Width: 760, Height: 440}
	for _, r := range []struct {
		name string
		join func(second model.Normal) model.Mixture
	}{
		{"pool", func(s model.Normal) model.Mixture { return model.Pool.Compose(0, b, first, s) }},
		{"soft", func(s model.Normal) model.Mixture { return model.Soft.Compose(0, b, first, s) }},
		{"max", func(s model.Normal) model.Mixture { return model.Max.Compose(0, b, first, s) }},
	} {
		s := chart.Series{Name: r.name, Dashed: r.name == "max"}
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
