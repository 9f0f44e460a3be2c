package gauss

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestEigen: eigenvalues are those of gonum, and the directions make the matrix, also where
// values are equal or 0, rows are 0, and sizes far apart.
func TestEigen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, rank := rapid.IntRange(1, 24).Draw(t, "d"), rapid.IntRange(0, 24).Draw(t, "rank")
		number := rapid.OneOf(rapid.Just(0.), rapid.Just(1.), rapid.Float64Range(-5, 5), rapid.Float64Range(-1e-6, 1e6),
			rapid.Float64Range(-1e-150, 1e-150))
		m := newMatrix(d, d)
		for range rank {
			x, sign := rapid.SliceOfN(number, d, d).Draw(t, "x"), rapid.SampledFrom([]float64{1, -1}).Draw(t, "sign")
			for i := range x {
				addTo(m.row(i), sign*x[i], x)
			}
		}
		values, directions, ok := eigen(m)
		if !ok || len(values) != d || !slices.IsSorted(values) {
			t.Fatalf("eigenvalues %v, %v", values, ok)
		}
		size := max(math.Abs(values[0]), math.Abs(values[d-1]))
		for i, v := range peerValues(mat.NewSymDense(d, slices.Clone(m.data))) {
			if math.Abs(v-values[i]) > 1e-12*size {
				t.Errorf("eigenvalue %d is %v, not %v", i, values[i], v)
			}
		}
		again := newMatrix(d, d)
		for k, u := range directions {
			for i := range u {
				addTo(again.row(i), values[k]*u[i], u)
			}
			for j, w := range directions[:k+1] {
				want := 0.
				if j == k {
					want = 1
				}
				if math.Abs(dot(u, w)-want) > 1e-12 {
					t.Errorf("directions %d and %d have the product %v", k, j, dot(u, w))
				}
			}
		}
		for i, v := range again.data {
			if math.Abs(v-m.data[i]) > 1e-12*size+1e-310 {
				t.Fatalf("the directions make %v of %v at %d", v, m.data[i], i)
			}
		}
	})
}

// peerValues returns the eigenvalues by gonum, or none of a matrix whose numbers are far from
// 1 or from each other: there gonum 0.17 panics, or is wrong from the eleventh digit on.
func peerValues(m *mat.SymDense) []float64 {
	for _, v := range m.RawSymmetric().Data {
		if v := math.Abs(v); v != 0 && (v < 1e-6 || v > 1e6) {
			return nil
		}
	}
	var e mat.EigenSym
	if !e.Factorize(m, false) {
		return nil
	}
	return e.Values(nil)
}

// TestEigenOfNoNumbers: what is not finite ends, and is told.
func TestEigenOfNoNumbers(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		for _, d := range []int{2, 5} {
			m := newMatrix(d, d)
			for i := range m.data {
				m.data[i] = float64(i % 3)
			}
			m.setBoth(0, d-1, bad)
			if values, _, ok := eigen(m); ok {
				t.Errorf("%v in a %d x %d matrix: eigenvalues %v", bad, d, d, values)
			}
		}
	}
}
