package joint

import (
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Set is one of several explanations of a row.
type Set struct {
	Experts []int16 // in the order in which they were found
	Joint   float64 // log P(x, set), in nats
	Weight  float64 // posterior probability among the sets returned
}

// Search finds the best sets of experts of a row by a beam search: it extends the beam
// best sets by one expert each, as long as the best extension beats the best set
// extended, and keeps the best of all it has evaluated. It belongs to one goroutine.
type Search struct {
	experts *Experts
	costs   []float64 // of each expert's being active, in nats
	empty   float64   // log prior probability that none is
	beam    int
	keep    int
	most    int

	origin State
	states []*State // of the beam
	spare  []*State
	nodes  []node
	level  []int
	at     []int // node of each state of the beam
	next   []int
	order  []int
	sets   []Set
	buffer []int16
}

// node is a set as its parent and one expert more.
type node struct {
	parent, expert int32
	size           int32
	joint          float64
	steps          float64 // joint in steps of tie
}

// NewSearch returns a search for up to keep sets, of up to most experts (0: no limit),
// that extends beam sets at a time. Expert k is active with probability pi[k].
func NewSearch(e *Experts, pi []float64, beam, keep, most int) *Search {
	s := &Search{experts: e, beam: beam, keep: keep, most: most}
	for _, p := range pi {
		s.costs = append(s.costs, elem.Log1p(-p)-elem.Log(p))
		s.empty += elem.Log1p(-p)
	}
	if s.most == 0 {
		s.most = len(pi)
	}
	return s
}

// Fork returns a search of the same experts for another goroutine.
func (s *Search) Fork() *Search {
	return &Search{experts: s.experts, costs: s.costs, empty: s.empty, beam: s.beam, keep: s.keep, most: s.most}
}

// tie is by how much an extension must be better, in nats.
const tie = 1e-9

// negligible is how much less likely than the best a set may be that is kept, in nats.
const negligible = 25

// Explain returns the best sets for a row, best first, and the logarithm of the sum of
// their joint probabilities. The sets are the search's own, until it is used again.
func (s *Search) Explain(x []uint8) (sets []Set, evidence float64) {
	s.origin.Reset(s.experts, x)
	s.nodes = append(s.nodes[:0], nodeOf(-1, -1, 0, s.empty+s.origin.LogLik()))
	s.take(&s.states, 1)
	s.states[0].CopyFrom(&s.origin)
	s.at = append(s.at[:0], 0)
	best := s.nodes[0].joint
	for size := 1; size <= s.most; size++ {
		from := s.nodes[s.at[0]].joint
		s.extend(best)
		if len(s.level) == 0 || s.nodes[s.level[0]].joint <= from+tie {
			break
		}
		best = max(best, s.nodes[s.level[0]].joint)
		s.advance()
	}
	return s.rank()
}

// nodeOf returns the node of a parent and one expert more.
func nodeOf(parent, expert, size int32, joint float64) node {
	return node{parent, expert, size, joint, math.RoundToEven(joint / tie)} // an instruction; Round is none
}

// better orders nodes, the likelier first, in steps of tie: sums that differ by rounding
// alone are equal, and the order of discovery decides.
func better(a, b *node) float64 { return b.steps - a.steps }

// take makes the list of states that long.
func (s *Search) take(list *[]*State, n int) {
	for len(*list) < n {
		if len(*list) < cap(*list) {
			if old := (*list)[:len(*list)+1][len(*list)]; old != nil {
				*list = append(*list, old)
				continue
			}
		}
		*list = append(*list, new(State))
	}
	*list = (*list)[:n]
}

// extend evaluates every set that has one expert more than those of the beam, keeps
// those that are not negligible, and lists as many of the best of them as the beam has.
func (s *Search) extend(best float64) {
	first := len(s.nodes)
	for b, state := range s.states {
		from := s.nodes[s.at[b]]
		for k := range s.costs {
			if slices.Contains(state.set, int16(k)) || s.led(b, int16(k)) {
				continue
			}
			joint := from.joint + state.Gain(k) - s.costs[k]
			if joint > best-negligible {
				s.nodes = append(s.nodes, nodeOf(int32(s.at[b]), int32(k), from.size+1, joint))
				best = max(best, joint)
			}
		}
	}
	s.level = s.level[:0]
	for range min(s.beam, len(s.nodes)-first) {
		top := -1
		for i := first; i < len(s.nodes); i++ {
			if !slices.Contains(s.level, i) && (top < 0 || better(&s.nodes[i], &s.nodes[top]) < 0) {
				top = i
			}
		}
		s.level = append(s.level, top)
	}
}

// led reports whether the set of state b and expert k contains the set of an earlier
// state of the beam, which has led to it already.
func (s *Search) led(b int, k int16) bool {
	for _, earlier := range s.states[:b] {
		if slices.Contains(earlier.set, k) && containsAllBut(s.states[b].set, earlier.set, k) {
			return true
		}
	}
	return false
}

// containsAllBut reports whether set contains all of part, except k.
func containsAllBut(set, part []int16, k int16) bool {
	for _, v := range part {
		if v != k && !slices.Contains(set, v) {
			return false
		}
	}
	return true
}

// advance makes the best of the level the beam.
func (s *Search) advance() {
	s.take(&s.spare, len(s.level))
	s.next = s.next[:0]
	for i, n := range s.level {
		b := slices.Index(s.at, int(s.nodes[n].parent))
		s.spare[i].CopyFrom(s.states[b])
		s.spare[i].Place(int(s.nodes[n].expert))
		s.next = append(s.next, n)
	}
	s.states, s.spare = s.spare, s.states
	s.at, s.next = s.next, s.at
}

// best lists the best nodes, best first, at most as many as are kept.
func (s *Search) best() []int {
	order, top := s.order[:0], math.Inf(-1)
	for i := range s.nodes {
		n := &s.nodes[i]
		if top = max(top, n.joint); n.joint < top-2*negligible { // it has no weight
			continue
		}
		if len(order) < s.keep {
			order = append(order, i)
		} else if last := order[len(order)-1]; better(n, &s.nodes[last]) < 0 {
			order[len(order)-1] = i
		} else {
			continue
		}
		for j := len(order) - 1; j > 0 && better(n, &s.nodes[order[j-1]]) < 0; j-- {
			order[j-1], order[j] = i, order[j-1]
		}
	}
	s.order = order
	return order
}

// rank returns the best nodes as sets, with their weights.
func (s *Search) rank() ([]Set, float64) {
	order := s.best()
	s.sets, s.buffer = s.sets[:0], s.buffer[:0]
	top, sum := s.nodes[order[0]].joint, 0.0
	for _, at := range order {
		n := s.nodes[at]
		w := elem.Exp(n.joint - top)
		if w < 1e-11 {
			break
		}
		from := len(s.buffer)
		s.buffer = append(s.buffer, make([]int16, n.size)...)
		set := s.buffer[from:]
		for j := n.size - 1; j >= 0; j-- {
			set[j] = int16(s.nodes[at].expert)
			at = int(s.nodes[at].parent)
		}
		s.sets = append(s.sets, Set{Experts: set[:len(set):len(set)], Joint: n.joint, Weight: w})
		sum += w
	}
	for i := range s.sets {
		s.sets[i].Weight /= sum
	}
	return s.sets, top + elem.Log(sum)
}

// Without returns how much of a row's evidence is left if an expert did not exist, by the
// sets without it that the search has seen: the logarithm of the sum of their joint
// probabilities, which include that the expert is inactive.
func (s *Search) Without(k int16) float64 {
	top, sum := math.Inf(-1), 0.0
	for pass := range 2 { // the largest, then the sum
		for i := range s.nodes {
			n := &s.nodes[i]
			if pass == 0 && n.joint <= top || pass == 1 && n.joint < top-negligible || s.has(i, k) {
				continue
			}
			if pass == 0 {
				top = n.joint
			} else {
				sum += elem.Exp(n.joint - top)
			}
		}
	}
	return top + elem.Log(sum)
}

// has reports whether the set of a node contains an expert.
func (s *Search) has(at int, k int16) bool {
	for at >= 0 {
		if s.nodes[at].expert == int32(k) {
			return true
		}
		at = int(s.nodes[at].parent)
	}
	return false
}
