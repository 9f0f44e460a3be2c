package mixed

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/elem"
)

// ground is what the rows are like that a model explains by the best set of each, for candidates to be tried on.
type ground struct {
	*bank
	terms   *terms
	rows    int
	weight  []int64   // of each row
	share   []float64 // how often it counts
	count   float64   // of all rows
	columns []groundColumn
	misfits []float64 // how badly each row is explained
}

// groundColumn are the cells of a column: the codes of those that nobody explains, and the others.
type groundColumn struct {
	level     []uint16  // of cells nobody explains, one more than there are for all others
	score     []float64 // the same of a real column; NaN for all others
	fixed     []fixed   // the same as numbers that are added
	z         []float64 // of levels: how far each is from the background, in standard deviations
	center    float64   // of scores, and their standard deviation
	sd        float64
	explained []explained
	free      stat // all cells that nobody explains
}

// explained is a cell that a part speaks of.
type explained struct {
	row           int
	code          float64
	first, second int // voters; -1 for nobody
	now           float64
	gain          [2]float64 // of both alone
}

// newGround returns the ground of a state.
func newGround(l *learner, s *state, o *terms) *ground {
	g := &ground{bank: newBank(s.m), terms: o, rows: len(l.codes), columns: make([]groundColumn, len(s.m.Columns)),
		weight: l.weights, share: make([]float64, len(l.codes)), count: l.count(), misfits: make([]float64, len(l.codes))}
	p := newPursuit(g.bank)
	for d := range g.columns {
		g.columns[d].init(&g.bank.columns[d], g.rows)
	}
	for i, codes := range l.codes {
		p.load(codes)
		for set := s.best[i]; set != 0; set &= set - 1 {
			p.flip(bits.TrailingZeros64(set))
		}
		for d, x := range codes {
			g.columns[d].cell(p, d, i, x)
		}
	}
	all := make([]rowWeight, g.rows)
	for i := range all {
		all[i] = rowWeight{i, unit * l.weights[i]}
		g.share[i] = float64(l.weights[i]) / float64(l.unit)
	}
	for d := range g.columns {
		c := &g.columns[d]
		if c.free = make(stat, len(c.z)); c.level == nil {
			c.free = make(stat, slots)
		}
		c.add(c.free, all)
	}
	g.misfit()
	return g
}

func (c *groundColumn) init(b *bankColumn, rows int) {
	if b.Family == Real {
		c.score, c.fixed = make([]float64, rows), make([]fixed, rows)
		c.center, c.sd = b.background.Mean, math.Sqrt(b.background.Var)
		return
	}
	c.level, c.z = make([]uint16, rows), make([]float64, len(b.Values))
	mean, v := 0.0, 0.0
	if b.Family == Levels {
		mean, v = moments(b.background.P, b.Scores)
	}
	for l, q := range b.background.P {
		if b.Family == Words {
			c.z[l] = math.Sqrt(-2 * elem.Log(q))
		} else if v > 0 {
			c.z[l] = (b.Scores[l] - mean) / math.Sqrt(v)
		}
	}
}

// cell takes in the cell of row i and column d, as the pursuit explains it.
func (c *groundColumn) cell(p *pursuit, d, i int, x float64) {
	free := !math.IsNaN(x) && p.there[d] == 0
	switch {
	case c.level == nil && free:
		c.score[i], c.fixed[i] = x, newFixed(x)
	case c.level == nil:
		c.score[i] = math.NaN()
	case free:
		c.level[i] = uint16(x)
	default:
		c.level[i] = uint16(len(c.z))
	}
	if free || math.IsNaN(x) {
		return
	}
	first, second := bits.TrailingZeros64(p.there[d]), -1
	n := len(p.columns[d].voters)
	gain := [2]float64{p.gains[d][first*(n+1)+n], 0}
	if against := p.there[d] & p.columns[d].voters[first].against; against != 0 {
		second = bits.TrailingZeros64(against)
		gain[1] = p.gains[d][second*(n+1)+n]
	}
	c.explained = append(c.explained, explained{i, x, first, second, p.now[d], gain})
}

// deviation returns how far a cell that nobody explains is from the background, 0 for others, and where to: the level
// of a word, or -1 and 1.
func (g *ground) deviation(i, d int) (z float64, to int) {
	c := &g.columns[d]
	if c.level == nil {
		if z = (c.score[i] - c.center) / c.sd; z < 0 {
			return -z, -1
		}
		if math.IsNaN(z) {
			return 0, 0
		}
		return z, 1
	}
	l := int(c.level[i])
	if l == len(c.z) {
		return 0, 0
	}
	switch z = c.z[l]; {
	case g.bank.columns[d].Family == Words:
		return z, l
	case z < 0:
		return -z, -1
	}
	return z, 1
}

// misfit computes how badly rows are explained, all that are equal together.
func (g *ground) misfit() {
	mean := 0.0
	for i := range g.misfits {
		known := 0
		for d := range g.columns {
			z, _ := g.deviation(i, d)
			if z > 0 {
				known++
			}
			g.misfits[i] += min(float64(z*z), 9)
		}
		g.misfits[i] /= math.Sqrt(float64(max(known, 1)))
		mean += float64(g.share[i]*g.misfits[i]) / g.count
	}
	for i := range g.misfits {
		g.misfits[i] = float64(g.share[i] * max(0, g.misfits[i]-float64(usualMisfit*mean)))
	}
}

// shared returns which of the deviations row j has too.
func (g *ground) shared(j int, threshold float64, columns, to []int) (out []int) {
	for at, d := range columns {
		if z, where := g.deviation(j, d); z > threshold && where == to[at] {
			out = append(out, at)
		}
	}
	return out
}
