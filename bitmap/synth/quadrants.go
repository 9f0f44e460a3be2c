package synth

import (
	"cmp"
	"math/rand/v2"

	"example.com/patchwork/bitmap"
)

// QuadrantsOptions holds the options for a set of [Quadrants].
type QuadrantsOptions struct {
	N    int // images, 1 or more
	Side int // pixels, even, 2 to 1024; 0 means 6, the paper's
	Seed uint64
}

// QuadrantExperts is the number of experts of the quadrants model: four
// quadrants with two polarities.
const QuadrantExperts = 8

// QuadrantTruth is the truth of a set of quadrants. As arrays:
//
//	template (N,side,side) float64  probability that the pixel is on: 0, 1/2 or 1
//	experts  (8,side,side) float64  the expert templates
//	active   (N,8)         uint8    1 where image i uses expert k
//
// Expert 2q+c votes on quadrant q (0 top left, 1 top right, 2 bottom left, 3
// bottom right) and makes it all off (c = 0) or all on (c = 1); elsewhere it
// abstains with 1/2. At most one expert of a quadrant is active.
type QuadrantTruth struct {
	Side      int
	Templates [][]float64 // N rows of side*side
	Experts   [][]float64 // 8 rows of side*side
	Active    [][]bool    // N rows of 8
}

// Arrays lists the arrays named in the documentation of the type.
func (t *QuadrantTruth) Arrays() []Array {
	return []Array{
		floats("template", t.Templates, t.Side, t.Side),
		floats("experts", t.Experts, t.Side, t.Side),
		flags("active", t.Active, QuadrantExperts),
	}
}

// Quadrants samples the synthetic write-white-and-black model of the paper,
// section 5.1: each quadrant is active with probability 1/2; an active one is
// entirely black (on) or entirely white, each with probability 1/2; the pixels
// of the others are Bernoulli(1/2). The error is an [*OptionError].
func Quadrants(o QuadrantsOptions) (*Set[*QuadrantTruth], error) {
	side := cmp.Or(o.Side, 6)
	if err := checkSide(KindQuadrants, side, 2, 1024); err != nil {
		return nil, err
	}
	if side%2 != 0 {
		return nil, &OptionError{KindQuadrants, "Side", side, "give an even number, so that the quadrants are equal"}
	}
	if err := checkN(KindQuadrants, o.N, side); err != nil {
		return nil, err
	}
	truth := &QuadrantTruth{
		Side:      side,
		Templates: make([][]float64, o.N),
		Experts:   quadrantExperts(side),
		Active:    make([][]bool, o.N),
	}
	set := &Set[*QuadrantTruth]{Kind: KindQuadrants, Images: make([]*bitmap.Image, o.N), Truth: truth}
	for i := range o.N {
		r := stream(o.Seed, forQuadrants, i)
		truth.Active[i] = drawQuadrants(r)
		truth.Templates[i] = composeQuadrants(truth.Experts, truth.Active[i])
		set.Images[i] = sampleTemplate(r, truth.Templates[i], side)
	}
	return set, nil
}

// quadrantExperts returns the eight templates.
func quadrantExperts(side int) [][]float64 {
	experts := make([][]float64, QuadrantExperts)
	for k := range experts {
		mu := make([]float64, side*side)
		for d := range mu {
			y, x := d/side, d%side
			mu[d] = 0.5
			if 2*(2*y/side)+2*x/side == k/2 {
				mu[d] = float64(k % 2)
			}
		}
		experts[k] = mu
	}
	return experts
}

// drawQuadrants draws which experts are active.
func drawQuadrants(r *rand.Rand) []bool {
	active := make([]bool, QuadrantExperts)
	for q := range QuadrantExperts / 2 {
		use, black := chance(r, 0.5), chance(r, 0.5)
		active[2*q] = use && !black
		active[2*q+1] = use && black
	}
	return active
}

// composeQuadrants composes the active experts. Their supports are disjoint, so
// every rule with abstention value 1/2 gives this result.
func composeQuadrants(experts [][]float64, active []bool) []float64 {
	mu := make([]float64, len(experts[0]))
	for d := range mu {
		mu[d] = 0.5
		for k, on := range active {
			if on && experts[k][d] != 0.5 {
				mu[d] = experts[k][d]
			}
		}
	}
	return mu
}

// sampleTemplate draws every pixel from its probability.
func sampleTemplate(r *rand.Rand, mu []float64, side int) *bitmap.Image {
	m := bitmap.New(side, side)
	for d, p := range mu {
		m.Set(d/side, d%side, chance(r, p))
	}
	return m
}
