package classes

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// Verdict says of which class an image is, and why.
type Verdict struct {
	Class         int       // the most probable class, the lowest of equals
	Probabilities []float64 // of each class; they add up to 1

	// Scores are the log-likelihoods of the image by class, in nats, as they are: the
	// sharpness is not applied.
	Scores []float64

	Second  int     // the class that came second
	LogOdds float64 // log of the ratio of the two probabilities, in nats

	// Why, for NameOptions.Reasons: the model of the class that explains the image best,
	// and its explanation. Example is the index of the example that the model was cut
	// from, -1 if the model was learned of all.
	Example     int
	Model       *patchwork.Model
	Explanation *patchwork.Explanation
	Left        int // pixels of ink that the explanation leaves over: they are less probable than 1/2
	Missing     int // known pixels without ink that it says are ink, with more than 1/2

	// Alone says, where the classifier has marginals, by how many nats every pixel or column
	// alone speaks for the class rather than for the second: 0 where it is unknown. Their
	// sum is the difference of the two scores by the marginals.
	Alone []float64
}

// NameOptions are the settings of Name. The zero value is the recommended default.
type NameOptions struct {
	Reasons bool // fill in Example to Missing
	Workers int  // goroutines; 0 means 1. The result is the same for any number.
}

// The weights of what is averaged.
const (
	// closeness is the factor of the log-likelihoods of the examples of a class, whose
	// probabilities are then averaged: the likeliest decides, others nearby help.
	closeness = 0.2
	// learnedShare is the weight of the learned model, beside 1 for the examples.
	learnedShare = 0.5
)

// Name names images of the classifier's size, whose unknown pixels say nothing. Memory
// grows with the number of images times the number of classes, so that many images are
// to be named in blocks; every block prepares all models once. The error is the
// context's, or a *patchwork.SizeError.
func (c *Classifier) Name(ctx context.Context, images []*bitmap.Image, opt NameOptions) ([]Verdict, error) {
	h, w := c.Size()
	if err := rows.SameSize(images, h, w); err != nil {
		return nil, err
	}
	b := &block{Classifier: c, images: images, workers: max(opt.Workers, 1)}
	for _, step := range []func(context.Context) error{b.near, b.whole, b.cuts, b.learned} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	out := make([]Verdict, len(images))
	_, err := pool.Run(ctx, len(images), b.workers, 1, func(_, i int) (err error) {
		out[i] = c.verdict(b.scores(i))
		if opt.Reasons {
			err = b.reason(i, &out[i])
		}
		return err
	})
	return out, err
}

// verdict reads a verdict off the scores of the classes.
func (c *Classifier) verdict(scores []float64) Verdict {
	v := Verdict{Scores: scores, Example: -1}
	v.Probabilities = c.probabilities(scores, c.sharpness)
	best := func(without int) int {
		at := -1
		for k, p := range v.Probabilities {
			if k != without && (at < 0 || p > v.Probabilities[at]) {
				at = k
			}
		}
		return at
	}
	v.Class = best(-1)
	v.Second = best(v.Class)
	v.LogOdds = c.logit(v.Class, scores, c.sharpness) - c.logit(v.Second, scores, c.sharpness)
	if math.IsNaN(v.LogOdds) {
		v.LogOdds = 0 // both are impossible
	}
	return v
}

// logit returns the logarithm of the probability of a class, up to a constant.
func (c *Classifier) logit(k int, scores []float64, sharpness float64) float64 {
	return float64(sharpness*scores[k]) + elem.Log(float64(c.classes[k].Rows))
}

// probabilities returns those of the classes. Where all are impossible they are those of
// the classes before the image is seen.
func (c *Classifier) probabilities(scores []float64, sharpness float64) []float64 {
	p, top := make([]float64, len(scores)), math.Inf(-1)
	for k := range p {
		p[k] = c.logit(k, scores, sharpness)
		top = max(top, p[k])
	}
	sum := 0.0
	for k := range p {
		if math.IsInf(top, -1) {
			p[k] = float64(c.classes[k].Rows)
		} else {
			p[k] = elem.Exp(p[k] - top)
		}
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// block is images that are named together. Each model explains all images that need it,
// one after the other, so that no more models are ready than there are workers.
type block struct {
	*Classifier
	images  []*bitmap.Image
	workers int

	tried  [][][]tried // [image][class]: examples, those explained by all cuts first
	all    [][]float64 // [image][class]: log-likelihood under the learned model
	deeply [][]bool    // [image][class]: whether its examples are explained by all cuts
}

// tried is an example by which an image is explained.
type tried struct {
	example int
	cuts    [len(cutsOf)]float64 // log-likelihoods
	score   float64              // of these, as far as they are used
}

// near finds the examples that each image is nearest to.
func (b *block) near(ctx context.Context) error {
	b.tried = make([][][]tried, len(b.images))
	if len(b.classes[0].Examples) == 0 {
		return nil
	}
	inks := make([][][]uint64, len(b.classes))
	for c, k := range b.classes {
		for e := range k.Examples {
			inks[c] = append(inks[c], k.Examples[e].ink())
		}
	}
	h, w := b.Size()
	movers := make([]*mover, b.workers)
	_, err := pool.Run(ctx, len(b.images), b.workers, 1, func(worker, i int) error {
		if movers[worker] == nil {
			movers[worker] = newMover(h, w, b.classes[0].Examples[0].Cuts[0].Config().Poses)
		}
		copies := movers[worker].move(b.images[i])
		b.tried[i] = make([][]tried, len(inks))
		for c := range inks {
			for _, e := range nearest(copies, inks[c], wholeExamples) {
				b.tried[i][c] = append(b.tried[i][c], tried{example: e})
			}
		}
		return nil
	})
	return err
}

// whole explains every image by the nearest examples of each class, in one piece.
func (b *block) whole(ctx context.Context) error {
	if err := b.explain(ctx, 0, func(i, c int, t []tried) []tried { return t }); err != nil {
		return err
	}
	b.deeply = make([][]bool, len(b.images))
	for i, classes := range b.tried {
		order := make([]int, len(classes))
		for c, t := range classes {
			order[c] = c
			for j := range t {
				t[j].score = t[j].cuts[0]
			}
			slices.SortStableFunc(t, func(a, b tried) int { return cmp.Compare(b.score, a.score) })
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(classes[y][0].score, classes[x][0].score) })
		b.deeply[i] = make([]bool, len(classes))
		for _, c := range order[:min(cutClasses, len(order))] {
			b.deeply[i][c] = true
		}
	}
	return nil
}

// cuts explains images by the other cuts of the best examples, in the likeliest classes.
func (b *block) cuts(ctx context.Context) error {
	deep := func(i, c int, t []tried) []tried {
		if !b.deeply[i][c] {
			return nil
		}
		return t[:min(cutExamples, len(t))]
	}
	for cut := 1; cut < len(cutsOf); cut++ {
		if err := b.explain(ctx, cut, deep); err != nil {
			return err
		}
	}
	for i, classes := range b.tried {
		for c, t := range classes {
			for j, e := range deep(i, c, t) {
				cuts := len(b.classes[c].Examples[e.example].Cuts)
				sum := 0.0
				for _, l := range e.cuts[:cuts] {
					sum += l
				}
				t[j].score = sum / float64(cuts)
			}
		}
	}
	return nil
}

// explain sets a cut of the log-likelihoods that which chooses.
func (b *block) explain(ctx context.Context, cut int, which func(i, c int, t []tried) []tried) error {
	type job struct{ class, example int }
	users := make(map[job][]*float64)
	images := make(map[job][]int)
	for i, classes := range b.tried {
		for c, t := range classes {
			chosen := which(i, c, t)
			for j := range chosen {
				if at := (job{c, chosen[j].example}); cut < len(b.classes[c].Examples[at.example].Cuts) {
					users[at] = append(users[at], &chosen[j].cuts[cut])
					images[at] = append(images[at], i)
				}
			}
		}
	}
	var jobs []job
	for c, k := range b.classes {
		for e := range k.Examples {
			if at := (job{c, e}); users[at] != nil {
				jobs = append(jobs, at)
			}
		}
	}
	_, err := pool.Run(ctx, len(jobs), b.workers, 1, func(_, n int) error {
		at := jobs[n]
		p, err := newPursuit(b.classes[at.class].Examples[at.example].Cuts[cut])
		if err != nil {
			return err
		}
		p.Within(ctx)
		for j, i := range images[at] {
			e, err := p.Explain(b.images[i])
			if err != nil {
				return err
			}
			*users[at][j] = e.LogLikModel
		}
		return ctx.Err()
	})
	return err
}

// newPursuit returns the pursuit by which examples explain images: every piece is placed
// that gains anything.
func newPursuit(m *patchwork.Model) (*patchwork.Pursuit, error) {
	return patchwork.NewPursuit(m, patchwork.PursuitOptions{RefineThreshold: -1})
}

// learned explains all images by the learned models.
func (b *block) learned(ctx context.Context) error {
	if b.classes[0].Learned == nil {
		return nil
	}
	b.all = make([][]float64, len(b.images))
	for i := range b.all {
		b.all[i] = make([]float64, len(b.classes))
	}
	at, err := pool.Run(ctx, len(b.classes), b.workers, 1, func(_, c int) error {
		logLik, err := newLogLik(b.classes[c].Learned)
		if err != nil {
			return err
		}
		for i, img := range b.images {
			if err := ctx.Err(); err != nil {
				return err
			}
			if b.all[i][c], err = logLik(img); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("class %q: %w", b.classes[at].Name, err)
	}
	return err
}

// newLogLik returns the log-likelihood of images under a model, in nats: where parts
// stay in their places the sum over the best several explanations, else that of the best
// one, less the price of choosing the place of each part.
func newLogLik(m *patchwork.Model) (func(*bitmap.Image) (float64, error), error) {
	if !rows.Moves(m.Config()) {
		s, err := posterior.NewSearcher(m, posterior.Options{})
		return func(img *bitmap.Image) (float64, error) {
			p, err := s.Explain(img)
			if err != nil {
				return 0, err
			}
			return p.Evidence, nil
		}, err
	}
	p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{})
	return func(img *bitmap.Image) (float64, error) {
		e, err := p.Explain(img)
		if err != nil {
			return 0, err
		}
		grid, err := m.GridFor(img.Height(), img.Width())
		return e.LogLikModel - float64(float64(len(e.Picks))*elem.Log(float64(grid.Len()))), err
	}, err
}

// scores returns the scores of the classes for image i.
func (b *block) scores(i int) []float64 {
	out := make([]float64, len(b.classes))
	for c := range out {
		weight := 0.0
		if b.tried[i] != nil {
			out[c], weight = likeliest(b.tried[i][c], len(b.classes[c].Examples)), 1
		}
		if b.all != nil {
			share := learnedShare
			if weight == 0 {
				share = 1
			}
			out[c] = (float64(weight*out[c]) + float64(share*b.all[i][c])) / (weight + share)
		}
		if m := b.marginals; m != nil {
			alone, _ := logLik(b.logs[c], b.images[i], nil)
			out[c] = pool2(out[c], alone, m.Share)
		}
	}
	return out
}

// likeliest returns the mean over n examples of which some are tried and the others are
// impossible.
func likeliest(t []tried, n int) float64 {
	top, sum := math.Inf(-1), 0.0
	for _, e := range t {
		top = max(top, e.score)
	}
	if math.IsInf(top, -1) {
		return top
	}
	for _, e := range t {
		sum += elem.Exp(closeness * (e.score - top))
	}
	return top + elem.Log(sum/float64(n))/closeness
}

// reason says why image i is of the class of the verdict.
func (b *block) reason(i int, v *Verdict) (err error) {
	k := &b.classes[v.Class]
	v.Model, v.Example = k.Learned, -1
	if b.tried[i] != nil {
		t := slices.MaxFunc(b.tried[i][v.Class], func(a, b tried) int { return cmp.Compare(a.score, b.score) })
		v.Example = t.example
		cuts, best := k.Examples[t.example].Cuts, 0
		if b.deeply[i][v.Class] {
			for cut := range cuts {
				if t.cuts[cut] > t.cuts[best] {
					best = cut
				}
			}
		}
		v.Model = cuts[best]
	}
	opt := patchwork.PursuitOptions{RefineThreshold: -1}
	if v.Example < 0 {
		opt = patchwork.PursuitOptions{Costs: posterior.PickCosts(v.Model)}
	}
	p, err := patchwork.NewPursuit(v.Model, opt)
	if err != nil {
		return err
	}
	if v.Explanation, err = p.Explain(b.images[i]); err != nil {
		return err
	}
	img := b.images[i]
	v.Alone = b.alone(img, v.Class, v.Second)
	composed := v.Model.Compose(img.Height(), img.Width(), v.Explanation.Picks).P
	for j, x := range img.AppendValues(nil) {
		switch {
		case x == 1 && composed[j] < 0.5:
			v.Left++
		case x == 0 && composed[j] > 0.5:
			v.Missing++
		}
	}
	return nil
}
