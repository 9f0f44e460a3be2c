package learn

import (
	"cmp"
	"maps"
	"slices"

	"example.com/patchwork"
)

// ByExperts returns one point of the curve for each number of experts, ascending:
// the chosen one, else the one with the most training images, and of these the
// one with the shortest description or the largest log-likelihood. Its loss of hidden bits is that of
// the chosen point, else the lowest. What was made of one of them by joining parts comes last.
func ByExperts(curve []patchwork.CurvePoint) []patchwork.CurvePoint {
	best, joined := make(map[int]patchwork.CurvePoint), []patchwork.CurvePoint(nil)
	for _, p := range curve {
		if p.Stage == StageJoined {
			joined = append(joined, p)
			continue
		}
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
		top.HiddenBits, top.HiddenLoss = b.HiddenBits, b.HiddenLoss
		switch {
		case b.Chosen && b.HiddenBits > 0: // its own
		case p.Chosen && p.HiddenBits > 0:
			top.HiddenBits, top.HiddenLoss = p.HiddenBits, p.HiddenLoss
		case p.HiddenBits > 0 && (b.HiddenBits == 0 || p.HiddenLoss < b.HiddenLoss):
			top.HiddenBits, top.HiddenLoss = p.HiddenBits, p.HiddenLoss
		}
		best[p.Experts] = top
	}
	return append(slices.SortedFunc(maps.Values(best),
		func(a, b patchwork.CurvePoint) int { return cmp.Compare(a.Experts, b.Experts) }), joined...)
}

// preferable reports whether p stands for its number of experts rather than o.
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
