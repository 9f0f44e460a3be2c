package table

import (
	"cmp"
	"slices"

	"example.com/patchwork/internal/elem"
)

// codes returns what it saves, in nats, to say which parts are active by the best of three
// codes instead of by independent activations, the numbers of the code paid for: a lower
// bound, by the posterior weights of the sets that explain the rows. It is 0 where none saves
// more than it takes to say which of the three it is.
//
//	E_post[log p_new(S) - log p_old(S)] <= log P_new(x) - log P_old(x)
func codes(t *counts, number float64) float64 {
	s := newSets(t)
	return max(0, max(s.tree(number), s.words(number))-elem.Log(3))
}

// sets are the sets of parts that explain rows, with the rows that each explains.
type sets struct {
	members [][]int16
	rows    []float64
	total   float64
	active  []float64 // by part
}

func newSets(t *counts) *sets {
	s := &sets{active: make([]float64, len(t.active))}
	t.groups.Each(func(set []int16, weight int64, _, _ []int64) {
		n := float64(weight) / weightUnit
		s.members, s.rows = append(s.members, set), append(s.rows, n)
		s.total += n
		for _, k := range set {
			s.active[k] += n
		}
	})
	return s
}

// tree returns what it saves if each part may depend on one other: the heaviest forest of
// edges, each of which saves N times the mutual information and takes a number and a name.
func (s *sets) tree(number float64) float64 {
	k := len(s.active)
	both := make([]float64, k*k)
	for i, set := range s.members {
		for a, x := range set {
			for _, y := range set[a+1:] {
				both[int(x)*k+int(y)] += s.rows[i]
			}
		}
	}
	type edge struct {
		a, b  int
		saves float64
	}
	var edges []edge
	for a := range k {
		for b := a + 1; b < k; b++ {
			if saves := s.information(a, b, both[a*k+b]) - number - elem.Log(float64(k)); saves > 0 {
				edges = append(edges, edge{a, b, saves})
			}
		}
	}
	slices.SortStableFunc(edges, func(x, y edge) int { return cmp.Compare(y.saves, x.saves) })
	in := make([]int, k)
	for i := range in {
		in[i] = i
	}
	sum := 0.0
	for _, e := range edges {
		if from, to := in[e.a], in[e.b]; from != to {
			sum += e.saves
			for i, v := range in {
				if v == from {
					in[i] = to
				}
			}
		}
	}
	return sum
}

// information returns the rows times the mutual information of two parts that are active
// together in so many of them.
func (s *sets) information(a, b int, both float64) float64 {
	n, x, y := s.total, s.active[a], s.active[b]
	sum := 0.0
	for _, cell := range [...][3]float64{{both, x, y}, {x - both, x, n - y}, {y - both, n - x, y},
		{n - x - y + both, n - x, n - y}} {
		if cell[0] > 1e-9 && cell[1] > 0 && cell[2] > 0 {
			sum += float64(cell[0] * elem.Log(float64(cell[0]*n)/float64(cell[1]*cell[2])))
		}
	}
	return max(0, sum)
}

// wordRounds is how often words are chosen anew.
const wordRounds = 4

// words returns what it saves if sets that come often have names: which rows have a named
// set, which one, and the parts of each name once; the other rows by independent activations.
func (s *sets) words(number float64) float64 {
	plain := 0.0
	costs := s.costs(nil)
	for i, n := range s.rows {
		plain += float64(n * costs[i])
	}
	word, best := make([]bool, len(s.rows)), 0.0
	for range wordRounds {
		for i, n := range s.rows {
			word[i] = n > 0 && float64(n*(elem.Log(n/s.total)+costs[i])) > costs[i]+number
		}
		costs = s.costs(word)
		sum, escape := 0.0, 0.0
		for i, n := range s.rows {
			if word[i] {
				sum += costs[i] + number - float64(n*elem.Log(n/s.total))
			} else {
				escape += n
				sum += float64(n * costs[i])
			}
		}
		if escape > 0 {
			sum -= float64(escape * elem.Log(escape/s.total))
		}
		best = max(best, plain-sum)
	}
	return best
}

// costs returns -log p(S) by independent activations, as often as in the rows whose sets are
// no words.
func (s *sets) costs(word []bool) []float64 {
	active, total := make([]float64, len(s.active)), 0.0
	for i, set := range s.members {
		if word != nil && word[i] {
			continue
		}
		total += s.rows[i]
		for _, k := range set {
			active[k] += s.rows[i]
		}
	}
	none, on := 0.0, make([]float64, len(active))
	for k, n := range active {
		p := (n + 0.5) / (total + 1)
		none -= elem.Log1p(-p)
		on[k] = elem.Log1p(-p) - elem.Log(p)
	}
	out := make([]float64, len(s.members))
	for i, set := range s.members {
		out[i] = none
		for _, k := range set {
			out[i] += on[k]
		}
	}
	return out
}
