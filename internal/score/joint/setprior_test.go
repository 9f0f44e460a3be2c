package joint

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// examplePrior is a prior over sets of five experts, two of which have a name, and its formula.
func examplePrior() (*SetPrior, func(set []int16) float64) {
	parent := []int{-1, 0, 0, -1, 1}
	active := [][2]float64{{0.3, 0.3}, {0.2, 0.7}, {0.4, 0.05}, {0.1, 0.1}, {0.02, 0.8}}
	formula := func(set []int16) float64 {
		p := 0.6
		for k, a := range active {
			v := a[0]
			if on := parent[k]; on >= 0 && slices.Contains(set, int16(on)) {
				v = a[1]
			}
			if !slices.Contains(set, int16(k)) {
				v = 1 - v
			}
			p *= v
		}
		switch {
		case slices.Equal(set, []int16{1, 2, 3}):
			p += 0.1
		case len(set) == 0:
			p += 0.3
		}
		return p
	}
	return NewSetPrior([][]int{{1, 2, 3}, {}}, []float64{0.1, 0.3}, parent, active), formula
}

// The probabilities are those of the formula, and add up to 1.
func TestSetPriorIsTheFormula(t *testing.T) {
	p, formula := examplePrior()
	sum := 0.0
	var key []byte
	for bits := range 1 << 5 {
		set := setOf(bits)
		got, number := p.LogP(set, &key)
		if want := math.Log(formula(set)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, the formula %v", set, got, want)
		}
		if want := map[int]int{0b1110: 0, 0: 1}; number != want[bits] && (number != -1 || bits == 0 || bits == 0b1110) {
			t.Errorf("%v has number %d", set, number)
		}
		sum += math.Exp(got)
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("all sets together have probability %v", sum)
	}
}

func setOf(bits int) (set []int16) {
	for k := range 5 {
		if bits>>k&1 == 1 {
			set = append(set, int16(k))
		}
	}
	return set
}

// With a prior a search has the joint probabilities of the formula, no set twice, and nearly always the set that
// enumeration finds; a narrow one misses no named set.
func TestSearchByPriorIsEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	prior, formula := examplePrior()
	for _, r := range all {
		missed := 0
		for range 60 {
			e, x := draw(rng, r, 5, 12)
			joint := func(set []int16) float64 { return math.Log(formula(set)) + likelihood(e, x, set) }
			best := slices.MaxFunc(slices.Collect(func(yield func([]int16) bool) {
				for bits := range 1 << 5 {
					if !yield(setOf(bits)) {
						return
					}
				}
			}), func(a, b []int16) int { return cmp.Compare(joint(a), joint(b)) })
			for _, wide := range []int{1, 32} {
				s := NewSearch(e, []float64{0.3, 0.2, 0.4, 0.1, 0.6}, wide, 32, 0)
				s.Prior = prior
				got, _ := s.Fork().Explain(x)
				seen := map[string]bool{}
				for _, g := range got {
					set := slices.Sorted(slices.Values(g.Experts))
					if math.Abs(g.Joint-joint(set)) > 1e-9 || math.Abs(g.Prior-math.Log(formula(set))) > 1e-9 {
						t.Fatalf("%s: %v has %v and prior %v, the formula %v and %v", Names[r], set, g.Joint, g.Prior, joint(set),
							math.Log(formula(set)))
					}
					if seen[keyOf(set)] {
						t.Fatalf("%s: %v twice", Names[r], set)
					}
					seen[keyOf(set)] = true
				}
				if named := []int16{1, 2, 3}; !seen[keyOf(named)] && joint(named) > got[0].Joint-20 {
					t.Fatalf("%s, beam %d: the named set is not among %v", Names[r], wide, got)
				}
				if wide > 1 && !slices.Equal(slices.Sorted(slices.Values(got[0].Experts)), best) {
					missed++
				}
			}
		}
		if missed > 6 { // greedy steps may end too soon
			t.Errorf("%s: another set is best %d times of 60", Names[r], missed)
		}
	}
}

// What all experts of a set do to a row is what each gains beside those before it.
func TestFactorsOfASet(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 3))
	for _, r := range all {
		for range 30 {
			e, x := draw(rng, r, 6, 70)
			var set []int16
			for _, k := range rng.Perm(6)[:1+rng.IntN(4)] {
				set = append(set, int16(k))
			}
			slices.Sort(set)
			var s State
			s.Reset(e, x)
			want := 0.0
			for _, k := range set {
				want += s.Gain(int(k))
				s.Place(int(k))
			}
			var b Beside
			b.Reset(e, set)
			if got := b.all().GainAbove(x, math.Inf(-1)); math.Abs(got-want) > 1e-6 {
				t.Fatalf("%s: %v gains %v, one after the other %v", Names[r], set, got, want)
			}
		}
	}
}
