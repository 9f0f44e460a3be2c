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
// description length), count.go (a template from counts), turn.go, repair.go.
package pairs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/bitmap"
)

// Options are the settings of Grow. The zero value is the recommended default.
type Options struct {
	// Angles are the turns of parts in degrees, clockwise on screen, with 0 among
	// them; none means only 0.
	Angles []float64

	// Parts is how many parts there are at most; 0 means any number.
	Parts int

	// Starts is the number of starts at most; 0 means 6. There are fewer if the
	// shortest description has come twice.
	Starts int

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
	// Places are those of the parts in each image.
	Places [][]Place
	// Flips is the probability that a pixel of a part is off, and Clutter that a
	// pixel of the background is on.
	Flips, Clutter float64
	// DescriptionLength is the length of the description of all images in nats: their
	// negative log-likelihood, the places, and 3 nats a pixel of a template and 10 a part.
	DescriptionLength float64
	// Starts are the description lengths of all starts, in their order.
	Starts []float64
}

const defaultStarts = 6

// growFlips are the flips that starts take for granted in turn while they grow.
var growFlips = []float64{.01, .04, .1}

// Grow finds the parts of images, which must be of one size. Equal input, options
// and seed give the same result on any number of workers. The error is the context's,
// or says which image does not fit.
func Grow(ctx context.Context, images []*bitmap.Image, o Options) (*Result, error) {
	g, err := newGrower(images, o)
	if err != nil {
		return nil, err
	}
	starts := o.Starts
	if starts == 0 {
		starts = defaultStarts
	}
	var best *state
	var lengths []float64
	for i := range starts {
		rng := rand.New(rand.NewPCG(o.Seed, uint64(i)))
		s, err := g.start(ctx, rng, i, func(s *state, done bool) {
			if o.Progress != nil {
				o.Progress(Progress{i, starts, len(s.parts), s.length, done})
			}
		})
		if err != nil {
			return nil, err
		}
		lengths = append(lengths, s.length)
		if best == nil || s.length < best.length {
			best = s
		}
		if twice(lengths) {
			break
		}
	}
	return g.result(best, lengths), nil
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
	s, err := g.empty(ctx, growFlips[i%len(growFlips)])
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
	// What was grown wrongly may have kept other parts from growing.
	held := *s
	held.flip = growFlips[i%len(growFlips)]
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

// Describe explains images by given parts and improves these by EM, as Grow does
// when it has grown them. No part is split, joined or added.
func Describe(ctx context.Context, images, parts []*bitmap.Image, o Options) (*Result, error) {
	g, err := newGrower(images, o)
	if err != nil {
		return nil, err
	}
	s, err := g.empty(ctx, growFlips[0])
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		if p.Height() > g.height || p.Width() > g.width {
			return nil, fmt.Errorf("pairs: part %d is %d x %d, the images %d x %d", i+1, p.Height(), p.Width(), g.height, g.width)
		}
		f := fieldOf(p.Height(), p.Width())
		on, _ := f.planesOf(p)
		shape, _, _ := f.trimmed(on)
		if shape.n == 0 {
			return nil, fmt.Errorf("pairs: part %d has no ink", i+1)
		}
		s.parts, s.uses = append(s.parts, shape), append(s.uses, len(images))
	}
	s = g.with(s, s.parts, s.uses)
	if err := g.explain(ctx, s, loose); err != nil {
		return nil, err
	}
	if s, err = g.iterate(ctx, s, loose, repairRounds, 0); err != nil {
		return nil, err
	}
	return g.result(s, []float64{s.length}), nil
}

func newGrower(images []*bitmap.Image, o Options) (*grower, error) {
	if len(images) == 0 {
		return nil, errors.New("pairs: there are no images")
	}
	if len(o.Angles) > 0 && !slices.Contains(o.Angles, 0) {
		return nil, fmt.Errorf("pairs: 0 degrees is not among the angles %v", o.Angles)
	}
	h, w := images[0].Height(), images[0].Width()
	if h < 1 || w < 1 || h > maxSide || w > maxSide {
		return nil, fmt.Errorf("pairs: images of %d x %d pixels; give 1 to %d a side", h, w, maxSide)
	}
	g := &grower{field: fieldOf(h, w), angles: o.Angles, workers: max(o.Workers, 1), most: o.Parts}
	if g.most <= 0 {
		g.most = math.MaxInt
	}
	if len(g.angles) == 0 {
		g.angles = []float64{0}
	}
	ink, known := 0, 0
	for i, img := range images {
		if img.Height() != h || img.Width() != w {
			return nil, fmt.Errorf("pairs: image %d is %d x %d, the first one %d x %d", i+1, img.Height(), img.Width(), h, w)
		}
		on, seen := g.planesOf(img)
		g.images = append(g.images, view{on, seen})
		ink, known = ink+ones(on), known+ones(seen)
	}
	g.density = float64(ink) / math.Max(float64(known), 1)
	return g, nil
}

// maxSide bounds the images: counts of pixels are 16-bit numbers.
const maxSide = 255

// result returns a state as the caller sees it.
func (g *grower) result(s *state, lengths []float64) *Result {
	r := &Result{Flips: s.fitted, Clutter: s.clutter, DescriptionLength: s.length, Starts: lengths}
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
	return r
}
