package learn

import (
	"context"
	"iter"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
)

// The number of experts that move. The likelihood never stops rising with it: two
// experts that slide past each other imitate one whose shape varies. A price for
// saying where each expert lies, log(poses) nats, is too little, because
// neighbouring pixels err together. So one more expert must bring some nats
// per image after that price: by the description length of strokes, else counted
// with each image left out of the counts. Thin strokes are then joined where they continue
// each other: that decides what no number of nats decides.

// leastGain is the gain, in nats per image of gainSide x gainSide pixels, below which one more expert is too many;
// leastThickGain that of MethodStrokes where strokes are thick, and leastStrokeGain where they are thin and will be joined.
const leastGain, leastThickGain, leastStrokeGain, gainSide = 40, 34, 28, 56

// leastGain returns how many nats per image one more expert must bring; joins says that experts will be joined. It grows
// with the side of the images: outlines that vary cost as much as they are long.
func (a *counter) leastGain(joins bool) float64 {
	least := float64(leastGain)
	switch {
	case a.opt.WithDefaults(a.cfg).Method != MethodStrokes:
	case joins:
		least = leastStrokeGain
	default:
		least = leastThickGain
	}
	return least * math.Sqrt(float64(a.cfg.Height*a.cfg.Width)) / gainSide
}

// tryGains tries the range upwards, and chooses the last number of experts before
// the first that brings too little.
func (a *counter) tryGains(ctx context.Context) (*patchwork.Model, error) {
	joins := a.opt.joins(a.cfg, a.data)
	least := a.leastGain(joins)
	for k := a.opt.AtLeast; k <= a.opt.AtMost; k++ {
		m, err := a.learn(ctx, k)
		if err != nil {
			return nil, err
		}
		s := pointOf(m, StageFresh)
		if s.DescriptionLength == 0 {
			if s.DescriptionLength, err = a.opt.placedLength(ctx, m, a.data, nil); err != nil {
				return nil, err
			}
		}
		a.step(s)
		if a.best.Model != nil && !(a.best.DescriptionLength-s.DescriptionLength >= least*float64(s.Rows)) {
			break
		}
		a.best = s
	}
	best := a.best
	if !joins {
		return a.choose(best)
	}
	opt := a.opt.onTheWay()
	opt.Experts = best.Experts
	m, err := joinStrokes(ctx, a.data, a.cfg, opt, best.Model)
	if err != nil {
		return nil, err
	}
	if m != nil {
		best = pointOf(m, StageJoined)
		a.step(best)
	}
	return a.choose(best)
}

// placedLength returns the nats that describe the images where experts move: minus
// their log-likelihood, each image left out of the counts, and what it takes to say
// where the picks are: where they pay for that while learning, given the counts t of
// the last E-step, their price, else the logarithm of the number of poses for each.
func (o Options) placedLength(ctx context.Context, m *patchwork.Model, data patchwork.Data,
	t *patchwork.Tally) (float64, error) {
	if o.priced(m.Config()) {
		opt := o.pursuitOf(m, t)
		sum, t, err := leaveOneOut(ctx, m, data, opt, patchwork.MStep{}, o.Workers)
		if err != nil {
			return 0, err
		}
		return placesLength(m, t, opt.Rates) - sum, nil
	}
	costs := make([]float64, m.K())
	for k := range costs {
		costs[k] = elem.Log(float64(m.Config().Poses.Len()))
	}
	opt := patchwork.PursuitOptions{Refined: true, Forced: true, RefineThreshold: -1, Costs: costs}
	sum, t, err := leaveOneOut(ctx, m, data, opt, patchwork.MStep{}, o.Workers)
	if err != nil {
		return 0, err
	}
	return float64(float64(t.Picks())*costs[0]) - sum, nil
}

// Blank returns how many images of data in memory learning leaves out because they
// have no ink: where experts move under Max, unless all are blank or the paper is
// followed. The first pick of an image is forced while learning, so blank images
// would cost an expert.
func (o Options) Blank(c patchwork.Config, data patchwork.Data) int {
	if !o.leavesBlank(c) {
		return 0
	}
	n := 0
	for _, img := range data.Images {
		if img.CountOn() == 0 {
			n++
		}
	}
	if n == len(data.Images) {
		return 0
	}
	return n
}

// leavesBlank reports whether learning leaves blank images out.
func (o Options) leavesBlank(c patchwork.Config) bool {
	return !o.Paper && c.Rule == patchwork.RuleMax && rows.Moves(c)
}

// inkedSource yields the images of a source that have ink.
type inkedSource struct{ patchwork.Source }

func (s inkedSource) Blocks(ctx context.Context) iter.Seq2[patchwork.Data, error] {
	return func(yield func(patchwork.Data, error) bool) {
		for b, err := range patchwork.Checked(ctx, s.Source) {
			if err == nil {
				if b = inked(b); len(b.Images) == 0 {
					continue
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// inked returns the images that have ink.
func inked(data patchwork.Data) patchwork.Data {
	var which []int
	for i, img := range data.Images {
		if img.CountOn() > 0 {
			which = append(which, i)
		}
	}
	out := rows.Part(data, which)
	out.Memory = data.Memory
	return out
}
