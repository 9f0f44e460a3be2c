package pairs

import (
	"context"
	"math"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/pool"
)

// spot is where a part lies in an image, at one of its turns: y and x are the corner
// of the box of its turned ink.
type spot struct{ part, turn, y, x int }

// state is a set of parts and how it explains the images.
type state struct {
	parts   []*shape
	turns   [][]turned // of each part
	flip    float64    // the probability that a pixel of a part is off, as it is taken for granted
	fitted  float64    // as the explanations say
	clutter float64    // the probability that the background is on
	uses    []int
	spots   [][]spot // of each image
	gain    []int64  // of each part, in units, costs counted
	length  float64  // description length, in nats
}

// bounds of the two probabilities.
const (
	leastFlip, mostFlip       = .005, .3
	leastClutter, mostClutter = .002, .5
)

func clamp(v, low, high float64) float64 { return math.Max(low, math.Min(v, high)) }

// pace says how images are explained.
type pace struct {
	fit    float64 // flips that the fit of a place is held to; 0 for no test
	free   bool    // the flips are estimated
	sweeps int
}

// cost returns what a place of a part costs, in nats, if it has so many in so many
// images: the logarithm of the number of places over its rate, 1 or more.
func (g *grower) cost(uses, images int) float64 {
	rate := (float64(uses) + .5) / float64(images)
	return math.Max(1, elem.Log(float64(g.height*g.width*len(g.angles))/rate))
}

// with returns the state with other parts and nothing explained.
func (g *grower) with(s *state, parts []*shape, uses []int) *state {
	n := &state{parts: parts, flip: s.flip, clutter: s.clutter, uses: uses}
	for _, p := range parts {
		n.turns = append(n.turns, g.turned(p))
	}
	return n
}

func (g *grower) turned(p *shape) []turned {
	out := make([]turned, len(g.angles))
	for i, a := range g.angles {
		out[i] = turn(p, a)
	}
	return out
}

// sprites returns the parts at all their turns.
func (g *grower) sprites(s *state, fit float64) []sprite {
	var out []sprite
	for k, turns := range s.turns {
		cost := int32(math.Round(g.cost(s.uses[k], len(g.images)) * nat))
		for r, t := range turns {
			slack := int64(anyFit)
			if fit > 0 {
				slack = slackOf(fit, t.n)
			}
			out = append(out, sprite{k, r, t.shape, cost, slack})
		}
	}
	return out
}

// share is what one image adds to the description.
type share struct {
	spots             []spot
	gains             []int32
	inkUnder, under   int // covered pixels
	inkBeside, beside int // the others
}

// explain explains all images by the parts of s, and sets what follows from it.
func (g *grower) explain(ctx context.Context, s *state, p pace) error {
	sprites := g.sprites(s, p.fit)
	prices := pricesOf(s.flip, s.clutter)
	shares := make([]share, len(g.images))
	const chunk = 2
	workers := g.team(len(g.images), chunk)
	for _, w := range workers {
		w.use(sprites, prices, math.MaxInt)
	}
	if _, err := pool.Run(ctx, len(g.images), len(workers), chunk, func(worker, i int) error {
		w, v := workers[worker], g.images[i]
		t := &shares[i]
		for _, place := range w.explain(v, p.sweeps) {
			o := &sprites[place.sprite]
			t.spots = append(t.spots, spot{o.part, o.turn, place.y, place.x})
			t.gains = append(t.gains, place.gain-o.cost)
		}
		t.inkBeside, t.beside = ones(w.view.ink), ones(w.view.free)
		t.inkUnder, t.under = ones(v.ink)-t.inkBeside, ones(v.free)-t.beside
		return nil
	}); err != nil {
		return err
	}
	g.add(s, shares, p)
	return nil
}

// add sums up what the images say.
func (g *grower) add(s *state, shares []share, p pace) {
	s.uses, s.gain = make([]int, len(s.parts)), make([]int64, len(s.parts))
	s.spots = make([][]spot, len(shares))
	var sum share
	for i := range shares {
		t := &shares[i]
		s.spots[i] = t.spots
		for j, spot := range t.spots {
			s.uses[spot.part]++
			s.gain[spot.part] += int64(t.gains[j])
		}
		sum.inkUnder, sum.under = sum.inkUnder+t.inkUnder, sum.under+t.under
		sum.inkBeside, sum.beside = sum.inkBeside+t.inkBeside, sum.beside+t.beside
	}
	flip := clamp(float64(sum.under-sum.inkUnder)/math.Max(float64(sum.under), 1), leastFlip, mostFlip)
	s.clutter = clamp(float64(sum.inkBeside)/math.Max(float64(sum.beside), 1), leastClutter, mostClutter)
	if s.fitted = flip; p.free {
		s.flip = flip
	}
	s.length = float64(-float64(sum.inkUnder)*elem.Log1p(-flip)) -
		float64(float64(sum.under-sum.inkUnder)*elem.Log(flip)) -
		float64(float64(sum.inkBeside)*elem.Log(s.clutter)) -
		float64(float64(sum.beside-sum.inkBeside)*elem.Log1p(-s.clutter))
	for k, part := range s.parts {
		s.length += float64(float64(s.uses[k])*g.cost(s.uses[k], len(g.images))) + float64(s.uses[k]) + .5
		s.length += part.price()
	}
}

// layersOf returns what the spots of s cover in an image.
func (g *grower) layersOf(s *state, i int) layers {
	l := layers{g.plane(), g.plane()}
	for _, p := range s.spots[i] {
		l.cover(g.field, s.turns[p.part][p.turn].shape, p.y, p.x)
	}
	return l
}

// templates returns the parts that the counts of s give, without those of fewer than
// two uses or without a pixel, and the uses of those left.
func (g *grower) templates(ctx context.Context, s *state) (parts []*shape, uses []int, err error) {
	covered := make([]layers, len(g.images))
	if _, err := pool.Run(ctx, len(g.images), g.workers, pool.Chunk, func(_, i int) error {
		covered[i] = g.layersOf(s, i)
		return nil
	}); err != nil {
		return nil, nil, err
	}
	prices := pricesOf(s.flip, s.clutter)
	all := make([]*shape, len(s.parts))
	if _, err := pool.Run(ctx, len(s.parts), g.workers, 1, func(_, k int) error {
		all[k] = g.tallyOf(s, covered, k).template(prices, 1)
		return nil
	}); err != nil {
		return nil, nil, err
	}
	for k, p := range all {
		if s.uses[k] >= 2 && p.n > 0 {
			parts, uses = append(parts, p), append(uses, s.uses[k])
		}
	}
	return parts, uses, nil
}

// tallyOf counts the ink in the frame of part k.
func (g *grower) tallyOf(s *state, covered []layers, k int) *tally {
	t := newTally(g.field, s.parts[k], s.turns[k])
	own := view{g.plane(), g.plane()}
	for i, spots := range s.spots {
		for _, p := range spots {
			if p.part == k {
				covered[i].without(g.field, g.images[i], s.turns[k][p.turn].shape, p.y, p.x, own)
				t.add(g.field, own, p.turn, p.y, p.x)
			}
		}
	}
	return t
}

// iterate does n iterations of EM, from a state that explains the images. It returns
// the last one if its description is shorter than that, else the one of the shortest:
// EM on which the fit or the flips are held may lengthen it for a while.
func (g *grower) iterate(ctx context.Context, s *state, p pace, n int, than float64) (*state, error) {
	best := s
	for range n {
		parts, uses, err := g.templates(ctx, s)
		if err != nil {
			return nil, err
		}
		next := g.with(s, parts, uses)
		if p.fit > 0 {
			p.fit = next.flip
		}
		if err := g.explain(ctx, next, p); err != nil {
			return nil, err
		}
		same := len(next.parts) == len(s.parts) && next.flip == s.flip && next.clutter == s.clutter
		for k := 0; same && k < len(s.parts); k++ {
			same = next.parts[k].equal(s.parts[k]) && next.uses[k] == s.uses[k]
		}
		s = next
		if s.length < best.length {
			best = s
		}
		if same {
			break
		}
	}
	if s.length < than {
		return s, nil
	}
	return best, nil
}
