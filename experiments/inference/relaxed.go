package inference

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/bitmap"
)

// MeanField finds the independent activation probabilities r that come closest
// to the posterior: coordinate ascent on the bound
//
//	E_r[log P(x | s)] + E_r[log P(s)] + entropy of r  <=  log P(x),
//
// from the prior, until nothing changes by 1e-6; active is r > 1/2. The
// expectation is exact: at a pixel an expert votes for one side only, so the
// strongest vote for on and the strongest vote for off are independent. bound
// is its final value, in nats.
func (p *Problem) MeanField(img *bitmap.Image) (best Found, r []float64, bound float64) {
	m := p.meanField(p.pixels(img))
	r = slices.Clone(p.prior)
	const sweeps = 100
	for range sweeps {
		moved := 0.0
		for k := range p.k {
			old := r[k]
			r[k] = 1
			with := m.expectation(r)
			r[k] = 0
			without := m.expectation(r)
			r[k] = 1 / (1 + math.Exp(-(with - without + p.odds[k])))
			moved = max(moved, math.Abs(r[k]-old))
		}
		if moved < 1e-6 {
			break
		}
	}
	bound = m.expectation(r)
	var s Set
	for k, a := range r {
		bound += a*math.Log(p.prior[k]) + (1-a)*math.Log(1-p.prior[k]) + entropy(a)
		if a > 0.5 {
			s |= 1 << k
		}
	}
	return p.found(img, s, m.work), r, bound
}

// entropy returns the entropy, in nats, of a coin with probability a.
func entropy(a float64) float64 {
	if a <= 0 || a >= 1 {
		return 0
	}
	return -a*math.Log(a) - (1-a)*math.Log(1-a)
}

// meanField holds, by pixel, the experts that vote for on and for off, the
// strongest first, and the log-likelihood of every pair of votes; "no vote" is
// the last of each.
type meanField struct {
	up, down [][]int
	logLik   [][]float64
	work     int
}

func (p *Problem) meanField(x []uint8) *meanField {
	m := &meanField{}
	for i := range p.d {
		var up, down []int
		for k := range p.k {
			switch mu := p.mu[k][i]; {
			case mu > p.q[i]:
				up = append(up, k)
			case mu < p.q[i] && !p.max:
				down = append(down, k)
			}
		}
		slices.SortStableFunc(up, func(a, b int) int { return cmp.Compare(p.mu[b][i], p.mu[a][i]) })
		slices.SortStableFunc(down, func(a, b int) int { return cmp.Compare(p.mu[a][i], p.mu[b][i]) })
		pairs := make([]float64, 0, (len(up)+1)*(len(down)+1))
		for _, a := range append(slices.Clone(up), -1) {
			for _, b := range append(slices.Clone(down), -1) {
				mu := p.vote(a, i) + p.vote(b, i) - p.q[i]
				if x[i] == 0 {
					mu = 1 - mu
				}
				pairs = append(pairs, math.Log(mu))
			}
		}
		m.up, m.down, m.logLik = append(m.up, up), append(m.down, down), append(m.logLik, pairs)
	}
	return m
}

// vote returns the vote of expert k at pixel i, or -1 for none.
func (p *Problem) vote(k, i int) float64 {
	if k < 0 {
		return p.q[i]
	}
	return p.mu[k][i]
}

// expectation returns E_r[log P(x | s)], in nats.
func (m *meanField) expectation(r []float64) float64 {
	m.work++
	total := 0.0
	for i, up := range m.up {
		down, n := m.down[i], 0
		restUp := 1.0
		for a := range len(up) + 1 {
			pa := restUp
			if a < len(up) {
				pa *= r[up[a]]
				restUp -= pa
			}
			restDown := 1.0
			for b := range len(down) + 1 {
				pb := restDown
				if b < len(down) {
					pb *= r[down[b]]
					restDown -= pb
				}
				total += pa * pb * m.logLik[i][n]
				n++
			}
		}
	}
	return total
}

// Gradient relaxes activity to strengths a in [0, 1], so that an expert of
// strength a says q + a(mu - q), and maximizes the log-likelihood plus the
// prior's log odds by projected gradient ascent with a shrinking step, starting
// all strengths at 1/2 (E. Saund, "A multiple cause mixture model for
// unsupervised learning", 1995). Active is a > 1/2. relaxed is the objective at
// the strengths found, in nats.
func (p *Problem) Gradient(img *bitmap.Image) (best Found, a []float64, relaxed float64) {
	x := p.pixels(img)
	a = slices.Repeat([]float64{0.5}, p.k)
	g, next := make([]float64, p.k), make([]float64, p.k)
	value := p.relaxed(x, a, g)
	work, step := 1, 0.1
	const steps = 300
	for range steps {
		for k := range a {
			next[k] = min(max(a[k]+step*g[k], 0), 1)
		}
		work++
		v := p.relaxed(x, next, nil)
		if v <= value {
			if step /= 2; step < 1e-7 {
				break
			}
			continue
		}
		rise := v - value
		copy(a, next)
		value = p.relaxed(x, a, g)
		if step *= 1.5; rise < 1e-7 {
			break
		}
	}
	var s Set
	for k, v := range a {
		if v > 0.5 {
			s |= 1 << k
		}
	}
	return p.found(img, s, work), a, value
}

// relaxed returns the objective of Gradient at strengths a, in nats, and, if g
// is not nil, its gradient: at a pixel only the experts with the strongest
// votes receive it.
func (p *Problem) relaxed(x []uint8, a, g []float64) float64 {
	total := p.nothing
	clear(g)
	for k, o := range p.odds {
		total += a[k] * o
		if g != nil {
			g[k] = o
		}
	}
	for i, on := range x {
		q := p.q[i]
		hi, lo, up, down := q, q, -1, -1
		for k := range p.k {
			v := q + a[k]*(p.mu[k][i]-q)
			if v > hi {
				hi, up = v, k
			}
			if v < lo && !p.max {
				lo, down = v, k
			}
		}
		mu, sign := hi+lo-q, 1.0
		if on == 0 {
			mu, sign = 1-mu, -1
		}
		total += math.Log(mu)
		if g == nil {
			continue
		}
		for _, k := range [2]int{up, down} {
			if k >= 0 {
				g[k] += sign * (p.mu[k][i] - q) / mu
			}
		}
	}
	return total
}
