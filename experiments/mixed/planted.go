// Package mixed measures the learner of tables with columns of every kind: on planted tables, whose parts are known,
// and by hidden cells of real ones.
package mixed

import (
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
)

// Planted describes tables with parts: each has an opinion of one number about a few columns of two kinds or more, and
// what several say of a cell is joined by the model's own rule.
type Planted struct {
	Rows, Columns, Parts int
	Nuisance             int     // of the columns, about which no part has an opinion
	Missing              float64 // share of cells
	Outliers             float64 // share of the cells of numbers that are far off
}

// Sizes are the tables of the acceptance check.
var Sizes = []Planted{
	{600, 15, 4, 2, .1, 0},
	{600, 15, 4, 2, .1, .01},
	{300, 12, 3, 2, .1, 0},
	{1000, 25, 6, 3, .1, 0},
	{10000, 30, 6, 3, .1, 0},
}

// Families are the kinds of columns.
var Families = []string{"bit", "category", "scale", "count", "normal", "log-normal", "heavy"}

// column is a column and what it is like without parts.
type column struct {
	family string
	mixed.Column
	background mixed.Opinion
	value      func(code float64) float64
}

// Set is a planted table: Sets has the parts of each row, Votes the columns of each part.
type Set struct {
	Data     *mixed.Data
	Sets     []uint64
	Votes    [][]int
	Families []string // of columns
	Nuisance []bool
}

// Draw returns a table by seed.
func (p Planted) Draw(seed uint64) *Set {
	rng := rand.New(rand.NewPCG(seed, 37))
	columns, set := p.columns(rng), &Set{Data: &mixed.Data{}}
	for d := range columns {
		set.Families = append(set.Families, columns[d].family)
		set.Nuisance = append(set.Nuisance, d < p.Nuisance)
		kind := mixed.Number
		if columns[d].family == "category" {
			kind = mixed.Category
		}
		set.Data.Fields = append(set.Data.Fields, mixed.Field{Name: columns[d].family, Kind: kind})
	}
	m := &mixed.Model{}
	for d := range columns {
		m.Columns = append(m.Columns, columns[d].Column)
		m.Background = append(m.Background, columns[d].background)
	}
	for range p.Parts {
		votes := p.votes(rng, columns, set.Votes)
		set.Votes = append(set.Votes, votes)
		part := mixed.Part{Share: .12 + .18*rng.Float64(), Entries: make([]mixed.Entry, p.Columns)}
		for _, d := range votes {
			part.Entries[d] = mixed.Entry{Numbers: 1, Opinion: columns[d].opinion(rng)}
		}
		m.Parts = append(m.Parts, part)
	}
	for range p.Rows {
		p.row(rng, m, columns, set)
	}
	return set
}

// columns draws columns of every kind in turn, in random order.
func (p Planted) columns(rng *rand.Rand) []column {
	out := make([]column, p.Columns)
	order := rng.Perm(p.Columns)
	for i := range out {
		out[order[i]] = newColumn(rng, Families[i%len(Families)])
	}
	return out
}

func newColumn(rng *rand.Rand, family string) column {
	c := column{family: family, value: func(code float64) float64 { return code }}
	c.Family = mixed.Levels
	var p []float64
	switch family {
	case "bit":
		q := .1 + .4*rng.Float64()
		p = []float64{1 - q, q}
	case "category":
		c.Column.Family = mixed.Words
		p = make([]float64, 3+rng.IntN(3))
		for l := range p {
			p[l] = .3 + rng.Float64()
		}
	case "scale":
		middle := 1 + 2*rng.Float64()
		for l := range 5 {
			p = append(p, math.Exp(-math.Pow(float64(l)-middle, 2)/3))
		}
	case "count":
		p = negativeBinomial(2, 1+3*rng.Float64())
	default:
		c.Column.Family = mixed.Real
		c.background.Normal = real.Normal{Var: 1}
		c.value = scales[family]
		return c
	}
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	for l := range p {
		p[l] /= sum
		c.Values, c.Scores = append(c.Values, float64(l)), append(c.Scores, float64(l))
	}
	c.background.P = p
	return c
}

// scales turn normal deviates into values of the kinds of real columns.
var scales = map[string]func(t float64) float64{
	"normal":     func(t float64) float64 { return 50 + 10*t },
	"log-normal": func(t float64) float64 { return math.Exp(3 + .8*t) },
	"heavy":      func(t float64) float64 { return t * math.Exp(.2*t*t) }, // tails like those of Student's t of 2.5
}

// negativeBinomial returns the probabilities of 0 to 40 with shape r.
func negativeBinomial(r, mean float64) []float64 {
	p := make([]float64, 41)
	q := mean / (mean + r)
	p[0] = math.Pow(1-q, r)
	for x := 1; x < len(p); x++ {
		p[x] = p[x-1] * q * (float64(x) + r - 1) / float64(x)
	}
	return p
}

// opinion draws an opinion of one number, a strong one.
func (c *column) opinion(rng *rand.Rand) mixed.Opinion {
	q, size := c.background.P, 1.3+.7*rng.Float64()
	up := rng.IntN(2) == 1
	switch c.family {
	case "bit":
		p := .8 + .15*rng.Float64()
		if q[1] > .35 && !up {
			p = .03 + .07*rng.Float64()
		}
		return mixed.Opinion{P: []float64{1 - p, p}}
	case "category":
		return mixed.Opinion{P: mixed.Name(q, rng.IntN(len(q)), .75+.15*rng.Float64())}
	case "scale", "count":
		mean, sd := spread(q)
		to := mean + size*sd
		if !up {
			to = mean - size*sd
		}
		least := mean / 5
		if c.family == "scale" {
			least = .3
		}
		return mixed.Opinion{P: c.Tilt(q, min(max(to, least), float64(len(q))-1.3))}
	}
	if !up {
		size = -size
	}
	return mixed.Opinion{Normal: real.Normal{Mean: size, Var: 1}}
}

// spread returns mean and deviation of levels 0, 1, 2 ...
func spread(p []float64) (mean, sd float64) {
	square := 0.0
	for l, x := range p {
		mean += x * float64(l)
		square += x * float64(l*l)
	}
	return mean, math.Sqrt(square - mean*mean)
}

// votes draws 3 to 6 columns of two kinds or more, of which another part has no more than half, nor these half of its.
func (p Planted) votes(rng *rand.Rand, columns []column, others [][]int) []int {
	for {
		votes := rng.Perm(p.Columns - p.Nuisance)[:3+rng.IntN(4)]
		kinds := map[string]bool{}
		for i := range votes {
			votes[i] += p.Nuisance
			kinds[columns[votes[i]].family] = true
		}
		slices.Sort(votes)
		alike := func(o []int) bool { return 2*common(votes, o) > min(len(votes), len(o)) }
		if len(kinds) > 1 && !slices.ContainsFunc(others, alike) {
			return votes
		}
	}
}

// row draws a row.
func (p Planted) row(rng *rand.Rand, m *mixed.Model, columns []column, to *Set) {
	set := uint64(0)
	for k := range m.Parts {
		if rng.Float64() < m.Parts[k].Share {
			set |= 1 << k
		}
	}
	row := make([]float64, len(columns))
	for d := range row {
		c := &columns[d]
		row[d] = c.value(drawCode(rng, m.Compose(d, set), c))
		few := c.family == "bit" || c.family == "category" || c.family == "scale"
		if !few && rng.Float64() < p.Outliers {
			row[d] = math.Round(c.value(0)*20 + 100*rng.Float64())
		}
		if rng.Float64() < p.Missing {
			row[d] = math.NaN()
		}
	}
	to.Data.Rows, to.Sets = append(to.Data.Rows, row), append(to.Sets, set)
}

// drawCode draws a code of what is said.
func drawCode(rng *rand.Rand, said mixed.Belief, c *column) float64 {
	o := said[0].Opinion
	if len(said) > 1 && rng.Float64() > said[0].Weight {
		o = said[1].Opinion
	}
	if c.Column.Family == mixed.Real {
		return o.Mean + math.Sqrt(o.Var)*rng.NormFloat64()
	}
	u := rng.Float64()
	for l, x := range o.P {
		if u -= x; u < 0 {
			return float64(l)
		}
	}
	return float64(len(o.P) - 1)
}

// jaccard returns what two lists have in common, of all in either.
func jaccard(one, two []int) float64 {
	both := common(one, two)
	return float64(both) / float64(max(1, len(one)+len(two)-both))
}

// common returns how many two lists have in common.
func common(one, two []int) (both int) {
	for _, x := range one {
		if slices.Contains(two, x) {
			both++
		}
	}
	return both
}
