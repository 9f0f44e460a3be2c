package studio

import (
	"context"
	"encoding/base64"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/render"
)

// detail is a pursuit in detail, pixel by pixel.
type detail struct {
	Height      int    `json:"height"`
	Width       int    `json:"width"`
	Start       f32    `json:"start" doc:"composed probabilities before any pick"`
	Steps       []step `json:"steps" doc:"one per pick"`
	Speakers    string `json:"speakers" doc:"base64, one byte per pixel: 0 for none, i+1 for pick i (at most 255)"`
	Unexplained string `json:"unexplained" doc:"base64, one byte per pixel: 1 where the bit is known and has a probability below 1/2"`
}

type step struct {
	P      f32  `json:"p" doc:"composed probabilities after the pick"`
	Votes  f32  `json:"votes" doc:"opinions of the pick at its pose; NaN: it abstains"`
	LogLik nats `json:"log_lik" doc:"after the pick, under the score used"`
}

// maxDetail bounds the details in one answer.
const maxDetail = 64 << 20

// detailBytes estimates the size of the details of an image.
func (t *task) detailBytes(i, picks int) int {
	if t.numbers() {
		return 6 * len(t.set.Values[i]) * (4 + picks)
	}
	return imageDetailBytes(t.set.Images[i], picks)
}

func imageDetailBytes(img *bitmap.Image, picks int) int { return img.Len() * (11*picks + 9) }

// detailFits adds the details of image i to the size of an answer, and makes room for it.
func (s *core) detailFits(ctx context.Context, size *int, bytes, i int) error {
	if *size += bytes; *size > maxDetail {
		return problemf(statusRequestEntityTooLarge,
			"the details of %d images take more than %d bytes; request fewer images or fewer picks", i+1, maxDetail)
	}
	return s.answerTakes(ctx, int64(*size)*4/3)
}

// newDetail composes the picks one by one.
func newDetail(m *patchwork.Model, scoring patchwork.Scoring, img *bitmap.Image, e *patchwork.Explanation) *detail {
	picks := e.Picks
	h, w := img.Height(), img.Width()
	c := m.Compose(h, w, nil)
	d := &detail{Height: h, Width: w, Start: newF32(c.P), Steps: []step{}}
	for i, p := range picks {
		c = m.Compose(h, w, picks[:i+1])
		opinions := render.Opinion(m, h, w, p)
		for j, v := range opinions {
			if !votes(m, j, v) {
				opinions[j] = math.NaN()
			}
		}
		d.Steps = append(d.Steps, step{newF32(c.P), newF32(opinions), nats(patchwork.LogLik(img, inForce(e, scoring, c.P)))})
	}
	speakers, unexplained := make([]byte, h*w), make([]byte, h*w)
	for j, p := range c.P {
		if k := speaker(c, j, m.Abstention(j)); k >= 0 {
			speakers[j] = byte(min(k+1, 255))
		}
		on := img.At(j/w, j%w)
		if img.Known(j/w, j%w) && (on && p < 0.5 || !on && p > 0.5) {
			unexplained[j] = 1
		}
	}
	d.Speakers, d.Unexplained = base64.StdEncoding.EncodeToString(speakers), base64.StdEncoding.EncodeToString(unexplained)
	return d
}

// speaker returns the pick whose vote decides on which side of abstention pixel
// j is, or -1 if none votes or the votes cancel.
func speaker(c *patchwork.Composition, j int, q float64) int {
	switch {
	case c.P[j] > q:
		return int(c.Max[j])
	case c.P[j] < q:
		return int(c.Min[j])
	}
	return -1
}

// inForce returns composed probabilities as the score of a pursuit uses them, under the
// noise of the image.
func inForce(e *patchwork.Explanation, scoring patchwork.Scoring, p []float64) []float64 {
	out := slices.Clone(p)
	e.Noisy(out)
	for i := range out {
		if scoring != patchwork.ScoringOriginal {
			out[i] = max(0.5, out[i])
		}
	}
	return out
}

// votes reports whether p is a vote at pixel i: where parts may vote for off, anything but the abstention value, else
// only values above it.
func votes(m *patchwork.Model, i int, p float64) bool {
	q := m.Abstention(i)
	return p > q || p < q && m.Config().Rule.TwoSided()
}
