package pairs

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/pool"
)

const (
	firstImages  = 40 // images on which all patterns are tried
	firstRounds  = 3
	secondSeeds  = 24 // patterns that go on, with all images
	secondRounds = 8
	localPlaces  = 8 // places an image while a pattern is alone
)

// firstFits are the flips that the fit of a pattern is held to at first.
var firstFits = []float64{.15, .10, .06}

// candidate is a pattern on its way to become a part.
type candidate struct {
	*shape
	round int
	uses  int
	score float64 // total gain times gain a place
	done  bool    // another iteration would change nothing
}

// candidates grows patterns into parts of what is left of the images, each alone
// against clutter, and returns the best first.
func (g *grower) candidates(ctx context.Context, rng *rand.Rand, rest []view, l *looks, s *state,
	seeds []seed) ([]candidate, error) {
	some, on := rest, g
	switch {
	case l != nil:
		some = nil
		for _, at := range l.several(rng, firstImages) {
			some = append(some, l.view(at))
		}
		on = &grower{field: l.field, angles: g.angles, workers: g.workers}
	case len(rest) > firstImages:
		some = nil
		order := rng.Perm(len(rest))[:firstImages]
		slices.Sort(order)
		for _, i := range order {
			some = append(some, rest[i])
		}
	}
	list := make([]candidate, len(seeds))
	for i, s := range seeds {
		list[i] = candidate{shape: s.shape, uses: len(some)}
	}
	var err error
	for range firstRounds {
		if list, err = on.round(ctx, some, s, list, false); err != nil {
			return nil, err
		}
	}
	if on != g {
		for _, e := range on.crew {
			g.work += e.work
		}
	}
	list = list[:min(len(list), secondSeeds)]
	for i := range list {
		list[i].uses = max(1, list[i].uses*len(rest)/len(some))
		list[i].done = false
	}
	for r := range secondRounds {
		if list, err = g.round(ctx, rest, s, list, r == secondRounds-1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// round does one iteration of EM for each pattern alone, and returns those that are
// left, different ones, best first. The last one leaves the templates as they are.
func (g *grower) round(ctx context.Context, images []view, s *state, list []candidate, last bool) ([]candidate, error) {
	const chunk = 1
	workers := g.team(len(list), chunk)
	prices := pricesOf(s.flip, s.clutter)
	next := slices.Clone(list)
	if _, err := pool.Run(ctx, len(list), len(workers), chunk, func(w, i int) error {
		if !next[i].done {
			g.localStep(workers[w], images, prices, s.flip, &next[i], last)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	next = slices.DeleteFunc(next, func(c candidate) bool {
		if c.n == 0 || c.uses < 2 || c.score <= 0 {
			return true
		}
		key := c.key()
		again := seen[key]
		seen[key] = true
		return again
	})
	slices.SortStableFunc(next, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return next, nil
}

// localStep does one iteration of EM for a pattern.
func (g *grower) localStep(w *explainer, images []view, p prices, flip float64, c *candidate, last bool) {
	turns := g.turned(c.shape)
	cost := int32(math.Round(g.cost(c.uses, len(images)) * nat))
	fit := flip
	if c.round < len(firstFits) {
		fit = firstFits[c.round]
	}
	var sprites []sprite
	for r, t := range turns {
		sprites = append(sprites, sprite{0, r, t.shape, cost, slackOf(fit, t.n)})
	}
	w.use(sprites, p, localPlaces)
	t := newTally(g.field, c.shape, turns)
	own := view{g.plane(), g.plane()}
	covered := layers{g.plane(), g.plane()}
	total := int64(0)
	for _, v := range images {
		places := w.explain(v, 0)
		for _, p := range places {
			total += int64(p.gain - cost)
		}
		if last || len(places) == 0 {
			t.places += len(places)
			continue
		}
		if len(places) == 1 {
			p := places[0]
			t.add(g.field, v, sprites[p.sprite].turn, p.y, p.x)
			continue
		}
		clear(covered.one)
		clear(covered.two)
		for _, p := range places {
			covered.cover(g.field, sprites[p.sprite].shape, p.y, p.x)
		}
		for _, p := range places {
			covered.without(g.field, v, sprites[p.sprite].shape, p.y, p.x, own)
			t.add(g.field, own, sprites[p.sprite].turn, p.y, p.x)
		}
	}
	before := c.uses
	c.uses, c.score = t.places, 0
	if sum := float64(float64(total)/nat) - float64(pixelPrice*float64(c.n)); sum > 0 && t.places > 0 {
		c.score = sum * sum / float64(t.places)
	}
	if !last {
		shape := t.template(p, 2)
		c.done = c.round >= len(firstFits) && shape.equal(c.shape) && before == c.uses
		c.shape = shape
	}
	c.round++
}
