package score

import (
	"cmp"
	"math"
)

// Tie is the largest difference, in nats, between gains that count as equal;
// among equals the lowest candidate wins. It is far above the rounding error
// of a sum over an image and far below any meaningful difference, so that every
// path and every machine breaks ties alike.
const Tie = 1e-9

// Gain is a change of log-likelihood. Possible counts the pixels that were
// impossible (probability 0) and no longer are, minus those that became so;
// Nats is the change over the pixels that are possible. Gains compare by
// Possible, then Nats: the limit of clipping all probabilities to
// [delta, 1-delta] as delta goes to 0.
type Gain struct {
	Possible int
	Nats     float64
}

// Float returns the gain as one number in nats: +Inf or -Inf where Possible is
// not 0.
func (g Gain) Float() float64 {
	switch {
	case g.Possible > 0:
		return math.Inf(1)
	case g.Possible < 0:
		return math.Inf(-1)
	}
	return g.Nats
}

// Exceeds reports whether the gain is larger than the given number of nats.
func (g Gain) Exceeds(nats float64) bool {
	return g.Possible > 0 || g.Possible == 0 && g.Nats > nats
}

// Compare orders gains, the larger first: by Possible, then by Nats in steps of
// Tie, so that sums that differ by rounding alone are equal and the order of
// discovery decides between them. It is a strict weak order, fit for sorting.
func (g Gain) Compare(o Gain) int {
	if c := cmp.Compare(o.Possible, g.Possible); c != 0 {
		return c
	}
	return cmp.Compare(math.Round(o.Nats/Tie), math.Round(g.Nats/Tie))
}

// add counts a pixel whose log-likelihood goes from before to after.
func (g *Gain) add(before, after float64) {
	switch noBefore, noAfter := math.IsInf(before, -1), math.IsInf(after, -1); {
	case noBefore && noAfter:
	case noBefore:
		g.Possible++
		g.Nats += after
	case noAfter:
		g.Possible--
		g.Nats -= before
	default:
		g.Nats += after - before
	}
}

// minus returns the gain after a cost in nats.
func (g Gain) minus(cost float64) Gain {
	g.Nats -= cost
	return g
}

// CostOf returns the cost of a pick of expert k, in nats: 0 where costs is nil.
func CostOf(costs []float64, k int) float64 {
	if costs == nil {
		return 0
	}
	return costs[k]
}

// choose returns the best of n candidates, those for which gain is ok: the
// largest Gain, and among those with the same Possible within Tie of its Nats
// the lowest index; -1 if there is none.
func choose(n int, gain func(c int) (Gain, bool)) (int, Gain) {
	top := Gain{Possible: math.MinInt, Nats: math.Inf(-1)}
	for c := range n {
		if g, ok := gain(c); ok && (g.Possible > top.Possible || g.Possible == top.Possible && g.Nats > top.Nats) {
			top = g
		}
	}
	for c := range n {
		if g, ok := gain(c); ok && g.Possible == top.Possible && g.Nats >= top.Nats-Tie {
			return c, g
		}
	}
	return -1, Gain{}
}
