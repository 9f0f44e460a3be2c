// Package described says how many nats it takes to describe the parts and the background of a model
// of a table, whose rows are bits or lists: which columns vote, what the votes say, and how often
// columns are on where nobody votes.
package described

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
)

// Model is a model as its length sees it: a part without votes is none.
type Model struct {
	Rule   joint.Rule
	Width  int     // D
	Rows   float64 // N
	Number float64 // log(N)/2, the price of a number that all rows inform
	Q      []float64
	Parts  []Part
}

// Part is a part: the columns of its votes for on and for off, in order, and how many rows it is
// active in.
type Part struct {
	On, Off  []int32
	Strength [2][]float64 // of its votes for on and for off: how probable what they say is
	Active   float64
}

// Size returns how many votes the part has.
func (p *Part) Size() int { return len(p.Strength[0]) + len(p.Strength[1]) }

// Price returns about what one more part takes, beside those of d: how often it is active, its
// columns, by themselves or by another part's, and one strength.
func (d *Model) Price(p *Part) float64 {
	n := len(d.Parts) + 1
	columns := d.alone(p)
	for i := range d.Parts {
		if other := &d.Parts[i]; other != p && d.mayRefer(p, other) {
			columns = min(columns, d.after(p, other, n))
		}
	}
	sum := d.Number + columns + math.Ln2 - elem.Log(float64(n))
	for _, side := range p.Strength {
		if v := elem.Log(float64(len(side))); len(side) > 0 {
			sum += math.Ln2
			if !d.Rule.TwoSided() {
				sum += NumberPrice(p.Active, d.Rows) + float64(1.5*v)
			}
		}
	}
	return sum
}

// Number returns log(rows)/2, the price of a number that all rows inform.
func Number(rows float64) float64 { return elem.Log(max(rows, 1)) / 2 }

// NumberPrice returns the price of a number that so many rows inform, of rows in all: log(n)/2
// and what is left of the code of Krichevsky and Trofimov, and never more than log(N)/2.
func NumberPrice(active, rows float64) float64 {
	return min(elem.Log(rows)/2, float64(elem.Log(max(active, 1))/2)+0.22)
}

// Columns returns what it takes to say which columns vote: for each part log C(D, v), or, by
// another part, e changes; less log K!, for parts have no order. Of the orders those count in
// which a part comes after the one that it refers to. Which refers to which is found as a
// minimum spanning tree is (Prim), with a root that stands for "by itself".
func (d *Model) Columns() float64 {
	n := len(d.Parts)
	cost, parent, done := make([]float64, n), make([]int, n), make([]bool, n)
	for k := range d.Parts {
		cost[k], parent[k] = d.alone(&d.Parts[k]), -1
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
			if !d.mayRefer(&d.Parts[k], &d.Parts[best]) {
				continue
			}
			if c := d.after(&d.Parts[k], &d.Parts[best], n); c < cost[k] {
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
	return sum - elem.LogFactorial(float64(n))
}

// mayRefer reports whether the columns of a part may take less by those of another than by
// themselves: not where they have none in common and both are few.
func (d *Model) mayRefer(p, other *Part) bool {
	if 2*(p.Size()+other.Size()) > d.Width || d.Rule.TwoSided() {
		return true
	}
	a, b := p.On, other.On
	return len(a) > 0 && len(b) > 0 && a[0] <= b[len(b)-1] && b[0] <= a[len(a)-1] && shared(a, b) > 0
}

// alone returns what the columns of a part take by themselves.
func (d *Model) alone(p *Part) float64 {
	return elem.LogChoose(d.Width, p.Size()) + d.sides(p)
}

// sides returns what it takes to say on which side each vote of a part is: all for on, all for
// off, or some of either.
func (d *Model) sides(p *Part) float64 {
	if !d.Rule.TwoSided() {
		return 0
	}
	on, off := len(p.Strength[0]), len(p.Strength[1])
	if on == 0 || off == 0 {
		return elem.Log(3)
	}
	return elem.Log(3) + elem.Log(float64(on+off)) + elem.LogChoose(on+off, on)
}

// after returns what the columns of a part take by those of another, of n parts: by the
// changes, or by what it has beyond the other.
func (d *Model) after(p, other *Part, n int) float64 {
	on := shared(p.On, other.On)
	opposed := shared(p.On, other.Off) + shared(p.Off, other.On)
	common := on + opposed + shared(p.Off, other.Off)
	either := p.Size() + other.Size() - common
	changes := either - common
	c := elem.LogChoose(d.Width, changes) + float64(2*elem.Log(float64(changes+1)))
	if common == other.Size() { // it contains the other
		c = min(c, math.Ln2+elem.LogChoose(d.Width-common, p.Size()-common))
	}
	c += elem.Log(float64(n))
	if !d.Rule.TwoSided() {
		return c
	}
	fresh := float64(float64(p.Size()-common) * math.Ln2)
	if opposed == common {
		return c + math.Ln2 + fresh
	}
	named := math.Ln2 + elem.LogChoose(common, opposed) + float64(2*elem.Log(float64(opposed+1))) + fresh
	return c + 2*math.Ln2 + min(d.sides(p), named)
}

// Votes returns what the probabilities of all votes take: those of a part and side mostly
// share one, and exceptions pay, or each by how far it is from their mean. Where experts vote on
// both sides one strength may serve the whole model.
func (d *Model) Votes() float64 {
	common, uses, informed := d.commonStrength()
	sum := 0.0
	if uses {
		sum = NumberPrice(informed, informed)
	}
	for i := range d.Parts {
		price := NumberPrice(d.Parts[i].Active, d.Rows)
		for _, side := range d.Parts[i].Strength {
			if len(side) == 0 {
				continue
			}
			strength, exceptions := Mode(side)
			sum += math.Ln2
			if uses && math.Abs(strength-common) < SameNumber {
				if exceptions > 0 {
					sum += elem.Log(4) + min(float64(len(side))*price, d.exceptions(side, exceptions, price))
				}
				continue
			}
			one := price + float64(elem.Log(float64(len(side)))/2)
			switch {
			case !d.Rule.TwoSided():
				one += min(d.exceptions(side, exceptions, price), spread(side, d.Parts[i].Active))
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
func (d *Model) exceptions(side []float64, n int, price float64) float64 {
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

// SameNumber is how far apart two probabilities that count as one may be.
const SameNumber = 1e-9

// Mode returns the most frequent of some numbers, the first of them, and how many differ.
func Mode(all []float64) (shared float64, exceptions int) {
	if len(all) == 0 {
		return 0, 0
	}
	candidate, votes := 0.0, 0 // what more than half are, if more than half are the same
	for _, v := range all {
		switch {
		case votes == 0:
			candidate, votes = v, 1
		case math.Abs(v-candidate) < SameNumber:
			votes++
		default:
			votes--
		}
	}
	n := 0
	for _, v := range all {
		if math.Abs(v-candidate) < SameNumber {
			n++
		}
	}
	if 2*n > len(all) {
		return candidate, len(all) - n
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(all[a], all[b]), cmp.Compare(a, b)) })
	most, first := 0, len(all)
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && all[order[to]]-all[order[from]] < SameNumber {
			to++
		}
		if n := to - from; n > most || n == most && order[from] < first {
			most, first = n, order[from]
		}
		from = to
	}
	return all[first], len(all) - most
}

// shared returns how many columns two ordered lists have in common.
func shared(a, b []int32) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			a, b, n = a[1:], b[1:], n+1
		}
	}
	return n
}

// commonStrength returns the strength that most votes of parts of both sides have, whether two
// or more share it, and how many bits inform it.
func (d *Model) commonStrength() (strength float64, uses bool, bits float64) {
	if !d.Rule.TwoSided() {
		return 0, false, 0
	}
	type used struct{ strength, votes, bits float64 }
	var all []used
	most := 0.0
	for i := range d.Parts {
		for _, side := range d.Parts[i].Strength {
			if len(side) == 0 {
				continue
			}
			s, exceptions := Mode(side)
			n := float64(len(side) - exceptions)
			all = append(all, used{s, n, float64(n * d.Parts[i].Active)})
		}
	}
	for _, a := range all {
		votes, rows, sides := 0.0, 0.0, 0
		for _, b := range all {
			if math.Abs(a.strength-b.strength) < SameNumber {
				votes, rows, sides = votes+b.votes, rows+b.bits, sides+1
			}
		}
		if votes > most {
			most, strength, bits, uses = votes, a.strength, rows, sides > 1
		}
	}
	return strength, uses, bits
}

// Background returns what the probabilities where nobody votes take: one number for all
// columns, and one for each that differs, which must be named. Where experts vote on both
// sides the shared number is drawn to the mean of its columns, lest it slides to one side and
// the parts of the other side go.
func (d *Model) Background(means func() []float64) float64 {
	shared, exceptions := Mode(d.Q)
	own := float64(float64(d.Width) * d.Number)
	tied := float64(d.Number*float64(1+exceptions)) + elem.LogChoose(d.Width, exceptions) + elem.Log(float64(d.Width))
	if d.Rule.TwoSided() && tied < own {
		means := means()
		sum, n := 0.0, 0
		for i, q := range d.Q {
			if math.Abs(q-shared) < SameNumber {
				sum, n = sum+means[i], n+1
			}
		}
		tied += float64(joint.Pulled(sum/float64(max(n, 1)), shared))
	}
	return min(own, tied)
}
