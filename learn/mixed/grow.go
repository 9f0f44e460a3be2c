package mixed

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/learn/real"
)

// thresholds are how far from the background a value is that a candidate begins with, in its standard deviations.
var thresholds = []float64{1.5, 1, .6}

const (
	candidates  = 8    // from rows, for each threshold
	localSteps  = 6    // of EM for a candidate alone
	cheapSteps  = 3    // of these, in which votes cost less, so that small parts do not die before they know their rows
	cheap       = .4   // of the price
	firstShare  = .2   // of rows that a candidate is in, before it has been counted
	tried       = -12. // nats that a candidate may lack and still be tried: EM on all rows decides
	usualMisfit = .7   // of the mean is no reason to begin with a row
	leastVotes  = 2    // of a candidate
	likely      = .01  // rows of less probability are not counted
)

// ground is what the rows are like that a model explains by the best set of each, for candidates to be tried on.
type ground struct {
	*bank
	terms   *terms
	rows    int
	columns []groundColumn
	weights []float64 // how badly each row is explained
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
		weights: make([]float64, len(l.codes))}
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
		all[i] = rowWeight{i, unit}
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

// deviation returns how far a cell that nobody explains is from the background, 0 for others, and where to: the level of
// a word, or -1 and 1.
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

// misfit computes the weights of rows.
func (g *ground) misfit() {
	mean := 0.0
	for i := range g.weights {
		known := 0
		for d := range g.columns {
			z, _ := g.deviation(i, d)
			if z > 0 {
				known++
			}
			g.weights[i] += min(float64(z*z), 9)
		}
		g.weights[i] /= math.Sqrt(float64(max(known, 1)))
		mean += g.weights[i] / float64(g.rows)
	}
	for i := range g.weights {
		g.weights[i] = max(0, g.weights[i]-float64(usualMisfit*mean))
	}
}

// candidate is a part that is tried.
type candidate struct {
	Part
	// rest is what the columns that it speaks of are like where it is not; nil for what the model says. Without it a
	// part would be judged against a background that contains it.
	rest []*Opinion
	gain float64 // nats by which it shortens the description
}

// background returns what a column is like without a candidate.
func (g *ground) background(c *candidate, d int) *Opinion {
	if c.rest[d] != nil {
		return c.rest[d]
	}
	return g.bank.columns[d].background
}

func (g *ground) newCandidate() candidate {
	return candidate{Part: Part{Share: firstShare, Entries: make([]Entry, len(g.columns))},
		rest: make([]*Opinion, len(g.columns))}
}

// grow returns the part that shortens the description most, among those that begin from some badly explained rows and those
// that begin from deviations that come together; nil if none is worth to be tried.
func (g *ground) grow(ctx context.Context, rng *rand.Rand, workers int) (*candidate, error) {
	var all []candidate
	for _, threshold := range thresholds {
		for range candidates {
			all = append(all, g.begin(rng, threshold))
		}
		all = append(all, g.pairs(threshold)...)
	}
	_, err := pool.Run(ctx, len(all), workers, 1, func(_, i int) error {
		all[i].gain = g.local(&all[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	best := 0
	for i := range all {
		if all[i].gain > all[best].gain {
			best = i
		}
	}
	if all[best].gain <= tried {
		return nil, nil
	}
	return &all[best], nil
}

// begin returns a candidate: what is unusual in a badly explained row, or in it and in one or two others.
func (g *ground) begin(rng *rand.Rand, threshold float64) candidate {
	i := max(0, draw.ByWeight(rng, g.weights))
	var columns, to []int
	for d := range g.columns {
		if z, where := g.deviation(i, d); z > threshold {
			columns, to = append(columns, d), append(to, where)
		}
	}
	rows := []int{i}
	for range rng.IntN(3) {
		overlap := make([]float64, g.rows)
		for j := range overlap {
			n := float64(len(g.shared(j, threshold, columns, to)))
			overlap[j] = n * n * n
		}
		for _, j := range rows {
			overlap[j] = 0
		}
		j := draw.ByWeight(rng, overlap)
		if j < 0 {
			break
		}
		rows = append(rows, j)
		var less, lessTo []int
		for _, at := range g.shared(j, threshold, columns, to) {
			less, lessTo = append(less, columns[at]), append(lessTo, to[at])
		}
		columns, to = less, lessTo
	}
	return g.like(rows, columns, to)
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

// begun of the way to what rows say is what a part begins to say.
const begun = .7

// like returns a part that says of columns nearly what rows do.
func (g *ground) like(rows, columns, to []int) candidate {
	p := g.newCandidate()
	for at, d := range columns {
		b := &g.bank.columns[d]
		e := &p.Entries[d]
		e.Numbers = 1
		switch b.Family {
		case Words:
			e.Level = to[at]
			q := b.background.P[e.Level]
			e.P = Name(b.background.P, e.Level, begun+float64((1-begun)*q))
		case Levels:
			mean, _ := moments(b.background.P, b.Scores)
			x := 0.0
			for _, i := range rows {
				x += b.Scores[g.columns[d].level[i]] / float64(len(rows))
			}
			e.P = b.Tilt(b.background.P, mean+float64(begun*(x-mean)))
			soften(e.P, b.background.P)
		default:
			x := 0.0
			for _, i := range rows {
				x += g.columns[d].score[i] / float64(len(rows))
			}
			e.Normal = b.background.Normal
			e.Mean = x
		}
	}
	return p
}

func (g *ground) cheapTerms() *terms { return &terms{lambda: cheap * g.terms.lambda} }

// local takes some steps of EM for a candidate alone, all others being as they are, and returns the nats by which it
// shortens the description.
func (g *ground) local(p *candidate) float64 {
	gains := make([]float64, g.rows)
	for step := range localSteps {
		if len(p.Votes()) < leastVotes {
			return math.Inf(-1)
		}
		o := &terms{lambda: g.terms.lambda}
		if step < cheapSteps {
			o = g.cheapTerms()
		}
		g.rowGains(p, gains)
		odds := elem.Log(p.Share / (1 - p.Share))
		used := 0.0
		for i, x := range gains {
			gains[i] = 1 / (1 + elem.Exp(-x-odds))
			used += gains[i]
		}
		p.Share = (used + .5) / (float64(g.rows) + 1)
		g.fit(p, gains, o)
	}
	if len(p.Votes()) < leastVotes {
		return math.Inf(-1)
	}
	g.rowGains(p, gains)
	odds := elem.Log(p.Share / (1 - p.Share))
	gain := float64(float64(g.rows)*elem.Log1p(-p.Share)) - g.terms.lambda
	for _, x := range gains {
		gain += logAdd(0, x+odds)
	}
	for d := range p.Entries {
		gain -= g.bank.columns[d].price(&p.Entries[d], g.terms.lambda) + g.lost(d, p.rest[d])
	}
	return gain
}

// rowGains sets gains to what a candidate gains in each row.
func (g *ground) rowGains(p *candidate, gains []float64) {
	clear(gains)
	for _, d := range p.Votes() {
		e, b, c, rest := &p.Entries[d], &g.bank.columns[d], &g.columns[d], g.background(p, d)
		if b.Family == Real {
			for i, x := range c.score {
				if x == x {
					gains[i] += logRatio(e.Mean, e.Var, rest.Mean, rest.Var, x)
				}
			}
		} else {
			table := make([]float64, len(c.z)+1)
			for l := range c.z {
				table[l] = elem.Log(e.P[l] / rest.P[l])
			}
			for i, l := range c.level {
				gains[i] += table[l]
			}
		}
		g.over(d, e, gains)
	}
}

// over adds what an opinion of one more part changes in the cells of a column that others explain.
func (g *ground) over(d int, e *Entry, gains []float64) {
	b, c := &g.bank.columns[d], &g.columns[d]
	if len(c.explained) == 0 {
		return
	}
	strength, against := b.strength(b.background, e), uint64(0)
	for v := range b.voters {
		if b.Opposes(b.background, &e.Opinion, &b.voters[v].entry.Opinion) {
			against |= 1 << v
		}
	}
	for i := range c.explained {
		cell := &c.explained[i]
		first, second := b.voters[cell.first].strength, 0.0
		if cell.second >= 0 {
			second = b.voters[cell.second].strength
		}
		opposed := against>>cell.first&1 != 0
		if strength <= first && !(opposed && strength > second) {
			continue
		}
		gain := b.gain(&e.Opinion, cell.code)
		switch {
		case opposed:
			gain = pair(strength, gain, first, cell.gain[0])
		case cell.second >= 0 && against>>cell.second&1 != 0:
			gain = pair(strength, gain, second, cell.gain[1])
		}
		gains[cell.row] += gain - cell.now
	}
}

// gain returns what an opinion says of a code, over the background.
func (c *bankColumn) gain(o *Opinion, code float64) float64 {
	if c.Family == Real {
		b := c.background.Normal
		return logRatio(o.Mean, o.Var, b.Mean, b.Var, code)
	}
	return elem.Log(o.P[int(code)] / c.background.P[int(code)])
}

// rowWeight is a row and how much it counts.
type rowWeight struct {
	row    int
	weight int64
}

// fit makes a candidate say what the rows say, of the given probabilities: of cells that nobody explains, and those that
// it wins.
func (g *ground) fit(p *candidate, r []float64, o *terms) {
	var rows []rowWeight
	for i, x := range r {
		if x > likely {
			rows = append(rows, rowWeight{i, int64(x * unit)})
		}
	}
	room := make(stat, slots)
	for d := range g.columns {
		if n := len(g.columns[d].z); n > cap(room) {
			room = make(stat, n)
		}
		s := room[:len(g.columns[d].free)]
		clear(s)
		g.columns[d].add(s, rows)
		g.vote(p, d, s, r, o)
	}
}

// vote sets what a candidate says of a column, from the free cells of its rows. While the background is held it says what
// it is over all rows; else it is what the column is like in other rows.
func (g *ground) vote(p *candidate, d int, s stat, r []float64, o *terms) {
	b, rest := &g.bank.columns[d], (*Opinion)(nil)
	price := *o
	if !g.terms.hold {
		rest = b.without(g.columns[d].free, s)
		price.lambda += g.lost(d, rest)
	}
	if p.Entries[d].Numbers > 0 {
		g.won(d, &p.Entries[d], r, s)
	}
	p.rest[d] = rest
	if p.Entries[d] = b.vote(g.background(p, d), s, &price); p.Entries[d].Numbers == 0 {
		p.rest[d] = nil
	}
}

// without returns what a column is like in all cells less some.
func (c *bankColumn) without(all, some stat) *Opinion {
	rest := make(stat, len(all))
	for i := range all {
		rest[i] = all[i] - some[i]
	}
	if c.Family != Real {
		p := make([]float64, len(rest))
		n := rest.levels(p)
		for l := range p {
			p[l] = (p[l] + float64(rowsLevel*c.Share[l])) / (n + rowsLevel)
		}
		return &Opinion{P: p}
	}
	n, mean, squares := rest.normal()
	more, _, about := some.normal()
	b := (float64(n*mean) + float64(rowsReal*c.All.Mean)) / (n + rowsReal)
	squares += float64(n*(mean-b)*(mean-b)) + about + float64(rowsReal*c.All.Var)
	return &Opinion{Normal: real.Normal{Mean: b, Var: max(squares/(n+more+rowsReal), c.Floor)}}
}

// lost returns how much less likely the free cells of a column are under another background than the model's; 0 if it is
// nil.
func (g *ground) lost(d int, rest *Opinion) (sum float64) {
	if rest == nil {
		return 0
	}
	b, free := g.bank.columns[d].background, g.columns[d].free
	if g.columns[d].level == nil {
		n, mean, squares := free.normal()
		at := func(o *Opinion) float64 {
			return float64(n/2*elem.Log(o.Var)) + (squares+float64(n*(mean-o.Mean)*(mean-o.Mean)))/(2*o.Var)
		}
		return at(rest) - at(b)
	}
	for l, n := range free {
		if n > 0 {
			sum += float64(float64(n) / unit * elem.Log(b.P[l]/rest.P[l]))
		}
	}
	return sum
}

// add adds the cells of rows that nobody explains.
func (c *groundColumn) add(s stat, rows []rowWeight) {
	if c.level == nil {
		c.addScores(s, rows)
		return
	}
	for _, r := range rows {
		if l := int(c.level[r.row]); l < len(s) {
			s[l] += r.weight
		}
	}
}

// addScores adds the scores of rows; those that somebody explains have none.
func (c *groundColumn) addScores(s stat, rows []rowWeight) {
	var all, sum, squares int64
	for _, r := range rows {
		f := &c.fixed[r.row]
		all += r.weight & f.all
		sum += r.weight * f.score
		squares += r.weight * f.square
	}
	s[0], s[1], s[2] = all, sum, squares
}

// won counts the cells that a candidate takes over from others.
func (g *ground) won(d int, e *Entry, r []float64, s stat) {
	b, c := &g.bank.columns[d], &g.columns[d]
	if len(c.explained) == 0 {
		return
	}
	strength := b.strength(b.background, e)
	for i := range c.explained {
		cell := &c.explained[i]
		w := int64(r[cell.row] * unit)
		if w == 0 || strength <= b.voters[cell.first].strength {
			continue
		}
		if b.Family == Real {
			s.addScore(cell.code, w)
		} else {
			s[int(cell.code)] += w
		}
	}
}
