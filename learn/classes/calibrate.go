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
	// apart is the sharpness times the standard deviation of the scores of wrong classes
	// where no class has two examples: 2.5 to 5.8 on three sets of images.
	apart = 3.5
	// folds are how often examples are left out to fit the sharpness: less often where a
	// model is learned of the others each time.
	folds, learnedFolds = 10, 4
	// growth is the power of the number of examples with which the sharpness grows:
	// those that are left out are named by fewer than there are (experiments/README.md).
	growth = 1.25
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
	var scores [][]float64
	var truth []int
	for fold := range n {
		rest, held := l.without(fold, n)
		if len(held.groups) == 0 {
			continue
		}
		s, t, err := rest.heldScores(ctx, c, held)
		if err != nil {
			return nil, err
		}
		scores, truth = append(scores, s...), append(truth, t...)
	}
	if len(truth) == 0 {
		return l.guess(ctx, c)
	}
	fewer := 1 - 1/float64(n)
	if least := l.fewest(); least < n {
		fewer = 1 - 1/float64(least)
	}
	return New(c.classes, c.sharpest(scores, truth)*elem.Pow(1/fewer, growth))
}

// guess returns the classifier with a sharpness by how far apart the scores of wrong
// classes are: all that one example of each class says.
func (l *learner) guess(ctx context.Context, c *Classifier) (*Classifier, error) {
	if len(l.groups) < 3 {
		return c, nil
	}
	var which []int
	for _, k := range l.groups {
		which = append(which, k.rows[0])
	}
	verdicts, err := c.Name(ctx, rows.Part(l.data, which).Images, NameOptions{Workers: l.opt.Workers})
	if err != nil {
		return nil, err
	}
	sum := 0.0
	for own, v := range verdicts {
		wrong := slices.Delete(slices.Clone(v.Scores), own, own+1)
		mean, squares := 0.0, 0.0
		for _, s := range wrong {
			mean += s / float64(len(wrong))
		}
		for _, s := range wrong {
			squares += float64((s - mean) * (s - mean))
		}
		sum += math.Sqrt(squares / float64(len(wrong)-1))
	}
	if sharpness := apart * float64(len(verdicts)) / sum; sharpness > 0 && sharpness < 100 {
		return New(c.classes, sharpness)
	}
	return c, nil // all scores are equal, or some class is impossible
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

// heldScores learns and names the examples held out. Classes are numbered as in c.
func (l *learner) heldScores(ctx context.Context, c *Classifier, held *learner) ([][]float64, []int, error) {
	classes := make([]Class, len(l.groups))
	for g := range l.groups {
		var err error
		if classes[g], err = l.class(ctx, g); err != nil {
			return nil, nil, err
		}
	}
	part, err := New(classes, firstSharpness)
	if err != nil {
		return nil, nil, err
	}
	var which, truth []int
	for _, k := range held.groups {
		which = append(which, k.rows...)
		at := slices.Index(c.Names(), k.name)
		truth = append(truth, slices.Repeat([]int{at}, len(k.rows))...)
	}
	verdicts, err := part.Name(ctx, rows.Part(l.data, which).Images, NameOptions{Workers: l.opt.Workers})
	if err != nil {
		return nil, nil, err
	}
	scores := make([][]float64, len(verdicts))
	for i, v := range verdicts {
		scores[i] = v.Scores
	}
	return scores, truth, nil
}

// sharpest returns the sharpness with which the examples held out are named as surely as
// they are named rightly: the mean of the probabilities of the classes named is the share
// of right ones, of n examples counted as n + 2 of which one is right and one is wrong.
func (c *Classifier) sharpest(scores [][]float64, truth []int) float64 {
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
	return elem.Exp((low + high) / 2)
}
