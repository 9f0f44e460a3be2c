package patchwork

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// A neighbour of the shortest description takes over if it is better on at
// least confirmRows held-out images by confirmErrors standard errors.
const confirmRows, confirmErrors = 10, 2

// streams of random numbers of Auto, apart from those of the starts.
const (
	splitStream = 1<<32 + iota
	growStream
	moveStream
)

// counting is the number of images of weight above 0.
func (d Data) counting() int {
	n := 0
	for i := range d.Images {
		if d.Weight(i) > 0 {
			n++
		}
	}
	return n
}

// split divides the images that count at random: a share of them is held out,
// at least one, and at least one is left. What is drawn depends on the seed and
// the number of images only; there must be two or more.
func (d Data) split(share float64, seed uint64) (rest, held Data) {
	var which []int
	for i := range d.Images {
		if d.Weight(i) > 0 {
			which = append(which, i)
		}
	}
	rand.New(rand.NewPCG(seed, splitStream)).Shuffle(len(which), func(i, j int) { which[i], which[j] = which[j], which[i] })
	n := min(max(int(math.Round(share*float64(len(which)))), 1), len(which)-1)
	slices.Sort(which[:n])
	slices.Sort(which[n:])
	return d.part(which[n:]), d.part(which[:n])
}

// part is the images with the given indices.
func (d Data) part(which []int) Data {
	var out Data
	for _, i := range which {
		out.Images = append(out.Images, d.Images[i])
		if d.Weights != nil {
			out.Weights = append(out.Weights, d.Weights[i])
		}
	}
	return out
}

// rows is the number of images, weights counted.
func (d Data) rows() int64 {
	n := int64(0)
	for i := range d.Images {
		n += d.Weight(i)
	}
	return n
}

// heldOut learns k experts from rest and scores them on held: logP is the
// log-likelihood of each of its images.
func (a *autoRun) heldOut(ctx context.Context, rest, held Data, k int, stage string) (s AutoStep, logP []float64, err error) {
	m, err := a.learn(ctx, rest, k)
	if err != nil {
		return s, nil, err
	}
	logP = make([]float64, len(held.Images))
	err = Posteriors(ctx, m, held.Images, NBestOptions{}, a.opt.Learn.Workers, func(i int, p *Posterior) { logP[i] = p.Evidence })
	if err != nil {
		return s, nil, err
	}
	s = pointOf(m, stage)
	for i, l := range logP {
		s.HeldOut += float64(held.Weight(i)) * l
	}
	s.HeldOutRows = held.rows()
	s.HeldOut /= float64(s.HeldOutRows)
	return s, logP, a.step(s)
}

// confirm lets held-out images judge k experts, the shortest description,
// beside the numbers next to it, and returns whom they leave.
func (a *autoRun) confirm(ctx context.Context, k int) (int, error) {
	if a.data.counting() < 2 {
		return k, nil
	}
	rest, held := a.data.split(a.opt.HeldOut, a.opt.Learn.Seed)
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
func doubtless(held Data, logP, rival []float64) float64 {
	n, sum, squares := float64(held.rows()), 0.0, 0.0
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
func (a *autoRun) tryHeldOut(ctx context.Context) error {
	rest, held := a.data.split(a.opt.HeldOut, a.opt.Learn.Seed)
	best, most := 0, 0.0
	for k := a.opt.From; k <= a.opt.To; k++ {
		s, _, err := a.heldOut(ctx, rest, held, k, StageFresh)
		if err != nil {
			return err
		}
		if best == 0 || s.HeldOut > most {
			best, most = k, s.HeldOut
		}
	}
	m, err := a.learn(ctx, a.data, best)
	if err != nil {
		return err
	}
	s := pointOf(m, StageFinal)
	if err := a.step(s); err != nil {
		return err
	}
	return a.choose(s)
}
