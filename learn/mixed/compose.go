package mixed

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// Said is one of the opinions that make up what is said of a cell; the weights add up to 1.
type Said struct {
	Weight  float64
	Opinion *Opinion
}

// Belief is what is said of a cell: a mixture.
type Belief []Said

// Compose returns what opinions say together of a column with the given background: the strongest speaks, the strongest
// that opposes it speaks against it, each by its strength (of equals the first). Those that equal the background say
// nothing.
func (c *Column) Compose(b *Opinion, opinions ...*Opinion) Belief {
	first, strongest := (*Opinion)(nil), 0.0
	for _, o := range opinions {
		if a := c.Strength(b, o); a > strongest {
			first, strongest = o, a
		}
	}
	if first == nil {
		return Belief{{1, b}}
	}
	against, second := (*Opinion)(nil), 0.0
	for _, o := range opinions {
		if a := c.Strength(b, o); a > second && c.Opposes(b, first, o) {
			against, second = o, a
		}
	}
	if against == nil {
		return Belief{{1, first}}
	}
	w := strongest / (strongest + second)
	return Belief{{w, first}, {1 - w, against}}
}

// LogDensity returns the logarithm of the probability or the density of a code, in nats.
func (c *Column) logDensity(said Belief, code float64) float64 {
	sum := math.Inf(-1)
	for _, s := range said {
		sum = elem.LogAdd(sum, elem.Log(s.Weight)+c.LogDensity(s.Opinion, code))
	}
	return sum
}
