package table

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/score/joint"
)

// mStepOptions holds the settings of the M-step.
type mStepOptions struct {
	// Pooled gives votes that are tied under max probabilities of their own, and draws those of
	// noisy-or to their mean; see joint.MStep.
	Pooled bool

	// Marginal is the share of rows in which each bit is on. The background is drawn towards
	// it, as if by one row more.
	Marginal []float64

	// Held keeps the background as it is, of tied numbers.
	Held bool

	Workers int // goroutines
}

// minQ keeps the background away from certainty.
const minQ = 1e-3

// next returns prev with another configuration and other experts, and the usage and
// the number of rows that were counted.
func (h *heading) next(prev *patchwork.Model, cfg patchwork.Config, experts [][]float64) *patchwork.Model {
	record := prev.Extras().Record
	record.Rows = h.count()
	m, err := prev.WithConfig(cfg)
	if err != nil {
		panic(err) // the background is kept within its range
	}
	return m.WithTemplates(experts, patchwork.Extras{Usage: h.usage(), Record: record, Names: prev.Extras().Names})
}

func clipQ(q float64) float64 { return min(max(q, minQ), 1-minQ) }

const (
	// weightUnit is the fixed point of posterior weights.
	weightUnit = joint.Unit
	// minWeight: lighter alternatives are not counted.
	minWeight = 1e-3
)
