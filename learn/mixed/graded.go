package mixed

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/real"
)

// Graded are parts that are in every row to some degree, and add up: the scores of a row are
//
//	y = Mean + sum over parts of a_k Loadings_k + noise of variance Noise,
//
// where a_k is standard normal. So everything is in closed form, whatever cells are known.
type Graded struct {
	Axes        []Axis
	Loadings    [][]float64 // of each part about each axis, 0 where it abstains
	Mean, Noise []float64   // of each axis
	Names       []string    // of parts; nil if they have none
}

// Axis is one of the scores of a column: that of real values, standardised; that of levels; or one of C-1 functions of
// C words, of mean 0, variance 1 and covariance 0 over all rows. One-hot scores would make a part of each category.
type Axis struct {
	Column int
	Levels []float64 // the score of each level; nil of a real column
}

// Level returns the level that an axis sets against others, -1 of a real column.
func (a *Axis) Level() int {
	level := -1
	for l, x := range a.Levels {
		if level < 0 || x > a.Levels[level] {
			level = l
		}
	}
	return level
}

// newAxes returns the axes of columns. A column of one level has none.
func newAxes(columns []Column) (out []Axis) {
	for d := range columns {
		c := &columns[d]
		switch {
		case c.Family == Real:
			out = append(out, Axis{Column: d})
		case len(c.Values) < 2:
		case c.Family == Levels:
			out = append(out, Axis{d, c.Scores})
		default:
			for _, f := range contrasts(c.Share) {
				out = append(out, Axis{d, f})
			}
		}
	}
	return out
}

// contrasts returns functions of words that are orthonormal under their shares: that of each word, the most frequent
// first, against all after it.
func contrasts(share []float64) (out [][]float64) {
	order := make([]int, len(share))
	for l := range order {
		order[l] = l
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	rest := 1.0
	for i, l := range order[:len(order)-1] {
		q := share[l]
		rest -= q
		f := make([]float64, len(share))
		f[l] = math.Sqrt(rest / (q * (q + rest)))
		for _, after := range order[i+1:] {
			f[after] = -math.Sqrt(q / (rest * (q + rest)))
		}
		out = append(out, f)
	}
	return out
}

// score returns the score of a code.
func (a *Axis) score(c *Column, code float64) float64 {
	if math.IsNaN(code) {
		return code
	}
	if a.Levels == nil {
		return (code - c.All.Mean) / math.Sqrt(c.All.Var)
	}
	return a.Levels[int(code)]
}

// scores returns those of a row of codes.
func (g *Graded) scores(columns []Column, codes []float64) []float64 {
	out := make([]float64, len(g.Axes))
	for j := range g.Axes {
		a := &g.Axes[j]
		out[j] = a.score(&columns[a.Column], codes[a.Column])
	}
	return out
}

// degrees are those of the parts in a row, as far as its known scores tell: mean and covariance.
type degrees struct {
	mean   []float64
	cov    [][]float64
	logLik float64 // of the known scores
}

// degrees returns those of a row of scores, NaN where unknown.
func (g *Graded) degrees(y []float64) degrees {
	k := len(g.Loadings)
	m, z, sum, product := square(k), make([]float64, k), 0.0, 1.0
	for i := range k {
		m[i][i] = 1
	}
	for j, x := range y {
		if math.IsNaN(x) {
			continue
		}
		r := x - g.Mean[j]
		sum -= r * r / (2 * g.Noise[j])
		if product *= 2 * math.Pi * g.Noise[j]; product < 1e-200 || product > 1e200 { // one logarithm for many axes
			sum, product = sum-elem.Log(product)/2, 1
		}
		for i := range k {
			v := g.Loadings[i][j] / g.Noise[j]
			if v == 0 {
				continue
			}
			z[i] += float64(v * r)
			for h := range k {
				m[i][h] += float64(v * g.Loadings[h][j])
			}
		}
	}
	cov, logDet := inverse(m)
	d := degrees{make([]float64, k), cov, sum - elem.Log(product)/2 - logDet/2}
	for i := range k {
		for h := range k {
			d.mean[i] += float64(cov[i][h] * z[h])
		}
		d.logLik += d.mean[i] * z[i] / 2
	}
	return d
}

// expect returns mean and variance of axis j, given the degrees of the parts.
func (g *Graded) expect(j int, d degrees) (mean, variance float64) {
	mean, variance = g.Mean[j], g.Noise[j]
	for i := range g.Loadings {
		v := g.Loadings[i][j]
		mean += float64(v * d.mean[i])
		for h := range g.Loadings {
			variance += float64(v * d.cov[i][h] * g.Loadings[h][j])
		}
	}
	return mean, variance
}

const (
	leastShare = .1 // of what a word has over all rows is left to it
	leastSteps = 4  // levels that are seen as steps of a Normal: with fewer only their mean is known
)

// predict returns what a column is like in a row of the given degrees.
func (g *Graded) predict(columns []Column, d int, in degrees) Opinion {
	c := &columns[d]
	out := Opinion{P: slices.Clone(c.Share), Normal: c.All.Normal}
	for j := range g.Axes {
		a := &g.Axes[j]
		if a.Column != d {
			continue
		}
		mean, v := g.expect(j, in)
		switch c.Family {
		case Real:
			out.Mean += float64(mean * math.Sqrt(c.All.Var))
			out.Var *= v
		case Levels:
			if out.P = c.Tilt(c.Share, mean); len(c.Share) >= leastSteps {
				out.P = c.between(mean, v)
			}
			soften(out.P, c.Share)
		default:
			for l := range out.P {
				out.P[l] += c.Share[l] * mean * a.Levels[l]
			}
		}
	}
	if c.Family == Words {
		sum := 0.0
		for l := range out.P {
			out.P[l] = max(out.P[l], leastShare*c.Share[l])
			sum += out.P[l]
		}
		for l := range out.P {
			out.P[l] /= sum
		}
	}
	return out
}

// between returns the probabilities that a Normal of the given mean and variance is between the edges of levels.
func (c *Column) between(mean, variance float64) []float64 {
	out, below := make([]float64, len(c.Share)), 0.0
	for l := range out {
		upTo := 1.0
		if l < len(c.Edges) {
			upTo = real.Normal{Mean: mean, Var: variance}.CDF(c.Edges[l])
		}
		out[l], below = upTo-below, upTo
	}
	return out
}

// square returns a matrix of zeros.
func square(n int) [][]float64 {
	out, all := make([][]float64, n), make([]float64, n*n)
	for i := range out {
		out[i] = all[i*n : (i+1)*n : (i+1)*n]
	}
	return out
}

// inverse returns the inverse of a symmetric positive definite matrix and the logarithm of its determinant, by
// elimination without exchanges; the matrix is overwritten.
func inverse(m [][]float64) (out [][]float64, logDet float64) {
	n := len(m)
	out = square(n)
	for i := range n {
		out[i][i] = 1
	}
	for i := range n {
		p := m[i][i]
		logDet += elem.Log(p)
		for h := range n {
			m[i][h] /= p
			out[i][h] /= p
		}
		for r := range n {
			if f := m[r][i]; r != i && f != 0 {
				for h := range n {
					m[r][h] -= float64(f * m[i][h])
					out[r][h] -= float64(f * out[i][h])
				}
			}
		}
	}
	return out, logDet
}
