package mixed

import (
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/real"
)

// This file counts what a candidate says, and what it changes in cells that others explain.

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

// fit makes a candidate say what the rows say, of the given probabilities: of cells that nobody explains, and those
// that it wins.
func (g *ground) fit(p *candidate, r []float64, o *terms) {
	var rows []rowWeight
	for i, x := range r {
		if x > likely {
			rows = append(rows, rowWeight{i, g.weight[i] * int64(x*unit)})
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

// vote sets what a candidate says of a column, from the free cells of its rows. While the background is held it says
// what it is over all rows; else it is what the column is like in other rows.
func (g *ground) vote(p *candidate, d int, s stat, r []float64, o *terms) {
	b, rest := &g.bank.columns[d], (*Opinion)(nil)
	price := *o
	if !g.terms.hold {
		rest = b.without(g.columns[d].free, s, g.terms.once)
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
func (c *bankColumn) without(all, some stat, once float64) *Opinion {
	rest := make(stat, len(all))
	for i := range all {
		rest[i] = all[i] - some[i]
	}
	if c.Family != Real {
		p := make([]float64, len(rest))
		n := rest.levels(once, p)
		for l := range p {
			p[l] = (p[l] + float64(rowsLevel*c.Share[l])) / (n + rowsLevel)
		}
		return &Opinion{P: p}
	}
	n, mean, squares := rest.normal(once)
	more, _, about := some.normal(once)
	b := (float64(n*mean) + float64(rowsReal*c.All.Mean)) / (n + rowsReal)
	squares += float64(n*(mean-b)*(mean-b)) + about + float64(rowsReal*c.All.Var)
	return &Opinion{Normal: real.Normal{Mean: b, Var: max(squares/(n+more+rowsReal), c.Floor)}}
}

// lost returns how much less likely the free cells of a column are under another background than the model's; 0 if it
// is nil.
func (g *ground) lost(d int, rest *Opinion) (sum float64) {
	if rest == nil {
		return 0
	}
	b, free := g.bank.columns[d].background, g.columns[d].free
	if g.columns[d].level == nil {
		n, mean, squares := free.normal(g.terms.once)
		at := func(o *Opinion) float64 {
			return float64(n/2*elem.Log(o.Var)) + (squares+float64(n*(mean-o.Mean)*(mean-o.Mean)))/(2*o.Var)
		}
		return at(rest) - at(b)
	}
	for l, n := range free {
		if n > 0 {
			sum += float64(float64(n) / g.terms.once * elem.Log(b.P[l]/rest.P[l]))
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
		w := g.weight[cell.row] * int64(r[cell.row]*unit)
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
