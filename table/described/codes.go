package described

import (
	"cmp"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// Prior returns how probable sets of parts are by the best of three codes (independent activations, each part by one
// other, names for sets that come often) and what the code saves, in nats, its numbers paid for, beside independent
// activations: a lower bound, by the posterior weights of the sets that explain the rows, but for what says where that
// falls short. It returns nil and 0 where none saves more than that, and than it takes to say which of the three it is.
//
//	E_post[log p_new(S) - log p_old(S)] <= log P_new(x) - log P_old(x)
func (s *Sets) Prior(number, short float64) (*patchwork.SetPrior, float64) {
	tree, edges := 0.0, []edge(nil)
	if !s.NoTree {
		tree, edges = s.tree(number)
	}
	words, named := s.words(number)
	switch saves := max(tree, words) - elem.Log(3) - short; {
	case saves <= 0:
		return nil, 0
	case tree >= words:
		return s.priorOfTree(edges), saves
	default:
		return s.priorOfWords(named), saves
	}
}

// PriorLength returns what it takes to say a prior over sets of parts, beside how often each part is active: of each
// edge a number and a name, of each named set its parts and a number, and which of the three codes it is.
func PriorLength(p *patchwork.SetPrior, number float64) float64 {
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
		share := ShareOf(n, total)
		p.Active = append(p.Active, [2]float64{share, share})
	}
	return p
}

// ShareOf returns the share that n of total are, kept from 0 and 1.
func ShareOf(n, total float64) float64 { return (min(max(n, 0), total) + 0.5) / (total + 1) }

// priorOfTree returns the prior of a forest.
func (s *Sets) priorOfTree(edges []edge) *patchwork.SetPrior {
	p := newSetPrior(s.Active, s.Total)
	next := make([][]edge, len(s.Active))
	for _, e := range edges {
		next[e.a], next[e.b] = append(next[e.a], e), append(next[e.b], edge{e.b, e.a, e.saves, e.both})
	}
	done := make([]bool, len(s.Active))
	var visit func(x int)
	visit = func(x int) {
		done[x] = true
		for _, e := range next[x] {
			if !done[e.b] {
				p.Parent[e.b] = x
				p.Active[e.b] = [2]float64{ShareOf(s.Active[e.b]-e.both, s.Total-s.Active[x]), ShareOf(e.both, s.Active[x])}
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
func (s *Sets) priorOfWords(named []bool) *patchwork.SetPrior {
	active, rest := slices.Clone(s.Active), s.Total
	var words [][]int
	var share []float64
	for i, set := range s.Members {
		if !named[i] {
			continue
		}
		word := make([]int, len(set))
		for j, k := range set {
			word[j] = int(k)
			active[k] -= s.Rows[i]
		}
		rest -= s.Rows[i]
		words, share = append(words, word), append(share, s.Rows[i]/(s.Total+1))
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

// Sets are the sets of parts that explain rows, with the rows that each explains.
type Sets struct {
	Members [][]int16
	Rows    []float64
	Total   float64
	Active  []float64 // by part
	NoTree  bool      // no part depends on one other
}

// Add adds the rows that a set explains.
func (s *Sets) Add(set []int16, n float64) {
	s.Members, s.Rows = append(s.Members, set), append(s.Rows, n)
	s.Total += n
	for _, k := range set {
		s.Active[k] += n
	}
}

// tree returns what it saves if each part may depend on one other, and the edges: the heaviest forest of those, each of
// which saves N times the mutual information and takes a number and a name.
func (s *Sets) tree(number float64) (float64, []edge) {
	k := len(s.Active)
	both := make([]float64, k*k)
	for i, set := range s.Members {
		for a, x := range set {
			for _, y := range set[a+1:] {
				both[int(x)*k+int(y)] += s.Rows[i]
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
func (s *Sets) information(a, b int, both float64) float64 {
	n, x, y := s.Total, s.Active[a], s.Active[b]
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
func (s *Sets) words(number float64) (float64, []bool) {
	plain := 0.0
	costs := s.costs(nil)
	for i, n := range s.Rows {
		plain += float64(n * costs[i])
	}
	word, best := make([]bool, len(s.Rows)), 0.0
	var kept []bool
	for range wordRounds {
		for i, n := range s.Rows {
			word[i] = n > 0 && float64(n*(elem.Log(n/s.Total)+costs[i])) > costs[i]+number
		}
		costs = s.costs(word)
		sum, escape := 0.0, 0.0
		for i, n := range s.Rows {
			if word[i] {
				sum += costs[i] + number - float64(n*elem.Log(n/s.Total))
			} else {
				escape += n
				sum += float64(n * costs[i])
			}
		}
		if escape > 0 {
			sum -= float64(escape * elem.Log(escape/s.Total))
		}
		if plain-sum > best {
			best, kept = plain-sum, slices.Clone(word)
		}
	}
	return best, kept
}

// costs returns -log p(S) by independent activations, as often as in the rows whose sets are
// no words.
func (s *Sets) costs(word []bool) []float64 {
	active, total := make([]float64, len(s.Active)), 0.0
	for i, set := range s.Members {
		if word != nil && word[i] {
			continue
		}
		total += s.Rows[i]
		for _, k := range set {
			active[k] += s.Rows[i]
		}
	}
	none, on := 0.0, make([]float64, len(active))
	for k, n := range active {
		p := (n + 0.5) / (total + 1)
		none -= elem.Log1p(-p)
		on[k] = elem.Log1p(-p) - elem.Log(p)
	}
	out := make([]float64, len(s.Members))
	for i, set := range s.Members {
		out[i] = none
		for _, k := range set {
			out[i] += on[k]
		}
	}
	return out
}
