package table

import (
	"context"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

// tryStarts tries grown experts and mixtures.
func (l *learner) tryStarts(ctx context.Context) error {
	if l.opt.StartFrom != StartFromMixture {
		for _, gain := range l.minVoteGains() {
			l.m.MinVoteGain = gain
			if err := l.grow(ctx, 0); err != nil {
				return err
			}
		}
		l.m.MinVoteGain = l.minVoteGains()[0]
	}
	if l.opt.StartFrom == StartFromGrow {
		return nil
	}
	return l.tryMixtures(ctx)
}

// tryMixtures tries mixtures, until two larger ones in a row are worse than the
// best before them.
func (l *learner) tryMixtures(ctx context.Context) error {
	lowest, worse := math.Inf(1), 0
	for _, k := range l.mixtureSizes() {
		worse++
		l.sizes = append(l.sizes, tried{})
		for n := range mixtureTries(k) {
			m, err := l.mixture(ctx, k, n)
			if err != nil {
				return err
			}
			c, err := l.improve(ctx, m, StartFromMixture)
			if err != nil {
				return err
			}
			if size := &l.sizes[len(l.sizes)-1]; l.better(c, *size) {
				*size = c
			}
			if c.score < lowest {
				lowest, worse = c.score, 0
			}
		}
		if worse == mixturePatience {
			return nil
		}
	}
	return nil
}

// mixtureTries returns how many mixtures of k components are tried: of few, chance
// may start two at rows of one kind.
func mixtureTries(k int) int {
	if k <= 4 {
		return 4
	}
	return 1
}

// mixturePatience is how many mixtures in a row may be worse.
const mixturePatience = 2

const (
	// mostGrown bounds how often experts are grown in search of the shortest
	// description.
	mostGrown = 3
	// sameLength is how far the lengths of two descriptions that count as one may
	// be apart, in nats.
	sameLength = 1
)

// searchShortest grows experts, takes them from mixtures, and grows them again
// from other rows, until the shortest description has come from two starts. Where
// the number of experts is open, experts are deleted from what each start came to,
// as long as that shortens the description.
func (l *learner) searchShortest(ctx context.Context) error {
	var starts []func() error
	if l.opt.StartFrom != StartFromMixture {
		for n := range mostGrown {
			starts = append(starts, func() error {
				if err := l.grow(ctx, uint64(n)); err != nil {
					return err
				}
				return l.prune(ctx)
			})
		}
	}
	if l.opt.StartFrom != StartFromGrow {
		starts = slices.Insert(starts, min(1, len(starts)), func() error { return l.fromMixtures(ctx) })
	}
	var lengths []float64
	for _, start := range starts {
		l.own = tried{}
		if err := start(); err != nil {
			return err
		}
		if l.own.Model == nil {
			continue
		}
		if slices.ContainsFunc(lengths, func(n float64) bool {
			return max(n, l.own.score) < l.best.score+sameLength
		}) {
			return nil
		}
		lengths = append(lengths, l.own.score)
	}
	return nil
}

// fromMixtures tries mixtures, and deletes experts of the best and of the next
// larger one, which may hold parts that the best has merged.
func (l *learner) fromMixtures(ctx context.Context) error {
	if err := l.tryMixtures(ctx); err != nil {
		return err
	}
	best := l.own
	for i, c := range l.sizes {
		if c.score != best.score || i+1 == len(l.sizes) || l.opt.Experts > 0 {
			continue
		}
		l.own = l.sizes[i+1]
		if err := l.prune(ctx); err != nil {
			return err
		}
		if l.better(l.own, best) {
			best = l.own
		}
		break
	}
	l.own = best
	return l.prune(ctx)
}

// mixtureSizes returns the numbers of components to try.
func (l *learner) mixtureSizes() []int {
	if l.opt.Experts > 0 {
		return []int{l.opt.Experts}
	}
	var out []int
	for k := 2; k <= min(l.opt.MaxExperts, len(l.data.Images)); k *= 2 {
		out = append(out, k)
	}
	if out == nil {
		out = []int{min(l.opt.MaxExperts, len(l.data.Images))}
	}
	return out
}

// mixture returns a model of the components of a mixture, from other rows for each
// try.
func (l *learner) mixture(ctx context.Context, k, try int) (*patchwork.Model, error) {
	x, err := mixtureRecalled(ctx, l.data, k, l.opt.Seed+uint64(try)<<32)
	if err != nil {
		return nil, err
	}
	cfg := l.cfg
	if cfg.QMap = nil; cfg.Rule == patchwork.RuleMaxMinusMin || l.opt.FixedBackground {
		cfg.QMap = l.marginals()
	}
	return x.model(cfg, rows.Total(l.data))
}
