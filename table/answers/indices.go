package answers

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
)

// Indices are what the field reports of a picture, by its usual definitions, at the greatest likelihood.
type Indices struct {
	LogLik  float64 `json:"log_lik"`
	Numbers int     `json:"numbers"` // that are free
	AIC     float64 `json:"aic"`
	BIC     float64 `json:"bic"`
	CAIC    float64 `json:"caic"`
	ABIC    float64 `json:"abic"`

	// G2 and X2 compare how often every pattern of answers occurs with what is expected; 0 where some is not known.
	G2 float64 `json:"g2,omitempty"`
	X2 float64 `json:"x2,omitempty"`

	// Of classes, the largest first: their sizes, the share of each column in each, how sure it is of which class a row
	// is (1: quite), the mean posterior of the rows that are most probably of a class, and the odds of being right there
	// over those of a guess by the sizes.
	Sizes   []float64   `json:"sizes,omitempty"`
	Shares  [][]float64 `json:"shares,omitempty"`
	Entropy float64     `json:"entropy_r2,omitempty"` // R2
	// Intervals of the sizes and shares at 95 %; nil if there are too few rows for these.
	SizeIntervals  []Interval   `json:"sizes_interval,omitempty"`
	ShareIntervals [][]Interval `json:"shares_interval,omitempty"`
	MeanPosterior  []float64    `json:"average_posterior,omitempty"`
	CorrectOdds    []float64    `json:"odds_correct,omitempty"`

	// Hermite has those of a normal level by seven nodes of Gauss and Hermite, as other programs integrate; nil else.
	Hermite *Indices `json:"gauss_hermite,omitempty"`

	// Of a level: the slope and the difficulty of each column, and how reliable the level of a row is.
	Slope       []float64 `json:"slope,omitempty"`
	Difficulty  []float64 `json:"difficulty,omitempty"`
	Reliability float64   `json:"reliability,omitempty"`

	// Of skills, by column: how often it is right although a skill is lacking, and wrong although none is.
	Guess []float64 `json:"guess,omitempty"`
	Slip  []float64 `json:"slip,omitempty"`

	// Residuals are the bivariate ones, the largest first.
	Residuals []Residual `json:"bivariate_residuals,omitempty"`
}

// Residual is how much the joint answers of two columns differ from what the picture expects: the sum of (n - e)^2/e
// over four cells. Large ones are where a part is missing.
type Residual struct {
	Columns [2]int  `json:"columns"`
	Value   float64 `json:"value"`
}

const (
	mostPatterns  = 20 // columns of which all patterns are counted
	mlIterations  = 1500
	mlEnough      = 1e-7
	mostResiduals = 20
	leastSlope    = 1e-6 // of an item that has a difficulty
)

// Indices returns the indices of a picture of data.
func (p *Picture) Indices(data patchwork.Data) (*Indices, error) {
	t, err := read(data)
	if err != nil {
		return nil, err
	}
	side := t
	if p.Lacking {
		side = t.flipped()
	}
	iterations, enough := mlIterations, mlEnough
	if len(p.Votes) > 0 && !p.Classes {
		iterations, enough = mlIterations/10, 1e-3
	}
	if len(t.x) > searchRows {
		iterations, enough = iterations/10, 0.01
	}
	p, c := p.fit(side, iterations, enough, 0)
	x := &Indices{LogLik: c.evidence, Numbers: p.numbers()}
	k := float64(x.Numbers)
	x.AIC = float64(-2*x.LogLik) + float64(2*k)
	x.BIC = float64(-2*x.LogLik) + float64(k*elem.Log(t.n))
	x.CAIC = x.BIC + k
	x.ABIC = float64(-2*x.LogLik) + float64(k*elem.Log((t.n+2)/24))
	m := prepare(p)
	x.patterns(m, side)
	switch {
	case p.Classes:
		x.classes(m, side)
	case p.leveled():
		x.level(m, side)
		if len(p.Votes) == 0 && !p.OwnWeights {
			q := p.clone()
			q.Steps, q.Weights = hermite7()
			q, c = q.fit(side, iterations, enough, 0)
			x.Hermite = &Indices{LogLik: c.evidence, Numbers: x.Numbers}
			x.Hermite.level(prepare(q), side)
		}
	}
	if p.Lacking {
		x.skills(p)
	}
	x.residuals(m, side)
	return x, nil
}

// patterns sets G2 and X2.
func (x *Indices) patterns(m *states, t *answers) {
	if t.width() > mostPatterns || slices.ContainsFunc(t.hidden, func(h []int32) bool { return len(h) > 0 }) {
		return
	}
	covered := 0.0
	for n, e := range m.evidence(t) {
		expected := t.n * elem.Exp(e)
		covered += expected
		x.G2 += float64(2 * t.times[n] * elem.Log(t.times[n]/expected))
		x.X2 += float64((t.times[n] - expected) * (t.times[n] - expected) / expected)
	}
	x.X2 += t.n - covered // of the patterns that do not occur
}

// classes sets what is reported of classes.
func (x *Indices) classes(m *states, t *answers) {
	r, order := m.newRow(), largestFirst(m.Share)
	x.errors(m, t, order)
	entropy := 0.0
	rows, sum := make([]float64, len(order)), make([]float64, len(order))
	for n := range t.x {
		m.explain(r, t, n)
		best := 0
		for k, w := range r.weight {
			if w > r.weight[best] {
				best = k
			}
			if w > 0 {
				entropy -= float64(t.times[n] * w * elem.Log(w))
			}
		}
		rows[best] += t.times[n]
		sum[best] += float64(t.times[n] * r.weight[best])
	}
	x.Entropy = 1 - entropy/(t.n*elem.Log(float64(len(order))))
	for _, k := range order {
		size, mean := m.Share[k], sum[k]/max(rows[k], 1)
		x.Sizes, x.Shares = append(x.Sizes, size), append(x.Shares, m.Votes[k])
		x.MeanPosterior = append(x.MeanPosterior, mean)
		x.CorrectOdds = append(x.CorrectOdds, mean/max(1-mean, 1e-12)/(size/max(1-size, 1e-12)))
	}
}

// level sets what is reported of a level: the variance of its means by row, over that and the mean of their variances.
func (x *Indices) level(m *states, t *answers) {
	for d, a := range m.Slope {
		x.Slope = append(x.Slope, a)
		x.Difficulty = append(x.Difficulty, -m.Intercept[d]/math.Copysign(max(math.Abs(a), leastSlope), a))
	}
	r := m.newRow()
	sum, squares, within := 0.0, 0.0, 0.0
	for n := range t.x {
		m.explain(r, t, n)
		mean, square := 0.0, 0.0
		for _, s := range r.found {
			w := r.weight[s]
			for l, share := range r.steps[s] {
				mean += float64(w * share * m.Steps[l])
				square += float64(w * share * m.Steps[l] * m.Steps[l])
			}
		}
		sum += float64(t.times[n] * mean)
		squares += float64(t.times[n] * mean * mean)
		within += float64(t.times[n] * (square - float64(mean*mean)))
	}
	between := squares/t.n - float64(sum/t.n*sum/t.n)
	x.Reliability = between / (between + within/t.n)
}

// skills sets guess and slip.
func (x *Indices) skills(p *Picture) {
	for d, b := range p.Intercept {
		guess := 1 - sigmoid(b)
		if q := p.voters(d); q != 0 {
			guess = 1 - p.Votes[p.owner(q, d)][d]
		}
		x.Slip, x.Guess = append(x.Slip, sigmoid(b)), append(x.Guess, guess)
	}
}

// residuals sets the bivariate residuals.
func (x *Indices) residuals(m *states, t *answers) {
	width := t.width()
	on := make([]float64, width) // in a state, at a step
	both, single := make([]float64, width*width), make([]float64, width)
	for s, levels := range m.prior() {
		for l, w := range levels {
			w = elem.Exp(w)
			for d := range on {
				if on[d] = m.chance[d][l]; m.owner[s][d] >= 0 {
					on[d] = m.Votes[m.owner[s][d]][d]
				}
				single[d] += float64(w * on[d])
				for e := range d {
					both[d*width+e] += float64(w * on[d] * on[e])
				}
			}
		}
	}
	for d := range width {
		for e := range d {
			var n [4]float64
			for i, row := range t.x {
				if row[d] != joint.Unknown && row[e] != joint.Unknown {
					n[2*row[d]+row[e]] += t.times[i]
				}
			}
			all, b := n[0]+n[1]+n[2]+n[3], both[d*width+e]
			v := 0.0
			for i, share := range []float64{1 - single[d] - single[e] + b, single[e] - b, single[d] - b, b} {
				if expected := max(all*share, 1e-9); all > 0 {
					v += float64((n[i] - expected) * (n[i] - expected) / expected)
				}
			}
			x.Residuals = append(x.Residuals, Residual{[2]int{e, d}, v})
		}
	}
	slices.SortStableFunc(x.Residuals, func(a, b Residual) int { return cmp.Compare(b.Value, a.Value) })
	x.Residuals = x.Residuals[:min(len(x.Residuals), mostResiduals)]
}

// hermite7 returns the nodes of Gauss and Hermite of a standard normal level, with their weights.
func hermite7() (nodes, weights []float64) {
	x := []float64{0, 0.8162878828589647, 1.6735516287674714, 2.6519613568352334}
	w := []float64{0.8102646175568073, 0.4256072526101278, 0.05451558281912703, 0.0009717812450995192}
	for i := -3; i <= 3; i++ {
		k := max(i, -i)
		nodes = append(nodes, math.Copysign(x[k], float64(i))*math.Sqrt2)
		weights = append(weights, w[k]/math.Sqrt(math.Pi))
	}
	return nodes, weights
}
