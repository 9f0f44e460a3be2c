package matrix

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestSolve: Solve and Inverse are those of gonum, of positive definite matrices; of others there are none.
func TestSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 16).Draw(t, "d")
		m, b := New(d, d), rapid.SliceOfN(rapid.Float64Range(-3, 3), d, d).Draw(t, "b")
		for range d + 2 {
			x := rapid.SliceOfN(rapid.Float64Range(-2, 2), d, d).Draw(t, "x")
			for i := range x {
				AddTo(m.Row(i), x[i], x)
			}
		}
		for i := range d {
			m.Set(i, i, m.At(i, i)+.1)
		}
		inverse, ok := Inverse(m)
		if !ok {
			t.Fatal("no inverse")
		}
		var peer mat.Dense
		if err := peer.Inverse(mat.NewDense(d, d, append([]float64(nil), m.Data...))); err != nil {
			t.Skip(err)
		}
		for i, v := range peer.RawMatrix().Data {
			if math.Abs(v-inverse.Data[i]) > 1e-7 {
				t.Fatalf("number %d of the inverse is %v, not %v", i, inverse.Data[i], v)
			}
		}
		want := inverse.Apply(b)
		got, ok := Solve(m.Part(all(d), all(d)), b)
		for i, v := range want {
			if !ok || math.Abs(v-got[i]) > 1e-6 {
				t.Fatalf("solved %v, not %v", got, want)
			}
		}
		m.Set(0, 0, -1)
		if _, ok := Inverse(m); ok {
			t.Error("an inverse of a matrix that is not positive definite")
		}
		if _, ok := Solve(m, b); ok {
			t.Error("a solution by a matrix that is not positive definite")
		}
	})
}

func all(d int) []int {
	out := make([]int, d)
	for i := range out {
		out[i] = i
	}
	return out
}
