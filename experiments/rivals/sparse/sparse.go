// Package sparse is sparse coding with a dictionary learned online (Mairal,
// Bach, Ponce, Sapiro, "Online dictionary learning for sparse coding", 2009):
// codes are lasso solutions by coordinate descent, or have a fixed number of
// nonzero coefficients chosen by orthogonal matching pursuit.
package sparse

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.com/patchwork/experiments/rivals/coding"
)

// Options of learning. The zero value, but for the seed, is a fair start.
type Options struct {
	Units  int     // atoms; 0 means 8
	Alpha  float64 // weight of the sum of absolute coefficients; 0 means 1
	Epochs int     // times through the rows; 0 means 100
	Batch  int     // rows of a minibatch; 0 means 10
	Seed   uint64
}

func (o Options) withDefaults() Options {
	o.Units, o.Alpha, o.Epochs, o.Batch = cmp.Or(o.Units, 8), cmp.Or(o.Alpha, 1), cmp.Or(o.Epochs, 100), cmp.Or(o.Batch, 10)
	return o
}

// Model is a dictionary: K atoms of norm at most 1. It is immutable.
type Model struct {
	atoms [][]float64 // K rows of D
	gram  [][]float64 // inner products of the atoms
	alpha float64
}

var _ coding.Coder = (*Model)(nil)

// New returns a dictionary of the given atoms, which it keeps. alpha is the lasso's
// weight in Code.
func New(atoms [][]float64, alpha float64) *Model {
	m := &Model{atoms: atoms, gram: coding.Matrix(len(atoms), len(atoms)), alpha: alpha}
	coding.Gram(m.gram, m.atoms)
	return m
}

// Units returns the number of atoms.
func (m *Model) Units() int { return len(m.atoms) }

// Weights returns a copy of the atoms.
func (m *Model) Weights() [][]float64 { return coding.Clone(m.atoms) }

// Decode writes the sum of the atoms weighted by the code.
func (m *Model) Decode(code, y []float64) {
	clear(y)
	for k, u := range code {
		if u != 0 {
			floats.AddScaled(y, u, m.atoms[k])
		}
	}
}

// Cost returns that of the lasso: half the squared error of the code plus alpha times the
// sum of its absolute values.
func (m *Model) Cost(x, code []float64) float64 {
	y := make([]float64, len(x))
	m.Decode(code, y)
	return coding.SquaredError(x, y)/2 + m.alpha*floats.Norm(code, 1)
}

// Limits of coordinate descent: most sweeps, and the change of a coefficient
// below which it has converged.
const (
	maxSweeps = 1000
	converged = 1e-9
)

// Code writes the lasso code of x: the least of [Model.Cost].
func (m *Model) Code(x, code []float64) {
	clear(code)
	m.lasso(m.correlate(x), code)
}

// correlate returns the inner products of the atoms with x.
func (m *Model) correlate(x []float64) []float64 {
	rest := make([]float64, len(m.atoms))
	for k, a := range m.atoms {
		rest[k] = floats.Dot(a, x)
	}
	return rest
}

// lasso goes down coordinate by coordinate from code = 0. rest is the inner
// product of each atom with what the code leaves of the row, which is minus the
// slope of the squared error.
func (m *Model) lasso(rest, code []float64) {
	for range maxSweeps {
		most := 0.0
		for k, u := range code {
			g := m.gram[k][k]
			if g == 0 {
				continue
			}
			t := rest[k] + g*u
			next := math.Copysign(max(math.Abs(t)-m.alpha, 0), t) / g
			if next == u {
				continue
			}
			code[k] = next
			floats.AddScaled(rest, u-next, m.gram[k])
			most = max(most, math.Abs(next-u))
		}
		if most < converged {
			return
		}
	}
}

// Fit learns a dictionary from rows of numbers from 0 to 1. The result depends
// on the rows and the options only. The error is the rows' or the context's.
func Fit(ctx context.Context, rows [][]float64, o Options) (*Model, error) {
	o = o.withDefaults()
	return coding.Fit(ctx, rows, o.Epochs, func() (*Model, func()) {
		l := newLearner(rows, o)
		return l.Model, coding.Minibatches(l.rng, len(rows), o.Batch, l.batch)
	})
}

// learner is learning under way. a and b are the paper's A and B, transposed:
// the past sums of code times code and of code times row.
type learner struct {
	*Model
	rows  [][]float64
	o     Options
	rng   *rand.Rand
	a, b  [][]float64
	code  []float64
	steps int
}

func newLearner(rows [][]float64, o Options) *learner {
	d := len(rows[0])
	l := &learner{rows: rows, o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x64696374)),
		a: coding.Matrix(o.Units, o.Units), b: coding.Matrix(o.Units, d), code: make([]float64, o.Units)}
	atoms, pick := coding.Matrix(o.Units, d), l.rng.Perm(len(rows))
	for k, atom := range atoms {
		l.fromRow(atom, rows[pick[k%len(pick)]])
	}
	l.Model = New(atoms, o.Alpha)
	return l
}

// fromRow makes an atom of a row, with a little noise so that no two are alike.
func (l *learner) fromRow(atom, row []float64) {
	const noise = 0.01
	for j, v := range row {
		atom[j] = v + noise*l.rng.NormFloat64()
	}
	floats.Scale(1/floats.Norm(atom, 2), atom)
}

// batch makes one step: codes with the dictionary as it is, added to the sums,
// which forget the first batches, and one round of the dictionary update.
func (l *learner) batch(rows []int) {
	l.steps++
	keep := forget(l.steps, len(rows))
	for k := range l.a {
		floats.Scale(keep, l.a[k])
		floats.Scale(keep, l.b[k])
	}
	share := 1 / float64(len(rows))
	for _, i := range rows {
		l.Code(l.rows[i], l.code)
		accumulate(l.a, l.b, share, l.rows[i], l.code)
	}
	l.update(rows)
	coding.Gram(l.gram, l.atoms)
}

// forget is beta of section 3.4 of the paper (minibatches), for step t >= 1.
func forget(t, batch int) float64 {
	theta := float64(t * batch)
	if t >= batch {
		theta = float64(batch*batch + t - batch)
	}
	return (theta + 1 - float64(batch)) / (theta + 1)
}

// accumulate adds share times code*code' to a and code*row' to b.
func accumulate(a, b [][]float64, share float64, row, code []float64) {
	for k, u := range code {
		if u != 0 {
			floats.AddScaled(a[k], share*u, code)
			floats.AddScaled(b[k], share*u, row)
		}
	}
}

// slope returns the gradient, in atom k, of the mean squared error (halved) of the
// rows summed up in a and b, their codes held fixed.
func slope(a, b, atoms [][]float64, k int, g []float64) {
	copy(g, b[k])
	floats.Scale(-1, g)
	for j, atom := range atoms {
		floats.AddScaled(g, a[k][j], atom)
	}
}

// update is Algorithm 2 of the paper, one round. An atom that no code uses is
// made anew from a row of the batch.
func (l *learner) update(rows []int) {
	const unused = 1e-6
	g := make([]float64, len(l.rows[0]))
	for k, atom := range l.atoms {
		if l.a[k][k] <= unused {
			l.fromRow(atom, l.rows[rows[l.rng.IntN(len(rows))]])
			continue
		}
		slope(l.a, l.b, l.atoms, k, g)
		floats.AddScaled(atom, -1/l.a[k][k], g)
		floats.Scale(1/max(floats.Norm(atom, 2), 1), atom)
	}
}
