// Package matrix has the arithmetic of small dense matrices, in one order of summing on every machine.
package matrix

import (
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Matrix is a rectangle of numbers, row by row.
type Matrix struct {
	Rows, Columns int
	Data          []float64
}

// New returns a matrix of zeros.
func New(rows, columns int) *Matrix {
	return &Matrix{rows, columns, make([]float64, rows*columns)}
}

// At returns the number in row i and column j.
func (m *Matrix) At(i, j int) float64 { return m.Data[i*m.Columns+j] }

// Set sets the number in row i and column j.
func (m *Matrix) Set(i, j int, v float64) { m.Data[i*m.Columns+j] = v }

// SetBoth sets a number of a symmetric matrix and its mirror image.
func (m *Matrix) SetBoth(i, j int, v float64) {
	m.Set(i, j, v)
	m.Set(j, i, v)
}

// Row returns row i, which shares its memory with m.
func (m *Matrix) Row(i int) []float64 { return m.Data[i*m.Columns : (i+1)*m.Columns] }

// Times returns m b, each number summed from the left.
func (m *Matrix) Times(b *Matrix) *Matrix {
	out := New(m.Rows, b.Columns)
	for i := range m.Rows {
		row := out.Row(i)
		for k, v := range m.Row(i) {
			AddTo(row, v, b.Row(k))
		}
	}
	return out
}

// TimesTurned returns m b', b with its rows for columns.
func (m *Matrix) TimesTurned(b *Matrix) *Matrix {
	out := New(m.Rows, b.Rows)
	for i := range m.Rows {
		for j := range b.Rows {
			out.Set(i, j, Dot(m.Row(i), b.Row(j)))
		}
	}
	return out
}

// Dot returns the sum of the products of two lists of numbers, from the left.
func Dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// AddTo adds s times b to a.
func AddTo(a []float64, s float64, b []float64) {
	for i, v := range b {
		a[i] += float64(s * v)
	}
}

// Eigen returns the eigenvalues of a symmetric matrix, rising, and as many orthonormal
// directions, each a row; false if they are not found, as in a matrix that is not finite.
// It reduces the matrix to a tridiagonal one by reflections and this by implicit QL: tred2
// and tql2 of EISPACK (Bowdler, Martin, Reinsch and Wilkinson, 1971), rows for columns.
func Eigen(m *Matrix) (values []float64, directions [][]float64, ok bool) {
	// Near 1 nothing is lost in numbers too small to have all their digits.
	largest := 0.
	for _, v := range m.Data {
		largest = max(largest, math.Abs(v))
	}
	_, exponent := math.Frexp(largest)
	near1 := New(m.Rows, m.Columns)
	for i, v := range m.Data {
		near1.Data[i] = math.Ldexp(v, -exponent)
	}
	t := newTridiagonal(near1)
	if !t.diagonalize() {
		return nil, nil, false
	}
	order := make([]int, len(t.d))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case t.d[a] < t.d[b]:
			return -1
		case t.d[a] > t.d[b]:
			return 1
		}
		return 0
	})
	for _, i := range order {
		values, directions = append(values, math.Ldexp(t.d[i], exponent)), append(directions, t.v[i])
	}
	return values, directions, true
}

// tridiagonal is a symmetric matrix v' T v whose T has the diagonal d and beside it e,
// which begins at e[1]. The rows of v are orthonormal.
type tridiagonal struct {
	v    [][]float64
	d, e []float64
}

// newTridiagonal reduces a symmetric matrix by reflections.
func newTridiagonal(m *Matrix) *tridiagonal {
	n := m.Rows
	t := &tridiagonal{make([][]float64, n), slices.Clone(m.Row(n - 1)), make([]float64, n)}
	for i := range t.v {
		t.v[i] = slices.Clone(m.Row(i))
	}
	for i := n - 1; i > 0; i-- {
		t.reflect(i)
	}
	t.gather()
	return t
}

// reflect makes row i 0 but for its last two numbers. d holds the row.
func (t *tridiagonal) reflect(i int) {
	v, d, e := t.v, t.d, t.e
	scale, h := 0.0, 0.0
	for _, x := range d[:i] {
		scale += math.Abs(x)
	}
	if scale == 0 {
		e[i] = d[i-1]
		for j := range i {
			d[j], v[j][i], v[i][j] = v[j][i-1], 0, 0
		}
		d[i] = 0
		return
	}
	for k := range i {
		d[k] /= scale
	}
	h = Dot(d[:i], d[:i])
	f := d[i-1]
	g := math.Copysign(math.Sqrt(h), -f)
	e[i] = float64(scale * g)
	h -= float64(f * g)
	d[i-1] = f - g
	clear(e[:i])
	for j := range i {
		v[i][j] = d[j]
		e[j] += Dot(v[j][j:i], d[j:i])
		AddTo(e[j+1:i], d[j], v[j][j+1:i])
	}
	for j := range i {
		e[j] /= h
	}
	AddTo(e[:i], -Dot(e[:i], d[:i])/(h+h), d[:i])
	for j := range i {
		AddTo(v[j][j:i], -d[j], e[j:i])
		AddTo(v[j][j:i], -e[j], d[j:i])
		d[j], v[j][i] = v[j][i-1], 0
	}
	d[i] = h
}

// gather multiplies the reflections.
func (t *tridiagonal) gather() {
	v, d, n := t.v, t.d, len(t.d)
	for i := range n - 1 {
		v[i][n-1], v[i][i] = v[i][i], 1
		if h := d[i+1]; h != 0 {
			for k := range i + 1 {
				d[k] = v[i+1][k] / h
			}
			for j := range i + 1 {
				AddTo(v[j][:i+1], -Dot(v[i+1][:i+1], v[j][:i+1]), d[:i+1])
			}
		}
		clear(v[i+1][:i+1])
	}
	for j := range n {
		d[j], v[j][n-1] = v[j][n-1], 0
	}
	v[n-1][n-1] = 1
	t.e[0] = 0
}

// diagonalize turns the directions until e is 0 and d holds the eigenvalues. It reports
// whether it came to an end. The largest number should be near 1.
func (t *tridiagonal) diagonalize() bool {
	const most = 100          // rounds for one value; three are usual
	const smallest = 0x1p-900 // less is 0: turns by it would not keep lengths
	d, e, n := t.d, t.e, len(t.d)
	copy(e, e[1:])
	e[n-1] = 0
	shift, size := 0.0, smallest
	for l := range n {
		size = max(size, math.Abs(d[l])+math.Abs(e[l]))
		m := l
		for m < n-1 && !(math.Abs(e[m]) <= 0x1p-52*size) {
			m++
		}
		for round := 0; m > l; round++ {
			if round == most {
				return false
			}
			shift += t.shift(l)
			t.turn(l, m)
			if math.Abs(e[l]) <= 0x1p-52*size {
				break
			}
		}
		d[l] += shift
		e[l] = 0
	}
	return !math.IsNaN(shift)
}

// shift moves all eigenvalues from l on so that one is near 0, and returns by how much.
func (t *tridiagonal) shift(l int) float64 {
	d, e := t.d, t.e
	g := d[l]
	p := (d[l+1] - g) / (2 * e[l])
	r := p + math.Copysign(elem.Hypot(p, 1), p)
	d[l], d[l+1] = e[l]/r, float64(e[l]*r)
	h := g - d[l]
	for i := l + 2; i < len(d); i++ {
		d[i] -= h
	}
	return h
}

// turn makes one QL step on the rows l to m.
func (t *tridiagonal) turn(l, m int) {
	d, e := t.d, t.e
	next, beside := d[l+1], e[l+1]
	p := d[m]
	c, c2, c3 := 1.0, 1.0, 1.0
	s, s2 := 0.0, 0.0
	for i := m - 1; i >= l; i-- {
		c3, c2, s2 = c2, c, s
		g, h := float64(c*e[i]), float64(c*p)
		r := elem.Hypot(p, e[i])
		e[i+1] = float64(s * r)
		s, c = e[i]/r, p/r
		p = float64(c*d[i]) - float64(s*g)
		d[i+1] = h + float64(s*(float64(c*g)+float64(s*d[i])))
		low, high := t.v[i], t.v[i+1][:len(t.v[i])]
		for k, b := range low {
			a := high[k]
			high[k], low[k] = float64(s*b)+float64(c*a), float64(c*b)-float64(s*a)
		}
	}
	p = -s * s2 * c3 * beside * e[l] / next
	e[l], d[l] = float64(s*p), float64(c*p)
}

// Part returns the numbers in some rows and columns.
func (m *Matrix) Part(rows, columns []int) *Matrix {
	out := New(len(rows), len(columns))
	for i, r := range rows {
		from, to := m.Row(r), out.Row(i)
		for j, c := range columns {
			to[j] = from[c]
		}
	}
	return out
}

// Apply returns m x.
func (m *Matrix) Apply(x []float64) []float64 {
	out := make([]float64, m.Rows)
	for i := range out {
		out[i] = Dot(m.Row(i), x)
	}
	return out
}

// factor replaces a symmetric matrix by the lower triangle L of L L', by Cholesky; false if it is not positive
// definite.
func (m *Matrix) factor() bool {
	for i := range m.Rows {
		row := m.Row(i)
		for j := range i {
			row[j] = (row[j] - Dot(row[:j], m.Row(j)[:j])) / m.At(j, j)
		}
		if row[i] -= Dot(row[:i], row[:i]); !(row[i] > 0) {
			return false
		}
		row[i] = math.Sqrt(row[i])
	}
	return true
}

// Solve returns the x for which m x is b, of a positive definite matrix, whose numbers it changes; false if it is none.
func Solve(m *Matrix, b []float64) ([]float64, bool) {
	if !m.factor() {
		return nil, false
	}
	x := slices.Clone(b)
	for i := range x {
		x[i] = (x[i] - Dot(m.Row(i)[:i], x[:i])) / m.At(i, i)
	}
	for i := len(x) - 1; i >= 0; i-- {
		x[i] /= m.At(i, i)
		AddTo(x[:i], -x[i], m.Row(i)[:i])
	}
	return x, true
}

// Inverse returns the inverse of a positive definite matrix; false if it is none.
func Inverse(m *Matrix) (*Matrix, bool) {
	n := m.Rows
	l := &Matrix{n, n, slices.Clone(m.Data)}
	if !l.factor() {
		return nil, false
	}
	// The rows of inv become those of the inverse of L, and then of the inverse of L L'.
	inv := New(n, n)
	for i := range n {
		row := inv.Row(i)
		for j, v := range l.Row(i)[:i] {
			AddTo(row[:j+1], -v, inv.Row(j)[:j+1])
		}
		row[i] = 1
		for j := range row[:i+1] {
			row[j] /= l.At(i, i)
		}
	}
	out := New(n, n)
	for i := range n { // the sum over k of the products of numbers i and j of row k
		row := inv.Row(i)[:i+1]
		for j, v := range row {
			AddTo(out.Row(j)[:i+1], v, row)
		}
	}
	return out, true
}
