package stack

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// leastSaid keeps what is said of a bit from certainty.
const leastSaid = .002

// logOdds returns those of a probability, which is kept from certainty.
func logOdds(p float64) float64 {
	p = max(leastSaid, min(p, 1-leastSaid))
	return elem.Log(p) - elem.Log1p(-p)
}

func sigmoid(z float64) float64 { return 1 / (1 + elem.Exp(-z)) }

// cells are bits that were hidden: what several voters say of each, as the probability of what it is.
type cells struct {
	weight []float64   // of each cell
	on     []bool      // what it is
	said   [][]float64 // by voter and cell: how probable it is that it is on
}

// averaged returns the weights, which add up to 1, with which the mean of what voters from to to-1 say is likeliest, by
// EM, and what that mean says.
func (c *cells) averaged(from, to int) (weights, said []float64) {
	const rounds = 200
	n := to - from
	weights, said = make([]float64, n), make([]float64, len(c.on))
	for v := range weights {
		weights[v] = 1 / float64(n)
	}
	truth := make([]float64, n)
	for range rounds {
		sums, total := make([]float64, n), 0.0
		for i, on := range c.on {
			sum := 0.0
			for v := range truth {
				truth[v] = max(leastSaid, min(c.said[from+v][i], 1-leastSaid))
				if !on {
					truth[v] = 1 - truth[v]
				}
				truth[v] *= weights[v]
				sum += truth[v]
			}
			for v, p := range truth {
				sums[v] += float64(c.weight[i] * p / sum)
			}
			total += c.weight[i]
		}
		for v, sum := range sums {
			weights[v] = sum / total
		}
	}
	keepHeavy(weights)
	for i := range said {
		for v, w := range weights {
			said[i] += float64(w * c.said[from+v][i])
		}
	}
	return weights, said
}

// lightest is the least weight of a voter that is kept.
const lightest = .02

// keepHeavy makes small weights 0, and what is left add up to 1.
func keepHeavy(weights []float64) {
	sum := 0.0
	for v, w := range weights {
		if w < lightest {
			weights[v] = 0
		}
		sum += weights[v]
	}
	for v := range weights {
		weights[v] /= sum
	}
}

// closeness is by how much weights of kinds keep to each other, in nats of each squared difference.
const closeness = 15

// added returns the weights, none below 0, with which the sum of the log odds that kinds give to each cell is
// likeliest, less a price for weights that are not alike, and the mean loss: of each in turn by Newton's method, until
// none moves.
func added(kinds [][]float64, on []bool, weight []float64) (weights []float64, loss float64) {
	const rounds, still = 200, 1e-9
	odds := make([][]float64, len(kinds))
	weights = make([]float64, len(kinds))
	sum := make([]float64, len(on))
	for f, said := range kinds {
		weights[f] = 1 / float64(len(kinds))
		odds[f] = make([]float64, len(on))
		for i, p := range said {
			odds[f][i] = logOdds(p)
			sum[i] += float64(weights[f] * odds[f][i])
		}
	}
	for range rounds {
		moved := 0.0
		for f, z := range odds {
			slope, bend := 2*closeness*(weights[f]-1/float64(len(kinds))), 2.0*closeness
			for i, v := range z {
				p, truth := sigmoid(sum[i]), 0.0
				if on[i] {
					truth = 1
				}
				slope += float64(weight[i] * (p - truth) * v)
				bend += float64(weight[i] * p * (1 - p) * v * v)
			}
			next := max(0, weights[f]-slope/bend)
			for i, v := range z {
				sum[i] += float64((next - weights[f]) * v)
			}
			moved, weights[f] = max(moved, math.Abs(next-weights[f])), next
		}
		if moved < still {
			break
		}
	}
	total := 0.0
	for i, z := range sum {
		if on[i] {
			z = -z
		}
		loss += float64(weight[i] * elem.Log1p(elem.Exp(z)))
		total += weight[i]
	}
	return weights, loss / total
}
