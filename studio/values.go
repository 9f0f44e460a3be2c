package studio

import (
	"math"

	"example.com/patchwork"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/workbench"
)

// valueDetail is what an explanation of real values says of each of them.
type valueDetail struct {
	Mean      f32   `json:"mean" doc:"what the picks say of each value; where it is unknown and predicted, the mean over the best explanations"`
	Deviation f32   `json:"deviation" doc:"of the same"`
	Low       f32   `json:"low" doc:"lower end of the interval that holds 80 %"`
	High      f32   `json:"high" doc:"upper end of it"`
	Said      []f32 `json:"said" doc:"for each pick the means that it says, at its place; NaN where it abstains"`
}

// newValueDetail says what picks say of a row, and what was predicted of it.
func newValueDetail(m *real.Model, row []float64, found []patchwork.Pick, predicted []prediction) *valueDetail {
	picks := make([]real.Pick, len(found))
	for j, pk := range found {
		picks[j] = real.Pick{Expert: pk.Expert, Pose: pk.Pose}
	}
	var mean, deviation, low, high []float64
	for d := range row {
		mix := m.Compose(d, picks)
		from, to := mix.Quantile((1-workbench.Inside)/2), mix.Quantile((1+workbench.Inside)/2)
		if m.Scales != nil && m.Scales[d].Bit {
			from, to = max(0, from), min(1, to)
		}
		mean, deviation = append(mean, mix.Mean()), append(deviation, math.Sqrt(mix.Variance()))
		low, high = append(low, from), append(high, to)
	}
	for _, p := range predicted {
		mean[p.Pixel], deviation[p.Pixel], low[p.Pixel], high[p.Pixel] = p.P, p.deviation, p.low, p.high
	}
	out := &valueDetail{newF32(mean), newF32(deviation), newF32(low), newF32(high), []f32{}}
	for _, pk := range picks {
		out.Said = append(out.Said, saidBy(m, pk))
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

// known returns how many bits or values are known.
func (r rows) known() (n int) {
	for i := range r.set.Len() {
		n += r.set.Known(i)
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
