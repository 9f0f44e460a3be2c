package posterior

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// usageFloor bounds the activation prior of a model that does not say how many
// images its usage was counted in: no expert is then impossible, or certain.
const usageFloor = 1e-3

// ActivationPrior returns, for each expert, the prior probability pi_k that it is
// active in an image: (n_k + 1/2) / (N + 1) for an expert active in n_k of N
// training images (Extras.Usage times Counts.Rows, or Record.Rows). If N is
// unknown it is the usage itself, kept in [0.001, 0.999]; without usage it is
// 1/2, and nothing is preferred.
func ActivationPrior(m *patchwork.Model) []float64 {
	pi := make([]float64, m.K())
	rows := TrainingRows(m)
	for k := range pi {
		switch {
		case m.Extras().Usage == nil:
			pi[k] = 0.5
		case rows > 0:
			active := min(m.Extras().Usage[k]*rows, rows)
			pi[k] = (active + 0.5) / (rows + 1)
		default:
			pi[k] = min(max(m.Extras().Usage[k], usageFloor), 1-usageFloor)
		}
	}
	return pi
}

// TrainingRows returns the number of images the usage was counted in, 0 if unknown.
func TrainingRows(m *patchwork.Model) float64 {
	if c := m.Extras().Counts; c != nil && c.Rows() > 0 {
		return float64(c.Rows())
	}
	return float64(max(m.Extras().Record.Rows, 0))
}

// activationCosts returns log((1-pi_k)/pi_k) for each expert, in nats: the price
// that the prior puts on its being active. It is negative for an expert that is
// active in more than half of the images.
func activationCosts(m *patchwork.Model) []float64 {
	costs := ActivationPrior(m)
	for k, pi := range costs {
		costs[k] = elem.Log1p(-pi) - elem.Log(pi)
	}
	return costs
}

// logPriorEmpty returns the log prior probability, in nats, that no expert is
// active: the sum of log(1-pi_k).
func logPriorEmpty(m *patchwork.Model) float64 {
	sum := 0.0
	for _, pi := range ActivationPrior(m) {
		sum += elem.Log1p(-pi)
	}
	return sum
}
