package classes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
)

const (
	// firstSharpness is what probabilities are computed with where nothing can be measured:
	// there are two classes, of one example each.
	firstSharpness = 0.07
	// apart is what to expect of the sharpness before any example is left out, with one
	// example of each class: the sharpness times the largest score that chance would give
	// the wrong classes above their mean, which is their standard deviation times
	// sqrt(2 log(classes)). It grows with the power gains of the number of examples. On three
	// sets of images, from one and five examples, it is 6.1 to 7.2 (experiments/README.md).
	apart, gains = 6.7, 0.4
	// leastApart bounds that largest score from below, as a share of the mean: few classes
	// may happen to be equally wrong. On the same sets it is 0.38 and more.
	leastApart = 0.35
	// belief is how many examples named wrongly say as much of the sharpness as this does.
	belief = 60
	// most is how many times sharper than the examples left out ask for names may be: a few
	// of them that are all named rightly do not make names a million times likelier.
	most = 2
	// folds are how often examples are left out to fit the sharpness: less often where a
	// model is learned of the others each time.
	folds, learnedFolds = 10, 4
	// growth is the power of the number of examples with which the sharpness grows: those
	// that are left out are named by fewer than there are.
	growth = 0.4
	// leftOutRows is the most examples that are named for it.
	leftOutRows = 200
)

// calibrate returns the classifier with the sharpness that examples which are left out,
// and named by the others, ask for.
func (l *learner) calibrate(ctx context.Context, c *Classifier) (*Classifier, error) {
	n := folds
	if l.opt.Fit != nil {
		n = learnedFolds
	}
	var scores, alone [][]float64
	var truth []int
	for fold := range n {
		rest, held := l.without(fold, n)
		if len(held.groups) == 0 {
			continue
		}
		s, which, t, err := rest.heldScores(ctx, c, held)
		if err != nil {
			return nil, err
		}
		scores, truth = append(scores, s...), append(truth, t...)
		if l.opt.Examples == 0 {
			alone = append(alone, rest.heldMarginals(which)...)
		}
	}
	if alone != nil {
		m := &Marginals{P: l.marginals(), Share: c.meanShare(scores, alone, truth)}
		scores = pooled(scores, alone, m.Share)
		var err error
		if c, err = c.WithMarginals(m); err != nil {
			return nil, err
		}
	}
	expected, err := l.expected(ctx, c)
	if err != nil || len(truth) == 0 {
		return c.sharpened(expected), err
	}
	fewer := 1 - 1/float64(n)
	if least := l.fewest(); least < n {
		fewer = 1 - 1/float64(least)
	}
	sharpness, wrong := c.sharpest(scores, truth)
	if alone != nil { // classes of rows are not equally common, so that names may be sure without any score
		sharpness, _ = c.mostLikely(scores, truth)
	}
	sharpness = float64(sharpness * elem.Pow(1/fewer, growth))
	if expected == 0 {
		return c.sharpened(sharpness), nil
	}
	both := elem.Exp((float64(wrong*elem.Log(sharpness)) + float64(belief*elem.Log(expected))) / (wrong + belief))
	return c.sharpened(min(both, most*sharpness)), nil
}

// sharpened returns the classifier with a sharpness, unless that is 0.
func (c *Classifier) sharpened(sharpness float64) *Classifier {
	out := *c
	if sharpness > 0 {
		out.sharpness = sharpness
	}
	return &out
}

// expected returns the sharpness that images ask for by how far apart the scores of wrong
// classes are, which needs no example left out: all that one example of each class says.
// It is 0 where that is not known: where no examples are kept.
func (l *learner) expected(ctx context.Context, c *Classifier) (float64, error) {
	if l.opt.Examples == 0 {
		return 0, nil
	}
	var which, truth []int
	examples := 0.0 // logarithm of their geometric mean
	for g, k := range l.groups {
		if g < leftOutRows {
			which, truth = append(which, k.rows[0]), append(truth, g)
		}
		examples += elem.Log(float64(min(len(k.rows), l.opt.Examples))) / float64(len(l.groups))
	}
	verdicts, err := c.Name(ctx, rows.Part(l.data, which).Images, NameOptions{Workers: l.opt.Workers})
	if err != nil {
		return 0, err
	}
	sd, level := 0.0, 0.0 // of the scores of wrong classes
	for i, v := range verdicts {
		wrong := slices.Delete(slices.Clone(v.Scores), truth[i], truth[i]+1)
		mean, squares := 0.0, 0.0
		for _, s := range wrong {
			mean += s / float64(len(wrong))
		}
		for _, s := range wrong {
			squares += float64((s - mean) * (s - mean))
		}
		sd += math.Sqrt(squares/float64(max(len(wrong)-1, 1))) / float64(len(verdicts))
		level += math.Abs(mean) / float64(len(verdicts))
	}
	chance := max(sd*math.Sqrt(2*elem.Log(float64(len(l.groups)))), leastApart*level)
	sharpness := apart * elem.Exp(gains*examples) / chance
	if !(sharpness > 0 && sharpness < 100) {
		return 0, nil // all scores are equal, or some class is impossible
	}
	return sharpness, nil
}

// fewest returns the least number of examples of the classes that have several.
func (l *learner) fewest() int {
	least := math.MaxInt
	for _, g := range l.groups {
		if len(g.rows) > 1 {
			least = min(least, len(g.rows))
		}
	}
	return least
}

// without returns a learner of the data without the examples of a fold, and one of these
// alone. A class whose only example that would be keeps it, and is not named.
func (l *learner) without(fold, n int) (rest, held *learner) {
	rest, held = &learner{data: l.data, cfg: l.cfg, opt: l.opt, whole: l.whole}, &learner{data: l.data}
	most := max(1, leftOutRows/(n*len(l.groups)))
	for g, k := range l.groups {
		order := rand.New(rand.NewPCG(l.opt.Seed, 1<<41+uint64(g))).Perm(len(k.rows))
		var in, out []int
		for j, at := range order {
			if len(order) > 1 && j%min(n, len(order)) == fold {
				out = append(out, k.rows[at])
			} else {
				in = append(in, k.rows[at])
			}
		}
		slices.Sort(in)
		rest.groups = append(rest.groups, group{k.name, in})
		if len(out) > 0 {
			held.groups = append(held.groups, group{k.name, out[:min(most, len(out))]})
		}
	}
	return rest, held
}

// heldScores learns and names the examples held out, and returns which these are. Classes
// are numbered as in c.
func (l *learner) heldScores(ctx context.Context, c *Classifier, held *learner) (scores [][]float64, which, truth []int,
	err error) {
	classes := make([]Class, len(l.groups))
	for g := range l.groups {
		if classes[g], err = l.class(ctx, g); err != nil {
			return nil, nil, nil, err
		}
	}
	part, err := New(classes, firstSharpness)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, k := range held.groups {
		which = append(which, k.rows...)
		at := slices.Index(c.Names(), k.name)
		truth = append(truth, slices.Repeat([]int{at}, len(k.rows))...)
	}
	verdicts, err := part.Name(ctx, rows.Part(l.data, which).Images, NameOptions{Workers: l.opt.Workers})
	if err != nil {
		return nil, nil, nil, err
	}
	scores = make([][]float64, len(verdicts))
	for i, v := range verdicts {
		scores[i] = v.Scores
	}
	return scores, which, truth, nil
}

// sharpest returns the sharpness with which the examples held out are named as surely as
// they are named rightly: the mean of the probabilities of the classes named is the share
// of right ones, of n examples counted as n + 2 of which one is right and one is wrong. It
// also returns how many of the n are named wrongly.
func (c *Classifier) sharpest(scores [][]float64, truth []int) (sharpness, wrong float64) {
	right := 1.0
	for i, s := range scores {
		if p := c.probabilities(s, firstSharpness); slices.Index(p, slices.Max(p)) == truth[i] {
			right++
		}
	}
	aim := right / float64(len(truth)+2) * float64(len(truth))
	low, high := elem.Log(1e-5), elem.Log(100)
	for range 50 {
		middle, sum := (low+high)/2, 0.0
		for _, s := range scores {
			sum += slices.Max(c.probabilities(s, elem.Exp(middle)))
		}
		if sum < aim {
			low = middle
		} else {
			high = middle
		}
	}
	return elem.Exp((low + high) / 2), float64(len(truth)+1) - right
}
