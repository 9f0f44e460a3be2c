package table

import (
	"context"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

// tryStarts tries the starts by description length, and where the aim is to predict also
// experts grown with votes of little gain.
func (l *learner) tryStarts(ctx context.Context) error {
	gains := l.minVoteGains()
	l.m.MinVoteGain = gains[len(gains)-1]
	if err := l.searchShortest(ctx); err != nil || len(gains) == 1 {
		return err
	}
	l.m.MinVoteGain = gains[0]
	if l.opt.StartFrom != StartFromMixture {
		if err := l.grow(ctx, 0); err != nil {
			return err
		}
	}
	if l.opt.StartFrom != StartFromGrow {
		return l.tryMixtures(ctx)
	}
	return nil
}

// tryMixtures tries mixtures, until two larger ones in a row are worse than the
// best before them.
func (l *learner) tryMixtures(ctx context.Context) error {
	lowest, worse := math.Inf(1), 0
	l.sizes = nil
	for _, k := range l.mixtureSizes() {
		worse++
		own := l.own
		l.own = tried{}
		for n := range mixtureTries(k) {
			m, err := l.mixture(ctx, k, n)
			if err != nil {
				return err
			}
			if err := l.improve(ctx, m, StartFromMixture); err != nil {
				return err
			}
		}
		size := l.own
		if l.sizes = append(l.sizes, size); size.score < lowest {
			lowest, worse = size.score, 0
		}
		if own.Model != nil && own.DescriptionLength <= size.DescriptionLength {
			l.own = own
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
	mostGrown = 5
	// mixturesFirst is up to how many rows the second start is from mixtures; of more
	// rows, for which mixtures take longest, the third.
	mixturesFirst = 1000
	// sameLength is how far the lengths of two descriptions that count as one may
	// be apart, in nats.
	sameLength = 1
)

// searchShortest grows experts from some rows and others, and takes them from mixtures
// in between, until the shortest description has come from two starts; each is improved
// (see improved) before they are compared.
func (l *learner) searchShortest(ctx context.Context) error {
	var starts []func() error
	if l.opt.StartFrom != StartFromMixture {
		for n := range mostGrown {
			starts = append(starts, func() error { return l.grow(ctx, uint64(n)) })
		}
	}
	if l.opt.StartFrom != StartFromGrow {
		at := 1 // of few rows, growing finds nothing to begin with where mixtures do
		if rows.Counting(l.data) > mixturesFirst {
			at = 2
		}
		starts = slices.Insert(starts, min(at, len(starts)), func() error { return l.fromMixtures(ctx) })
	}
	var lengths []float64
	for n, start := range starts {
		l.own = tried{}
		if err := start(); err != nil {
			return err
		}
		if l.own.Model == nil {
			continue
		}
		c, err := l.improved(ctx, l.own, uint64(n))
		if err != nil {
			return err
		}
		if c.Model != l.own.Model {
			if c, err = l.accepted(ctx, c); err != nil {
				return err
			}
		}
		lengths = append(lengths, c.DescriptionLength)
		slices.Sort(lengths)
		if len(lengths) > 1 && lengths[1] < lengths[0]+sameLength {
			return nil
		}
	}
	return nil
}

// fromMixtures tries mixtures, and deletes experts of the best and of the next
// larger one, which may hold parts that the best has merged.
func (l *learner) fromMixtures(ctx context.Context) error {
	if err := l.tryMixtures(ctx); err != nil {
		return err
	}
	for i, c := range l.sizes {
		if c.DescriptionLength != l.own.DescriptionLength || i+1 == len(l.sizes) || l.opt.Experts > 0 {
			continue
		}
		next, err := l.prune(ctx, l.sizes[i+1])
		if err == nil && next.Model != l.sizes[i+1].Model {
			_, err = l.accepted(ctx, next)
		}
		return err
	}
	return nil
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
	if cfg.QMap = nil; cfg.Rule.TwoSided() || l.opt.FixedBackground {
		cfg.QMap = l.marginals()
	}
	return x.model(cfg, rows.Total(l.data))
}
