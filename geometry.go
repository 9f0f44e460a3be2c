package patchwork

import (
	"math"
	"math/rand/v2"

	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/pose"
)

// Geometry describes where the experts of a model occur: a joint Gaussian over
// their poses (section 4.2 of the paper), and which experts occur together.
type Geometry struct {
	Normal   *gauss.Normal  // over (dy, dx, degrees) of expert 0, 1, ...
	Presence gauss.Presence // sets of experts seen together, with counts; may be empty
}

// picksAt returns picks of the present experts at x, which holds (dy, dx, degrees)
// of every expert; nil means the zero pose.
func (m *Model) picksAt(x []float64, present func(k int) bool) []Pick {
	var picks []Pick
	for k := range m.K() {
		if !present(k) {
			continue
		}
		pick := Pick{Expert: k}
		if x != nil {
			pick.Pose = pose.Pose{DY: int(math.Round(x[3*k])), DX: int(math.Round(x[3*k+1])), Angle: x[3*k+2]}
		}
		picks = append(picks, pick)
	}
	return picks
}

// SamplePicks draws which experts occur and where. The set of experts is drawn
// from those recorded in the geometry, or by the SetPrior; without these each expert is drawn
// independently by its Usage; without Usage all occur. The poses are drawn from
// the Gaussian, or are zero without one.
//
// The experts of a Scene model without a geometry lie anywhere in an image of the
// Config's size, and so do those of an alphabet, which may be used more than once:
// every pose is equally likely, and an expert that may be used more than once is used
// as often as chance has it, given its Usage.
//
// With a nil rng SamplePicks places every expert at its mean pose instead, as
// Figure 8 of the paper does; without such poses those of a Scene model are spread
// over the image. Poses are rounded to whole pixels. An image has at most 32,767 picks:
// experts beyond these are left out.
func (m *Model) SamplePicks(rng *rand.Rand) []Pick {
	picks := m.drawPicks(rng)
	return picks[:min(len(picks), math.MaxInt16)]
}

func (m *Model) drawPicks(rng *rand.Rand) []Pick {
	if m.extras.Geometry == nil && (m.cfg.Scene || m.cfg.Reuse > 1 && m.cfg.moves()) {
		return m.scatter(rng)
	}
	if rng == nil {
		var mean []float64
		if g := m.extras.Geometry; g != nil {
			mean = g.Normal.Mean()
		}
		return m.picksAt(mean, func(int) bool { return true })
	}
	present := func(int) bool { return true }
	g := m.extras.Geometry
	switch {
	case g != nil && len(g.Presence) > 0:
		mask := g.Presence.Sample(rng)
		present = func(k int) bool { return mask>>k&1 == 1 }
	case m.extras.SetPrior != nil:
		drawn := m.extras.SetPrior.draw(rng)
		present = func(k int) bool { return drawn[k] }
	case m.extras.Usage != nil:
		drawn := make([]bool, m.K())
		for k, u := range m.extras.Usage {
			drawn[k] = rng.Float64() < u
		}
		present = func(k int) bool { return drawn[k] }
	}
	var x []float64
	if g != nil {
		x = g.Normal.Sample(rng)
	}
	return m.picksAt(x, present)
}

// scatter draws picks anywhere in an image of the configuration's size, or with a nil
// rng lays every expert out, from left to right and row by row.
func (m *Model) scatter(rng *rand.Rand) []Pick {
	grid, err := m.GridFor(m.cfg.ImageHeight, m.cfg.ImageWidth)
	if err != nil {
		grid = pose.Grid{} // too many candidates to search, but every image has the first
	}
	var picks []Pick
	if rng == nil {
		columns := int(math.Ceil(math.Sqrt(float64(m.K()))))
		rows := (m.K() + columns - 1) / columns
		for k := range m.K() {
			at := pose.Pose{DY: grid.DY.At(k / columns * (grid.DY.Len() - 1) / max(rows-1, 1)),
				DX: grid.DX.At(k % columns * (grid.DX.Len() - 1) / max(columns-1, 1))}
			picks = append(picks, Pick{Expert: k, Pose: at})
		}
		return picks
	}
	for k := range m.K() {
		for range m.drawUses(rng, k) {
			picks = append(picks, Pick{Expert: k, Pose: grid.At(rng.IntN(grid.Len()))})
		}
	}
	return picks
}

// drawUses draws how often expert k is used: once, or by a Poisson distribution up to
// Reuse, so that it is used at all with the probability of its Usage. Without Usage it
// is used once.
func (m *Model) drawUses(rng *rand.Rand, k int) int {
	if m.extras.Usage == nil {
		return 1
	}
	u, n := rng.Float64(), 0
	p := 1 - min(m.extras.Usage[k], 1) // of n uses, from none on
	if rate := -elem.Log(max(p, 1e-9)); m.cfg.reuse() > 1 {
		for ; u >= p && n < m.cfg.reuse(); n++ {
			u -= p
			p *= rate / float64(n+1)
		}
		return n
	}
	if u >= p {
		return 1
	}
	return 0
}
