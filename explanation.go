package patchwork

import (
	"math"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/pose"
)

// Pick is one expert at one place, chosen by the pursuit.
type Pick struct {
	Expert int
	Pose   pose.Pose
	// Gain is the increase of the log-likelihood, in nats, under the scoring in
	// force, when this pick was added; +Inf if it made more pixels possible (of
	// probability above 0) than impossible, -Inf for a forced pick that did the
	// opposite.
	Gain float64
}

// Explanation is what likelihood matching pursuit found in one image.
type Explanation struct {
	Picks []Pick // in the order of the pursuit

	// StartLogLik is the log-likelihood of the image, in nats, without any pick,
	// and LogLik that of the explanation, both under the scoring in force;
	// LogLikModel is that of the explanation under the untruncated composition.
	// -Inf means that the image is impossible.
	StartLogLik, LogLik, LogLikModel float64

	// Scoring is the one in force; 0 if no pursuit made the explanation.
	Scoring Scoring

	// Missing and Clutter are the noise that the image was found to have, beyond what
	// the templates say: the shares of the ink that is lost, and of the paper that is
	// inked. StartLogLik, LogLik and the gains are those of the templates under this
	// noise, LogLikModel that of the templates as they are.
	Missing, Clutter float64
}

// Noisy replaces probabilities of pixels, as they were drawn, by those under the noise
// that the image was found to have. Under it the composition of templates is the
// composition of what it makes of them.
func (e *Explanation) Noisy(p []float64) {
	n := score.Noise{Missing: e.Missing, Clutter: e.Clutter}
	for i, v := range p {
		p[i] = n.Of(v)
	}
}

// NoisyLogLik returns the log-likelihood, in nats, of the explanation of an image by a
// model, under the untruncated composition and the noise that the image was found to
// have: LogLikModel where there is none.
func (e *Explanation) NoisyLogLik(m *Model, img *bitmap.Image) float64 {
	if e.Missing == 0 && e.Clutter == 0 {
		return e.LogLikModel
	}
	p := m.Compose(img.Height(), img.Width(), e.Picks).P
	e.Noisy(p)
	return LogLik(img, p)
}

// Composition is the template composed of a set of picks over an image of Height x
// Width pixels, and which pick speaks for which pixel (see Counts). All slices are
// row-major. The zero value is ready for Join, which reuses the memory of the
// previous picks and is not safe for concurrent use.
type Composition struct {
	// P is the composed probability of each pixel; Join does not set it.
	P []float64

	// High is the largest opinion on each pixel and Low the smallest, the
	// abstention value included. Under RuleMax, and where experts vote for on only,
	// Low is always the abstention value.
	High, Low []float64

	// Max is k*: the index, among the picks, of the one with the strongest opinion
	// above the abstention value. Min is l*, that with the strongest below it. Both
	// are -1 where there is none; of equals the earlier pick is taken. Under
	// those rules, Min is always -1.
	Max, Min []int16
}

// Compose returns the composition of the picks, at their poses, over an image of
// height x width pixels, with the original (untruncated) templates. The fast
// pursuit is tested against it. It panics on an expert the model does not have, or
// more than 32,767 picks.
func (m *Model) Compose(height, width int, picks []Pick) *Composition {
	c := &Composition{P: make([]float64, height*width)}
	c.Join(m, height, width, picks)
	if !m.cfg.Rule.fold() {
		m.joined(picks, c.P)
		return c
	}
	for i := range c.P {
		c.P[i] = score.Compose(c.High[i], c.Low[i], m.cfg.abstention(i))
	}
	return c
}

// joined sets p to the composition, under a rule that is no fold, of picks that are all
// where they were learned.
func (m *Model) joined(picks []Pick, p []float64) {
	opinions := make([]float64, len(picks))
	for i := range p {
		for j, pick := range picks {
			opinions[j] = m.experts[pick.Expert][i]
		}
		p[i] = joint.Compose(joint.Rule(m.cfg.Rule), m.cfg.abstention(i), opinions...)
	}
}

// Join sets High, Low, Max and Min to those of the picks, at their poses, over an
// image of height x width pixels. It panics on an expert the model does not have,
// or more than 32,767 picks.
func (c *Composition) Join(m *Model, height, width int, picks []Pick) {
	c.abstain(m, height*width, picks)
	if height == m.cfg.Height && width == m.cfg.Width && !slices.ContainsFunc(picks, moved) {
		c.joinStill(m, picks)
		return
	}
	twoSided := m.cfg.Rule.TwoSided()
	for j, pick := range picks {
		m.visit(height, width, pick, func(i int, p float64) {
			if p > c.High[i] {
				c.High[i], c.Max[i] = p, int16(j)
			}
			if twoSided && p < c.Low[i] {
				c.Low[i], c.Min[i] = p, int16(j)
			}
		})
	}
}

// moved reports whether the expert is not where it was learned.
func moved(p Pick) bool { return p.Pose != pose.Pose{} }

// joinStill joins picks that are all where they were learned, in an image of the
// frame's size.
func (c *Composition) joinStill(m *Model, picks []Pick) {
	twoSided := m.cfg.Rule.TwoSided()
	for j, pick := range picks {
		for i, p := range m.experts[pick.Expert] {
			switch {
			case p > c.High[i]:
				c.High[i], c.Max[i] = p, int16(j)
			case twoSided && p < c.Low[i]:
				c.Low[i], c.Min[i] = p, int16(j)
			}
		}
	}
}

// abstain sets n pixels to the abstention value, before picks are joined.
func (c *Composition) abstain(m *Model, n int, picks []Pick) {
	if len(picks) > math.MaxInt16 {
		panic("patchwork: too many picks")
	}
	if len(c.High) != n {
		c.High, c.Low = make([]float64, n), make([]float64, n)
		c.Max, c.Min = make([]int16, n), make([]int16, n)
	}
	for i := range c.High {
		q := m.cfg.abstention(i)
		c.High[i], c.Low[i], c.Max[i], c.Min[i] = q, q, -1, -1
	}
}

// visit calls f with every image pixel i (row-major) that the frame of the
// placed expert reaches, turned and shifted whole, and its opinion p there.
func (m *Model) visit(height, width int, pick Pick, f func(i int, p float64)) {
	h, w := m.cfg.Height, m.cfg.Width
	template := m.experts[pick.Expert]
	dy, dx := pick.Pose.DY, pick.Pose.DX
	turn := m.turn(pick.Pose)
	if turn.From != nil {
		h, w, dy, dx = turn.Height, turn.Width, dy+turn.Top, dx+turn.Left
	}
	for y := max(0, -dy); y < min(h, height-dy); y++ {
		for x := max(0, -dx); x < min(w, width-dx); x++ {
			s := int32(y*w + x)
			if turn.From != nil {
				s = turn.From[s]
			}
			if s != pose.Outside {
				f((y+dy)*width+x+dx, template[s])
			}
		}
	}
}

// LogLik returns the log-likelihood of an image, in nats, under independent pixels
// with probabilities p (row-major): the sum of log p over the known pixels that
// are on and log(1-p) over those that are off; -Inf if one has probability 0.
func LogLik(img *bitmap.Image, p []float64) float64 {
	var sum score.Total
	var l pixelLogLiks
	i := 0
	for y := range img.Height() {
		for x := range img.Width() {
			if img.Known(y, x) {
				sum.Add(i, l.of(img.At(y, x), p[i]))
			}
			i++
		}
	}
	return sum.Sum()
}

// pixelLogLiks caches the last result of score.LogLik for each pixel value: most
// pixels equal their neighbours, and logarithms are slow.
type pixelLogLiks [2]struct{ p, l float64 }

// of returns score.LogLik(on, p).
func (m *pixelLogLiks) of(on bool, p float64) float64 {
	value := 0
	if on {
		value = 1
	}
	last := &m[value]
	if p != last.p || p == 0 {
		last.p, last.l = p, score.LogLik(on, p)
	}
	return last.l
}
