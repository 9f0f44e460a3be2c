package pairs

import (
	"context"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/bitmap"
)

// What parts are grown from is bounded, whatever there is: a part that comes as often
// as parts do is in a sample too, and what follows learns from all images.
const (
	samplePixels = 1 << 19 // of all images that parts are grown from
	leastSample  = 24      // images, or pieces of them, though they have more pixels
	maxSide      = 255     // of an image that is not cut to pieces: counts of pixels are 16-bit numbers
	pieceSide    = 192     // of the pieces, about
	wholePixels  = 1 << 20 // of the whole images that parts of pieces have to explain
	sampleStream = 1 << 34 // of random numbers
)

// sampleOf returns how many images, or pieces, of size f parts are grown from.
func sampleOf(f field) int { return max(leastSample, samplePixels/(f.height*f.width)) }

// drawn returns at most n of the numbers below all, in their order, every set with equal
// probability.
func drawn(rng *rand.Rand, all, n int) []int {
	out := rng.Perm(all)[:min(n, all)]
	slices.Sort(out)
	return out
}

// pieceOf returns the size of the pieces that images of size f are cut to, f itself if
// they are not.
func pieceOf(f field) field {
	side := func(n int) int {
		if n <= maxSide {
			return n
		}
		pieces := (n + pieceSide - 1) / pieceSide
		return (n + pieces - 1) / pieces
	}
	return fieldOf(side(f.height), side(f.width))
}

// take makes the images of the grower from some of those given, cut to pieces where
// they are large, and remembers which.
func (g *grower) take(whole field, images []*bitmap.Image, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, sampleStream))
	g.field, g.whole = pieceOf(whole), whole
	g.from = drawn(rng, len(images), sampleOf(whole))
	type piece struct{ image, y, x int }
	var pieces []piece
	for _, i := range g.from {
		for y := 0; y < whole.height; y += g.height {
			for x := 0; x < whole.width; x += g.width {
				pieces = append(pieces, piece{i, min(y, whole.height-g.height), min(x, whole.width-g.width)})
			}
		}
	}
	last := -1
	var v view
	for _, j := range drawn(rng, len(pieces), sampleOf(g.field)) {
		p := pieces[j]
		if p.image != last {
			last = p.image
			v.ink, v.free = whole.planesOf(images[last])
		}
		if g.field == whole {
			g.images = append(g.images, v)
			continue
		}
		g.images = append(g.images, view{whole.cut(v.ink, g.field, p.y, p.x), whole.cut(v.free, g.field, p.y, p.x)})
	}
}

// entire returns a grower of whole images, and s as it explains them, where parts were
// grown from pieces. What pieces show of parts that are cut at their borders may have
// become parts too; these shorten no description here, and are deleted.
func (g *grower) entire(ctx context.Context, s *state, images []*bitmap.Image) (*grower, *state, error) {
	if g.field == g.whole {
		return g, s, nil
	}
	w := &grower{field: g.whole, whole: g.whole, angles: g.angles, workers: g.workers, most: g.most}
	w.from = g.from[:min(max(1, wholePixels/(w.height*w.width)), len(g.from))]
	for _, i := range w.from {
		on, seen := w.planesOf(images[i])
		w.images = append(w.images, view{on, seen})
	}
	n := w.with(s, s.parts, s.uses)
	if err := w.explain(ctx, n, loose); err != nil {
		return nil, nil, err
	}
	for len(n.parts) > 0 {
		least := slices.Index(n.gain, slices.Min(n.gain))
		next, err := w.attempt(ctx, n, change{gone: []int{least}})
		if err != nil {
			return nil, nil, err
		}
		if next == n {
			break
		}
		n = next
	}
	return w, n, nil
}
