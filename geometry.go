package patchwork

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/gauss"
	"example.com/patchwork/pose"
)

// Geometry is where the experts of a model sit: a joint Gaussian over their
// poses (section 4.2 of the paper), and which experts appear together.
type Geometry struct {
	Normal   *gauss.Normal  // over (dy, dx, degrees) of expert 0, 1, ...
	Presence gauss.Presence // sets of experts seen together, with counts; may be empty
}

// FitGeometry explains the data and fits the Gaussian to the poses found. An
// expert that is missing from an image is missing at random to the fit, which
// is then by EM; one with several picks counts with its first. It is nil, with
// no error, where nothing was found, and for more than gauss.MaxExperts
// experts. Errors are those of Explain.
func FitGeometry(ctx context.Context, m *Model, src Source, opt PursuitOptions, workers int) (*Geometry, error) {
	if m.K() > gauss.MaxExperts {
		return nil, nil
	}
	moments, err := gauss.NewMoments(m.K())
	if err != nil {
		return nil, err
	}
	var (
		mu     sync.Mutex // moments are integers: the same in any order
		failed error
	)
	if _, err := explainSource(ctx, m, src, opt, workers, func(b *Block, j int, e *Explanation) {
		if w := b.Weight(j); w > 0 {
			mu.Lock()
			defer mu.Unlock()
			failed = cmp.Or(failed, moments.Add(m.placements(e), w))
		}
	}); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	normal, _, err := moments.Fit(gauss.FitOptions{})
	if errors.Is(err, gauss.ErrNoConfigurations) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Geometry{Normal: normal, Presence: moments.Presence()}, nil
}

// placements is the configuration of an explanation.
func (m *Model) placements(e *Explanation) []gauss.Placement {
	out := make([]gauss.Placement, m.K())
	for _, pick := range e.Picks {
		if p := &out[pick.Expert]; !p.Present {
			*p = gauss.Placement{Present: true, DY: pick.Pose.DY, DX: pick.Pose.DX, Theta: pick.Pose.Angle}
		}
	}
	return out
}

// MeanPicks places every expert at its mean pose, as the paper's Figure 8
// does; at the zero pose for a model without geometry. Poses are rounded to
// whole pixels.
func (m *Model) MeanPicks() []Pick {
	var mean []float64
	if g := m.extras.Geometry; g != nil {
		mean = g.Normal.Mean()
	}
	return m.picksAt(mean, func(int) bool { return true })
}

// picksAt places the present experts at x, which is (dy, dx, degrees) of each.
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

// SamplePicks draws a configuration: which experts appear (as together in the
// training images; by Usage, independently, where that is not recorded; all
// where that is missing too) and where (from the Gaussian; at the zero pose
// without one).
func (m *Model) SamplePicks(rng *rand.Rand) []Pick {
	present := func(int) bool { return true }
	g := m.extras.Geometry
	switch {
	case g != nil && len(g.Presence) > 0:
		mask := g.Presence.Sample(rng)
		present = func(k int) bool { return mask>>k&1 == 1 }
	case m.extras.Usage != nil:
		drawn := make([]bool, m.K())
		for k, u := range m.extras.Usage {
			drawn[k] = rng.Float64() < u
		}
		present = func(k int) bool { return drawn[k] }
	}
	var x []float64
	if g != nil {
		x = g.Normal.Sample(rng, nil)
	}
	return m.picksAt(x, present)
}

// SamplePixels draws every pixel of an image independently with the given
// probabilities (height*width, row-major).
func SamplePixels(rng *rand.Rand, height, width int, p []float64) *bitmap.Image {
	img := bitmap.New(height, width)
	for i, p := range p {
		if rng.Float64() < p {
			img.Set(i/width, i%width, true)
		}
	}
	return img
}
