package learn

import (
	"cmp"
	"maps"
	"slices"

	"example.com/patchwork"
)

// ByExperts is the curve as people read it: one point for each number of
// experts, ascending. It is the point with the most training images, of these
// the one that describes them most shortly, or explains them best; the held-out
// score is that of the point that has one, the loss of hidden bits the lowest, and
// Chosen is kept.
func ByExperts(curve []patchwork.CurvePoint) []patchwork.CurvePoint {
	best := make(map[int]patchwork.CurvePoint)
	for _, p := range curve {
		b, ok := best[p.Experts]
		if !ok {
			best[p.Experts] = p
			continue
		}
		top := b
		if preferable(p, b) {
			top = p
		}
		top.Chosen = b.Chosen || p.Chosen
		top.HeldOutRows, top.HeldOut = b.HeldOutRows, b.HeldOut
		if p.HeldOutRows > 0 {
			top.HeldOutRows, top.HeldOut = p.HeldOutRows, p.HeldOut
		}
		top.HiddenBits, top.HiddenLoss = b.HiddenBits, b.HiddenLoss
		if p.HiddenBits > 0 && (b.HiddenBits == 0 || p.HiddenLoss < b.HiddenLoss) {
			top.HiddenBits, top.HiddenLoss = p.HiddenBits, p.HiddenLoss
		}
		best[p.Experts] = top
	}
	return slices.SortedFunc(maps.Values(best), func(a, b patchwork.CurvePoint) int { return cmp.Compare(a.Experts, b.Experts) })
}

func preferable(p, o patchwork.CurvePoint) bool {
	switch {
	case p.Chosen != o.Chosen:
		return p.Chosen
	case p.Rows != o.Rows:
		return p.Rows > o.Rows
	case p.DescriptionLength != o.DescriptionLength:
		return p.DescriptionLength < o.DescriptionLength
	}
	return p.LogLik > o.LogLik
}
