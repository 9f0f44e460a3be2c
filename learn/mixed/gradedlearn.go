package mixed

import (
	"math"

	"example.com/patchwork/internal/elem"
)

const (
	mostGraded   = 20   // parts
	gradedRises  = 2    // of the length that end the search
	denseSteps   = 15   // of EM in which all parts speak of all columns
	sparseSteps  = 30   // after these are turned to be simple
	sparseFrom   = 10   // of them the first in which votes that do not pay are deleted
	leastNoise   = .002 // of a score of variance 1
	turns        = 100  // of an eigenvector, or of all pairs of parts
	leastColumns = 2    // that a part speaks of
)

// scored is a row of scores, and how often it counts.
type scored struct {
	y     []float64
	often float64
}

// graded learns graded parts, so many to begin with; from 0 it is one more at a time, as long as the description gets
// shorter.
func (l *learner) graded(columns []Column, parts int) (*Graded, error) {
	empty, lambda := &Graded{Axes: newAxes(columns)}, l.lambda
	rows := make([]scored, len(l.codes))
	for i, c := range l.codes {
		rows[i] = scored{empty.scores(columns, c), float64(l.weights[i]) / float64(l.unit)}
	}
	corr := correlations(rows, len(empty.Axes))
	if parts > 0 {
		g, _ := empty.begin(corr, parts).learn(rows, lambda)
		return g, nil
	}
	best, shortest, risen := empty.begin(corr, 0), math.Inf(1), 0
	for k := 0; k <= min(mostGraded, len(empty.Axes)/2) && risen < gradedRises; k++ {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		g := empty.begin(corr, k)
		g, length := g.learn(rows, lambda)
		if risen++; length < shortest {
			best, shortest, risen = g, length, 0
		}
	}
	return best, nil
}

// correlations returns those of scores, from the rows that know both.
func correlations(rows []scored, n int) [][]float64 {
	out := square(n)
	for i := range n {
		for j := range i + 1 {
			both, sum := 0.0, 0.0
			for _, r := range rows {
				if x := r.y[i] * r.y[j]; x == x {
					both += r.often
					sum += float64(r.often * x)
				}
			}
			if both > 0 {
				out[i][j] = sum / both
				out[j][i] = out[i][j]
			}
		}
	}
	return out
}

// begin returns k parts along the eigenvectors of the correlations of largest values.
func (g *Graded) begin(corr [][]float64, k int) *Graded {
	n := len(g.Axes)
	out := &Graded{Axes: g.Axes, Mean: make([]float64, n), Noise: make([]float64, n)}
	for i := range k {
		v := make([]float64, n)
		for j := range v {
			v[j] = 1 + elem.Sin(float64(1+j*(i+2))) // not at right angles to any other
		}
		size := 0.0
		for range turns {
			v, size = turned(corr, v, out.Loadings)
		}
		for j := range v {
			v[j] *= math.Sqrt(max(size-1, .1))
		}
		out.Loadings = append(out.Loadings, v)
	}
	for j := range n {
		out.Noise[j] = 1
		for i := range k {
			out.Noise[j] -= float64(out.Loadings[i][j] * out.Loadings[i][j])
		}
		out.Noise[j] = max(out.Noise[j], .1)
	}
	return out
}

// turned multiplies a vector by a matrix, takes out what it has of others, and returns it with length 1, and the
// length.
func turned(m [][]float64, v []float64, others [][]float64) ([]float64, float64) {
	out := make([]float64, len(v))
	for i := range m {
		for j, x := range m[i] {
			out[i] += float64(x * v[j])
		}
	}
	for _, o := range others {
		dot, size := 0.0, 0.0
		for j := range o {
			dot, size = dot+float64(o[j]*out[j]), size+float64(o[j]*o[j])
		}
		for j := range o {
			out[j] -= dot / size * o[j]
		}
	}
	size := 0.0
	for _, x := range out {
		size += float64(x * x)
	}
	size = math.Sqrt(size)
	for j := range out {
		out[j] /= max(size, 1e-300)
	}
	return out, size
}

// learn takes all steps for as many parts as there are, and returns what is left of them with the length of the
// description.
func (g *Graded) learn(rows []scored, lambda float64) (*Graded, float64) {
	for range denseSteps {
		g, _ = g.step(rows, 0, false)
	}
	g.simplify()
	for i := range sparseSteps {
		g, _ = g.step(rows, lambda, i >= sparseFrom)
	}
	_, logLik := g.step(rows, 0, false)
	return g, float64(lambda*float64(g.votes()+len(g.Loadings))) - logLik
}

// votes returns how many entries do not abstain.
func (g *Graded) votes() (n int) {
	for _, v := range g.Loadings {
		for _, x := range v {
			if x != 0 {
				n++
			}
		}
	}
	return n
}

// moment sums are what a step of EM needs of an axis: of all rows that know it, with the degrees and, last, 1.
type momentSums struct {
	n, squares float64
	products   [][]float64 // of degrees with each other
	with       []float64   // the score
}

// step takes a step of EM, and returns the log-likelihood before it. Votes that do not bring lambda nats are deleted,
// if sparse.
func (g *Graded) step(rows []scored, lambda float64, sparse bool) (*Graded, float64) {
	k := len(g.Loadings)
	sums := make([]momentSums, len(g.Axes))
	for j := range sums {
		sums[j] = momentSums{products: square(k + 1), with: make([]float64, k+1)}
	}
	logLik := 0.0
	for _, r := range rows {
		d := g.degrees(r.y)
		logLik += float64(r.often * d.logLik)
		for j, x := range r.y {
			if x == x {
				sums[j].add(x, r.often, d)
			}
		}
	}
	next := &Graded{Axes: g.Axes, Mean: make([]float64, len(g.Axes)), Noise: make([]float64, len(g.Axes))}
	for range k {
		next.Loadings = append(next.Loadings, make([]float64, len(g.Axes)))
	}
	for j := range g.Axes {
		next.axis(j, g, &sums[j], lambda, sparse)
	}
	if sparse {
		next.prune()
	}
	return next, logLik
}

func (s *momentSums) add(x, often float64, d degrees) {
	k := len(d.mean)
	s.n += often
	s.squares += float64(often * x * x)
	for i, a := range d.mean {
		for h := range i + 1 {
			s.products[i][h] += float64(often * (d.cov[i][h] + float64(a*d.mean[h])))
		}
		s.products[k][i] += float64(often * a)
		s.with[i] += float64(often * a * x)
	}
	s.products[k][k] += often
	s.with[k] += float64(often * x)
}

// axis sets what the parts say of axis j: those that did before, less those that do not pay.
func (g *Graded) axis(j int, before *Graded, s *momentSums, lambda float64, sparse bool) {
	g.Noise[j] = 1
	if s.n == 0 {
		return
	}
	k := len(g.Loadings)
	var of []int
	for i := range k {
		if before.Loadings[i][j] != 0 {
			of = append(of, i)
		}
	}
	coefficients, noise := s.regress(append(of, k))
	for sparse && len(of) > 0 {
		worst, least := -1, math.Inf(1)
		for i := range of {
			_, without := s.regress(append(deleted(of, i), k))
			if gain := s.n / 2 * elem.Log(without/noise); gain < least {
				worst, least = i, gain
			}
		}
		if least > lambda {
			break
		}
		of = deleted(of, worst)
		coefficients, noise = s.regress(append(of, k))
	}
	g.Noise[j] = noise
	for i, part := range of {
		g.Loadings[part][j] = coefficients[i]
	}
	g.Mean[j] = coefficients[len(of)]
}

func deleted(of []int, i int) []int {
	out := append([]int(nil), of[:i]...)
	return append(out, of[i+1:]...)
}

// regress returns the coefficients of some degrees, and the variance that they leave.
func (s *momentSums) regress(of []int) ([]float64, float64) {
	m := square(len(of))
	for i, a := range of {
		for h, b := range of {
			m[i][h] = s.products[max(a, b)][min(a, b)]
		}
		m[i][i] += 1e-6
	}
	inv, _ := inverse(m)
	out, left := make([]float64, len(of)), s.squares
	for i := range of {
		for h, b := range of {
			out[i] += float64(inv[i][h] * s.with[b])
		}
	}
	for i, a := range of {
		left -= float64(out[i] * s.with[a])
	}
	return out, max((left+1)/(s.n+1), leastNoise)
}

// prune takes out parts that speak of too few columns.
func (g *Graded) prune() {
	var few [][]float64
	for _, v := range g.Loadings {
		columns := map[int]bool{}
		for j, x := range v {
			if x != 0 {
				columns[g.Axes[j].Column] = true
			}
		}
		if len(columns) >= leastColumns {
			few = append(few, v)
		}
	}
	g.Loadings = few
}

// simplify turns the parts so that each axis has few of them (varimax), two parts at a time.
func (g *Graded) simplify() {
	n := float64(len(g.Axes))
	for range turns {
		largest := 0.0
		for i := range g.Loadings {
			for h := range i {
				a, b := g.Loadings[h], g.Loadings[i]
				var u1, v1, uv, uu float64
				for j := range a {
					u, v := float64(a[j]*a[j])-float64(b[j]*b[j]), 2*a[j]*b[j]
					u1, v1 = u1+u, v1+v
					uv, uu = uv+float64(u*v), uu+float64(u*u)-float64(v*v)
				}
				angle := elem.Atan2(2*(uv-u1*v1/n), uu-(float64(u1*u1)-float64(v1*v1))/n) / 4
				sin, cos := elem.Sincos(angle)
				for j := range a {
					a[j], b[j] = float64(cos*a[j])+float64(sin*b[j]), float64(cos*b[j])-float64(sin*a[j])
				}
				largest = max(largest, math.Abs(angle))
			}
		}
		if largest < 1e-6 {
			return
		}
	}
}
