package joint

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/elem"
)

// compounds are a prior by which sets of experts come together: any of them may come, and an expert is active with the
// highest probability that those that came and its own say. It belongs to one goroutine.
type compounds struct {
	members [][]int   // experts, ascending
	sure    [][]level // of each of them
	alone   []level   // by expert
	surest  []float64 // what a compound adds to the log probability that it is active, at most
	none    float64   // log probability that no compound comes
	odds    []float64 // what each adds to that
	hope    []float64 // what those from each on add at most
	above   *SetPrior // how probable sets of compounds are; nil: as they come independently

	// The search of one set.
	in        []bool
	now       []level
	came      []int16
	left      int // steps
	top, most float64
	sums      []float64 // log joint probabilities
	key       []byte
	known     map[string]float64
}

// level is a probability and the logarithms of it and of the rest.
type level struct{ p, on, off float64 }

func levelOf(p float64) level { return level{p, elem.Log(p), elem.Log1p(-p)} }

const (
	mostJoined = 1 << 16 // sets of compounds that are tried for a set of experts
	forgotten  = 40      // nats by which one may be behind
	mostKnown  = 1 << 18 // sets of experts whose probability is kept
)

// NewCompounds returns the prior of compounds with their shares: members, experts ascending, are as probable as sure
// says where one comes, and alone otherwise. Above is how probable sets of compounds are, nil if they come
// independently.
func NewCompounds(sets [][]int, sure [][]float64, share, alone []float64, above *SetPrior) *SetPrior {
	c := &compounds{members: sets, above: above, hope: make([]float64, len(sets)+1)}
	for _, p := range alone {
		c.alone = append(c.alone, levelOf(p))
	}
	c.surest = make([]float64, len(alone))
	for i, list := range sure {
		var levels []level
		for j, p := range list {
			levels = append(levels, levelOf(p))
			k := sets[i][j]
			c.surest[k] = max(c.surest[k], levels[j].on-c.alone[k].on)
		}
		w := levelOf(share[i])
		c.sure, c.odds, c.none = append(c.sure, levels), append(c.odds, w.on-w.off), c.none+w.off
	}
	if above != nil {
		c.none, c.odds = 0, make([]float64, len(sets))
	}
	for i := len(sets) - 1; i >= 0; i-- {
		c.hope[i] = c.hope[i+1] + max(0, c.odds[i])
	}
	return &SetPrior{compounds: c.fork()}
}

// fork returns the same prior for another goroutine.
func (c *compounds) fork() *compounds {
	f := *c
	f.in, f.now, f.known = make([]bool, len(c.alone)), make([]level, len(c.alone)), map[string]float64{}
	f.above = c.above.fork()
	return &f
}

// logP returns the log probability of a set, experts ascending; key is what names it.
func (c *compounds) logP(set []int16, key []byte) float64 {
	if p, ok := c.known[string(key)]; ok {
		return p
	}
	clear(c.in)
	for _, k := range set {
		c.in[k] = true
	}
	copy(c.now, c.alone)
	here := 0.0
	c.most = 0
	for k, v := range c.alone {
		here += v.of(c.in[k])
	}
	for _, k := range set {
		c.most += c.surest[k]
	}
	c.left, c.top, c.sums, c.came = mostJoined, math.Inf(-1), c.sums[:0], c.came[:0]
	c.join(0, c.none, here, 0)
	sum := 0.0
	for _, v := range c.sums {
		sum += elem.Exp(v - c.top)
	}
	p := c.top + elem.Log(sum)
	if len(c.known) < mostKnown {
		c.known[string(key)] = p
	}
	return p
}

// of returns the log probability that an expert is active, or that it is not.
func (v level) of(active bool) float64 {
	if active {
		return v.on
	}
	return v.off
}

// join adds up the joint probabilities of the set and of all compounds from one on beside those that came, whose log
// probability is prior, and of the set beside them here. What they gained so far can be gained by no others.
func (c *compounds) join(from int, prior, here, gained float64) {
	if c.left--; c.left < 0 || prior+c.hope[from]+here+c.most-gained < c.top-forgotten {
		return
	}
	if from == len(c.members) {
		if c.above != nil {
			prior, _ = c.above.LogP(c.came, &c.key)
		}
		c.sums, c.top = append(c.sums, prior+here), max(c.top, prior+here)
		return
	}
	c.join(from+1, prior, here, gained)
	before := make([]level, len(c.members[from]))
	more, gain := here, gained
	for j, k := range c.members[from] {
		before[j] = c.now[k]
		if v := c.sure[from][j]; v.p > before[j].p {
			c.now[k] = v
			more += v.of(c.in[k]) - before[j].of(c.in[k])
			if c.in[k] {
				gain += v.on - before[j].on
			}
		}
	}
	c.came = append(c.came, int16(from))
	c.join(from+1, prior+c.odds[from], more, gain)
	c.came = c.came[:len(c.came)-1]
	for j, k := range c.members[from] {
		c.now[k] = before[j]
	}
}

// fewEnumerated is the number of experts up to which all sets are tried by a prior of compounds: that costs little, and
// the evidence is exact.
const fewEnumerated = 8

// enumerates reports whether all sets are tried.
func (s *Search) enumerates() bool {
	n := len(s.costs)
	return s.Prior != nil && s.Prior.compounds != nil && n <= fewEnumerated && s.most >= n && !s.Straight
}

// enumerate makes a node of every set. That of the set whose bits are i has number i.
func (s *Search) enumerate() {
	alone := s.experts.logLik(s.x)
	for i := range 1 << len(s.costs) {
		s.others.Reset(s.experts, s.x)
		s.path = s.path[:0]
		sum := alone
		for k := range s.costs {
			if i>>k&1 == 1 {
				sum += s.others.Gain(k)
				s.others.Place(k)
				s.path = append(s.path, int16(k))
			}
		}
		logP, _ := s.Prior.LogP(s.path, &s.key)
		n := nodeOf(-1, -1, 0, sum+logP)
		if i == 0 {
			s.nodes[0] = n
			continue
		}
		last := bits.Len(uint(i)) - 1
		s.nodes = append(s.nodes, nodeOf(int32(i&^(1<<last)), int32(last), int32(len(s.path)), n.joint))
	}
}
