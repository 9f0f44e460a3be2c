package real

import (
	"math"
	"slices"
)

// A part that is two in truth, such as a cross of two bars, explains both more rows than either would, so growth finds it first
// and has no reason to leave it. This file tells such parts by the rows that have only half of what they say.

// splits is how many parts, of those that fit worst, are tried in turn without success.
const splits = 3

// split makes two of each part for which this shortens the description, those that fit worst first.
func (l *learner) split(s *state, t *terms, report func(string, *state)) (*state, error) {
	if s.m.Moves() {
		return s, nil
	}
	for failed := 0; failed < min(splits, s.m.K()); {
		if l.o.Experts > 0 && s.m.K() >= l.o.Experts {
			break
		}
		next, err := l.halves(s, worst(s.misfit(), failed), t)
		if err != nil {
			return nil, err
		}
		if next == nil || next.length >= s.length {
			failed++
			continue
		}
		s, failed = next, 0
		report("move", s)
	}
	return s, nil
}

// halves returns a state in which part k is two, after two steps of EM; nil if its votes do not fall in two.
func (l *learner) halves(s *state, k int, t *terms) (*state, error) {
	second := l.sides(s, k)
	if second == nil {
		return nil, nil
	}
	m := *s.m
	m.Experts, m.Pi = slices.Clone(m.Experts), append(slices.Clone(m.Pi), m.Pi[k])
	one, other := slices.Clone(m.Experts[k]), slices.Clone(m.Experts[k])
	for f := range one {
		if second[f] {
			one[f] = Entry{Abstains, m.Background[m.home(f)]}
		} else {
			other[f] = Entry{Abstains, m.Background[m.home(f)]}
		}
	}
	m.Experts[k] = one
	m.Experts = append(m.Experts, other)
	next, err := l.explain(&m)
	if err != nil {
		return nil, err
	}
	return l.em(next, t, 2)
}

// sides returns which votes of part k belong to the second of two groups: votes of one group come true in the same rows, of those
// that the part explains. It is nil if there are no two groups.
func (l *learner) sides(s *state, k int) []bool {
	expert := s.m.Experts[k]
	var rows []int
	for i, picks := range s.e.picks {
		if slices.Contains(picks, k) {
			rows = append(rows, i)
		}
	}
	came := make([][]float64, len(expert)) // of each vote: 1 in rows where it comes true, -1 where it does not, 0 where that is not known
	var votes []int
	for f, o := range expert {
		b := s.m.Background[s.m.home(f)]
		if o.Vote == Abstains || o.Mean == b.Mean {
			continue
		}
		votes = append(votes, f)
		for _, i := range rows {
			x, sign := l.data.Rows[i][s.m.home(f)], 0.0
			if !math.IsNaN(x) {
				sign = math.Copysign(1, float64((x-float64((o.Mean+b.Mean)/2))*(o.Mean-b.Mean)))
			}
			came[f] = append(came[f], sign)
		}
	}
	if len(votes) < 2 || len(rows) < 4 {
		return nil
	}
	return twoGroups(came, votes)
}

// twoGroups parts vectors, of which some are there, into two groups by the mean that they agree with more, from two that agree least, and
// returns which are in the second one; nil if one group is empty.
func twoGroups(vectors [][]float64, there []int) []bool {
	dot := func(a, b []float64) (sum float64) {
		for i, x := range a {
			sum += float64(x * b[i])
		}
		return sum
	}
	farthest := func(from []float64) []float64 {
		return vectors[slices.MinFunc(there, func(a, b int) int {
			if x, y := dot(vectors[a], from), dot(vectors[b], from); x != y {
				return int(math.Copysign(1, x-y))
			}
			return a - b
		})]
	}
	one := farthest(vectors[there[0]])
	other := farthest(one)
	second, sizes := make([]bool, len(vectors)), [2]int{}
	for range 10 {
		sums := [2][]float64{make([]float64, len(one)), make([]float64, len(one))}
		sizes = [2]int{}
		for _, f := range there {
			at := 0
			if second[f] = dot(vectors[f], other) > dot(vectors[f], one); second[f] {
				at = 1
			}
			sizes[at]++
			for i, x := range vectors[f] {
				sums[at][i] += x
			}
		}
		if sizes[0] == 0 || sizes[1] == 0 {
			return nil
		}
		for at, size := range sizes {
			for i := range sums[at] {
				sums[at][i] /= float64(size)
			}
		}
		one, other = sums[0], sums[1]
	}
	return second
}
