package patchwork

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/exact"
)

// Counts holds counts of pixels in images, for every expert and pixel of its frame
// (K*Height*Width numbers, row-major).
//
// An expert speaks for a pixel if it has the strongest opinion above the
// abstention value there (k*) or the strongest below it (l*). It wins the
// pixel if it has the only such opinion or the one farther from the
// abstention value, and loses it when the opposite opinion is at least as far
// (only max-minus-min models have pixels lost). Seen counts pixels won, On
// those of them that were on in the image; LostSeen and LostOn likewise.
type Counts struct{ On, Seen, LostOn, LostSeen []int64 }

// Tally counts, as integers, what an M-step needs to know of a set of explained
// images. Integers add exactly, so images may be counted in any order, on any
// number of workers, and merged: the sum, and the model computed from it, are the
// same to the bit. A Tally is not safe for concurrent use.
type Tally struct {
	height, width int
	counts        Counts
	active        []int64 // K: images in which the expert was picked
	uses          []int64 // K: its picks in them; more than active where it may be reused
	rows          int64   // images, weights counted
	picks         int64
	impossible    int64        // images of probability 0
	logLik        exact.Int128 // of the others, in units of 2^-20 nats

	compose Composition // scratch
	x       []uint8
	known   []uint8
}

// NewTally returns an empty tally for the experts of m.
func NewTally(m *Model) *Tally {
	k, height, width := m.K(), m.Height(), m.Width()
	n := k * height * width
	return &Tally{height: height, width: width, active: make([]int64, k), uses: make([]int64, k),
		counts: Counts{make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)}}
}

// TallyOf returns a tally with given counts, each of length K*Height*Width of the
// model, and the number of images they are from. The error names counts that are
// invalid: of the wrong length, negative, or more on than seen.
func TallyOf(m *Model, c Counts, rows int64) (*Tally, error) {
	t := NewTally(m)
	for _, p := range []struct {
		name     string
		on, seen []int64
		dst      [2][]int64
	}{
		{"won", c.On, c.Seen, [2][]int64{t.counts.On, t.counts.Seen}},
		{"lost", c.LostOn, c.LostSeen, [2][]int64{t.counts.LostOn, t.counts.LostSeen}},
	} {
		if p.on == nil && p.seen == nil {
			continue
		}
		if len(p.on) != len(t.counts.On) || len(p.seen) != len(t.counts.On) {
			return nil, fmt.Errorf("patchwork: %d and %d counts of pixels %s, the model needs %d",
				len(p.on), len(p.seen), p.name, len(t.counts.On))
		}
		for i := range p.on {
			if p.on[i] < 0 || p.on[i] > p.seen[i] {
				return nil, fmt.Errorf("patchwork: pixel %s number %d was on %d times of %d", p.name, i+1, p.on[i], p.seen[i])
			}
		}
		copy(p.dst[0], p.on)
		copy(p.dst[1], p.seen)
	}
	if rows < 0 {
		return nil, fmt.Errorf("patchwork: counts of %d images", rows)
	}
	t.rows = rows
	return t, nil
}

// Counts returns the tally's pixel counts. The slices are the tally's own: writing
// to them changes the tally.
func (t *Tally) Counts() Counts { return t.counts }

// Size returns how many experts are counted, and the height and width of their templates.
func (t *Tally) Size() (experts, height, width int) { return len(t.active), t.height, t.width }

// Rows returns the number of images counted, weights included.
func (t *Tally) Rows() int64 { return t.rows }

// Active returns the number of images in which expert k was picked.
func (t *Tally) Active(k int) int64 { return t.active[k] }

// Picks returns the number of picks of the given experts in all images; of every
// expert, if none is given.
func (t *Tally) Picks(experts ...int) int64 {
	if len(experts) == 0 {
		return t.picks
	}
	n := int64(0)
	for _, k := range experts {
		n += t.uses[k]
	}
	return n
}

// LogLik returns the log-likelihood of the images counted under the untruncated
// compositions, in nats, exact to 2^-21 per image; -Inf if one is impossible.
func (t *Tally) LogLik() float64 {
	if t.impossible > 0 {
		return math.Inf(-1)
	}
	return t.logLik.Float() / exact.NatsUnit
}

// Add counts an image and its explanation by model m weight times. It panics if
// the weight is negative, or the experts of m differ from the tally's in number or
// size.
func (t *Tally) Add(m *Model, img *bitmap.Image, e *Explanation, weight int64) {
	if weight < 0 || m.K() != len(t.active) || m.Height() != t.height || m.Width() != t.width {
		panic("patchwork: this tally does not count this model's parts, or the weight is negative")
	}
	if weight == 0 {
		return
	}
	t.AddScores(e, weight)
	t.x, t.known = img.AppendBytes(t.x[:0]), img.AppendKnown(t.known[:0])
	if img.Height() == t.height && img.Width() == t.width && !slices.ContainsFunc(e.Picks, moved) {
		t.addStill(m, e.Picks, weight)
		return
	}
	t.compose.Join(m, img.Height(), img.Width(), e.Picks)
	for j, pick := range e.Picks {
		t.addPick(m, img, j, pick, weight)
	}
}

// AddScores counts an explanation weight times without the pixels of its image: what a description length needs.
func (t *Tally) AddScores(e *Explanation, weight int64) {
	if weight == 0 {
		return
	}
	t.addScores(weight, len(e.Picks), e.LogLikModel)
	for j, pick := range e.Picks {
		t.uses[pick.Expert] += weight
		if !slices.ContainsFunc(e.Picks[:j], func(o Pick) bool { return o.Expert == pick.Expert }) {
			t.active[pick.Expert] += weight
		}
	}
}

// addScores counts an image without its pixels.
func (t *Tally) addScores(weight int64, picks int, logLik float64) {
	t.rows += weight
	t.picks += weight * int64(picks)
	if math.IsInf(logLik, -1) {
		t.impossible += weight
	} else {
		t.logLik = t.logLik.Add(exact.Product(weight, int64(math.Round(logLik*exact.NatsUnit))))
	}
}

// addPick counts, in the frame of the expert, the pixels that pick j speaks for:
// the image, and the picks that speak for its pixels, are pulled back through the
// pose (the inverse transformation of eq. (1)), to the nearest pixel.
func (t *Tally) addPick(m *Model, img *bitmap.Image, j int, pick Pick, weight int64) {
	n := t.height * t.width
	first := pick.Expert * n
	template := m.experts[pick.Expert]
	back := m.turn(pick.Pose).Back
	for s := range n {
		y, x := s/t.width+pick.Pose.DY, s%t.width+pick.Pose.DX
		if back != nil {
			y, x = int(back[s].Y)+pick.Pose.DY, int(back[s].X)+pick.Pose.DX
		}
		if y < 0 || x < 0 || y >= img.Height() || x >= img.Width() {
			if !m.cfg.UnknownOutside && m.cfg.votes(template[s]) {
				t.counts.Seen[first+s] += weight // an off pixel that no other pick speaks for
			}
			continue
		}
		i := y*img.Width() + x
		if t.known[i] == 0 {
			continue
		}
		won, lost := t.speaks(m, i, int16(j))
		on := weight * int64(t.x[i])
		if won || lost {
			t.counts.count(first+s, won, on, weight)
		}
	}
}

// addStill counts all picks at once, if the pixels of the image are those of the
// experts' frame: at most two picks speak for each.
func (t *Tally) addStill(m *Model, picks []Pick, weight int64) {
	c, n := &t.compose, t.height*t.width
	c.Join(m, t.height, t.width, picks)
	for i, known := range t.known {
		if known == 0 {
			continue
		}
		q, on := m.cfg.abstention(i), weight*int64(t.x[i])
		above, below := c.High[i]-q, q-c.Low[i]
		if j := c.Max[i]; j >= 0 {
			t.counts.count(picks[j].Expert*n+i, above > below, on, weight)
		}
		if j := c.Min[i]; j >= 0 {
			t.counts.count(picks[j].Expert*n+i, below > above, on, weight)
		}
	}
}

// count counts a pixel that an expert won or lost.
func (c *Counts) count(at int, won bool, on, weight int64) {
	if won {
		c.Seen[at] += weight
		c.On[at] += on
	} else {
		c.LostSeen[at] += weight
		c.LostOn[at] += on
	}
}

// speaks reports whether pick j wins or loses image pixel i in the current
// composition.
func (t *Tally) speaks(m *Model, i int, j int16) (won, lost bool) {
	c := &t.compose
	q := m.cfg.abstention(i)
	above, below := c.High[i]-q, q-c.Low[i]
	switch j {
	case c.Max[i]:
		won = above > below
	case c.Min[i]:
		won = below > above
	default:
		return false, false
	}
	return won, !won
}

// votes reports whether opinion p is a vote beyond the border of an image, where
// the abstention value is Q even if there is a QMap.
func (c *Config) votes(p float64) bool {
	return p > c.Q || c.Rule.TwoSided() && p < c.Q
}

// Merge adds the counts of another tally of the same experts. The sum is exact,
// and the same in any order. It panics if the experts differ in number or size.
func (t *Tally) Merge(o *Tally) {
	if len(o.active) != len(t.active) || o.height != t.height || o.width != t.width {
		panic("patchwork: these tallies count different parts")
	}
	for _, p := range [][2][]int64{
		{t.counts.On, o.counts.On}, {t.counts.Seen, o.counts.Seen},
		{t.counts.LostOn, o.counts.LostOn}, {t.counts.LostSeen, o.counts.LostSeen},
		{t.active, o.active}, {t.uses, o.uses},
	} {
		for i, v := range p[1] {
			p[0][i] += v
		}
	}
	t.rows += o.rows
	t.picks += o.picks
	t.impossible += o.impossible
	t.logLik = t.logLik.Add(o.logLik)
}

// Fits reports whether the tally counts experts of the number and size of m's.
func (t *Tally) Fits(m *Model) bool {
	return len(t.active) == m.K() && t.height == m.Height() && t.width == m.Width()
}

// Clone returns an independent copy with more experts, whose counts are 0.
func (t *Tally) Clone(more int) *Tally {
	c := *t
	c.counts = Counts{slices.Clone(t.counts.On), slices.Clone(t.counts.Seen),
		slices.Clone(t.counts.LostOn), slices.Clone(t.counts.LostSeen)}
	c.active, c.uses = slices.Clone(t.active), slices.Clone(t.uses)
	c.compose, c.x, c.known = Composition{}, nil, nil
	for range more {
		c.append()
	}
	return &c
}

// append adds an expert whose counts are 0.
func (t *Tally) append() {
	n := t.height * t.width
	for _, c := range []*[]int64{&t.counts.On, &t.counts.Seen, &t.counts.LostOn, &t.counts.LostSeen} {
		*c = append(*c, make([]int64, n)...)
	}
	t.active, t.uses = append(t.active, 0), append(t.uses, 0)
}

// MStep says how templates are computed from counts. Under RuleMaxMinusMin the
// M-step is guarded: an entry is the mean over the pixels won or that over all pixels
// counted, whichever is closer to q, and abstains (is q) if the two lie on
// different sides of q. The zero value is the recommended last step of learning:
// abstaining entries are exactly q.
type MStep struct {
	// KeepUnseen leaves an entry without counts unchanged; otherwise it becomes
	// the prior's mean, as in eq. (1) of the paper.
	KeepUnseen bool

	// AbstainMargin is for guarded steps before the last: it sets abstaining entries
	// this far from q, on the side where they were, so that they can vote again
	// later. 0 sets them to q.
	AbstainMargin float64

	// MinVoteGain is the gain over abstention, in nats, that a vote must have on the
	// pixels it won; otherwise a guarded entry abstains.
	MinVoteGain float64
}

// MStep returns prev with templates computed from the counts, the usage set, the
// tally attached and no geometry. prev must be the model that explained the images counted. The
// tally must not be changed afterwards.
func (t *Tally) MStep(prev *Model, step MStep) *Model {
	next := *prev
	next.experts = make([][]float64, prev.K())
	for k := range next.experts {
		next.experts[k] = t.template(prev, k, step)
	}
	next.extras.Counts, next.extras.Usage, next.extras.Geometry = t, t.Usage(), nil
	return &next
}

// Usage returns the share of the images in which each expert was active.
func (t *Tally) Usage() []float64 {
	u := make([]float64, len(t.active))
	for k, n := range t.active {
		if t.rows > 0 {
			u[k] = float64(n) / float64(t.rows)
		}
	}
	return u
}

// template returns expert k, computed from the counts.
func (t *Tally) template(prev *Model, k int, step MStep) []float64 {
	n := t.height * t.width
	out := make([]float64, n)
	prior := prev.cfg.Prior.resolved()
	for i := range n {
		old, c := prev.experts[k][i], k*n+i
		won, wonSeen := t.counts.On[c], t.counts.Seen[c]
		all, allSeen := won+t.counts.LostOn[c], wonSeen+t.counts.LostSeen[c]
		if allSeen == 0 && step.KeepUnseen {
			out[i] = old
			continue
		}
		out[i] = prior.mean(all, allSeen)
		if prev.cfg.Rule == RuleMaxMinusMin {
			q := prev.cfg.abstention(i)
			out[i] = guard(prior.mean(won, wonSeen), out[i], q)
			if out[i] == q || step.MinVoteGain > 0 && worth(out[i], q, won, wonSeen) < step.MinVoteGain {
				out[i] = waitAt(old, q, step.AbstainMargin)
			}
		}
	}
	return out
}

// guard returns the guarded entry, given the mean a over the pixels won, the mean
// b over all pixels counted, and the abstention value q.
func guard(a, b, q float64) float64 {
	switch {
	case (a-q)*(b-q) <= 0:
		return q
	case math.Abs(a-q) < math.Abs(b-q):
		return a
	}
	return b
}

// worth returns the gain, in nats, of voting mu over abstaining at q, on a pixel
// that was seen in so many images and on in so many of them.
func worth(mu, q float64, on, seen int64) float64 {
	return float64(float64(on)*(elem.Log(mu)-elem.Log(q))) + float64(float64(seen-on)*(elem.Log1p(-mu)-elem.Log1p(-q)))
}

// waitAt returns the value of an abstaining entry between steps: by away from q,
// on its old side, but not beyond 0 or 1.
func waitAt(old, q, by float64) float64 {
	if old < q {
		return max(q-by, 0)
	}
	return min(q+by, 1)
}
