package mixed

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/elem"
)

// This file says what a model says of a row, in the shape of the formulas. Tests compare what is fast with it.

// Compose returns what the parts of a set, bit k for part k, say of a column.
func (m *Model) Compose(d int, set uint64) Belief {
	var said []*Opinion
	for s := set; s != 0; s &= s - 1 {
		if e := &m.Parts[bits.TrailingZeros64(s)].Entries[d]; e.Numbers > 0 {
			said = append(said, &e.Opinion)
		}
	}
	return m.Columns[d].Compose(&m.Background[d], said...)
}

// LogJoint returns the logarithm of the probability of a set of parts and of the codes of a row, in nats.
func (m *Model) LogJoint(codes []float64, set uint64) float64 {
	sum, odds := m.prior()
	for s := set; s != 0; s &= s - 1 {
		sum += odds[bits.TrailingZeros64(s)]
	}
	for d, x := range codes {
		if !math.IsNaN(x) {
			sum += m.Columns[d].logDensity(m.Compose(d, set), x)
		}
	}
	return sum
}

// LogEvidence returns the logarithm of the probability of the codes of a row: the sum over all sets.
func (m *Model) LogEvidence(codes []float64) float64 {
	sum := math.Inf(-1)
	for set := range uint64(1) << len(m.Parts) {
		sum = elem.LogAdd(sum, m.LogJoint(codes, set))
	}
	return sum
}
