package studio

import (
	"math"

	"example.com/patchwork"
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

// newValueDetail says what picks say of a row; the error says what cannot be predicted.
func newValueDetail(m *real.Model, row []float64, found []patchwork.Pick) (*valueDetail, error) {
	n, picks := len(row), make([]real.Pick, len(found))
	for j, pk := range found {
		picks[j] = real.Pick{Expert: pk.Expert, Pose: pk.Pose}
	}
	said := real.Prediction{Mean: make([]float64, n), Deviation: make([]float64, n), Low: make([]float64, n),
		High: make([]float64, n)}
	if known(row) < n {
		p, err := real.NewPursuit(m)
		if err != nil {
			return nil, err
		}
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
