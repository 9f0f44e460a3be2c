package mixed

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/learn/real"
)

// share draws probabilities of n levels.
func share(t *rapid.T, n int) []float64 {
	out, sum := make([]float64, n), 0.0
	for l := range out {
		out[l] = rapid.Float64Range(.02, 1).Draw(t, "p")
		sum += out[l]
	}
	for l := range out {
		out[l] /= sum
	}
	return out
}

// columnOf draws a column of a family, with its background.
func columnOf(t *rapid.T, f Family, levels int) (*Column, *Opinion) {
	c := &Column{Family: f}
	if f == Real {
		return c, &Opinion{Normal: real.Normal{Mean: rapid.Float64Range(-2, 2).Draw(t, "b"), Var: rapid.Float64Range(.2, 3).
			Draw(t, "s2")}}
	}
	b := &Opinion{P: share(t, levels)}
	c.Values = make([]float64, levels)
	if c.Share = b.P; f == Levels {
		c.Scores = scores(b.P)
	}
	return c, b
}

// opinionOf draws an opinion of one number, as the learner makes them.
func opinionOf(t *rapid.T, c *Column, b *Opinion) *Opinion {
	switch c.Family {
	case Real:
		return &Opinion{Normal: real.Normal{Mean: rapid.Float64Range(-4, 4).Draw(t, "m"), Var: b.Var}}
	case Words:
		p := Name(b.P, rapid.IntRange(0, len(b.P)-1).Draw(t, "level"), rapid.Float64Range(.01, .99).Draw(t, "p"))
		soften(p, b.P)
		return &Opinion{P: p}
	}
	low, high := c.Scores[0], c.Scores[len(b.P)-1]
	p := c.Tilt(b.P, low+(high-low)*rapid.Float64Range(.02, .98).Draw(t, "mean"))
	soften(p, b.P)
	return &Opinion{P: p}
}

// ownShape draws an opinion that has a shape of its own.
func ownShape(t *rapid.T, c *Column, b *Opinion) *Opinion {
	if c.Family == Real {
		return &Opinion{Normal: real.Normal{Mean: rapid.Float64Range(-4, 4).Draw(t, "m"), Var: rapid.Float64Range(.1, 3).
			Draw(t, "v")}}
	}
	return &Opinion{P: share(t, len(b.P))}
}

// kinds are the columns that the laws are tested on.
var kinds = []struct {
	name   string
	family Family
	levels int
}{{"bit", Levels, 2}, {"scale", Levels, 5}, {"count", Levels, 12}, {"words", Words, 4}, {"real", Real, 0}}

// forAll checks a law on columns of every kind, with some opinions of one number.
func forAll(t *testing.T, law func(t *rapid.T, c *Column, b *Opinion, said []*Opinion)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, b := columnOf(t, k.family, k.levels)
				var said []*Opinion
				for range rapid.IntRange(1, 4).Draw(t, "opinions") {
					said = append(said, opinionOf(t, c, b))
				}
				law(t, c, b, said)
			})
		})
	}
}

// codes are some codes of a column.
func codes(c *Column) []float64 {
	if c.Family == Real {
		return []float64{-5, -1.5, -.3, 0, .4, 2, 6}
	}
	var out []float64
	for l := range c.Values {
		out = append(out, float64(l))
	}
	return out
}

// same fails unless two beliefs have the same density.
func same(t *rapid.T, c *Column, what string, one, two Belief) {
	t.Helper()
	for _, x := range codes(c) {
		if a, b := c.logDensity(one, x), c.logDensity(two, x); math.Abs(a-b) > 1e-9*(1+math.Abs(a)) {
			t.Fatalf("%s: ln density %v and %v of %v", what, a, b, x)
		}
	}
}

// mean returns the expected score of a belief.
func (c *Column) mean(b Belief) (sum float64) {
	for _, s := range b {
		m := s.Opinion.Mean
		if c.Family == Levels {
			m, _ = moments(s.Opinion.P, c.Scores)
		}
		sum += s.Weight * m
	}
	return sum
}

// The paper's rule of bits is max - q + min, to the last bits.
func TestBitsAreMaxMinusMin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, b := columnOf(t, Levels, 2)
		high, low := b.P[1], b.P[1]
		var said []*Opinion
		for range rapid.IntRange(0, 5).Draw(t, "opinions") {
			o := opinionOf(t, c, b)
			said, high, low = append(said, o), max(high, o.P[1]), min(low, o.P[1])
		}
		got := 0.0
		for _, s := range c.Compose(b, said...) {
			got += s.Weight * s.Opinion.P[1]
		}
		if want := high + low - b.P[1]; math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, max - q + min is %v", got, want)
		}
	})
}

// The mean of every ordered column is that of the highest opinion, plus that of the lowest, less the background's.
func TestMeansAdd(t *testing.T) {
	forAll(t, func(t *rapid.T, c *Column, b *Opinion, said []*Opinion) {
		if c.Family == Words {
			return
		}
		mean := func(o *Opinion) float64 { return c.mean(Belief{{1, o}}) }
		high, low := mean(b), mean(b)
		for _, o := range said {
			high, low = max(high, mean(o)), min(low, mean(o))
		}
		if got, want := c.mean(c.Compose(b, said...)), high+low-mean(b); math.Abs(got-want) > 1e-9 {
			t.Fatalf("mean %v, high + low - background is %v", got, want)
		}
	})
}

// A category of two words is a bit.
func TestTwoWordsAreABit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, b := columnOf(t, Levels, 2)
		words := *c
		words.Family = Words
		var said []*Opinion
		for range rapid.IntRange(1, 4).Draw(t, "opinions") {
			said = append(said, opinionOf(t, c, b))
		}
		same(t, c, "as words and as a bit", words.Compose(b, said...), c.Compose(b, said...))
	})
}

// lawsOf checks what holds of any rule that joins opinions: their order does not matter, one that says what the
// background does changes nothing, nor does one that is there twice; probabilities add up to 1. It returns what fails.
func lawsOf(c *Column, b *Opinion, said []*Opinion, rule func(...*Opinion) []float64) string {
	far := func(one, two []float64) bool {
		for l := range one {
			if math.Abs(one[l]-two[l]) > 1e-9 {
				return true
			}
		}
		return false
	}
	var back []*Opinion
	for i := range said {
		back = append(back, said[len(said)-1-i])
	}
	all := rule(said...)
	sum := 0.0
	for _, p := range all {
		sum += p
	}
	switch {
	case math.Abs(sum-1) > 1e-9:
		return "the probabilities do not add up to 1"
	case far(all, rule(back...)):
		return "the order matters"
	case far(all, rule(append(said[:len(said):len(said)], b)...)):
		return "the background's opinion matters"
	case far(all, rule(append(said[:len(said):len(said)], said...)...)):
		return "what is said twice matters"
	}
	strongest := said[0]
	for _, o := range said {
		if c.Strength(b, o) > c.Strength(b, strongest) {
			strongest = o
		}
	}
	for _, o := range said { // one that agrees with the strongest and is weaker
		if !c.Opposes(b, strongest, o) && far(rule(strongest), rule(strongest, o)) {
			return "a weaker opinion that agrees matters"
		}
		if c.Opposes(b, strongest, o) {
			both, one, two := rule(strongest, o), rule(strongest), rule(o)
			for l := range both {
				if both[l] > max(one[l], two[l])+1e-9 {
					return "opposing opinions say more of a level than either"
				}
			}
		}
	}
	return ""
}

func (b Belief) levels(n int) []float64 {
	out := make([]float64, n)
	for _, s := range b {
		for l, p := range s.Opinion.P {
			out[l] += s.Weight * p
		}
	}
	return out
}

func TestLaws(t *testing.T) {
	forAll(t, func(t *rapid.T, c *Column, b *Opinion, said []*Opinion) {
		if c.Family == Real {
			return
		}
		if rapid.Bool().Draw(t, "own") {
			said = append(said, ownShape(t, c, b))
		}
		rule := func(said ...*Opinion) []float64 { return c.Compose(b, said...).levels(len(b.P)) }
		if what := lawsOf(c, b, said, rule); what != "" {
			t.Fatal(what)
		}
	})
}

// The same laws of real columns, whose beliefs are densities.
func TestLawsOfReals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, b := columnOf(t, Real, 0)
		said := []*Opinion{opinionOf(t, c, b), ownShape(t, c, b), ownShape(t, c, b)}
		all := c.Compose(b, said...)
		same(t, c, "another order", all, c.Compose(b, said[2], said[0], said[1]))
		same(t, c, "with the background", all, c.Compose(b, append(said, b)...))
		same(t, c, "twice", all, c.Compose(b, append(said, said...)...))
		for _, x := range codes(c) {
			most := math.Inf(-1)
			for _, o := range said {
				most = max(most, c.LogDensity(o, x))
			}
			if got := c.logDensity(all, x); got > most+1e-9 {
				t.Fatalf("ln density %v at %v, of one opinion at most %v", got, x, most)
			}
		}
	})
}

// Words as bits of their own that are scaled to add up to 1 are the wrong rule: the laws say so.
func TestBitsOfWordsFail(t *testing.T) {
	failed := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c, b := columnOf(t, Words, 4)
		said := []*Opinion{opinionOf(t, c, b), opinionOf(t, c, b)}
		rule := func(said ...*Opinion) []float64 {
			out, sum := make([]float64, len(b.P)), 0.0
			for l, q := range b.P {
				high, low := q, q
				for _, o := range said {
					high, low = max(high, o.P[l]), min(low, o.P[l])
				}
				out[l] = high + low - q
				sum += out[l]
			}
			for l := range out {
				out[l] /= sum
			}
			return out
		}
		failed[lawsOf(c, b, said, rule)]++
	})
	for _, what := range []string{"a weaker opinion that agrees matters",
		"opposing opinions say more of a level than either"} {
		if failed[what] == 0 {
			t.Errorf("the wrong rule never fails because %s: %v", what, failed)
		}
	}
}

// A tilt has the mean that was asked for; that of a Poisson is a Poisson; the background's mean gives the background;
// of two levels any probability can be reached.
func TestTilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, b := columnOf(t, Levels, rapid.IntRange(2, 12).Draw(t, "levels"))
		n := len(b.P) - 1
		want := c.Scores[0] + (c.Scores[n]-c.Scores[0])*rapid.Float64Range(.05, .95).Draw(t, "mean")
		if got, _ := moments(c.Tilt(b.P, want), c.Scores); math.Abs(got-want) > 1e-9 {
			t.Fatalf("mean %v, asked for %v", got, want)
		}
		mean, _ := moments(b.P, c.Scores)
		for l, p := range c.Tilt(b.P, mean) {
			if p != b.P[l] {
				t.Fatalf("level %d of the background's mean is %v, not %v", l, p, b.P[l])
			}
		}
	})
	poisson := func(mean float64) (p []float64) {
		x := math.Exp(-mean)
		for l := range 60 {
			p = append(p, x)
			x *= mean / float64(l+1)
		}
		return p
	}
	c := &Column{}
	for l := range 60 {
		c.Scores = append(c.Scores, float64(l))
	}
	want := poisson(5)
	for l, p := range c.Tilt(poisson(2), 5) {
		if math.Abs(p-want[l]) > 1e-9 {
			t.Errorf("level %d of a tilted Poisson is %v, of a Poisson %v", l, p, want[l])
		}
	}
}

// The scores of words are orthonormal under their shares, and of mean 0.
func TestContrasts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := share(t, rapid.IntRange(2, 6).Draw(t, "words"))
		all := append([][]float64{make([]float64, len(q))}, contrasts(q)...)
		for l := range q {
			all[0][l] = 1
		}
		for i := range all {
			for j := range all {
				dot, want := 0.0, 0.0
				for l := range q {
					dot += q[l] * all[i][l] * all[j][l]
				}
				if i == j {
					want = 1
				}
				if math.Abs(dot-want) > 1e-9 || len(all) != len(q) {
					t.Fatalf("functions %d and %d of %d words have the product %v", i, j, len(q), dot)
				}
			}
		}
	})
}
