package matrix

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
		m := New(d, d)
		for range rank {
			x, sign := rapid.SliceOfN(number, d, d).Draw(t, "x"), rapid.SampledFrom([]float64{1, -1}).Draw(t, "sign")
			for i := range x {
				AddTo(m.Row(i), sign*x[i], x)
			}
		}
		values, directions, ok := Eigen(m)
		if !ok || len(values) != d || !slices.IsSorted(values) {
			t.Fatalf("eigenvalues %v, %v", values, ok)
		}
		size := max(math.Abs(values[0]), math.Abs(values[d-1]))
		for i, v := range peerValues(mat.NewSymDense(d, slices.Clone(m.Data))) {
			if math.Abs(v-values[i]) > 1e-12*size {
				t.Errorf("eigenvalue %d is %v, not %v", i, values[i], v)
			}
		}
		again := New(d, d)
		for k, u := range directions {
			for i := range u {
				AddTo(again.Row(i), values[k]*u[i], u)
			}
			for j, w := range directions[:k+1] {
				want := 0.
				if j == k {
					want = 1
				}
				if math.Abs(Dot(u, w)-want) > 1e-12 {
					t.Errorf("directions %d and %d have the product %v", k, j, Dot(u, w))
				}
			}
		}
		for i, v := range again.Data {
			if math.Abs(v-m.Data[i]) > 1e-12*size+1e-310 {
				t.Fatalf("the directions make %v of %v at %d", v, m.Data[i], i)
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
			m := New(d, d)
			for i := range m.Data {
				m.Data[i] = float64(i % 3)
			}
			m.SetBoth(0, d-1, bad)
			if values, _, ok := Eigen(m); ok {
				t.Errorf("%v in a %d x %d matrix: eigenvalues %v", bad, d, d, values)
			}
		}
	}
}
