package lists

import (
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/table/described"
)

// Up to so many rows and parts have a prior over sets of parts: it is looked for among all pairs
// of parts, and all sets, whenever a model is judged.
const (
	mostCoded     = 512
	mostCodedRows = 20_000
)

// bestSets returns the best sets of the rows, equal ones as one.
func (s *state) bestSets() *described.Sets {
	out := &described.Sets{Active: make([]float64, len(s.Parts))}
	order := make([]int32, len(s.start)-1)
	for r := range order {
		order[r] = int32(r)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return slices.Compare(s.set(int(a)), s.set(int(b))) })
	for from := 0; from < len(order); {
		set, to := s.set(int(order[from])), from+1
		for to < len(order) && slices.Equal(set, s.set(int(order[to]))) {
			to++
		}
		members := make([]int16, len(set))
		for i, k := range set {
			members[i] = int16(k)
		}
		out.Add(members, float64(to-from))
		from = to
	}
	return out
}

// setPrior returns the prior over sets of parts that the rows ask for, and what it saves: beside
// the best sets alone, so that what other sets add to the rows is taken from it.
func (s *state) setPrior(number float64) (*patchwork.SetPrior, float64) {
	if len(s.Parts) > mostCoded || len(s.start) > mostCodedRows {
		return nil, 0
	}
	return s.bestSets().Prior(number, s.bonus)
}

func (s *state) codes(number float64) float64 {
	_, saves := s.setPrior(number)
	return saves
}
