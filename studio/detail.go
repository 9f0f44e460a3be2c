package studio

import (
	"encoding/base64"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// detail is an explanation in detail, pixel by pixel or column by column.
type detail struct {
	Height    int    `json:"height"`
	Width     int    `json:"width"`
	Start     f32    `json:"start" doc:"what is said before any pick: probabilities, of real values means"`
	Steps     []step `json:"steps" doc:"one per pick"`
	Deviation f32    `json:"deviation,omitempty" doc:"of real values: that of what is said in the end, or of what is predicted where the value is unknown"`
	Low       f32    `json:"low,omitempty" doc:"of the same: lower end of the interval that holds 80 %; NaN of bits, of which start and p are probabilities"`
	High      f32    `json:"high,omitempty" doc:"upper end of it"`

	Expected []string `json:"expected,omitempty" doc:"of the columns of a table of numbers and words, what is expected, in words"`
}

type step struct {
	P        f32    `json:"p" doc:"what the picks so far say together; of real values, in the last step, what is predicted where the value is unknown"`
	Votes    f32    `json:"votes" doc:"opinions of the pick at its pose; NaN: it abstains"`
	Speakers string `json:"speakers" doc:"base64, one byte per pixel: 0 for none, i+1 for pick i (at most 255), which decides it so far; empty for real values"`
	LogLik   nats   `json:"log_lik" doc:"after the pick, under the score used; null for real values"`
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

func imageDetailBytes(img *bitmap.Image, picks int) int { return img.Len() * (13*picks + 6) }

// detailFits adds the details of image i to the size of an answer.
func detailFits(size *int, bytes, i int) error {
	if *size += bytes; *size > maxDetail {
		return problemf(statusRequestEntityTooLarge,
			"the details of %d images take more than %d bytes; request fewer images or fewer picks", i+1, maxDetail)
	}
	return nil
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
		d.Steps = append(d.Steps, step{newF32(c.P), newF32(opinions), speakers(m, c),
			nats(patchwork.LogLik(img, inForce(e, scoring, c.P)))})
	}
	return d
}

// speakers returns the pick that decides each pixel.
func speakers(m *patchwork.Model, c *patchwork.Composition) string {
	out := make([]byte, len(c.P))
	for j := range out {
		if k := speaker(c, j, m.Abstention(j)); k >= 0 {
			out[j] = byte(min(k+1, 255))
		}
	}
	return base64.StdEncoding.EncodeToString(out)
}

// newValueDetail composes what picks say of row i of numbers, one by one, and what was predicted of it.
func (t *task) newValueDetail(i int, found []patchwork.Pick, predicted []prediction) *detail {
	m := t.model.of
	said := func(picks []patchwork.Pick) []workbench.Cell {
		row := workbench.Row{Explanation: patchwork.Explanation{Picks: picks}}
		return m.Cells(&workbench.Case{Frame: t.set, At: i, Row: row}, nil)
	}
	d := &detail{Height: t.set.Height, Width: t.set.Width, Start: newF32(means(said(nil))), Steps: []step{}}
	for j, pick := range found {
		now := means(said(found[:j+1]))
		for _, p := range predicted {
			if j == len(found)-1 && (!math.IsNaN(p.low) || t.model.numbers() != nil) { // else words
				now[p.Pixel] = p.P
			}
		}
		votes := newF32(m.Part(pick.Expert).Means)
		if of := t.model.numbers(); of != nil {
			votes = saidBy(of, real.Pick{Expert: pick.Expert, Pose: pick.Pose})
		}
		d.Steps = append(d.Steps, step{P: newF32(now), Votes: votes, LogLik: nats(math.NaN())})
	}
	var deviation, low, high []float64
	for _, c := range said(found) {
		from, to := c.Interval()
		deviation, low, high = append(deviation, c.Deviation), append(low, from), append(high, to)
		d.Expected = append(d.Expected, c.Expected())
	}
	for _, p := range predicted {
		if deviation[p.Pixel] = p.deviation; !math.IsNaN(low[p.Pixel]) {
			low[p.Pixel], high[p.Pixel] = p.low, p.high
		}
		if p.expected != "" {
			d.Expected[p.Pixel] = p.expected
		}
	}
	d.Deviation, d.Low, d.High = newF32(deviation), newF32(low), newF32(high)
	if !m.Table() {
		d.Expected = nil
	}
	return d
}

// means returns what is expected of cells.
func means(cells []workbench.Cell) []float64 {
	out := make([]float64, len(cells))
	for i, c := range cells {
		out[i] = c.Mean
	}
	return out
}

// saidBy returns the means that a pick says at its place, NaN where it abstains.
func saidBy(m *real.Model, p real.Pick) f32 {
	out := make([]float64, m.D())
	for d := range out {
		out[d] = math.NaN()
		if said := m.Opinions(d, []real.Pick{p}); len(said) > 0 {
			out[d] = said[0].Mean
		}
	}
	return newF32(out)
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
