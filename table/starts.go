package table

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

// tryMixtures tries mixtures, until two larger ones in a row are worse than the
// best before them.
func (l *learner) tryMixtures(ctx context.Context) error {
	lowest, worse, lengthToBeat := math.Inf(1), 0, math.Inf(1)
	l.sizes = nil
	for _, k := range l.mixtureSizes() {
		worse++
		own := l.own
		size, err := l.tryMixture(ctx, k, lengthToBeat)
		if err != nil {
			return err
		}
		if l.sizes = append(l.sizes, size); size.DescriptionLength < lowest {
			lowest, worse = size.DescriptionLength, 0
		}
		if l.opt.Experts == 0 {
			lengthToBeat = min(lengthToBeat, size.DescriptionLength)
		}
		if own.Model != nil && own.DescriptionLength <= size.DescriptionLength {
			l.own = own
		}
		if worse == mixturePatience || worse > 0 && k > 2*fewComponents {
			return nil
		}
	}
	return nil
}

// tryMixture tries mixtures of k components, and returns the best: one, or of few
// components, where chance may start two at rows of one kind, up to four, until the
// shortest description has come twice.
func (l *learner) tryMixture(ctx context.Context, k int, lowest float64) (tried, error) {
	most := 1
	if k <= fewComponents {
		most = 4
	}
	l.own = tried{}
	shortest := math.Inf(1)
	for n := range most {
		best := l.own
		l.own = tried{}
		m, err := l.mixture(ctx, k, n)
		if err == nil {
			err = l.improve(ctx, m, StartFromMixture, min(lowest, shortest))
		}
		if err != nil {
			return l.own, err
		}
		length := l.own.DescriptionLength
		if best.Model != nil && !l.ahead(l.own, best) {
			l.own = best
		}
		if n > 0 && math.Abs(length-shortest) < sameLength {
			break
		}
		shortest = min(shortest, length)
	}
	return l.own, nil
}

const (
	// mixturePatience is how many mixtures in a row may be worse; one of more than twice
	// fewComponents.
	mixturePatience = 2
	// fewComponents is up to how many components more than one mixture is tried.
	fewComponents = 4
)

// mostGathered bounds how often parts are gathered in search of the shortest description, and heldGathered
// how often where each time is also beside a background that is held.
const (
	mostGathered = 5
	heldGathered = 2
)

// searchShortest gathers parts, again and again, and of few rows and cells takes them from mixtures,
// until the shortest description has come from two starts, of few rows and cells under max from two
// kinds of start. Each is improved (see improved)
// before they are compared; of the first that are not held the shorter first, and the second of
// these not if it has come, as it is, to what the first is.
func (l *learner) searchShortest(ctx context.Context) error {
	starts, at := l.startsOfSearch(ctx)
	var found, waiting []tried
	for n := 0; n < len(starts); n++ {
		l.own = tried{}
		if err := starts[n](); err != nil {
			return err
		}
		if l.own.Model == nil {
			continue
		}
		if l.gathers() && n == 0 && l.once() || n == 1 && !l.cfg.Rule.TwoSided() && !l.small() && sameAsAny(l.own, waiting...) {
			return nil
		}
		if n > 0 && len(found) > 0 && same(l.own, found[0]) {
			return nil
		}
		if waiting = append(waiting, l.own); n < at-1 {
			continue
		}
		slices.SortStableFunc(waiting, func(a, b tried) int { return cmp.Compare(a.DescriptionLength, b.DescriptionLength) })
		for i, c := range waiting {
			next, err := l.improved(ctx, c, uint64(n+i*mostGathered), shortest(found)...)
			if err == nil && next.Model != c.Model {
				next, err = l.accepted(ctx, next)
			}
			if err != nil {
				return err
			}
			if l.rival.Model == nil || next.StartFrom != StartFromMixture && l.shorter(next, l.rival) {
				l.rival = next
			}
			if found = append(found, next); l.enoughStarts(found) {
				return nil
			}
		}
		waiting = nil
	}
	return nil
}

// startsOfSearch returns the starts in their order, and how many of them are put off until they can be compared.
func (l *learner) startsOfSearch(ctx context.Context) (starts []func() error, at int) {
	mixtures := func() error { return l.fromMixtures(ctx) }
	if !l.gathers() {
		return append(starts, mixtures), 1
	}
	held, most := l.cfg.Rule == patchwork.RuleMaxMinusMin, uint64(mostGathered)
	if held {
		most = heldGathered
	}
	for n := range most {
		if held {
			starts = append(starts, func() error { return l.heldGather(ctx, n) })
		}
		starts = append(starts, func() error { return l.gather(ctx, n) })
	}
	at = 2
	if l.opt.Experts > 0 { // of parts that do not pay another kind of start finds others
		at = 1
	}
	if l.small() && l.opt.StartFrom != StartFromGrow {
		starts = slices.Insert(starts, at, mixtures)
	}
	return starts, 2
}

const (
	// sameLength is how far the lengths of two descriptions that count as one may
	// be apart, in nats.
	sameLength = 1
	// nearLength and nearShare are how far the shortest from gathered experts and from
	// mixtures may be apart, in nats, and as a share of what the shortest saves over the
	// background alone: where there is no one best description, others as good are all that
	// more starts find. Of few rows and cells all are tried: they cost little.
	nearLength = 10
	nearShare  = 0.01
	fewRows    = 1000
	fewCells   = 30000
	manyCells  = 1_000_000
	manyRows   = 20 // a column
)

// small reports whether the search has few rows and cells.
func (l *learner) small() bool {
	return rows.Counting(l.data) <= fewRows && len(l.means)*rows.Counting(l.data) <= fewCells
}

// once reports whether parts are gathered once: of very many cells, or of so many rows a column
// that chance does not decide what comes of it. More starts take long.
func (l *learner) once() bool {
	n := rows.Counting(l.data)
	return len(l.means)*n > manyCells || n >= manyRows*len(l.means) && !l.small()
}

// enoughStarts reports whether the shortest description has come from two starts, by the
// same number of experts (lengths alone agree by chance at times), or nearly from both
// kinds of start.
func (l *learner) enoughStarts(found []tried) bool {
	if len(found) < 2 {
		return false
	}
	slices.SortStableFunc(found, func(a, b tried) int { return cmp.Compare(a.DescriptionLength, b.DescriptionLength) })
	if same(found[0], found[1]) && (!l.small() || l.cfg.Rule.TwoSided() || found[0].StartFrom != found[1].StartFrom) {
		return true
	}
	apart := found[1].DescriptionLength - found[0].DescriptionLength
	return !l.small() && found[0].StartFrom != found[1].StartFrom &&
		apart < max(nearLength, nearShare*(l.backgroundLength()-found[0].DescriptionLength))
}

// shortest returns the one that describes the rows most briefly; none of none.
func shortest(found []tried) []tried {
	if len(found) == 0 {
		return nil
	}
	return []tried{slices.MinFunc(found,
		func(a, b tried) int { return cmp.Compare(a.DescriptionLength, b.DescriptionLength) })}
}

// same reports whether two models describe the rows equally briefly, by as many experts.
func same(a, b tried) bool {
	return a.Experts == b.Experts && math.Abs(a.DescriptionLength-b.DescriptionLength) < sameLength
}

// sameAsAny reports whether a model describes the rows as one of some others does; one of
// them may be none.
func sameAsAny(a tried, others ...tried) bool {
	return slices.ContainsFunc(others, func(b tried) bool { return b.Model != nil && same(a, b) })
}

// backgroundLength returns the nats that describe the rows by the background alone.
func (l *learner) backgroundLength() float64 {
	q := l.marginals()
	sum := 0.0
	for i, row := range l.data.Images {
		sum -= float64(l.data.Times(i) * patchwork.LogLik(row, q))
	}
	return sum
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
	return x.model(l.mixtureConfig(), rows.Total(l.data))
}

// mixtureConfig returns the configuration of models of mixtures.
func (l *learner) mixtureConfig() patchwork.Config {
	cfg := l.cfg
	if cfg.QMap = nil; cfg.Rule.TwoSided() {
		cfg.QMap = l.marginals()
	}
	return cfg
}
