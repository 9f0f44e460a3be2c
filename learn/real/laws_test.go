package real

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// normals draws a background.
var normals = rapid.Custom(func(t *rapid.T) Normal {
	return Normal{rapid.Float64Range(-3, 3).Draw(t, "mean"), math.Exp(rapid.Float64Range(-3, 3).Draw(t, "log variance"))}
})

// opinions draws some opinions.
func opinions(least, most int) *rapid.Generator[[]Normal] {
	return rapid.SliceOfN(normals, least, most)
}

// same fails unless two mixtures have the same density where the components are.
func same(t *rapid.T, what string, a, b Mixture) {
	t.Helper()
	for _, x := range places(a, b) {
		if p, q := a.LogDensity(x), b.LogDensity(x); math.Abs(p-q) > 1e-9*(1+math.Abs(p)) {
			t.Fatalf("%s: ln density %v and %v at %v, of %v and %v", what, p, q, x, a, b)
		}
	}
}

// places returns values around the components of mixtures.
func places(mixtures ...Mixture) []float64 {
	var out []float64
	for _, m := range mixtures {
		for _, c := range m {
			for _, z := range []float64{-3, -1, -.2, 0, .5, 2} {
				out = append(out, c.Mean+z*math.Sqrt(c.Normal.Var))
			}
		}
	}
	return out
}

func forAllRules(t *testing.T, law func(t *rapid.T, r Rule)) {
	for _, r := range []Rule{Pool, Max, Soft} {
		t.Run(r.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { law(t, r) })
		})
	}
}

func TestStrengthIsTheDivergence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, o := normals.Draw(t, "background"), normals.Draw(t, "opinion")
		// The integral of o ln(o/b), by the trapezoid rule.
		sum, s := 0.0, math.Sqrt(o.Var)
		const n = 4000
		for i := range n {
			x := o.Mean + s*(float64(i)/n-.5)*24
			sum += math.Exp(o.LogDensity(x)) * (o.LogDensity(x) - b.LogDensity(x)) * s * 24 / n
		}
		if a := o.Strength(b); math.Abs(a*a/2-sum) > 1e-6*(1+sum) {
			t.Fatalf("strength %v, divergence %v", a, sum)
		}
	})
}

func TestAbstentionChangesNothing(t *testing.T) {
	forAllRules(t, func(t *rapid.T, r Rule) {
		b, o := normals.Draw(t, "background"), opinions(0, 4).Draw(t, "opinions")
		same(t, "one that says what the background does", r.Compose(0, b, o...), r.Compose(0, b, append(o, b)...))
		same(t, "nobody", r.Compose(0, b), Mixture{{1, b}})
	})
}

func TestOrderDoesNotMatter(t *testing.T) {
	forAllRules(t, func(t *rapid.T, r Rule) {
		b, o := normals.Draw(t, "background"), opinions(1, 5).Draw(t, "opinions")
		same(t, "another order", r.Compose(0, b, o...), r.Compose(0, b, rapid.Permutation(o).Draw(t, "permuted")...))
	})
}

func TestDuplicatesChangeNothing(t *testing.T) {
	forAllRules(t, func(t *rapid.T, r Rule) {
		most := 4
		if r == Soft {
			most = 1 // beside others a repeated opinion shifts the weights of Soft
		}
		b, o := normals.Draw(t, "background"), opinions(1, most).Draw(t, "opinions")
		same(t, "twice", r.Compose(0, b, o...), r.Compose(0, b, append(o, o...)...))
	})
}

func TestOpposingOpinionsNeverHelp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := normals.Draw(t, "background")
		up, down := normals.Draw(t, "up"), normals.Draw(t, "down")
		up.Mean, down.Mean = b.Mean+math.Abs(up.Mean), b.Mean-math.Abs(down.Mean)-1e-6
		both := Pool.Compose(0, b, up, down)
		for _, x := range append(places(both), rapid.Float64Range(-9, 9).Draw(t, "x")) {
			single := max(Pool.Compose(0, b, up).LogDensity(x), Pool.Compose(0, b, down).LogDensity(x))
			if p := both.LogDensity(x); p > single+1e-12*(1+math.Abs(p)) {
				t.Fatalf("ln density %v of both at %v is above %v", p, x, single)
			}
		}
	})
}

// TestPeaksFall: where two disagree, no value is as likely as the more certain one says of its own.
func TestPeaksFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := normals.Draw(t, "background")
		up, down := normals.Draw(t, "up"), normals.Draw(t, "down")
		up.Mean, down.Mean = b.Mean+math.Abs(up.Mean)+.01, b.Mean-math.Abs(down.Mean)-.01
		both := Pool.Compose(0, b, up, down)
		peak := max(up.LogDensity(up.Mean), down.LogDensity(down.Mean))
		for _, x := range places(both) {
			if both.LogDensity(x) >= peak {
				t.Fatalf("ln density %v at %v, the peak of one alone is %v", both.LogDensity(x), x, peak)
			}
		}
	})
}

// TestPoolIsMaxMinusMin: with the background's variance the mean is max + min - b; the moments are those
// of the mixture.
func TestPoolIsMaxMinusMin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, o := normals.Draw(t, "background"), opinions(0, 5).Draw(t, "opinions")
		high, low := b.Mean, b.Mean
		for i := range o {
			o[i].Var = b.Var
			high, low = max(high, o[i].Mean), min(low, o[i].Mean)
		}
		m := Pool.Compose(0, b, o...)
		if want := high + low - b.Mean; math.Abs(m.Mean()-want) > 1e-12*(1+math.Abs(high)+math.Abs(low)) {
			t.Fatalf("mean %v, max + min - b is %v", m.Mean(), want)
		}
		if up := Max.Compose(0, b, o...); math.Abs(up.Mean()-high) > 1e-12*(1+math.Abs(high)) {
			t.Fatalf("mean %v under max, the largest is %v", up.Mean(), high)
		}
	})
}

// TestBernoulliPool proves with rational numbers that the rule of the binary model is a pool: two
// opinions weighted by strength, where the strength of p is |p - q|, give hi + lo - q.
func TestBernoulliPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := func(name string, low, high int64) *big.Rat {
			return big.NewRat(rapid.Int64Range(low, high).Draw(t, name), 1<<20)
		}
		q := rapid.Int64Range(1, 1<<20-1).Draw(t, "q")
		hi, lo, abstain := share("hi", q+1, 1<<20), share("lo", 0, q-1), big.NewRat(q, 1<<20)
		up, down := new(big.Rat).Sub(hi, abstain), new(big.Rat).Sub(abstain, lo)
		w := new(big.Rat).Quo(up, new(big.Rat).Add(up, down))
		pool := new(big.Rat).Mul(w, hi)
		pool.Add(pool, new(big.Rat).Mul(new(big.Rat).Sub(big.NewRat(1, 1), w), lo))
		want := new(big.Rat).Add(hi, lo)
		if want.Sub(want, abstain); pool.Cmp(want) != 0 {
			t.Fatalf("pool %v, hi + lo - q = %v", pool, want)
		}
	})
}

// distance returns the largest difference of two densities where their components are.
func distance(a, b Mixture) float64 {
	most := 0.0
	for _, x := range places(a, b) {
		most = max(most, math.Abs(math.Exp(a.LogDensity(x))-math.Exp(b.LogDensity(x))))
	}
	return most
}

// TestContinuity: where two opinions of one side are equally strong, one replaces the other. With the
// background's variance nothing jumps, as they are equal then; with variances of their own the pool jumps, and
// Soft does not.
func TestContinuity(t *testing.T) {
	b := Normal{0, 1}
	sharp := Normal{0.5, 0.1}
	a := sharp.Strength(b) // and a wide one, as strong
	jump := func(r Rule, variance float64) float64 {
		before, after := Normal{a - 1e-7, variance}, Normal{a + 1e-7, variance}
		return distance(r.Compose(0, b, sharp, before), r.Compose(0, b, sharp, after))
	}
	if got := jump(Pool, 1); got < 0.1 {
		t.Errorf("the pool jumps by %v where a sharp opinion gives way; the test is blunt", got)
	}
	if got := jump(Soft, 1); got > 1e-5 {
		t.Errorf("soft jumps by %v", got)
	}
	sharp = Normal{a, 1}
	for _, r := range []Rule{Pool, Max, Soft} {
		if got := jump(r, 1); got > 1e-5 {
			t.Errorf("%v jumps by %v with the background's variance", r, got)
		}
	}
}

func TestSoftTendsToPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, o := normals.Draw(t, "background"), opinions(0, 4).Draw(t, "opinions")
		for i := range o {
			for j := range i {
				if math.Abs(o[i].Strength(b)-o[j].Strength(b)) < .01 {
					t.Skip("nearly equal")
				}
			}
			if o[i].Strength(b) < .01 {
				t.Skip("says nearly nothing")
			}
		}
		if d := distance(Soft.Compose(1e-4, b, o...), Pool.Compose(0, b, o...)); d > 1e-9 {
			t.Fatalf("densities differ by %v", d)
		}
	})
}

func TestMixtureMoments(t *testing.T) {
	forAllRules(t, func(t *rapid.T, r Rule) {
		m := r.Compose(0, normals.Draw(t, "background"), opinions(0, 4).Draw(t, "opinions")...)
		weight, mean, square := 0.0, 0.0, 0.0
		const n, reach = 8000, 60.0
		for i := range n {
			x := (float64(i)/n - .5) * 2 * reach
			p := math.Exp(m.LogDensity(x)) * 2 * reach / n
			weight, mean, square = weight+p, mean+p*x, square+p*x*x
		}
		if math.Abs(weight-1) > 1e-5 || math.Abs(mean-m.Mean()) > 1e-4 || math.Abs(square-mean*mean-m.Variance()) > 1e-3 {
			t.Fatalf("integral %v, mean %v and %v, variance %v and %v", weight, mean, m.Mean(), square-mean*mean, m.Variance())
		}
		p := rapid.Float64Range(.01, .99).Draw(t, "p")
		if q := m.Quantile(p); math.Abs(m.CDF(q)-p) > 1e-9 {
			t.Fatalf("below the quantile %v of %v lies %v", q, p, m.CDF(q))
		}
	})
}
