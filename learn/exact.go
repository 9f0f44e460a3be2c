package learn

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score"
)

// exactRounds bounds how often the exact polish explains the data anew, and
// exactSweeps how often the exact M-step visits an entry. One to three nearly
// always suffice to converge.
const exactRounds, exactSweeps = 10, 50

// exactPolish alternates the E-step with the exact M-step until neither changes
// anything, and reports whether they did: then the model is a fixed point of
// both. Otherwise it returns the best round. The objective is the description
// length minus the log prior of the templates.
func exactPolish(ctx context.Context, d described, data patchwork.Data, opt Options) (best described, fixed bool,
	err error) {
	var before *activeSets
	least := math.Inf(1)
	m, costs := d.model, d.costs
	for range exactRounds {
		sets := newActiveSets(len(data.Images))
		d, err := opt.describe(ctx, m, data, costs, sets.note)
		if err != nil {
			return described{}, false, err
		}
		opt.tell(Step{CurvePoint: patchwork.CurvePoint{Stage: StageExact, Rows: d.tally.Rows(), LogLik: d.tally.LogLik(),
			DescriptionLength: d.length}, Model: m})
		if before != nil && slices.EqualFunc(sets.picked, before.picked, slices.Equal) {
			return d, true, nil
		}
		if length := d.length - logPrior(m); best.model == nil || length < least {
			best, least = d, length
		}
		sets.group()
		m, costs, before = exactStep(m, data, sets, strictness(d.tally.Rows())*voteCost(d.tally)), activationCosts(d.tally),
			sets
	}
	return best, false, nil
}

// logPrior returns the log density of the templates under their Beta prior, up to
// a constant: the penalty whose posterior mean is eq. (1).
func logPrior(m *patchwork.Model) float64 {
	prior, sum := rows.Resolved(m.Config().Prior), 0.0
	for _, t := range m.Templates() {
		for _, p := range t {
			sum += penalty(prior, p)
		}
	}
	return sum
}

// penalty returns the term of the prior in the exact M-step's objective.
func penalty(p patchwork.Prior, mu float64) float64 { return bernoulli(p.On, p.Off, mu) }

// bernoulli returns the log-likelihood of on and off pixels of probability p.
func bernoulli(on, off, p float64) float64 {
	sum := 0.0
	if on > 0 {
		sum += float64(on * elem.Log(p))
	}
	if off > 0 {
		sum += float64(off * elem.Log1p(-p))
	}
	return sum
}

// activeSets says which experts are active in which image. Images with the same
// experts share a set: all the M-step needs of them is how many were on at each
// pixel.
type activeSets struct {
	picked [][]int32 // the experts of each image, ascending
	of     []int     // the set of each image
	sets   [][]int32 // distinct sets, in order of appearance
}

func newActiveSets(images int) *activeSets { return &activeSets{picked: make([][]int32, images)} }

// note records the explanation of image i; safe for concurrent use by different images.
func (a *activeSets) note(i int, e *patchwork.Explanation) {
	experts := make([]int32, len(e.Picks))
	for j, p := range e.Picks {
		experts[j] = int32(p.Expert)
	}
	slices.Sort(experts)
	a.picked[i] = slices.Compact(experts)
}

// group finds the distinct sets.
func (a *activeSets) group() {
	number := make(map[string]int)
	a.of = make([]int, len(a.picked))
	var key []byte
	for i, set := range a.picked {
		key = key[:0]
		for _, k := range set {
			key = binary.AppendUvarint(key, uint64(k))
		}
		n, ok := number[string(key)]
		if !ok {
			n = len(a.sets)
			number[string(key)] = n
			a.sets = append(a.sets, set)
		}
		a.of[i] = n
	}
}

// exactStep makes the exact M-step: coordinate ascent, entry by entry, on the
// log-likelihood given the active experts, plus the log prior, minus pays nats per
// vote. Pixels are independent given the explanations, so each is brought to
// convergence separately. The objective never falls.
func exactStep(m *patchwork.Model, data patchwork.Data, a *activeSets, pays float64) *patchwork.Model {
	experts := m.Templates()
	c := newColumn(m, a, pays)
	for i := range m.Height() * m.Width() {
		c.load(m, data, i)
		c.ascend()
		for k := range experts {
			experts[k][i] = c.mu[k]
		}
	}
	return m.WithTemplates(experts, m.Extras())
}

// column is one pixel of all experts, and how often it was on and off in the
// images of each active set.
type column struct {
	q, pays float64
	prior   patchwork.Prior
	mu      []float64 // of each expert
	sets    *activeSets
	with    [][]int   // the sets that each expert is in
	on, off []float64 // of each set, weights counted
	rivals  []rivals  // scratch
}

// rivals holds the most extreme opinions of the other experts in some images, and
// how often the pixel was on and off in these.
type rivals struct{ hi, lo, on, off float64 }

func newColumn(m *patchwork.Model, a *activeSets, pays float64) *column {
	c := &column{pays: pays, prior: rows.Resolved(m.Config().Prior), mu: make([]float64, m.K()), sets: a,
		with: make([][]int, m.K()), on: make([]float64, len(a.sets)), off: make([]float64, len(a.sets))}
	for n, set := range a.sets {
		for _, k := range set {
			c.with[k] = append(c.with[k], n)
		}
	}
	return c
}

// load counts pixel i of the images and loads the templates' entries there.
func (c *column) load(m *patchwork.Model, data patchwork.Data, i int) {
	clear(c.on)
	clear(c.off)
	y, x := i/m.Width(), i%m.Width()
	for n, img := range data.Images {
		c.count(img, y, x, c.sets.of[n], float64(data.Weight(n)))
	}
	c.q = m.Abstention(i)
	for k := range c.mu {
		c.mu[k] = m.Template(k)[i]
	}
}

func (c *column) count(img *bitmap.Image, y, x, set int, weight float64) {
	switch {
	case !img.Known(y, x):
	case img.At(y, x):
		c.on[set] += weight
	default:
		c.off[set] += weight
	}
}

// ascend improves the experts' entries in turn until none can be improved.
func (c *column) ascend() {
	for range exactSweeps {
		improved := false
		for k := range c.mu {
			improved = c.improve(k) || improved
		}
		if !improved {
			return
		}
	}
}

// leastRise is the smallest rise of the objective, in nats, that counts.
const leastRise = 1e-7

// improve replaces entry k by the best value, and reports whether that is better
// than the present one.
func (c *column) improve(k int) bool {
	c.faceRivals(k)
	best, most := c.mu[k], c.value(c.mu[k])
	if v := c.value(c.q); v > most+leastRise {
		best, most = c.q, v
	}
	if vote := c.bestVote(); c.value(vote) > most+leastRise {
		best = vote
	}
	improved := best != c.mu[k]
	c.mu[k] = best
	return improved
}

// faceRivals lists the rivals of entry k, adding up the counts of equal ones.
func (c *column) faceRivals(k int) {
	c.rivals = c.rivals[:0]
next:
	for _, n := range c.with[k] {
		if c.on[n]+c.off[n] == 0 {
			continue
		}
		r := rivals{c.q, c.q, c.on[n], c.off[n]}
		for _, j := range c.sets.sets[n] {
			if int(j) != k {
				r.hi, r.lo = max(r.hi, c.mu[j]), min(r.lo, c.mu[j])
			}
		}
		for i := range c.rivals {
			if s := &c.rivals[i]; s.hi == r.hi && s.lo == r.lo {
				s.on, s.off = s.on+r.on, s.off+r.off
				continue next
			}
		}
		c.rivals = append(c.rivals, r)
	}
}

// value returns the part of the objective that depends on the entry.
func (c *column) value(mu float64) float64 {
	sum := penalty(c.prior, mu)
	if mu != c.q {
		sum -= c.pays
	}
	for i := range c.rivals {
		r := &c.rivals[i]
		sum += bernoulli(r.on, r.off, score.Compose(max(r.hi, mu), min(r.lo, mu), c.q))
	}
	return sum
}

// bestVote maximises value over (0, 1): by the best of 20 points, then a golden
// section between its neighbours. Value is smooth and concave between the rivals'
// opinions, and has kinks at them.
func (c *column) bestVote() float64 {
	const points, sections = 20, 24 // 0.1 * 0.618^24 = 1e-6
	step := 1.0 / points
	best, most := 0.0, math.Inf(-1)
	for i := range points {
		mu := (float64(i) + 0.5) * step
		if v := c.value(mu); v > most {
			best, most = mu, v
		}
	}
	const golden = 0.6180339887498949
	lo, hi := max(best-step, 0), min(best+step, 1)
	a, b := hi-float64(golden*(hi-lo)), lo+float64(golden*(hi-lo))
	va, vb := c.value(a), c.value(b)
	for range sections {
		if va >= vb {
			hi, b, vb = b, a, va
			a = hi - float64(golden*(hi-lo))
			va = c.value(a)
		} else {
			lo, a, va = a, b, vb
			b = lo + float64(golden*(hi-lo))
			vb = c.value(b)
		}
	}
	if va > vb {
		return a
	}
	return b
}
