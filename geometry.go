package patchwork

import (
	"fmt"
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
// from those recorded in the geometry; without them each expert is drawn
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

// posePrior is a prior over the pose of the next pick, given the picks so far: the
// Gaussian of the model's geometry, conditioned on their poses, mixed with the
// uniform distribution over the grid by the share poseOutliers.
type posePrior struct {
	model  *Model
	normal *gauss.Normal // the geometry, with variances enlarged by the steps of the grid
	costs  [][]float64   // per expert and pose: nats by which the pose is less probable than the likeliest one
	where  []gauss.Placement
}

// poseOutliers is the share of the uniform distribution. It bounds the cost of a
// pose: a Gaussian fitted to few examples is too narrow.
const poseOutliers = 0.01

// newPosePrior returns the prior of a model's geometry. The error says that the
// model has none, or that its covariance is invalid.
func newPosePrior(m *Model) (*posePrior, error) {
	g := m.extras.Geometry
	if g == nil {
		return nil, fmt.Errorf(
			"patchwork: the model has no geometry to use as a prior; learn it with shifts or rotations, or leave the prior out")
	}
	// A pose is known only up to a step of the grid. Without this term a Gaussian
	// from few examples, which is singular, would exclude all poses off its span.
	mean, cov := g.Normal.Mean(), g.Normal.Cov()
	for i := range mean {
		step := m.poseSteps()[i%gauss.PerExpert]
		cov[i*len(mean)+i] += float64(step * step)
	}
	normal, err := gauss.New(mean, cov)
	if err != nil {
		return nil, fmt.Errorf("patchwork: the model's geometry: %w", err)
	}
	return &posePrior{model: m, normal: normal, costs: make([][]float64, m.K()), where: make([]gauss.Placement, m.K())},
		nil
}

// poseSteps returns the steps of the grid in dy, dx and degrees; 1 where it has a
// single value.
func (m *Model) poseSteps() [gauss.PerExpert]float64 {
	g := m.cfg.Poses
	steps := [gauss.PerExpert]float64{float64(max(g.DY.Step, 1)), float64(max(g.DX.Step, 1)), 1}
	if n := len(g.Angles); n > 1 {
		steps[2] = (g.Angles[n-1] - g.Angles[0]) / float64(n-1)
	}
	return steps
}

// fork returns a prior for another goroutine.
func (p *posePrior) fork() *posePrior {
	if p == nil {
		return nil
	}
	return &posePrior{model: p.model, normal: p.normal, costs: make([][]float64, len(p.costs)),
		where: make([]gauss.Placement, len(p.where))}
}

// given sets the costs of the live experts for the next pick after these.
func (p *posePrior) given(picks []Pick, grid pose.Grid, live func(expert int) bool) {
	clear(p.where)
	var coordinates []int
	var values []float64
	for _, pick := range picks {
		if p.where[pick.Expert].Present {
			continue // the Gaussian describes an expert's first pick
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

// upTo returns 0, 1, ..., n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// poseCosts returns, for every pose of the grid, -log of its probability relative
// to that of the Gaussian's mean. It reuses costs if it has the right length.
func poseCosts(normal *gauss.Normal, grid pose.Grid, steps [gauss.PerExpert]float64, costs []float64) []float64 {
	if len(costs) != grid.Len() {
		costs = make([]float64, grid.Len())
	}
	mean := normal.Mean()
	top := normal.LogDensity(mean)
	// The cell of a pose times the density is its probability under the Gaussian.
	cell := elem.Log(steps[0] * steps[1] * steps[2])
	floor := elem.Log(poseOutliers/float64(grid.Len())) - elem.Log(1-poseOutliers) - top - cell
	var at [gauss.PerExpert]float64
	for i := range costs {
		where := grid.At(i)
		at = [gauss.PerExpert]float64{float64(where.DY), float64(where.DX), where.Angle}
		inside := normal.LogDensity(at[:]) - top
		costs[i] = elem.Log1p(elem.Exp(floor)) - logSum(inside, floor)
	}
	return costs
}

// logSum returns log(exp(a) + exp(b)).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + elem.Log1p(elem.Exp(b-a))
}
