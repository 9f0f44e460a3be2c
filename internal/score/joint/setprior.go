package joint

import (
	"encoding/binary"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// SetPrior is how probable sets of experts are where these are not active independently; see
// patchwork.SetPrior. It does not change, but for what it keeps of compounds: each goroutine has its fork.
type SetPrior struct {
	sets  [][]int16
	logP  []float64 // of these
	share map[string]namedSet
	rest  float64 // probability that a row has no named set

	none   float64      // log probability that no expert is active, drawn one by one
	on     [][2]float64 // by expert: what being active adds to that, its parent inactive and active
	off    []float64    // by expert: what its parent's being active adds if the expert is not
	parent []int
	below  [][]int16 // by expert: those that depend on it

	compounds *compounds // of which any come, instead of all of these; nil for none
}

// fork returns the same prior for another goroutine.
func (p *SetPrior) fork() *SetPrior {
	if p == nil || p.compounds == nil {
		return p
	}
	return &SetPrior{compounds: p.compounds.fork()}
}

// namedSet is the number of a named set and its probability.
type namedSet struct {
	number int
	share  float64
}

// NewSetPrior returns the prior of named sets, experts ascending, with their shares, and of experts that are active
// with such probabilities, without and with a parent.
func NewSetPrior(sets [][]int, share []float64, parent []int, active [][2]float64) *SetPrior {
	p := &SetPrior{share: map[string]namedSet{}, rest: 1, parent: parent, below: make([][]int16, len(active))}
	for k, a := range active {
		p.none += elem.Log1p(-a[0])
		p.on = append(p.on, [2]float64{elem.Log(a[0]) - elem.Log1p(-a[0]), elem.Log(a[1]) - elem.Log1p(-a[0])})
		p.off = append(p.off, elem.Log1p(-a[1])-elem.Log1p(-a[0]))
		if on := parent[k]; on >= 0 {
			p.below[on] = append(p.below[on], int16(k))
		}
	}
	for i, set := range sets {
		var s []int16
		for _, k := range set {
			s = append(s, int16(k))
		}
		p.sets, p.rest = append(p.sets, s), p.rest-share[i]
		p.share[string(appendKey(nil, s))] = namedSet{i, share[i]}
	}
	var key []byte
	for _, set := range p.sets {
		logP, _ := p.LogP(set, &key)
		p.logP = append(p.logP, logP)
	}
	return p
}

// appendKey appends what names a set, experts ascending, in a map.
func appendKey(key []byte, set []int16) []byte {
	for _, k := range set {
		key = binary.BigEndian.AppendUint16(key, uint16(k))
	}
	return key
}

// LogP returns the log probability of a set, experts ascending, and its number if it is named, else -1. The key is
// scratch memory.
func (p *SetPrior) LogP(set []int16, key *[]byte) (logP float64, number int) {
	if p.compounds != nil {
		*key = appendKey((*key)[:0], set)
		return p.compounds.logP(set, *key), -1
	}
	sum := p.none
	for _, k := range set {
		with := 0
		if on := p.parent[k]; on >= 0 && slices.Contains(set, int16(on)) {
			with = 1
		}
		sum += p.on[k][with]
		for _, child := range p.below[k] {
			if !slices.Contains(set, child) {
				sum += p.off[child]
			}
		}
	}
	*key = appendKey((*key)[:0], set)
	s, ok := p.share[string(*key)]
	if !ok {
		return sum + elem.Log(p.rest), -1
	}
	return elem.Log(s.share + float64(p.rest*elem.Exp(sum))), s.number
}

// recode makes the joint probabilities of the sets that were found those by the prior, and adds the named sets that
// were not, but for those that have no weight.
func (s *Search) recode() {
	p := s.Prior
	if p == nil {
		return
	}
	s.found = append(s.found[:0], make([]bool, len(p.sets))...)
	top := math.Inf(-1)
	for i := range s.nodes {
		s.path = s.pathOf(s.path, i)
		slices.Sort(s.path)
		logP, number := p.LogP(s.path, &s.key)
		n := &s.nodes[i]
		*n = nodeOf(n.parent, n.expert, n.size, n.joint+logP-s.independent(s.path))
		if number >= 0 && !math.IsInf(n.joint, -1) {
			s.found[number] = true
		}
		top = max(top, n.joint)
	}
	alone := s.experts.logLik(s.x)
	for i, set := range p.sets {
		if s.found[i] || len(set) > s.most || len(set) == 0 {
			continue
		}
		lowest := top - 2*negligible - alone - p.logP[i]
		if s.factorsOf(i).GainAbove(s.x, elem.Exp(lowest)*nearly) < lowest-1 {
			continue
		}
		s.others.Reset(s.experts, s.x)
		joint, at := alone, int32(0)
		for j, k := range set {
			joint += s.others.Gain(int(k))
			s.others.Place(int(k))
			n := nodeOf(at, int32(k), int32(j+1), math.Inf(-1))
			if j == len(set)-1 {
				n = nodeOf(at, int32(k), int32(j+1), joint+p.logP[i])
			}
			s.nodes = append(s.nodes, n)
			at = int32(len(s.nodes) - 1)
		}
	}
}

// factorsOf returns what all experts of a named set do to a row.
func (s *Search) factorsOf(named int) *Factors {
	if s.named == nil {
		s.named = make([]*Factors, len(s.Prior.sets))
	}
	if s.named[named] == nil {
		s.beside.Reset(s.experts, s.Prior.sets[named])
		s.named[named] = s.beside.all()
	}
	return s.named[named]
}

// prior returns the log probability of a set.
func (s *Search) prior(set []int16) float64 {
	if s.Prior == nil {
		return s.independent(set)
	}
	s.path = append(s.path[:0], set...)
	slices.Sort(s.path)
	logP, _ := s.Prior.LogP(s.path, &s.key)
	return logP
}

// independent returns the log probability of a set if experts are active independently.
func (s *Search) independent(set []int16) float64 {
	sum := s.empty
	for _, k := range set {
		sum -= s.costs[k]
	}
	return sum
}

// pathOf returns the experts of a node, in the memory of path, the last first.
func (s *Search) pathOf(path []int16, at int) []int16 {
	path = path[:0]
	for ; s.nodes[at].parent >= 0; at = int(s.nodes[at].parent) {
		path = append(path, int16(s.nodes[at].expert))
	}
	return path
}
