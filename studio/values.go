package studio

import (
	"context"
	"math"

	"example.com/patchwork/learn/real"
)

// valueDetail is what an explanation of real values says of each of them.
type valueDetail struct {
	Mean      f32   `json:"mean" doc:"what the picks say of each value; where it is unknown, the mean over the best explanations"`
	Deviation f32   `json:"deviation" doc:"of the same"`
	Low       f32   `json:"low" doc:"lower end of the interval that holds 80 %"`
	High      f32   `json:"high" doc:"upper end of it"`
	Said      []f32 `json:"said" doc:"for each pick the means that it says, at its place; NaN where it abstains"`
}

// insideShare is the share of what is predicted that intervals hold.
const insideShare = 0.8

// eachRow explains rows of real values.
func (t *task) eachRow(ctx context.Context, f func(i int, x *explanation) error) error {
	m := t.model.numbers()
	p, err := real.NewPursuit(m)
	if err != nil {
		return problem(422, err.Error())
	}
	for i, row := range t.values.Rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e, err := p.Explain(row)
		if err != nil {
			return problemAt(422, "body.images", nil, "row %d: %v", i, err)
		}
		x := &explanation{Index: i, StartLogLik: nats(e.StartLogLik), LogLik: nats(e.LogLik), LogLikModel: nats(e.LogLik),
			Picks: []pick{}}
		for j, pk := range e.Picks {
			x.Picks = append(x.Picks, pick{newPlace(pk.Expert, pk.Pose), nats(e.Gains[j])})
		}
		if t.detail {
			if x.Values, err = newValueDetail(m, p, row, e.Picks); err != nil {
				return problemAt(422, "body.images", nil, "row %d: %v", i, err)
			}
		}
		if err := f(i, x); err != nil {
			return err
		}
	}
	return nil
}

// newValueDetail says what picks say of a row; the error says what cannot be predicted.
func newValueDetail(m *real.Model, p *real.Pursuit, row []float64, picks []real.Pick) (*valueDetail, error) {
	n := len(row)
	said := real.Prediction{Mean: make([]float64, n), Deviation: make([]float64, n), Low: make([]float64, n),
		High: make([]float64, n)}
	if known(row) < n {
		post, err := p.Together(row, 0)
		if err != nil {
			return nil, err
		}
		said = post.Predict(row, insideShare)
	}
	for d, x := range row {
		if math.IsNaN(x) {
			continue
		}
		mix := m.Compose(d, picks)
		said.Mean[d], said.Deviation[d] = mix.Mean(), math.Sqrt(mix.Variance())
		if said.Low[d], said.High[d] = mix.Quantile((1-insideShare)/2), mix.Quantile((1+insideShare)/2); m.Scales != nil &&
			m.Scales[d].Bit {
			said.Low[d], said.High[d] = max(0, said.Low[d]), min(1, said.High[d])
		}
	}
	out := &valueDetail{newF32(said.Mean), newF32(said.Deviation), newF32(said.Low), newF32(said.High), []f32{}}
	for _, pk := range picks {
		out.Said = append(out.Said, saidBy(m, pk))
	}
	return out, nil
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

// known returns how many values are known.
func known(row []float64) int {
	n := 0
	for _, x := range row {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

// checkReal rejects a model of real values that would take too much memory or time.
func (l *bounds) checkReal(m *real.Model) error {
	n := max(m.K(), 1) * m.Poses.Len()
	if m.D() > l.Pixels || n > l.Candidates || n > l.Effort/max(m.D(), 1) ||
		max(m.K(), 1)*len(m.Poses.Angles) > l.Templates/m.F() {
		return problemf(statusRequestEntityTooLarge,
			"%d parts at %d places for %d values are more than this server explains with", m.K(), m.Poses.Len(), m.D())
	}
	return nil
}
