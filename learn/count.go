package learn

import (
	"context"
	"maps"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// learnCount finds out how many experts there are. It tells of every model tried;
// the result has the curve in its record (Record.Curve).
//
// Where models are judged by description length so is the choice. Without a
// range the experts are grown: one made of a badly explained image is appended
// (section 4.1) until two in a row have not paid; then experts are deleted and
// merged, and moved, as long as that shortens the description; and what came of
// it is compared with runs of starts with as many experts, one fewer and one
// more, of which a better one is improved likewise. With a range a run of starts
// tries each number.
//
// Then the chosen number and its neighbours are learned again without the
// held-out images. A neighbour takes over only if it predicts these better
// beyond doubt: by two standard errors of the mean difference, and uses all of
// its experts. With fewer than ten images held out this check is skipped.
//
// Where there is no description length each number of the range is learned
// without the held-out images, and the one that gives them the largest
// log-likelihood (the smallest of equals) is learned again from all images.
func learnCount(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options) (*patchwork.Model, error) {
	c := &counter{data: data, cfg: cfg, opt: opt, best: make(map[int]Step)}
	m, err := c.run(ctx)
	if err != nil && enough(ctx) && len(c.best) > 0 {
		return c.choose(c.best[c.shortest()])
	}
	return m, err
}

// inMemory learns from images in memory.
func (r *runner) inMemory(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
	if !r.opt.finding() {
		return learnStarts(ctx, data, r.cfg, r.opt)
	}
	return learnCount(ctx, data, r.cfg, r.opt)
}

// counter is one search for the number of experts.
type counter struct {
	data  patchwork.Data
	cfg   patchwork.Config
	opt   Options
	curve []patchwork.CurvePoint
	best  map[int]Step // by number of experts: the shortest description
}

func (a *counter) run(ctx context.Context) (*patchwork.Model, error) {
	if !a.opt.byDescription(a.cfg) {
		return a.tryHeldOut(ctx)
	}
	if a.opt.growing() {
		if err := a.grow(ctx); err != nil {
			return nil, err
		}
	} else {
		for k := a.opt.AtLeast; k <= a.opt.AtMost; k++ {
			if err := a.fresh(ctx, k); err != nil {
				return nil, err
			}
		}
	}
	k, err := a.confirm(ctx, a.shortest())
	if err != nil {
		return nil, err
	}
	return a.choose(a.best[k])
}

// mostExperts is how many experts are grown at most.
func (a *counter) mostExperts() int {
	if a.opt.growing() {
		return MaxGrown
	}
	return a.opt.AtMost
}

// step records a point and tells of it.
func (a *counter) step(s Step) {
	a.curve = append(a.curve, s.CurvePoint)
	if a.opt.note != nil {
		a.opt.note(s)
	}
}

// choose returns the chosen model, with the curve.
func (a *counter) choose(s Step) (*patchwork.Model, error) {
	a.curve[slices.Index(a.curve, s.CurvePoint)].Chosen = true
	extras := s.Model.Extras()
	extras.Record.Curve = a.curve
	return s.Model.WithExtras(extras)
}

// fresh tries a run of starts with k experts.
func (a *counter) fresh(ctx context.Context, k int) error {
	m, err := a.learn(ctx, a.data, k)
	if err != nil {
		return err
	}
	a.keep(pointOf(m, StageFresh))
	return nil
}

// learn runs the starts with k experts. What they find on the way is told
// without being a candidate for the choice.
func (a *counter) learn(ctx context.Context, data patchwork.Data, k int) (*patchwork.Model, error) {
	opt := a.opt
	opt.Experts, opt.AtLeast, opt.AtMost = k, 0, 0
	return learnStarts(ctx, data, a.cfg, opt.onTheWay())
}

// keep tells of a model of all images that may be chosen; rounding apart, the
// first of equals is.
func (a *counter) keep(s Step) {
	if b, ok := a.best[s.Experts]; !ok || s.DescriptionLength < b.DescriptionLength-1e-9 {
		a.best[s.Experts] = s
	}
	a.step(s)
}

// shortest is the number of experts that describes the images in the fewest
// nats, the smallest of equals.
func (a *counter) shortest() int {
	best := 0
	for _, k := range slices.Sorted(maps.Keys(a.best)) {
		if best == 0 || a.best[k].DescriptionLength < a.best[best].DescriptionLength {
			best = k
		}
	}
	return best
}

// A neighbour of the shortest description takes over if it is better on at
// least confirmRows held-out images by confirmErrors standard errors.
const confirmRows, confirmErrors = 10, 2

// streams of random numbers of Auto, apart from those of the starts.
const (
	growStream = 1<<32 + 1 + iota
	moveStream
)

// heldOut learns k experts from rest and scores them on held: logP is the
// log-likelihood of each of its images.
func (a *counter) heldOut(ctx context.Context, rest, held patchwork.Data, k int, stage string) (s Step, logP []float64, err error) {
	m, err := a.learn(ctx, rest, k)
	if err != nil {
		return s, nil, err
	}
	logP = make([]float64, len(held.Images))
	err = posterior.Explain(ctx, m, held.Images, posterior.Options{}, a.opt.Workers, func(i int, p *posterior.Posterior) { logP[i] = p.Evidence })
	if err != nil {
		return s, nil, err
	}
	s = pointOf(m, stage)
	for i, l := range logP {
		s.HeldOut += float64(held.Weight(i)) * l
	}
	s.HeldOutRows = rows.Total(held)
	s.HeldOut /= float64(s.HeldOutRows)
	a.step(s)
	return s, logP, nil
}

// confirm lets held-out images judge k experts, the shortest description,
// beside the numbers next to it, and returns whom they leave.
func (a *counter) confirm(ctx context.Context, k int) (int, error) {
	if rows.Counting(a.data) < 2 {
		return k, nil
	}
	rest, held := rows.Split(a.data, a.opt.HeldOut, a.opt.Seed)
	logP := make(map[int][]float64)
	for n := k - 1; n <= k+1; n++ {
		if _, tried := a.best[n]; !tried {
			continue
		}
		var err error
		if _, logP[n], err = a.heldOut(ctx, rest, held, n, StageConfirm); err != nil {
			return 0, err
		}
	}
	chosen, most := k, 0.0
	for _, n := range []int{k - 1, k + 1} {
		if logP[n] == nil || slices.Contains(a.best[n].Model.Extras().Usage, 0) {
			continue // not tried, or fewer in truth
		}
		if gain := doubtless(held, logP[n], logP[k]); gain > most {
			chosen, most = n, gain
		}
	}
	return chosen, nil
}

// doubtless is by how much more, in nats an image, log P is under a model than
// under a rival, where that is beyond doubt; else 0.
func doubtless(held patchwork.Data, logP, rival []float64) float64 {
	n, sum, squares := float64(rows.Total(held)), 0.0, 0.0
	for i, l := range logP {
		w, d := float64(held.Weight(i)), l-rival[i]
		sum, squares = sum+w*d, squares+w*d*d
	}
	mean := sum / n
	if n < confirmRows || !(mean > confirmErrors*math.Sqrt(max(squares/n-mean*mean, 0)/(n-1))) {
		return 0
	}
	return mean
}

// tryHeldOut tries the range by the log-likelihood of held-out images.
func (a *counter) tryHeldOut(ctx context.Context) (*patchwork.Model, error) {
	rest, held := rows.Split(a.data, a.opt.HeldOut, a.opt.Seed)
	best, most := 0, 0.0
	for k := a.opt.AtLeast; k <= a.opt.AtMost; k++ {
		s, _, err := a.heldOut(ctx, rest, held, k, StageFresh)
		if err != nil {
			return nil, err
		}
		if best == 0 || s.HeldOut > most {
			best, most = k, s.HeldOut
		}
	}
	m, err := a.learn(ctx, a.data, best)
	if err != nil {
		return nil, err
	}
	s := pointOf(m, StageFinal)
	a.step(s)
	return a.choose(s)
}
