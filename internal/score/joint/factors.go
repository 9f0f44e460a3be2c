package joint

import (
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Beside is a set of experts as rows of any values see it: what one more opinion would do to
// a bit that is off, and to one that is on. The rows that the set explains share it.
type Beside struct{ off, on State }

// Reset makes the set that of experts of e, in the order in which they joined.
func (b *Beside) Reset(e *Experts, set []int16) {
	n := len(e.Q)
	if len(b.off.x) != n {
		b.off.x, b.on.x = make([]uint8, n), make([]uint8, n)
		for i := range b.on.x {
			b.on.x[i] = On
		}
	}
	b.off.Reset(e, b.off.x)
	b.on.Reset(e, b.on.x)
	for _, k := range set {
		b.off.Place(int(k))
		b.on.Place(int(k))
	}
}

// State returns the state of a row in which all bits are on.
func (b *Beside) State() *State { return &b.on }

// Factors are what opinions on some bits would do to the likelihood of a row beside a set of
// experts, by the value that the row has there.
type Factors struct {
	columns []int32
	ratios  []float64 // by column and value: P'(x)/P(x)
}

// values is how many values a bit has: off, on and unknown.
const values = 3

// Factors sets f to those of opinions with these parameters at these bits, as Votes returns
// them, and returns it.
func (b *Beside) Factors(f *Factors, columns []int32, params []float64) *Factors {
	f.columns = columns
	if cap(f.ratios) < values*len(columns) {
		f.ratios = make([]float64, values*len(columns))
	}
	f.ratios = f.ratios[:values*len(columns)]
	for j := range columns {
		at, column, param := f.ratios[values*j:][:values], columns[j:j+1], params[j:j+1]
		at[Off], at[On], at[Unknown] = b.off.ratios(column, param), b.on.ratios(column, param), 1
	}
	return f
}

// all returns what the set does to the likelihood of a row, beside no experts.
func (b *Beside) all() *Factors {
	f, e := &Factors{}, b.on.e
	for i := range e.Q {
		if !slices.ContainsFunc(b.on.set, func(k int16) bool { return e.planes[k][i/64]>>(i%64)&1 != 0 }) {
			continue
		}
		p, q := b.on.p[i], e.alone[On][i].p
		f.columns = append(f.columns, int32(i))
		f.ratios = append(f.ratios, max(1-p, least)/max(1-q, least), max(p, least)/max(q, least), 1) // off, on, unknown
	}
	return f
}

// GainAbove returns what State.GainOf returns for a row, to the bit: it multiplies the same
// numbers in the same order. It may return -Inf for a gain that is below log(tiny).
func (f *Factors) GainAbove(x []uint8, tiny float64) float64 {
	sum, product := 0.0, 1.0
	columns, ratios := f.columns, f.ratios
	for len(columns) > stretch {
		product *= chosen(columns[:stretch], ratios, x)
		columns, ratios = columns[stretch:], ratios[values*stretch:]
		if product < 1e-60 || product > 1e60 {
			sum += elem.Log(max(product, 1e-300))
			product = 1
		}
	}
	product *= chosen(columns, ratios, x)
	if sum == 0 && product < tiny {
		return math.Inf(-1)
	}
	return sum + elem.Log(max(product, 1e-300))
}

// chosen returns the product of the ratios that a row has at some bits.
func chosen(columns []int32, ratios []float64, x []uint8) float64 {
	product := 1.0
	ratios = ratios[:values*len(columns)]
	for j, i := range columns {
		product *= ratios[values*j+int(x[i])]
	}
	return product
}
