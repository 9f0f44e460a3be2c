package patchwork

import (
	"math"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/pose"
)

// Pick is one expert at one place, chosen by the pursuit.
type Pick struct {
	Expert int
	Pose   pose.Pose
	// Gain is the rise of the log-likelihood, in nats, under the scoring in
	// force, when this pick joined; +Inf where it made more pixels possible
	// (of probability above 0) than impossible, -Inf for a forced pick that
	// did the opposite.
	Gain float64
}

// Explanation is what likelihood matching pursuit found in one image.
type Explanation struct {
	Picks []Pick // in the order of the pursuit

	// StartLogLik is the log-likelihood, in nats, of the image when no expert
	// speaks, and LogLik that of the explanation, both under the scoring in
	// force; LogLikModel is that of the explanation under the untruncated
	// composition. -Inf: the image is impossible.
	StartLogLik, LogLik, LogLikModel float64

	// Scoring is the one in force; 0 where a pursuit has not made the explanation.
	Scoring Scoring
}

// Composition is the template composed of a set of picks over an image frame
// of Height x Width, and who speaks where; it is also memory for the next set.
// All slices are row-major. The zero value is ready for Join; a Composition that
// is joined again belongs to one goroutine.
type Composition struct {
	Height, Width int

	// P is the composed probability of each pixel; Join leaves it alone.
	P []float64

	// High is the largest opinion on each pixel, Low the smallest; both are the
	// abstention value where no opinion is farther. Low stays there under Max.
	High, Low []float64

	// Max is k*: the index, among the picks, of the strongest opinion above
	// the abstention value, and Min is l*, the strongest below it; -1 where
	// there is none. A tie goes to the earlier pick. Min is all -1 under Max.
	Max, Min []int16
}

// Compose joins the picks, at their poses, over a frame of height x width
// pixels, with the original (untruncated) templates. It is the reference for
// everything the fast pursuit computes. It panics on an expert the model does
// not have, or more than 32,767 picks.
func (m *Model) Compose(height, width int, picks []Pick) *Composition {
	c := &Composition{P: make([]float64, height*width)}
	c.Join(m, height, width, picks)
	for i := range c.P {
		c.P[i] = score.Compose(c.High[i], c.Low[i], m.cfg.abstention(i))
	}
	return c
}

// Join sets High, Low, Max and Min to those of the picks, at their poses, over a frame of
// height x width pixels. It panics on an expert the model does not have, or more
// than 32,767 picks.
func (c *Composition) Join(m *Model, height, width int, picks []Pick) {
	c.Height, c.Width = height, width
	c.abstain(m, height*width, picks)
	if height == m.cfg.Height && width == m.cfg.Width && !slices.ContainsFunc(picks, moved) {
		c.joinStill(m, picks)
		return
	}
	twoSided := m.cfg.Rule == RuleMaxMinusMin
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

// joinStill is Join for picks that all stay where they are, in an image of the
// frame's size.
func (c *Composition) joinStill(m *Model, picks []Pick) {
	twoSided := m.cfg.Rule == RuleMaxMinusMin
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

// abstain sets n pixels to abstention, ready for the picks.
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

// place is the opinion of one pick at every pixel of an image frame of
// height x width, row-major: its template rotated and shifted; the abstention
// value where its frame does not reach.
func (m *Model) place(height, width int, pick Pick) []float64 {
	out := make([]float64, height*width)
	for i := range out {
		out[i] = m.cfg.abstention(i)
	}
	m.visit(height, width, pick, func(i int, p float64) { out[i] = p })
	return out
}

// visit calls f with every image pixel i (row-major) that the frame of the
// placed expert reaches, and its opinion p there.
func (m *Model) visit(height, width int, pick Pick, f func(i int, p float64)) {
	h, w := m.cfg.Height, m.cfg.Width
	template := m.experts[pick.Expert]
	source := m.turn(pick.Pose.Angle).there
	dy, dx := pick.Pose.DY, pick.Pose.DX
	for y := max(0, -dy); y < min(h, height-dy); y++ {
		for x := max(0, -dx); x < min(w, width-dx); x++ {
			s := int32(y*w + x)
			if source != nil {
				s = source[s]
			}
			if s != pose.Outside {
				f((y+dy)*width+x+dx, template[s])
			}
		}
	}
}

// LogLik is the log-likelihood of an image, in nats, under independent pixels
// with probabilities p (row-major): the sum of log p over known on pixels and
// log(1-p) over known off ones. -Inf where a known pixel is impossible.
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

// pixelLogLiks is score.LogLik that remembers the last of each value: most pixels
// are like their neighbours, and logarithms are slow.
type pixelLogLiks [2]struct{ p, l float64 }

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
