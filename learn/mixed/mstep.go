package mixed

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/real"
)

// terms are the settings of an M-step.
type terms struct {
	lambda float64 // price of a number, in nats
	once   float64 // units of a row that counts once
	// hold says that the background stays what it is over all rows, with the variance of scores multiplied by heat: so
	// parts are found before the background has learned what they will say.
	hold bool
	heat float64
	own  bool // opinions may have a shape of their own
}

const (
	halfRow   = .5 // of the background counts for an opinion
	rowsReal  = 1  // of the column counts for the background
	rowsLevel = 2
	leastRows = 2 // for an opinion
)

// MStep returns the model that follows m, by which the rows were counted: a step of EM as the last ones of learning.
// The error says that the counts are not of this model.
func (t *Tally) MStep(m *Model) (*Model, error) {
	if empty := NewTally(m); len(empty.cells) != len(t.cells) || empty.width != t.width {
		return nil, fmt.Errorf("mixed: counts of %d numbers, those of the model are %d", len(t.cells), len(empty.cells))
	}
	return t.mstep(m, &terms{lambda: price(t.Count()), once: t.once(), own: m.own()}), nil
}

// own reports whether opinions have shapes of their own.
func (m *Model) own() bool {
	for k := range m.Parts {
		for d := range m.Parts[k].Entries {
			if m.Parts[k].Entries[d].Numbers > 1 {
				return true
			}
		}
	}
	return false
}

// mstep returns the model that the counts of an E-step with m mean.
func (t *Tally) mstep(m *Model, o *terms) *Model {
	next := *m
	next.Background, next.Parts = make([]Opinion, len(m.Columns)), make([]Part, len(m.Parts))
	for d := range m.Columns {
		next.Background[d] = t.background(m, d, t.of(-1, d), o)
	}
	for k := range m.Parts {
		p := &next.Parts[k]
		p.Name, p.Entries = m.Parts[k].Name, make([]Entry, len(m.Columns))
		p.Share = (float64(t.Used[k])/o.once + .5) / (t.Count() + 1)
		for d := range p.Entries {
			p.Entries[d] = m.Columns[d].vote(&next.Background[d], t.of(k, d), o)
		}
	}
	return next.prune()
}

// prune returns the model without parts that speak of one column, or none: these are shapes of a column.
func (m *Model) prune() *Model {
	out := *m
	out.Parts = nil
	for k := range m.Parts {
		if len(m.Parts[k].Votes()) >= leastVotes {
			out.Parts = append(out.Parts, m.Parts[k])
		}
	}
	return &out
}

// background returns what a column is like where nobody speaks, which is in the given cells. The variance of real
// scores is also that of opinions of one number, so that these teach it too.
func (t *Tally) background(m *Model, d int, free stat, o *terms) Opinion {
	c := &m.Columns[d]
	if o.hold {
		return c.held(o.heat)
	}
	if c.Family != Real {
		p := make([]float64, len(c.Values))
		n := free.levels(o.once, p)
		for l := range p {
			p[l] = (p[l] + float64(rowsLevel*c.Share[l])) / (n + rowsLevel)
		}
		return Opinion{P: p}
	}
	n, mean, squares := free.normal(o.once)
	b := (float64(n*mean) + float64(rowsReal*c.All.Mean)) / (n + rowsReal)
	squares += float64(n*(mean-b)*(mean-b)) + float64(rowsReal*c.All.Var)
	for k := range m.Parts {
		if e := &m.Parts[k].Entries[d]; e.Numbers == 1 {
			more, _, about := t.of(k, d).normal(o.once)
			n, squares = n+more, squares+about
		}
	}
	return Opinion{Normal: real.Normal{Mean: b, Var: max(squares/(n+rowsReal), c.Floor)}}
}

// held returns what a column is over all rows, the variance of real scores multiplied by heat.
func (c *Column) held(heat float64) Opinion {
	out := c.All
	out.Var = max(float64(out.Var*heat), c.Floor)
	return out
}

// and returns the cells of both.
func (s stat) and(o stat) stat {
	out := slices.Clone(s)
	for i, n := range o {
		out[i] += n
	}
	return out
}

// vote returns what a part says of a column, from the cells that teach it: the opinion that pays most, or nothing.
func (c *Column) vote(b *Opinion, s stat, o *terms) Entry {
	if c.Family == Real {
		return c.voteReal(b, s, o)
	}
	if len(c.Values) < 2 {
		return Entry{}
	}
	counts := make([]float64, len(s))
	n := s.levels(o.once, counts)
	if n < leastRows {
		return Entry{}
	}
	best, most := Entry{}, 0.0
	for _, e := range c.shapes(b, counts, n, o) {
		gain := -c.price(&e, o.lambda)
		for l, x := range counts {
			if x > 0 {
				gain += float64(x * elem.Log(e.P[l]/b.P[l]))
			}
		}
		if gain > most {
			best, most = e, gain
		}
	}
	return best
}

// voteReal is vote for a real column.
func (c *Column) voteReal(b *Opinion, s stat, o *terms) Entry {
	n, mean, squares := s.normal(o.once)
	if n < leastRows {
		return Entry{}
	}
	m := (float64(n*mean) + float64(halfRow*b.Mean)) / (n + halfRow)
	aboutB, aboutM := squares+float64(n*(mean-b.Mean)*(mean-b.Mean)), squares+float64(n*(mean-m)*(mean-m))
	one := (aboutB-aboutM)/(2*b.Var) - o.lambda
	v := max((b.Var+aboutM)/(1+n), c.Floor)
	two := float64(n/2*elem.Log(b.Var/v)) + aboutB/(2*b.Var) - aboutM/(2*v) - float64(2*o.lambda)
	switch {
	case o.own && two > max(one, 0):
		return Entry{Numbers: 2, Opinion: Opinion{Normal: real.Normal{Mean: m, Var: v}}}
	case one > 0:
		return Entry{Numbers: 1, Opinion: Opinion{Normal: real.Normal{Mean: m, Var: b.Var}}}
	}
	return Entry{}
}

// shapes returns the opinions about levels that counts, n in all, may mean.
func (c *Column) shapes(b *Opinion, counts []float64, n float64, o *terms) []Entry {
	var out []Entry
	if c.Family == Words {
		out = c.names(b, counts, n)
	} else {
		bm, _ := moments(b.P, c.Scores)
		sum := float64(halfRow * bm)
		for l, x := range counts {
			sum += float64(x * c.Scores[l])
		}
		p := c.Tilt(b.P, sum/(n+halfRow))
		soften(p, b.P)
		out = []Entry{{Numbers: 1, Opinion: Opinion{P: p}}}
	}
	if o.own && len(counts) > 2 {
		out = append(out, Entry{Numbers: len(counts) - 1, Opinion: Opinion{P: table(b.P, counts, n)}})
	}
	if o.own && len(counts) > 3 && c.Family == Levels {
		out = append(out, Entry{Numbers: 2, Opinion: Opinion{P: c.curve(b.P, counts, n)}})
	}
	return out
}

// names returns the opinions that name a level.
func (c *Column) names(b *Opinion, counts []float64, n float64) (out []Entry) {
	for a := range counts {
		p := Name(b.P, a, (counts[a]+float64(halfRow*b.P[a]))/(n+halfRow))
		soften(p, b.P)
		out = append(out, Entry{Numbers: 1, Level: a, Opinion: Opinion{P: p}})
	}
	return out
}

// table returns the opinion that has a number for each level.
func table(q, counts []float64, n float64) []float64 {
	p := make([]float64, len(q))
	for l := range p {
		p[l] = (counts[l] + float64(halfRow*q[l])) / (n + halfRow)
	}
	soften(p, q)
	return p
}

// curve returns the opinion q_l exp(theta s + theta2 s^2) that has mean and variance of the counts, by Newton's
// method; it ends where it does not get nearer.
func (c *Column) curve(q, counts []float64, n float64) []float64 {
	want := table(q, counts, n)
	p, at := make([]float64, len(q)), [2]float64{}
	best, loss := make([]float64, len(q)), math.Inf(1)
	for range 25 {
		c.curved(p, q, at)
		d := divergence(want, p)
		if d < loss-1e-10 {
			loss = d
			copy(best, p)
		} else if d > loss {
			break
		}
		step, ok := c.towards(want, p)
		if !ok {
			break
		}
		size := max(1, math.Abs(step[0]), math.Abs(step[1]))
		at = [2]float64{at[0] + step[0]/size, at[1] + step[1]/size}
	}
	soften(best, q)
	return best
}

// curved sets p to q_l exp(theta s + theta2 s^2), scaled to add up to 1.
func (c *Column) curved(p, q []float64, theta [2]float64) {
	top := math.Inf(-1)
	for l, s := range c.Scores {
		p[l] = float64(theta[0]*s) + float64(theta[1]*s*s)
		top = max(top, p[l])
	}
	sum := 0.0
	for l := range p {
		p[l] = q[l] * elem.Exp(p[l]-top)
		sum += p[l]
	}
	for l := range p {
		p[l] /= sum
	}
}

// towards returns the step of Newton's method from p to the mean and the mean square of others.
func (c *Column) towards(want, p []float64) (step [2]float64, ok bool) {
	var m1, m2, m3, m4, w1, w2 float64
	for l, s := range c.Scores {
		m1, m2 = m1+float64(p[l]*s), m2+float64(p[l]*s*s)
		m3, m4 = m3+float64(p[l]*s*s*s), m4+float64(p[l]*s*s*s*s)
		w1, w2 = w1+float64(want[l]*s), w2+float64(want[l]*s*s)
	}
	a, b, d := m2-m1*m1, m3-m1*m2, m4-m2*m2
	det := float64(a*d) - float64(b*b)
	if !(det > 1e-9) {
		return step, false
	}
	x, y := w1-m1, w2-m2
	return [2]float64{(float64(d*x) - float64(b*y)) / det, (float64(a*y) - float64(b*x)) / det}, true
}

// divergence returns that of p from want.
func divergence(want, p []float64) float64 {
	sum := 0.0
	for l := range p {
		if want[l] > 0 {
			sum += float64(want[l] * elem.Log(want[l]/p[l]))
		}
	}
	return sum
}
