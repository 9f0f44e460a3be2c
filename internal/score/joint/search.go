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
	Prior   float64 // log P(set)
	Weight  float64 // posterior probability among the sets returned
}

// Search finds the best sets of experts of a row by a beam search: it extends the beam
// best sets by one expert each, as long as the best extension beats the best set
// extended, and keeps the best of all it has evaluated. An expert that later ones made needless leaves the best
// set, and the search goes on from there. It belongs to one goroutine.
type Search struct {
	// Straight keeps to the beam: no expert leaves a set. Other implementations search so.
	Straight bool

	// Prior is how probable sets are; nil: experts are active independently. The beam is extended as if they were.
	Prior *SetPrior

	experts *Experts
	costs   []float64 // of each expert's being active, in nats
	odds    []float64 // against its being active
	empty   float64   // log prior probability that none is
	wide    int       // how many sets are extended at a time
	keep    int
	most    int

	x       []uint8    // the row
	beam    []*reached // the beam
	spare   []*reached
	nodes   []node
	level   []int
	order   []int
	sets    []Set
	buffer  []int16
	memo    memo
	beside  Beside
	unknown []float64 // gains that are not known

	extended []int      // nodes that were extended
	leaving  bool       // whether an expert has left
	path     []int16    // scratch: experts of a set, in the order in which they joined
	others   State      // scratch: the row beside others than one expert, where it votes
	found    []bool     // named sets of the prior that the beam has found
	named    []*Factors // of the named sets, as far as they were asked for
	key      []byte     // scratch
}

// reached is a set of the beam.
type reached struct {
	at    int       // its node
	path  []int16   // its experts, in the order in which they joined
	known *visited  // nil: not kept
	ready bool      // whether that has factors
	state State     // of the row
	made  bool      // whether the state is that of the path
	gains []float64 // by expert; NaN: not known
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
	s := &Search{experts: e, wide: beam, keep: keep, most: most}
	for _, p := range pi {
		s.costs = append(s.costs, elem.Log1p(-p)-elem.Log(p))
		s.odds = append(s.odds, (1-p)/p)
		s.empty += elem.Log1p(-p)
	}
	if s.most == 0 {
		s.most = len(pi)
	}
	return s.Fork()
}

// Fork returns a search of the same experts for another goroutine.
func (s *Search) Fork() *Search {
	f := &Search{Straight: s.Straight, Prior: s.Prior.fork(), experts: s.experts, costs: s.costs, odds: s.odds,
		empty: s.empty, wide: s.wide, keep: s.keep, most: s.most, unknown: make([]float64, len(s.costs))}
	for k := range f.unknown {
		f.unknown[k] = math.NaN()
	}
	return f
}

// tie is by how much an extension must be better, in nats.
const tie = 1e-9

// negligible is how much less likely than the best a set may be that is kept, in nats.
const negligible = 25

// nearly makes up for the rounding of bounds.
const nearly = 1 - 1e-6

// Explain returns the best sets for a row, best first, and the logarithm of the sum of
// their joint probabilities. The sets are the search's own, until it is used again.
func (s *Search) Explain(x []uint8) (sets []Set, evidence float64) {
	s.x = x
	s.nodes = append(s.nodes[:0], nodeOf(-1, -1, 0, s.empty+s.experts.logLik(x)))
	s.leaving, s.extended = false, s.extended[:0]
	if s.enumerates() {
		s.enumerate()
		return s.rank()
	}
	s.begin()
	s.climb(s.nodes[0].joint)
	for !s.Straight && s.leave() {
		s.climb(s.nodes[s.beam[0].at].joint)
	}
	s.recode()
	return s.rank()
}

// climb extends the beam as long as that makes its best set likelier; best is the joint
// probability of the best set so far.
func (s *Search) climb(best float64) {
	for size := int(s.nodes[s.beam[0].at].size) + 1; size <= s.most; size++ {
		from := s.nodes[s.beam[0].at].joint
		s.extend(best)
		if len(s.level) == 0 || s.nodes[s.level[0]].joint <= from+tie {
			break
		}
		best = max(best, s.nodes[s.level[0]].joint)
		s.advance()
	}
}

// leave makes the beam the best set without the expert that is best left out, and reports
// whether that is likelier: experts that joined later may have made an earlier one needless.
func (s *Search) leave() bool {
	top := 0
	for i := range s.nodes {
		if better(&s.nodes[i], &s.nodes[top]) < 0 {
			top = i
		}
	}
	n := s.nodes[top]
	s.path = s.pathOf(s.path, top)
	slices.Reverse(s.path)
	most, out := n.joint+tie, -1
	for j, k := range s.path {
		if !slices.ContainsFunc(s.path[j+1:], func(later int16) bool { return s.experts.meet(int(k), int(later)) }) {
			continue // it still gains what it did
		}
		s.others.beside(s.experts, s.x, s.path, int(k))
		if joint := n.joint - s.others.Gain(int(k)) + s.costs[k]; joint > most {
			most, out = joint, j
		}
	}
	if out < 0 {
		return false
	}
	at := top
	for range int(n.size) - out {
		at = int(s.nodes[at].parent)
	}
	s.leaving = true
	s.path = slices.Delete(s.path, out, out+1)
	for j := out; j < len(s.path); j++ {
		joint := math.Inf(-1) // not known, and less than most
		if j == len(s.path)-1 {
			joint = most
		}
		s.nodes = append(s.nodes, nodeOf(int32(at), int32(s.path[j]), int32(j+1), joint))
		at = len(s.nodes) - 1
	}
	take(&s.beam, 1)
	first, v := s.beam[0], s.memo.root
	for _, k := range s.path {
		v = s.memo.at(v, k, len(s.costs))
	}
	first.path = append(first.path[:0], s.path...)
	s.arrive(first, nil, at, v)
	return true
}

// nodeOf returns the node of a parent and one expert more.
func nodeOf(parent, expert, size int32, joint float64) node {
	return node{parent, expert, size, joint, math.RoundToEven(joint / tie)} // an instruction; Round is none
}

// better orders nodes, the likelier first, in steps of tie: sums that differ by rounding
// alone are equal, and the order of discovery decides.
func better(a, b *node) float64 { return b.steps - a.steps }

// begin makes the beam that of the set without experts.
func (s *Search) begin() {
	if s.memo.root == nil {
		s.memo = memo{root: &visited{last: -1}, left: mostRatios}
	}
	s.memo.root.visits++
	take(&s.beam, 1)
	first := s.beam[0]
	first.path = first.path[:0]
	s.arrive(first, nil, 0, s.memo.root)
}

// take makes the list of sets that long.
func take(list *[]*reached, n int) {
	for len(*list) < n {
		if len(*list) < cap(*list) {
			if old := (*list)[:len(*list)+1][len(*list)]; old != nil {
				*list = append(*list, old)
				continue
			}
		}
		*list = append(*list, new(reached))
	}
	*list = (*list)[:n]
}

// arrive makes the set of r's path, at a node, ready to be extended. The set that it came
// from, if any, says what it knows.
func (s *Search) arrive(r, from *reached, at int, v *visited) {
	r.at, r.known, r.made = at, v, false
	var parent *visited
	if from != nil {
		parent = from.known
	}
	r.ready = s.prepare(v, parent, r.path)
	r.gains = append(r.gains[:0], s.unknown...)
	if !r.ready {
		s.make(r, from)
		return
	}
	if from != nil && from.ready {
		for k, f := range v.factors {
			if f == from.known.factors[k] {
				r.gains[k] = from.gains[k]
			}
		}
	}
}

// make makes the state of the row and the set of r, which came from another, if any.
func (s *Search) make(r, from *reached) {
	r.made = true
	path := r.path
	if from != nil && from.made {
		r.state.CopyFrom(&from.state)
		path = path[len(path)-1:]
	} else {
		r.state.Reset(s.experts, s.x)
	}
	for _, k := range path {
		r.state.Place(int(k))
	}
}

// gain returns what expert k gains beside the set of r; it may return -Inf for less than
// log(tiny).
func (s *Search) gain(r *reached, k int, tiny float64) float64 {
	if !r.ready {
		return r.state.Gain(k)
	}
	if g := r.gains[k]; !math.IsNaN(g) {
		return g
	}
	g := r.known.factors[k].GainAbove(s.x, tiny)
	if !math.IsInf(g, -1) {
		r.gains[k] = g
	}
	return g
}

// extend evaluates every set that has one expert more than those of the beam, keeps
// those that are not negligible, and lists as many of the best of them as the beam has.
func (s *Search) extend(best float64) {
	first := len(s.nodes)
	for b, r := range s.beam {
		from := s.nodes[r.at]
		tiny := elem.Exp(best-from.joint-negligible) * nearly // beside the odds of being active
		for k := range s.costs {
			if slices.Contains(r.path, int16(k)) || s.led(b, int16(k)) || s.leaving && s.met(r.path, int16(k)) {
				continue
			}
			joint := from.joint + s.gain(r, k, tiny*s.odds[k]) - s.costs[k]
			if joint > best-negligible {
				s.nodes = append(s.nodes, nodeOf(int32(r.at), int32(k), from.size+1, joint))
				best = max(best, joint)
			}
		}
	}
	for _, r := range s.beam {
		s.extended = append(s.extended, r.at)
	}
	s.level = s.level[:0]
	for range min(s.wide, len(s.nodes)-first) {
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
	for _, earlier := range s.beam[:b] {
		if slices.Contains(earlier.path, k) && containsAllBut(s.beam[b].path, earlier.path, k) {
			return true
		}
	}
	return false
}

// met reports whether a set and expert k were evaluated before an expert left: as a set that
// was extended, and one expert.
func (s *Search) met(path []int16, k int16) bool {
	for _, at := range s.extended {
		if int(s.nodes[at].size) == len(path) && s.has(at, k) && s.within(at, path, k) {
			return true
		}
	}
	return false
}

// within reports whether a set contains all experts of a node, except k.
func (s *Search) within(at int, set []int16, k int16) bool {
	for ; s.nodes[at].parent >= 0; at = int(s.nodes[at].parent) {
		if e := int16(s.nodes[at].expert); e != k && !slices.Contains(set, e) {
			return false
		}
	}
	return true
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
	take(&s.spare, len(s.level))
	for i, at := range s.level {
		n, next := &s.nodes[at], s.spare[i]
		from := s.beam[slices.IndexFunc(s.beam, func(r *reached) bool { return r.at == int(n.parent) })]
		next.path = append(append(next.path[:0], from.path...), int16(n.expert))
		s.arrive(next, from, at, s.memo.at(from.known, int16(n.expert), len(s.costs)))
	}
	s.beam, s.spare = s.spare, s.beam
}

// best lists the best nodes, best first, at most as many as are kept.
func (s *Search) best() []int {
	order, top, keep := s.order[:0], math.Inf(-1), s.keep
	if s.enumerates() {
		keep = len(s.nodes)
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		if top = max(top, n.joint); n.joint < top-2*negligible { // it has no weight
			continue
		}
		if len(order) < keep {
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
		if w < 1e-11 && !s.enumerates() {
			break
		}
		from := len(s.buffer)
		s.buffer = append(s.buffer, make([]int16, n.size)...)
		set := s.buffer[from:]
		for j := n.size - 1; j >= 0; j-- {
			set[j] = int16(s.nodes[at].expert)
			at = int(s.nodes[at].parent)
		}
		s.sets = append(s.sets, Set{Experts: set[:len(set):len(set)], Joint: n.joint, Prior: s.prior(set), Weight: w})
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
