package sparse

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// OMP writes a code of x with at most n nonzero coefficients: orthogonal
// matching pursuit (Pati, Rezaiifar, Krishnaprasad 1993), which takes the atom
// that fits the rest best and then fits all taken anew. It stops early where no
// atom helps.
func (m *Model) OMP(x []float64, n int, code []float64) {
	clear(code)
	start := m.correlate(x)
	rest := append([]float64(nil), start...)
	var taken []int
	for len(taken) < min(n, len(m.atoms)) {
		k := m.best(rest, taken)
		if k < 0 {
			return
		}
		u, ok := m.leastSquares(start, append(taken, k))
		if !ok {
			return
		}
		taken = append(taken, k)
		copy(rest, start)
		for i, j := range taken {
			code[j] = u.AtVec(i)
			floats.AddScaled(rest, -u.AtVec(i), m.gram[j])
		}
	}
}

// best returns the atom not yet taken with the largest correlation to the rest, -1
// for none.
func (m *Model) best(rest []float64, taken []int) int {
	const tiny = 1e-12
	at, most := -1, tiny
	for k, r := range rest {
		if norm := math.Sqrt(m.gram[k][k]); norm > 0 && !slices.Contains(taken, k) && math.Abs(r)/norm > most {
			at, most = k, math.Abs(r)/norm
		}
	}
	return at
}

// leastSquares returns the coefficients of the atoms that fit best; false where
// the atoms depend on each other.
func (m *Model) leastSquares(start []float64, atoms []int) (*mat.VecDense, bool) {
	n := len(atoms)
	g, c, u := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i, j := range atoms {
		c.SetVec(i, start[j])
		for l := range i + 1 {
			g.SetSym(l, i, m.gram[j][atoms[l]])
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(g) || chol.SolveVecTo(u, c) != nil {
		return nil, false
	}
	return u, true
}
