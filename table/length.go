package table

import (
	"math"
	"math/bits"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/posterior"
)

// Length is how many nats a description of rows by a model takes, term by term.
type Length struct {
	Rows       float64 // -log P(rows), activations included, by the model's prior over sets of parts
	Usage      float64 // how often each part is active: log(N)/2 each
	Columns    float64 // which columns vote, and on which side
	Votes      float64 // the probabilities that they say
	Background float64 // the probabilities where nobody votes
	Codes      float64 // of that prior; of a model without one what it would save, not above 0
}

// Nats returns the sum of all terms.
func (l Length) Nats() float64 {
	return l.Rows + l.Usage + l.Columns + l.Votes + l.Background + l.Codes
}

// lengthOf returns the length of the description of the rows that were counted, explained by m:
//
//	-log P(x | prior) + K log(N)/2 + columns + votes + background + codes
func lengthOf(m *patchwork.Model, t *counts) Length {
	d := describe(m, max(t.count(), 1), t.activity)
	var codes float64
	if p := m.Extras().SetPrior; p != nil {
		codes = setPriorLength(p, d.number)
	} else if _, saves := t.setPrior(); saves > 0 {
		codes = -saves
	}
	return Length{Rows: -t.logEvidence(), Usage: float64(float64(len(d.parts)) * d.number), Columns: d.columns(),
		Votes: d.votes(), Background: d.background(t.groups), Codes: codes}
}

// described is a model as its length sees it: a part without votes is none.
type described struct {
	rule   joint.Rule
	width  int     // D
	rows   float64 // N
	number float64 // log(N)/2, the price of a number that all rows inform
	q      []float64
	parts  []describedPart
}

// describedPart is a part: the columns of its votes for on and for off, and how many rows it
// is active in.
type describedPart struct {
	on, off  plane
	strength [2][]float64 // of its votes for on and for off: how probable what they say is
	active   float64
}

func (p *describedPart) size() int { return len(p.strength[0]) + len(p.strength[1]) }

// describe prepares a model of so many rows for its length, in some of which each part is active.
func describe(m *patchwork.Model, n int64, active func(k int) float64) *described {
	d := &described{rule: jointRule(m.Config().Rule), width: m.Height() * m.Width(), q: rows.Background(m),
		rows: float64(n), number: numberLengthOf(n)}
	for k, template := range m.Templates() {
		if p := d.part(template, active(k)); p.size() > 0 {
			d.parts = append(d.parts, p)
		}
	}
	return d
}

// describe prepares a model of the learner's rows, each part as often active as its usage says.
func (l *learner) describe(m *patchwork.Model) *described {
	n, pi := rows.Total(l.data), posterior.ActivationPrior(m)
	return describe(m, n, func(k int) float64 { return pi[k] * float64(n) })
}

// price returns about what one more part takes, beside those of d: how often it is active, its
// columns, by themselves or by another part's, and one strength.
func (d *described) price(p *describedPart) float64 {
	n := len(d.parts) + 1
	columns := d.alone(p)
	for i := range d.parts {
		if other := &d.parts[i]; other != p {
			columns = min(columns, d.after(p, other, n))
		}
	}
	sum := d.number + columns + math.Ln2 - elem.Log(float64(n))
	for _, side := range p.strength {
		if v := elem.Log(float64(len(side))); len(side) > 0 {
			sum += math.Ln2
			if !d.rule.TwoSided() {
				sum += numberPrice(p.active, d.rows) + float64(1.5*v)
			}
		}
	}
	return sum
}

// part returns a template as a part.
func (d *described) part(template []float64, active float64) describedPart {
	p := describedPart{on: newPlane(d.width), off: newPlane(d.width), active: active}
	for i, v := range template {
		switch {
		case !d.rule.Votes(v, d.q[i]):
		case v > d.q[i]:
			p.on.add(i)
			p.strength[0] = append(p.strength[0], v)
		default:
			p.off.add(i)
			p.strength[1] = append(p.strength[1], 1-v)
		}
	}
	return p
}

// numberPrice returns the price of a number that so many rows inform, of rows in all: log(n)/2
// and what is left of the code of Krichevsky and Trofimov, and never more than log(N)/2.
func numberPrice(active, rows float64) float64 {
	return min(elem.Log(rows)/2, elem.Log(max(active, 1))/2+0.22)
}

// columns returns what it takes to say which columns vote: for each part log C(D, v), or, by
// another part, e changes; less log K!, for parts have no order. Of the orders those count in
// which a part comes after the one that it refers to. Which refers to which is found as a
// minimum spanning tree is (Prim), with a root that stands for "by itself".
func (d *described) columns() float64 {
	n := len(d.parts)
	cost, parent, done := make([]float64, n), make([]int, n), make([]bool, n)
	for k := range d.parts {
		cost[k], parent[k] = d.alone(&d.parts[k]), -1
	}
	sum := 0.0
	order := make([]int, 0, n)
	for range n {
		best := -1
		for k := range cost {
			if !done[k] && (best < 0 || cost[k] < cost[best]) {
				best = k
			}
		}
		done[best] = true
		order = append(order, best)
		sum += cost[best]
		for k := range cost {
			if done[k] {
				continue
			}
			if c := d.after(&d.parts[k], &d.parts[best], n); c < cost[k] {
				cost[k], parent[k] = c, best
			}
		}
	}
	if n > 1 {
		sum += float64(float64(n) * math.Ln2) // by itself, or by another
	}
	below := make([]int, n)
	for i := range order {
		k := order[n-1-i]
		below[k]++
		sum += elem.Log(float64(below[k]))
		if parent[k] >= 0 {
			below[parent[k]] += below[k]
		}
	}
	return sum - logFactorial(n)
}

// alone returns what the columns of a part take by themselves.
func (d *described) alone(p *describedPart) float64 {
	return elem.LogChoose(d.width, p.size()) + d.sides(p)
}

// sides returns what it takes to say on which side each vote of a part is: all for on, all for
// off, or some of either.
func (d *described) sides(p *describedPart) float64 {
	if !d.rule.TwoSided() {
		return 0
	}
	on, off := len(p.strength[0]), len(p.strength[1])
	if on == 0 || off == 0 {
		return elem.Log(3)
	}
	return elem.Log(3) + elem.Log(float64(on+off)) + elem.LogChoose(on+off, on)
}

// after returns what the columns of a part take by those of another, of n parts: by the
// changes, or by what it has beyond the other.
func (d *described) after(p, other *describedPart, n int) float64 {
	common, opposed, either := 0, 0, 0
	for w := range p.on {
		a, b := p.on[w]|p.off[w], other.on[w]|other.off[w]
		common += bits.OnesCount64(a & b)
		either += bits.OnesCount64(a | b)
		opposed += bits.OnesCount64(p.on[w]&other.off[w] | p.off[w]&other.on[w])
	}
	changes := either - common
	c := elem.LogChoose(d.width, changes) + float64(2*elem.Log(float64(changes+1)))
	if common == other.size() { // it contains the other
		c = min(c, math.Ln2+elem.LogChoose(d.width-common, p.size()-common))
	}
	c += elem.Log(float64(n))
	if !d.rule.TwoSided() {
		return c
	}
	fresh := float64(float64(p.size()-common) * math.Ln2)
	if opposed == common {
		return c + math.Ln2 + fresh
	}
	named := math.Ln2 + elem.LogChoose(common, opposed) + float64(2*elem.Log(float64(opposed+1))) + fresh
	return c + 2*math.Ln2 + min(d.sides(p), named)
}

// votes returns what the probabilities of all votes take: those of a part and side mostly
// share one, and exceptions pay, or each by how far it is from their mean. Where experts vote on both sides one strength may serve the
// whole model.
func (d *described) votes() float64 {
	common, uses, informed := d.commonStrength()
	sum := 0.0
	if uses {
		sum = numberPrice(informed, informed)
	}
	for i := range d.parts {
		price := numberPrice(d.parts[i].active, d.rows)
		for _, side := range d.parts[i].strength {
			if len(side) == 0 {
				continue
			}
			shared, exceptions := mode(side)
			sum += math.Ln2
			if uses && math.Abs(shared-common) < sameNumber {
				if exceptions > 0 {
					sum += elem.Log(4) + min(float64(len(side))*price, d.exceptions(side, exceptions, price))
				}
				continue
			}
			one := price + elem.Log(float64(len(side)))/2
			switch {
			case !d.rule.TwoSided():
				one += min(d.exceptions(side, exceptions, price), spread(side, d.parts[i].active))
			case exceptions > 0:
				sum, one = sum+elem.Log(4), one+d.exceptions(side, exceptions, price)
			default:
				sum += elem.Log(4)
			}
			sum += min(float64(float64(len(side))*price), one)
		}
	}
	return sum
}

// exceptions returns what it takes that so many votes of a side have a probability of their own.
func (d *described) exceptions(side []float64, n int, price float64) float64 {
	return float64(float64(n)*price) + elem.LogChoose(len(side), n) + elem.Log(float64(len(side)))
}

// spread returns what it takes to say by how much the probabilities of votes differ from their
// mean, each as exactly as so many rows inform it: log(1 + their variance over that of an
// estimate)/2 each.
func spread(side []float64, active float64) float64 {
	mean, variance := 0.0, 0.0
	for _, v := range side {
		mean += v / float64(len(side))
	}
	for _, v := range side {
		variance += float64((v-mean)*(v-mean)) / float64(len(side))
	}
	v := float64(len(side))
	return elem.Log(v) + float64(v*elem.Log1p(float64(active*variance)/max(float64(mean*(1-mean)), 1e-9))/2)
}

// sameNumber is how far apart two probabilities that count as one may be.
const sameNumber = 1e-9

// mode returns the most frequent of some numbers, the first of them, and how many differ.
func mode(all []float64) (shared float64, exceptions int) {
	most := 0
	for i, v := range all {
		if i > 0 && len(all)-i <= most {
			break
		}
		n := 0
		for _, w := range all[i:] {
			if math.Abs(w-v) < sameNumber {
				n++
			}
		}
		if n > most {
			most, shared = n, v
		}
	}
	return shared, len(all) - most
}

// commonStrength returns the strength that most votes of parts of both sides have, whether two
// or more share it, and how many bits inform it.
func (d *described) commonStrength() (strength float64, uses bool, bits float64) {
	if !d.rule.TwoSided() {
		return 0, false, 0
	}
	type shared struct{ strength, votes, bits float64 }
	var all []shared
	most := 0.0
	for i := range d.parts {
		for _, side := range d.parts[i].strength {
			if len(side) == 0 {
				continue
			}
			s, exceptions := mode(side)
			n := float64(len(side) - exceptions)
			all = append(all, shared{s, n, float64(n * d.parts[i].active)})
		}
	}
	for _, a := range all {
		votes, rows, sides := 0.0, 0.0, 0
		for _, b := range all {
			if math.Abs(a.strength-b.strength) < sameNumber {
				votes, rows, sides = votes+b.votes, rows+b.bits, sides+1
			}
		}
		if votes > most {
			most, strength, bits, uses = votes, a.strength, rows, sides > 1
		}
	}
	return strength, uses, bits
}

// background returns what the probabilities where nobody votes take: one number for all
// columns, and one for each that differs, which must be named. Where experts vote on both
// sides the shared number is drawn to the mean of its columns, lest it slides to one side and
// the parts of the other side go.
func (d *described) background(groups *joint.Groups) float64 {
	shared, exceptions := mode(d.q)
	own := float64(float64(d.width) * d.number)
	tied := float64(d.number*float64(1+exceptions)) + elem.LogChoose(d.width, exceptions) + elem.Log(float64(d.width))
	if d.rule.TwoSided() && tied < own {
		means := groups.Means()
		sum, n := 0.0, 0
		for i, q := range d.q {
			if math.Abs(q-shared) < sameNumber {
				sum, n = sum+means[i], n+1
			}
		}
		tied += joint.Pulled(sum/float64(max(n, 1)), shared)
	}
	return min(own, tied)
}

// plane is a set of columns.
type plane []uint64

func newPlane(width int) plane { return make(plane, (width+63)/64) }

func (p plane) add(i int) { p[i/64] |= 1 << (i % 64) }

// logFactorial returns log n!.
func logFactorial(n int) float64 { return elem.LogFactorial(float64(n)) }
