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

// learnCount determines the number of experts and returns the model. It emits
// every model tried; the curve of all is in the record (Record.Curve).
//
// If models are judged by description length, so is the choice: a run of starts tries each
// number of the range.
//
// Then the chosen number and its neighbours are learned again without the
// held-out images. A neighbour replaces it only if it uses all of its experts and
// predicts these images significantly better: by two standard errors of the mean
// difference. With fewer than ten images held out this check is skipped.
//
// Where experts move, the numbers of the range are tried upwards until one more
// expert brings too little; see gains.go.
//
// Otherwise each number of the range is learned without the held-out images, and
// the one that gives them the largest log-likelihood (the smallest of equals) is
// learned again from all images.
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
	if r.opt.Blank(r.cfg, data) > 0 {
		data = inked(data)
	}
	if r.opt.StartFrom == StartFromPairs && r.opt.Continue == nil {
		if err := r.opt.checkPairs(r.cfg, data); err != nil {
			return nil, err
		}
		if ended, err := r.fromPairs(ctx, data); ended != nil || err != nil {
			return ended, err
		}
	}
	r.cfg = sized(r.cfg, data)
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
	best  map[int]Step // the shortest description, by number of experts
}

// run tries numbers of experts and returns the chosen model.
func (a *counter) run(ctx context.Context) (*patchwork.Model, error) {
	switch {
	case a.opt.byDescription(a.cfg):
	case rows.Moves(a.cfg):
		return a.tryGains(ctx)
	default:
		return a.tryHeldOut(ctx)
	}
	for k := a.opt.AtLeast; k <= a.opt.AtMost; k++ {
		if err := a.fresh(ctx, k); err != nil {
			return nil, err
		}
	}
	k, err := a.confirm(ctx, a.shortest())
	if err != nil {
		return nil, err
	}
	return a.choose(a.best[k])
}

// step adds a step to the curve and emits it.
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

// fresh tries k experts by a run of starts.
func (a *counter) fresh(ctx context.Context, k int) error {
	m, err := a.learn(ctx, a.data, k)
	if err != nil {
		return err
	}
	a.keep(pointOf(m, StageFresh))
	return nil
}

// learn runs the starts with k experts. Their steps are emitted, but are no
// candidates for the choice.
func (a *counter) learn(ctx context.Context, data patchwork.Data, k int) (*patchwork.Model, error) {
	opt := a.opt
	opt.Experts, opt.AtLeast, opt.AtMost = k, 0, 0
	return learnStarts(ctx, data, a.cfg, opt.onTheWay())
}

// keep emits a model of all images as a candidate for the choice. Of descriptions
// equal up to rounding it keeps the first.
func (a *counter) keep(s Step) {
	if b, ok := a.best[s.Experts]; !ok || s.DescriptionLength < b.DescriptionLength-1e-9 {
		a.best[s.Experts] = s
	}
	a.step(s)
}

// shortest returns the number of experts that describes the images in the fewest
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

// heldOut learns k experts from rest and scores them on held: logP is the
// log-likelihood of each of its images.
func (a *counter) heldOut(ctx context.Context, rest, held patchwork.Data, k int, stage string) (s Step, logP []float64,
	err error) {
	m, err := a.learn(ctx, rest, k)
	if err != nil {
		return s, nil, err
	}
	logP = make([]float64, len(held.Images))
	err = posterior.Explain(ctx, m, held.Images, posterior.Options{}, a.opt.Workers,
		func(i int, p *posterior.Posterior) { logP[i] = p.Evidence })
	if err != nil {
		return s, nil, err
	}
	s = pointOf(m, stage)
	for i, l := range logP {
		s.HeldOut += float64(float64(held.Weight(i)) * l)
	}
	s.HeldOutRows = rows.Total(held)
	s.HeldOut /= float64(s.HeldOutRows)
	a.step(s)
	return s, logP, nil
}

// confirm compares k experts, the shortest description, with one fewer and one
// more on held-out images, and returns the number to choose.
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
			continue // not tried, or with an unused expert
		}
		if gain := doubtless(held, logP[n], logP[k]); gain > most {
			chosen, most = n, gain
		}
	}
	return chosen, nil
}

// doubtless returns by how many nats per image log P is larger under a model than
// under a rival, if the difference is significant; else 0.
func doubtless(held patchwork.Data, logP, rival []float64) float64 {
	n, sum, squares := float64(rows.Total(held)), 0.0, 0.0
	for i, l := range logP {
		w, d := float64(held.Weight(i)), l-rival[i]
		sum, squares = sum+float64(w*d), squares+float64(w*d*d)
	}
	mean := sum / n
	if n < confirmRows || !(mean > confirmErrors*math.Sqrt(max(squares/n-float64(mean*mean), 0)/(n-1))) {
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
