package table

import (
	"cmp"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// setPrior returns how probable sets of parts are by the best of three codes (independent activations, each part
// by one other, names for sets that come often) and what the code saves, in nats, its numbers paid for, beside
// independent activations: a lower bound, by the posterior weights of the sets that explain the rows. It returns nil and
// 0 where none saves more than it takes to say which of the three it is.
//
//	E_post[log p_new(S) - log p_old(S)] <= log P_new(x) - log P_old(x)
func (t *counts) setPrior() (*patchwork.SetPrior, float64) {
	s, number := newSets(t), numberLengthOf(max(t.count(), 1))
	tree, edges := s.tree(number)
	words, named := s.words(number)
	switch saves := max(tree, words) - elem.Log(3); {
	case saves <= 0:
		return nil, 0
	case tree >= words:
		return s.priorOfTree(edges), saves
	default:
		return s.priorOfWords(named), saves
	}
}

// setPriorLength returns what it takes to say a prior over sets of parts, beside how often each part is active: of each
// edge a number and a name, of each named set its parts and a number, and which of the three codes it is.
func setPriorLength(p *patchwork.SetPrior, number float64) float64 {
	sum := elem.Log(3)
	for _, on := range p.Parent {
		if on >= 0 {
			sum += number + elem.Log(float64(len(p.Parent)))
		}
	}
	none := 0.0
	for _, a := range p.Active {
		none -= elem.Log1p(-a[0])
	}
	for _, set := range p.Sets {
		sum += none + number
		for _, k := range set {
			sum += elem.Log1p(-p.Active[k][0]) - elem.Log(p.Active[k][0])
		}
	}
	return sum
}

// newSetPrior returns a prior by which parts are active independently, as often as in so many of some rows.
func newSetPrior(active []float64, total float64) *patchwork.SetPrior {
	p := &patchwork.SetPrior{Parent: slices.Repeat([]int{-1}, len(active))}
	for _, n := range active {
		share := shareOf(n, total)
		p.Active = append(p.Active, [2]float64{share, share})
	}
	return p
}

// shareOf returns the share that n of total are, kept from 0 and 1.
func shareOf(n, total float64) float64 { return (min(max(n, 0), total) + 0.5) / (total + 1) }

// priorOfTree returns the prior of a forest.
func (s *sets) priorOfTree(edges []edge) *patchwork.SetPrior {
	p := newSetPrior(s.active, s.total)
	next := make([][]edge, len(s.active))
	for _, e := range edges {
		next[e.a], next[e.b] = append(next[e.a], e), append(next[e.b], edge{e.b, e.a, e.saves, e.both})
	}
	done := make([]bool, len(s.active))
	var visit func(x int)
	visit = func(x int) {
		done[x] = true
		for _, e := range next[x] {
			if !done[e.b] {
				p.Parent[e.b] = x
				p.Active[e.b] = [2]float64{shareOf(s.active[e.b]-e.both, s.total-s.active[x]), shareOf(e.both, s.active[x])}
				visit(e.b)
			}
		}
	}
	for x := range done {
		if !done[x] {
			visit(x)
		}
	}
	return p
}

// priorOfWords returns the prior of named sets.
func (s *sets) priorOfWords(named []bool) *patchwork.SetPrior {
	active, rest := slices.Clone(s.active), s.total
	var words [][]int
	var share []float64
	for i, set := range s.members {
		if !named[i] {
			continue
		}
		word := make([]int, len(set))
		for j, k := range set {
			word[j] = int(k)
			active[k] -= s.rows[i]
		}
		rest -= s.rows[i]
		words, share = append(words, word), append(share, s.rows[i]/(s.total+1))
	}
	p := newSetPrior(active, max(rest, 0))
	p.Sets, p.Share = words, share
	return p
}

// edge is between two parts that are active together in so many rows, and saves so many nats.
type edge struct {
	a, b  int
	saves float64
	both  float64
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

// tree returns what it saves if each part may depend on one other, and the edges: the heaviest forest of those, each of which saves N times the mutual information and takes a number and a name.
func (s *sets) tree(number float64) (float64, []edge) {
	k := len(s.active)
	both := make([]float64, k*k)
	for i, set := range s.members {
		for a, x := range set {
			for _, y := range set[a+1:] {
				both[int(x)*k+int(y)] += s.rows[i]
			}
		}
	}
	var edges, used []edge
	for a := range k {
		for b := a + 1; b < k; b++ {
			if saves := s.information(a, b, both[a*k+b]) - number - elem.Log(float64(k)); saves > 0 {
				edges = append(edges, edge{a, b, saves, both[a*k+b]})
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
			used = append(used, e)
			for i, v := range in {
				if v == from {
					in[i] = to
				}
			}
		}
	}
	return sum, used
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

// words returns what it saves if sets that come often have names, and which sets have: which rows have a named
// set, which one, and the parts of each name once; the other rows by independent activations.
func (s *sets) words(number float64) (float64, []bool) {
	plain := 0.0
	costs := s.costs(nil)
	for i, n := range s.rows {
		plain += float64(n * costs[i])
	}
	word, best := make([]bool, len(s.rows)), 0.0
	var kept []bool
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
		if plain-sum > best {
			best, kept = plain-sum, slices.Clone(word)
		}
	}
	return best, kept
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
