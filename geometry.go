package patchwork

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/patchwork/gauss"
	"example.com/patchwork/pose"
)

// Geometry is where the experts of a model sit: a joint Gaussian over their
// poses (section 4.2 of the paper), and which experts appear together.
type Geometry struct {
	Normal   *gauss.Normal  // over (dy, dx, degrees) of expert 0, 1, ...
	Presence gauss.Presence // sets of experts seen together, with counts; may be empty
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
//
// With a nil rng it places every expert at its mean pose instead, as the paper's
// Figure 8 does. Poses are rounded to whole pixels.
func (m *Model) SamplePicks(rng *rand.Rand) []Pick {
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

// posePrior is a model's geometry as a prior over where the next pick goes,
// given the picks so far: a Gaussian, conditioned on their poses, that lets one
// pose in poseOutliers be anywhere on the grid.
type posePrior struct {
	model  *Model
	normal *gauss.Normal // the geometry, its variances enlarged by the steps of the grid
	costs  [][]float64   // by expert and pose: nats by which the pose is less probable than the likeliest one
	where  []gauss.Placement
}

// poseOutliers is the share of poses that the Gaussian does not speak for. It
// bounds what a pose can cost: few examples make the Gaussian too narrow.
const poseOutliers = 0.01

// newPosePrior is nil, with an error, where the model has no geometry.
func newPosePrior(m *Model) (*posePrior, error) {
	g := m.extras.Geometry
	if g == nil {
		return nil, fmt.Errorf("patchwork: the model has no geometry to use as a prior; learn it with shifts or rotations, or leave the prior out")
	}
	// A pose is known to a step of the grid. Without this a Gaussian from few
	// examples, which is singular, would forbid all poses but those on its span.
	mean, cov := g.Normal.Mean(), g.Normal.Cov()
	for i := range mean {
		step := m.poseSteps()[i%gauss.PerExpert]
		cov[i*len(mean)+i] += step * step
	}
	normal, err := gauss.New(mean, cov)
	if err != nil {
		return nil, fmt.Errorf("patchwork: the model's geometry: %w", err)
	}
	return &posePrior{model: m, normal: normal, costs: make([][]float64, m.K()), where: make([]gauss.Placement, m.K())}, nil
}

// poseSteps are the steps of the grid in dy, dx and degrees; 1 where there is
// nothing to step.
func (m *Model) poseSteps() [gauss.PerExpert]float64 {
	g := m.cfg.Poses
	steps := [gauss.PerExpert]float64{float64(max(g.DY.Step, 1)), float64(max(g.DX.Step, 1)), 1}
	if n := len(g.Angles); n > 1 {
		steps[2] = (g.Angles[n-1] - g.Angles[0]) / float64(n-1)
	}
	return steps
}

// fork is a prior for another goroutine.
func (p *posePrior) fork() *posePrior {
	if p == nil {
		return nil
	}
	return &posePrior{model: p.model, normal: p.normal, costs: make([][]float64, len(p.costs)), where: make([]gauss.Placement, len(p.where))}
}

// given sets costs for the next pick after these, of the live experts.
func (p *posePrior) given(picks []Pick, grid pose.Grid, live func(expert int) bool) {
	clear(p.where)
	var coordinates []int
	var values []float64
	for _, pick := range picks {
		if p.where[pick.Expert].Present {
			continue // the Gaussian speaks of an expert's first pick
		}
		p.where[pick.Expert].Present = true
		coordinates = append(coordinates, gauss.Coordinates(pick.Expert)...)
		values = append(values, float64(pick.Pose.DY), float64(pick.Pose.DX), pick.Pose.Angle)
	}
	for k := range p.costs {
		if !live(k) {
			continue
		}
		normal := p.normal.Marginal(gauss.Coordinates(k))
		if !p.where[k].Present && len(coordinates) > 0 {
			own := gauss.Coordinates(k)
			normal = p.normal.Marginal(append(append([]int(nil), coordinates...), own...)).
				Condition(upTo(len(coordinates)), values)
		}
		p.costs[k] = poseCosts(normal, grid, p.model.poseSteps(), p.costs[k])
	}
}

// upTo is 0, 1, ..., n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// poseCosts is -log of the probability of every pose of the grid relative to
// the likeliest place of the Gaussian, into costs.
func poseCosts(normal *gauss.Normal, grid pose.Grid, steps [gauss.PerExpert]float64, costs []float64) []float64 {
	if len(costs) != grid.Len() {
		costs = make([]float64, grid.Len())
	}
	mean := normal.Mean()
	top := normal.LogDensity(mean)
	// The cell of a pose times the density is its probability under the Gaussian.
	cell := math.Log(steps[0] * steps[1] * steps[2])
	floor := math.Log(poseOutliers/float64(grid.Len())) - math.Log(1-poseOutliers) - top - cell
	var at [gauss.PerExpert]float64
	for i := range costs {
		where := grid.At(i)
		at = [gauss.PerExpert]float64{float64(where.DY), float64(where.DX), where.Angle}
		inside := normal.LogDensity(at[:]) - top
		costs[i] = math.Log1p(math.Exp(floor)) - logSum(inside, floor)
	}
	return costs
}

// logSum is log(exp(a) + exp(b)).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
