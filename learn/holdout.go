package learn

import (
	"context"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

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
