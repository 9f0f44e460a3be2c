package mixed

import (
	"math"
	"math/rand/v2"

	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
)

// Mixture is the rival: rows are of one of some classes, in which columns are independent, each with a distribution of
// its own family. It sees the columns as the parts do.
type Mixture struct {
	columns []mixed.Column
	shares  []float64
	classes [][]mixed.Opinion // of each class, of each column
}

const (
	mixtureSteps  = 40
	mixtureStarts = 3
	smoothing     = 2. // rows of the whole table count for each class
)

// NewMixture learns a mixture of rows of codes; how many classes is chosen by hidden cells of a quarter of the rows.
func NewMixture(columns []mixed.Column, codes [][]float64, rng *rand.Rand) *Mixture {
	cut := len(codes) / 4
	best, most := 1, math.Inf(-1)
	for _, k := range []int{1, 2, 3, 4, 6, 8} {
		m, gain := learnMixture(columns, codes[cut:], k, rng), 0.0
		hide := rand.New(rand.NewPCG(1, 1))
		for _, row := range codes[:cut] {
			seen := make([]float64, len(row))
			for d, x := range row {
				if seen[d] = x; hide.Float64() < hidden {
					seen[d] = math.NaN()
				}
			}
			for d, x := range row {
				if seen[d] != seen[d] && x == x {
					c := mixed.Cell{Column: &columns[d], Belief: m.Believe(seen, d)}
					gain += c.LogDensity(columns[d].Value(x))
				}
			}
		}
		if gain > most {
			best, most = k, gain
		}
	}
	return learnMixture(columns, codes, best, rng)
}

// learnMixture returns the most likely of some starts.
func learnMixture(columns []mixed.Column, codes [][]float64, k int, rng *rand.Rand) (best *Mixture) {
	most := math.Inf(-1)
	for range mixtureStarts {
		r := make([][]float64, len(codes))
		for i := range r {
			r[i] = make([]float64, k)
			r[i][rng.IntN(k)] = 1
		}
		var m *Mixture
		logLik := 0.0
		for range mixtureSteps {
			m, logLik = maximise(columns, codes, r, k), 0
			for i, row := range codes {
				logLik += m.posterior(row, r[i])
			}
		}
		if logLik > most {
			best, most = m, logLik
		}
	}
	return best
}

// maximise returns the mixture of given probabilities of classes.
func maximise(columns []mixed.Column, codes, r [][]float64, k int) *Mixture {
	m := &Mixture{columns: columns, shares: make([]float64, k), classes: make([][]mixed.Opinion, k)}
	for c := range k {
		for i := range codes {
			m.shares[c] += r[i][c]
		}
		m.shares[c] = (m.shares[c] + 1) / float64(len(codes)+k)
		for d := range columns {
			m.classes[c] = append(m.classes[c], opinion(&columns[d], codes, r, c, d))
		}
	}
	return m
}

// opinion returns the distribution of a column in a class.
func opinion(c *mixed.Column, codes, r [][]float64, class, d int) mixed.Opinion {
	n := smoothing
	if c.Family != mixed.Real {
		p := make([]float64, len(c.Values))
		for l := range p {
			p[l] = smoothing * c.Share[l]
		}
		for i, row := range codes {
			if row[d] == row[d] {
				p[int(row[d])] += r[i][class]
				n += r[i][class]
			}
		}
		for l := range p {
			p[l] /= n
		}
		return mixed.Opinion{P: p}
	}
	sum, squares := smoothing*c.All.Mean, smoothing*(c.All.Var+c.All.Mean*c.All.Mean)
	for i, row := range codes {
		if x := row[d]; x == x {
			n, sum, squares = n+r[i][class], sum+r[i][class]*x, squares+r[i][class]*x*x
		}
	}
	return mixed.Opinion{Normal: real.Normal{Mean: sum / n, Var: max(squares/n-sum/n*sum/n, c.Floor)}}
}

// posterior sets r to the probabilities of the classes, and returns the log-likelihood.
func (m *Mixture) posterior(row, r []float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for c := range r {
		r[c] = math.Log(m.shares[c])
		for d, x := range row {
			if x == x {
				r[c] += m.columns[d].LogDensity(&m.classes[c][d], x)
			}
		}
		top = max(top, r[c])
	}
	for c := range r {
		r[c] = math.Exp(r[c] - top)
		sum += r[c]
	}
	for c := range r {
		r[c] /= sum
	}
	return top + math.Log(sum)
}

// Believe returns what a column is like in a row.
func (m *Mixture) Believe(row []float64, d int) (out mixed.Belief) {
	r := make([]float64, len(m.shares))
	m.posterior(row, r)
	for c, w := range r {
		if w > 0 {
			out = append(out, mixed.Said{Weight: w, Opinion: &m.classes[c][d]})
		}
	}
	return out
}
