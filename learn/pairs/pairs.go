// Package pairs finds parts that are never shown alone: each image has several, at
// unknown places, of unknown shape, size and number. What two images have in
// common at some shift is a part and a little chance. From such patterns parts are
// grown one by one, as long as the description of all images gets shorter; then
// parts that are two in one are split, useless ones deleted, and halves joined.
//
// Parts are binary here: [Grow] returns them as images, and package learn makes
// templates of them.
//
// # To read the code
//
// Begin with plane.go (bits) and explain.go (which places explain an image). Then
// follow a start: grow.go (a step), common.go (what two images have in common),
// local.go (a pattern grows into a part), state.go (EM of all parts and the
// description length), count.go (a template from counts), turn.go, repair.go. What
// keeps the work bounded is in section.go (large images), sample.go (many and very
// large ones) and clutter.go (which noise a start takes for granted).
package pairs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/pose"
)

// Options are the settings of Grow. The zero value is the recommended default.
type Options struct {
	// Angles are the turns of parts in degrees, clockwise on screen, with 0 among
	// them; none means only 0.
	Angles []float64

	// Parts is how many parts there are at most; 0 means any number.
	Parts int

	// Starts is the number of starts at most; 0 means 6. There are fewer if the
	// shortest description has come twice, or the effort is used up.
	Starts int

	// Effort bounds the work, in millions of words of pixels that are compared: when
	// they are used up no part is grown any more, and no start begins. 0 means 20,000,
	// which take about half a minute where AVX-512 counts bits. It is no bound in time, so
	// that the result does not depend on the machine.
	Effort int64

	Seed    uint64
	Workers int // goroutines; 0 means 1. The result is the same for any number.

	// Progress, if not nil, is called after every step, in order.
	Progress func(Progress)
}

// Progress is where growing stands.
type Progress struct {
	Start, Starts     int     // the number of the start, from 0, and how many there are at most
	Parts             int     // so far
	DescriptionLength float64 // of all images, in nats
	Done              bool    // the start has ended
}

// Place is where a part lies in an image: turned about the centre of the smallest
// square around it by Angles[Turn], the box of its ink has its top left corner in row Y and column X.
type Place struct{ Part, Turn, Y, X int }

// Result is what was found.
type Result struct {
	// Parts are the templates, trimmed to their ink. There may be none.
	Parts []*bitmap.Image
	// Images are the numbers of the images that the parts were grown from, in
	// increasing order: all of them, or a sample if they are many.
	Images []int
	// Places are those of the parts in each of these images.
	Places [][]Place
	// Flips is the probability that a pixel of a part is off, and Clutter that a
	// pixel of the background is on.
	Flips, Clutter float64
	// DescriptionLength is the length of the description of what the parts were grown
	// from in nats: the negative log-likelihood, the places, and 3 nats a pixel of a
	// template and 10 a part. Pixels are the known pixels that it describes.
	DescriptionLength float64
	Pixels            int
	// Starts are the description lengths of all starts, in their order.
	Starts []float64
}

const (
	defaultStarts = 6
	defaultEffort = 20000
)

// Grow finds the parts of images, which must be of one size. Of very many images it
// takes a uniform sample, and cuts those of more than 255 pixels a side to pieces of
// about 192: parts larger than that are found in pieces. Equal input, options and seed
// give the same result on any number of workers. The error is the context's, with the
// best parts so far if there are any, or says which image does not fit.
func Grow(ctx context.Context, images []*bitmap.Image, o Options) (*Result, error) {
	g, err := newGrower(images, o)
	if err != nil {
		return nil, err
	}
	starts := o.Starts
	if starts == 0 {
		starts = defaultStarts
	}
	var best, last *state
	var lengths []float64
	for i := 0; i < starts && !twice(lengths) && (i == 0 || !g.spent()); i++ {
		rng := rand.New(rand.NewPCG(o.Seed, uint64(i)))
		s, err := g.start(ctx, rng, i, func(s *state, done bool) {
			if last = s; o.Progress != nil {
				o.Progress(Progress{i, starts, len(s.parts), s.length, done})
			}
		})
		if err != nil {
			if last = shortest(best, last); last == nil || len(last.parts) == 0 {
				return nil, err
			}
			r, _ := g.result(pool.Finish(ctx), last, images, lengths)
			return r, err
		}
		lengths, best = append(lengths, s.length), shortest(best, s)
	}
	return g.result(ctx, best, images, lengths)
}

// shortest returns the state of the shorter description, a if they are as long; nil is
// no state.
func shortest(a, b *state) *state {
	if a == nil || b != nil && b.length < a.length {
		return b
	}
	return a
}

// same is how far two descriptions of the same parts may be apart, in nats.
const same = 1

// twice reports whether the shortest description has come twice.
func twice(lengths []float64) bool {
	least, n := math.Inf(1), 0
	for _, l := range lengths {
		least = math.Min(least, l)
	}
	for _, l := range lengths {
		if l <= least+same {
			n++
		}
	}
	return n >= 2
}

// start grows and repairs parts once.
func (g *grower) start(ctx context.Context, rng *rand.Rand, i int, each func(s *state, done bool)) (*state, error) {
	flips := g.flips[i%len(g.flips)]
	s, err := g.empty(ctx, flips)
	if err != nil {
		return nil, err
	}
	step := func(s *state) { each(s, false) }
	if s, err = g.grow(ctx, rng, s, step); err != nil {
		return nil, err
	}
	if s, err = g.repair(ctx, s, step); err != nil {
		return nil, err
	}
	if g.spent() {
		each(s, true)
		return s, nil
	}
	// What was grown wrongly may have kept other parts from growing.
	held := *s
	held.flip = flips
	more, err := g.grow(ctx, rng, &held, step)
	if err == nil && more != &held {
		if more, err = g.repair(ctx, more, step); err == nil && more.length < s.length {
			s = more
		}
	}
	if err != nil {
		return nil, err
	}
	each(s, true)
	return s, nil
}

func newGrower(images []*bitmap.Image, o Options) (*grower, error) {
	if len(images) == 0 {
		return nil, errors.New("pairs: there are no images")
	}
	if len(o.Angles) > 0 && !slices.Contains(o.Angles, 0) {
		return nil, fmt.Errorf("pairs: 0 degrees is not among the angles %v", o.Angles)
	}
	h, w := images[0].Height(), images[0].Width()
	if h < 1 || w < 1 {
		return nil, fmt.Errorf("pairs: images of %d x %d pixels", h, w)
	}
	g := &grower{angles: o.Angles, workers: max(o.Workers, 1), most: o.Parts, effort: cmp.Or(o.Effort, defaultEffort) <<
		20}
	if g.most <= 0 {
		g.most = math.MaxInt
	}
	if len(g.angles) == 0 {
		g.angles = []float64{0}
	}
	fit := pose.MaxCandidates / len(g.angles) / h / w // parts whose places can all be searched
	if fit == 0 {
		return nil, fmt.Errorf(
			"pairs: images of %d x %d pixels at %d turns are more than %d places to look at; make them smaller, or cut them "+
				"to pieces", h, w, len(g.angles), pose.MaxCandidates)
	}
	g.most = min(g.most, fit)
	ink, known := 0, 0
	for i, img := range images {
		if img.Height() != h || img.Width() != w {
			return nil, fmt.Errorf("pairs: image %d is %d x %d, the first one %d x %d", i+1, img.Height(), img.Width(), h, w)
		}
	}
	g.take(fieldOf(h, w), images, o.Seed)
	for _, v := range g.images {
		ink, known = ink+ones(v.ink), known+ones(v.free)
	}
	g.density = float64(ink) / math.Max(float64(known), 1)
	g.flips = flipsFor(g.clutterOf(g.images))
	return g, nil
}

// result returns a state as the caller sees it.
func (g *grower) result(ctx context.Context, s *state, images []*bitmap.Image, lengths []float64) (*Result, error) {
	g, s, err := g.entire(ctx, s, images)
	if err != nil {
		return nil, err
	}
	r := &Result{Images: g.from, Flips: s.fitted, Clutter: s.clutter, DescriptionLength: s.length, Starts: lengths}
	for _, v := range g.images {
		r.Pixels += ones(v.free)
	}
	for _, p := range s.parts {
		r.Parts = append(r.Parts, p.image())
	}
	for _, spots := range s.spots {
		var places []Place
		for _, p := range spots {
			places = append(places, Place{p.part, p.turn, p.y, p.x})
		}
		r.Places = append(r.Places, places)
	}
	return r, nil
}
