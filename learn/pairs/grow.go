package pairs

import (
	"context"
	"math/rand/v2"

	"example.com/patchwork/internal/pool"
)

const (
	tried      = 3 // candidates of a step that are appended in turn
	failures   = 2 // steps without a new part after which growth ends
	growRounds = 2 // iterations of EM after a part is appended
)

// grower grows parts for a set of images.
type grower struct {
	field
	angles  []float64
	images  []view
	density float64   // of the ink
	flips   []float64 // that starts take for granted in turn
	workers int
	most    int // parts
	crew    []*explainer

	whole  field // of the images, which may be cut to pieces
	from   []int // which of them
	effort int64 // words of pixels that may be compared
	work   int64 // that were, beside those of the crew
}

// spent reports whether the effort is used up.
func (g *grower) spent() bool {
	sum := g.work
	for _, e := range g.crew {
		sum += e.work
	}
	return sum >= g.effort
}

// team returns the explainers for n pieces of work.
func (g *grower) team(n, chunk int) []*explainer {
	need := pool.Size(n, g.workers, chunk)
	for len(g.crew) < need {
		g.crew = append(g.crew, newExplainer(g.field))
	}
	return g.crew[:need]
}

// empty returns the state without parts.
func (g *grower) empty(ctx context.Context, flip float64) (*state, error) {
	s := &state{flip: flip, fitted: flip, clutter: clamp(g.density, leastClutter, mostClutter)}
	return s, g.explain(ctx, s, pace{})
}

// rest returns what a state leaves unexplained.
func (g *grower) rest(ctx context.Context, s *state) ([]view, error) {
	out := make([]view, len(g.images))
	_, err := pool.Run(ctx, len(out), g.workers, pool.Chunk, func(_, i int) error {
		v, covered := g.images[i], g.layersOf(s, i)
		left := view{g.plane(), g.plane()}
		for j, c := range covered.one {
			left.ink[j], left.free[j] = v.ink[j]&^c, v.free[j]&^c
		}
		out[i] = left
		return nil
	})
	return out, err
}

// grow appends parts one by one, as long as the description gets shorter.
func (g *grower) grow(ctx context.Context, rng *rand.Rand, s *state, each func(*state)) (*state, error) {
	for failed := 0; failed < failures && len(s.parts) < g.most && !g.spent(); {
		next, err := g.step(ctx, rng, s)
		if err != nil {
			return nil, err
		}
		if next == nil {
			failed++
			continue
		}
		failed = 0
		s = next
		each(s)
	}
	return s, nil
}

// step returns the state with one part more, or nil if none shortens the
// description.
func (g *grower) step(ctx context.Context, rng *rand.Rand, s *state) (*state, error) {
	rest, err := g.rest(ctx, s)
	if err != nil {
		return nil, err
	}
	var l *looks
	if g.wide() {
		l = g.looksOf(rest)
	}
	seeds, err := g.seeds(ctx, rng, rest, l)
	if err != nil {
		return nil, err
	}
	list, err := g.candidates(ctx, rng, rest, l, s, seeds)
	if err != nil {
		return nil, err
	}
	p := pace{fit: s.flip, sweeps: 1}
	for _, c := range list[:min(len(list), tried)] {
		next := g.with(s, append(s.parts[:len(s.parts):len(s.parts)], c.shape),
			append(s.uses[:len(s.uses):len(s.uses)], c.uses))
		if err := g.explain(ctx, next, p); err != nil {
			return nil, err
		}
		if next, err = g.iterate(ctx, next, p, growRounds, s.length); err != nil {
			return nil, err
		}
		if next.length < s.length-1e-9 {
			return next, nil
		}
	}
	return nil, nil
}
