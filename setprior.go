package patchwork

import (
	"fmt"
	"math/rand/v2"
)

// SetPrior says how probable it is that a row has just a certain set of parts, where parts are not
// active independently. A row has one of the named sets, or else its parts are drawn one by one, each with a
// probability that may depend on one other part:
//
//	P(S) = Share of S, if it has a name + (1 - sum of Share) prod_k P(k active | its parent)
//
// Where each name is one part, it is a mixture, of which every row has one component.
//
// With Sure the named sets are compounds: any of them may come, each by itself with its share, or as Above says, and a
// part is active with the highest probability that the compounds that came and Active say, as parts join under max:
//
//	P(S) = sum over compounds C of P(C) prod_k P(k | C), P(k active | C) = max(Active of k, Sure of k in each of C)
type SetPrior struct {
	// Sets are the named sets, parts ascending, and Share the probability of each. Those of names, of which a row has
	// one, add up to less than 1.
	Sets  [][]int
	Share []float64

	// Sure is for each compound how probable each of its parts is where it comes; nil for names. Above is how probable
	// sets of compounds are, nil if these come independently.
	Sure  [][]float64
	Above *SetPrior

	// Parent is for each part the part that it depends on, -1 for none. Active is the probability, above 0 and below
	// 1, that it is active where its parent is not, or it has none, and where its parent is.
	Parent []int
	Active [][2]float64
}

// The kinds of a prior over sets of parts; see [SetPrior.Kind].
const (
	CompoundsAny = "any" // any of the compounds may come
	CompoundsOne = "one" // a row has one of the named sets, or none
)

// Kind says what the named sets are; "" of none, and of no prior.
func (p *SetPrior) Kind() string {
	switch {
	case p == nil || len(p.Sets) == 0:
		return ""
	case p.Sure == nil:
		return CompoundsOne
	}
	return CompoundsAny
}

// Alone returns for each part the probability that it is active beside no other, and no compound.
func (p *SetPrior) Alone() []float64 {
	out := make([]float64, len(p.Active))
	for k, a := range p.Active {
		out[k] = a[0]
	}
	return out
}

// check says what does not fit k parts.
func (p *SetPrior) check(k int) error {
	if len(p.Active) != k || len(p.Parent) != k || len(p.Share) != len(p.Sets) {
		return fmt.Errorf("patchwork: a prior over sets of %d parts, %d parents and %d shares of %d sets; there are %d parts",
			len(p.Active), len(p.Parent), len(p.Share), len(p.Sets), k)
	}
	if err := p.checkSure(); err != nil {
		return err
	}
	rest := 1.0
	for i, set := range p.Sets {
		if p.Sure == nil {
			rest -= p.Share[i]
		}
		last := -1
		for _, j := range set {
			if j <= last || j >= k {
				return fmt.Errorf("patchwork: named set %d has parts %v: they are to rise, below %d", i+1, set, k)
			}
			last = j
		}
		if !(p.Share[i] >= 0 && p.Share[i] < 1 && rest > 0) {
			return fmt.Errorf("patchwork: the shares of the first %d named sets, the last of which is %v, leave nothing",
				i+1, p.Share[i])
		}
	}
	for j, a := range p.Active {
		if !(a[0] > 0 && a[0] < 1 && a[1] > 0 && a[1] < 1) {
			return fmt.Errorf("patchwork: part %d is active with probabilities %v", j+1, a)
		}
		steps := 0
		for at := j; at >= 0; at = p.Parent[at] {
			if steps++; steps > k || p.Parent[at] >= k || p.Parent[at] < -1 {
				return fmt.Errorf("patchwork: part %d depends on itself, or on a part that is none: %v", j+1, p.Parent)
			}
		}
	}
	return nil
}

// checkSure says what does not fit of compounds.
func (p *SetPrior) checkSure() error {
	if p.Sure == nil {
		if p.Above != nil {
			return fmt.Errorf("patchwork: a prior over sets of named sets, which are no compounds")
		}
		return nil
	}
	if len(p.Sure) != len(p.Sets) {
		return fmt.Errorf("patchwork: probabilities of the parts of %d compounds; there are %d", len(p.Sure), len(p.Sets))
	}
	for i, sure := range p.Sure {
		if len(sure) == 0 || len(sure) != len(p.Sets[i]) || !(p.Share[i] > 0) {
			return fmt.Errorf("patchwork: compound %d of %d parts has %d probabilities, and share %v", i+1, len(p.Sets[i]),
				len(sure), p.Share[i])
		}
		for _, v := range sure {
			if !(v > 0 && v < 1) {
				return fmt.Errorf("patchwork: compound %d has a part with probability %v", i+1, v)
			}
		}
	}
	for k, on := range p.Parent {
		if on >= 0 {
			return fmt.Errorf("patchwork: part %d depends on part %d, beside compounds", k+1, on+1)
		}
	}
	if p.Above == nil {
		return nil
	}
	return p.Above.check(len(p.Sets))
}

// drawOfCompounds draws which parts are active.
func (p *SetPrior) drawOfCompounds(rng *rand.Rand) []bool {
	probability := p.Alone()
	var came []bool
	if p.Above != nil {
		came = p.Above.draw(rng)
	}
	for i, share := range p.Share {
		if came != nil && !came[i] || came == nil && rng.Float64() >= share {
			continue
		}
		for j, k := range p.Sets[i] {
			probability[k] = max(probability[k], p.Sure[i][j])
		}
	}
	out := make([]bool, len(p.Active))
	for k, v := range probability {
		out[k] = rng.Float64() < v
	}
	return out
}

// draw draws which parts are active.
func (p *SetPrior) draw(rng *rand.Rand) []bool {
	if p.Sure != nil {
		return p.drawOfCompounds(rng)
	}
	out := make([]bool, len(p.Active))
	u := rng.Float64()
	for i, share := range p.Share {
		if u -= share; u < 0 {
			for _, k := range p.Sets[i] {
				out[k] = true
			}
			return out
		}
	}
	done := make([]bool, len(out))
	var one func(k int) bool
	one = func(k int) bool {
		if !done[k] {
			with := 0
			if on := p.Parent[k]; on >= 0 && one(on) {
				with = 1
			}
			done[k], out[k] = true, rng.Float64() < p.Active[k][with]
		}
		return out[k]
	}
	for k := range out {
		one(k)
	}
	return out
}
