package joint

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/rule"
)

var all = []Rule{Max, MaxMinusMin, NoisyOr, SumOfOdds, Mean, SumOfLogOdds, NormalizedSum}

// With the paper's abstention value as background every rule is that of package rule,
// but for the mean, where who says the background abstains.
func TestComposeIsThePapers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n, r := range all {
		paper, err := rule.Parse(Names[n])
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			var p, votes []float64
			for range rng.IntN(6) {
				v := float64(rng.IntN(9)) / 8
				if rng.IntN(2) == 0 {
					v = rng.Float64()
				}
				if p = append(p, v); r != Mean || v != 0.5 {
					votes = append(votes, v)
				}
			}
			if r == Mean && len(votes) == 0 || r == SumOfLogOdds && slices.Contains(p, 0) && slices.Contains(p, 1) {
				continue
			}
			got, want := Compose(r, r.Abstention(), p...), paper.Compose(votes...)
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s of %v: %v, the paper's %v", Names[r], p, got, want)
			}
		}
	}
}

// One vote alone is the composition; who abstains changes nothing; no order matters.
func TestComposeLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for _, r := range all {
		for range 200 {
			q := []float64{0, 0.001, 0.3, 0.5, 0.9}[rng.IntN(5)]
			p := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
			if got := Compose(r, q, p[0]); r.Votes(p[0], q) && got != p[0] || !r.Votes(p[0], q) && got != q {
				t.Fatalf("%s beside %v: %v alone composes to %v", Names[r], q, p[0], got)
			}
			a, b, c := Compose(r, q, p...), Compose(r, q, p[2], p[0], p[1]), Compose(r, q, p[0], q, p[1], p[2])
			if math.Abs(a-b) > 1e-12 || math.Abs(a-c) > 1e-12 || !(a >= 0 && a <= 1) {
				t.Fatalf("%s beside %v of %v: %v, in another order %v, with one more that abstains %v", Names[r], q, p, a, b, c)
			}
		}
	}
}

// draw returns experts and a row, with certain opinions among them if wanted.
func draw(rng *rand.Rand, r Rule, k, d int) (*Experts, []uint8) {
	q, x := make([]float64, d), make([]uint8, d)
	for i := range q {
		q[i], x[i] = 0.05+0.5*rng.Float64(), uint8(rng.IntN(3))
	}
	var opinions [][]float64
	for range k {
		t := slices.Clone(q)
		for i := range t {
			if rng.IntN(2) == 0 {
				t[i] = 0.01 + 0.98*rng.Float64()
			}
		}
		opinions = append(opinions, t)
	}
	return NewExperts(r, q, opinions), x
}

// likelihood returns log P(x | set) by the formulas.
func likelihood(e *Experts, x []uint8, set []int16) float64 {
	sum := 0.0
	for i, q := range e.Q {
		var p []float64
		for _, k := range set {
			p = append(p, e.Opinions[k][i])
		}
		switch x[i] {
		case On:
			sum += math.Log(Compose(e.Rule, q, p...))
		case Off:
			sum += math.Log1p(-Compose(e.Rule, q, p...))
		}
	}
	return sum
}

// The gains of a state, and its probabilities, are those of the formulas.
func TestStateIsTheFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, r := range all {
		for range 50 {
			e, x := draw(rng, r, 6, 37)
			var s, copied State
			s.Reset(e, x)
			before := likelihood(e, x, nil)
			for _, k := range rng.Perm(6)[:4] {
				after := likelihood(e, x, append(slices.Clone(s.Set()), int16(k)))
				if got := s.Gain(k); math.Abs(got-(after-before)) > 1e-9*(1+math.Abs(after)) {
					t.Fatalf("%s: expert %d beside %v gains %v, want %v", Names[r], k, s.Set(), got, after-before)
				}
				s.Place(k)
				copied.CopyFrom(&s)
				s, copied = copied, s
				if before = after; math.Abs(s.LogLik()-after) > 1e-9*math.Abs(after) {
					t.Fatalf("%s: %v, want %v", Names[r], s.LogLik(), after)
				}
			}
		}
	}
}

// A wide beam nearly always finds the set that enumeration finds, and each set has its
// joint probability.
func TestSearchIsEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, r := range all {
		missed := 0
		for range 30 {
			e, x := draw(rng, r, 5, 12)
			pi := []float64{0.3, 0.2, 0.4, 0.1, 0.6}
			var want []Set
			for bits := range 1 << 5 {
				var s Set
				for k, p := range pi {
					if bits>>k&1 == 1 {
						s.Experts = append(s.Experts, int16(k))
						s.Joint += math.Log(p)
					} else {
						s.Joint += math.Log1p(-p)
					}
				}
				s.Joint += likelihood(e, x, s.Experts)
				want = append(want, s)
			}
			slices.SortStableFunc(want, func(a, b Set) int { return cmp.Compare(b.Joint, a.Joint) })
			s := NewSearch(e, pi, 32, 32, 0).Fork()
			for range 2 { // the second time with memory in use
				got, evidence := s.Explain(x)
				if top := slices.Sorted(slices.Values(got[0].Experts)); !slices.Equal(top, want[0].Experts) {
					missed++
				}
				total, weights := 0.0, 0.0
				seen := map[string]bool{}
				for _, g := range got {
					key := keyOf(g.Experts)
					if seen[key] {
						t.Fatalf("%s: %v twice", Names[r], g.Experts)
					}
					seen[key] = true
					i := slices.IndexFunc(want, func(w Set) bool { return keyOf(w.Experts) == key })
					if math.Abs(g.Joint-want[i].Joint) > 1e-9 {
						t.Fatalf("%s: %v has %v, enumeration %v", Names[r], g.Experts, g.Joint, want[i].Joint)
					}
					total += math.Exp(g.Joint)
					weights += g.Weight
				}
				if math.Abs(evidence-math.Log(total)) > 1e-9 || math.Abs(weights-1) > 1e-9 {
					t.Fatalf("%s: evidence %v of %v, weights add up to %v", Names[r], evidence, math.Log(total), weights)
				}
			}
			one, _ := NewSearch(e, pi, 2, 16, 1).Explain(x)
			for _, g := range one {
				if len(g.Experts) > 1 {
					t.Fatalf("more than one expert: %v", g.Experts)
				}
			}
		}
		if missed > 6 { // of 60: greedy steps may end too soon
			t.Errorf("%s: another set is best %d times of 60", Names[r], missed)
		}
	}
}

func keyOf(set []int16) string {
	var out []byte
	for _, k := range slices.Sorted(slices.Values(set)) {
		out = append(out, byte(k))
	}
	return string(out)
}

func BenchmarkExplain(b *testing.B) {
	for _, r := range all {
		b.Run(Names[r], func(b *testing.B) {
			e, x := draw(rand.New(rand.NewPCG(1, 1)), r, 8, 64)
			pi := []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}
			s := NewSearch(e, pi, 2, 16, 0)
			for b.Loop() {
				s.Explain(x)
			}
		})
	}
}

// LogLik returns the log-likelihood of the known bits of the row, in nats.
func (s *State) LogLik() float64 {
	sum := 0.0
	if len(s.set) == 0 {
		return s.e.logLik(s.x)
	}
	for i, x := range s.x {
		switch x {
		case On:
			sum += elem.Log(max(s.p[i], least))
		case Off:
			sum += elem.Log1p(-min(s.p[i], 1-1e-16))
		}
	}
	return sum
}
