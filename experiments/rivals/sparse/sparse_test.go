package sparse

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.com/patchwork/experiments/rivals/coding"
	"example.com/patchwork/experiments/rivals/coding/codingtest"
)

// random is a dictionary of k atoms of norm 1 and n rows of d bits.
func random(k, d, n int, alpha float64, seed uint64) (*Model, [][]float64) {
	r := rand.New(rand.NewPCG(seed, 0))
	atoms, rows := coding.Matrix(k, d), coding.Matrix(n, d)
	for _, a := range atoms {
		for j := range a {
			a[j] = r.NormFloat64()
		}
		floats.Scale(1/floats.Norm(a, 2), a)
	}
	for _, x := range rows {
		for j := range x {
			x[j] = float64(r.IntN(2))
		}
	}
	return New(atoms, alpha), rows
}

// The lasso is convex: a code is the least if the slopes of its squared error
// are alpha in size, against the sign, where it is not zero, and no more where it is.
func TestCodeIsTheLasso(t *testing.T) {
	for _, alpha := range []float64{0.01, 0.3, 1} {
		m, rows := random(8, 20, 50, alpha, 1)
		code, up, zeros := make([]float64, 8), make([]float64, 20), 0
		for _, x := range rows {
			m.Code(x, code)
			for k, u := range code {
				slope := differences(code, k, func() float64 {
					m.Decode(code, up)
					return coding.SquaredError(x, up) / 2
				})
				switch {
				case u == 0:
					zeros++
					if math.Abs(slope) > alpha+1e-6 {
						t.Fatalf("alpha %v: a zero with slope %v", alpha, slope)
					}
				case math.Abs(slope+math.Copysign(alpha, u)) > 1e-6:
					t.Fatalf("alpha %v: coefficient %v with slope %v", alpha, u, slope)
				}
			}
		}
		if alpha == 1 && zeros == 0 {
			t.Error("no code is sparse")
		}
	}
}

// differences is the central difference of f in p[k].
func differences(p []float64, k int, f func() float64) float64 {
	const h = 1e-5
	old := p[k]
	p[k] = old + h
	up := f()
	p[k] = old - h
	down := f()
	p[k] = old
	return (up - down) / (2 * h)
}

// The slope in the atoms, from the sums, is that of the rows' cost: of the
// squared error with the codes as they are, and, as codes are best ones, of the
// whole cost with codes made anew.
func TestGradientOfTheDictionary(t *testing.T) {
	m, rows := random(4, 6, 12, 0.2, 2)
	a, b := coding.Matrix(4, 4), coding.Matrix(4, 6)
	code := make([]float64, 4)
	for _, x := range rows {
		m.Code(x, code)
		accumulate(a, b, 1/12., x, code)
	}
	cost := func() float64 {
		coding.Gram(m.gram, m.atoms)
		sum := 0.0
		for _, x := range rows {
			m.Code(x, code)
			sum += m.Cost(x, code) / 12
		}
		return sum
	}
	g := make([]float64, 6)
	for k, atom := range m.atoms {
		slope(a, b, m.atoms, k, g)
		for d := range atom {
			if want := differences(atom, d, cost); math.Abs(g[d]-want) > 1e-6 {
				t.Errorf("atom %d, number %d: gradient %v, by differences %v", k, d, g[d], want)
			}
		}
	}
}

// Orthogonal pursuit leaves nothing along the atoms taken, is exact with all
// of them, and cannot beat the best subset of its size.
func TestOMP(t *testing.T) {
	m, rows := random(6, 10, 30, 1, 3)
	code, y := make([]float64, 6), make([]float64, 10)
	for _, x := range rows {
		before := math.Inf(1)
		for n := 1; n <= 7; n++ {
			m.OMP(x, n, code)
			m.Decode(code, y)
			e, used := coding.SquaredError(x, y), 0
			for k, u := range code {
				if u == 0 {
					continue
				}
				used++
				if rest := floats.Dot(m.atoms[k], x) - floats.Dot(m.atoms[k], y); math.Abs(rest) > 1e-9 {
					t.Fatalf("%d coefficients: %v left along an atom taken", n, rest)
				}
			}
			best := bestSubset(m, x, min(n, 6))
			if used > n || e > before+1e-12 || e < best-1e-9 || (n == 1 || n >= 6) && e > best+1e-9 {
				t.Fatalf("%d coefficients, %d used: error %v, with one less %v, best subset %v", n, used, e, before, best)
			}
			before = e
		}
	}
}

// bestSubset is the least squared error with n atoms.
func bestSubset(m *Model, x []float64, n int) float64 {
	start, y, least := m.correlate(x), make([]float64, len(x)), math.Inf(1)
	for set := range 1 << len(m.atoms) {
		if bits.OnesCount(uint(set)) != n {
			continue
		}
		var atoms []int
		for k := range m.atoms {
			if set>>k&1 == 1 {
				atoms = append(atoms, k)
			}
		}
		u, ok := m.leastSquares(start, atoms)
		if !ok {
			continue
		}
		clear(y)
		for i, k := range atoms {
			floats.AddScaled(y, u.AtVec(i), m.atoms[k])
		}
		least = min(least, coding.SquaredError(x, y))
	}
	return least
}

// Two atoms that are alike, an atom of nothing, a row of nothing.
func TestCodesOfNastyDictionaries(t *testing.T) {
	m := New([][]float64{{1, 0}, {1, 0}, {0, 0}}, 0.5)
	code, y := make([]float64, 3), make([]float64, 2)
	for n := 1; n <= 3; n++ {
		m.OMP([]float64{1, 1}, n, code)
		if m.Decode(code, y); y[0] != 1 || y[1] != 0 {
			t.Errorf("%d: code %v", n, code)
		}
	}
	m.Code([]float64{1, 1}, code)
	if m.Decode(code, y); math.Abs(y[0]-0.5) > 1e-9 {
		t.Errorf("lasso: %v", code)
	}
	m.Code([]float64{0, 0}, code)
	m.OMP([]float64{0, 0}, 2, code)
	if code[0] != 0 || code[1] != 0 || code[2] != 0 {
		t.Errorf("nothing: %v", code)
	}
}

// mixed is rows that are each one of four patterns, or two of them.
func mixed() [][]float64 {
	r := rand.New(rand.NewPCG(7, 7))
	out := coding.Matrix(60, 12)
	for _, x := range out {
		for range 1 + r.IntN(2) {
			at := 3 * r.IntN(4)
			for j := range 3 {
				x[at+j] = 1
			}
		}
	}
	return out
}

func TestFitFindsThePatterns(t *testing.T) {
	m, err := Fit(t.Context(), mixed(), Options{Units: 4, Alpha: 0.1, Epochs: 30, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for pattern := range 4 {
		for _, a := range m.atoms {
			if floats.Norm(a, 2) > 1+1e-12 {
				t.Errorf("an atom of norm %v", floats.Norm(a, 2))
			}
			if floats.Norm(a[3*pattern:3*pattern+3], 2) > 0.95 {
				found++
			}
		}
	}
	if found != 4 {
		t.Errorf("%d of 4 patterns: %v", found, m.atoms)
	}
}

// More atoms than rows have anything for: unused ones are made anew.
func TestFitReplacesUnusedAtoms(t *testing.T) {
	rows := [][]float64{{1, 1, 0, 0}, {0, 0, 0, 0}}
	m, err := Fit(t.Context(), rows, Options{Units: 3, Epochs: 5, Batch: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range m.atoms {
		if n := floats.Norm(a, 2); math.IsNaN(n) || n > 1+1e-12 {
			t.Errorf("atom %v", a)
		}
	}
}

func TestForget(t *testing.T) {
	if f := forget(1, 10); f != 1/11. {
		t.Errorf("the first batch keeps %v", f)
	}
	last := 0.0
	for step := 1; step < 100; step++ {
		f := forget(step, 10)
		if f < last || f >= 1 {
			t.Errorf("step %d keeps %v after %v", step, f, last)
		}
		last = f
	}
}

func TestFit(t *testing.T) {
	codingtest.Fit(t, mixed(), func(ctx context.Context, rows [][]float64, seed uint64) (*Model, error) {
		return Fit(ctx, rows, Options{Units: 3, Epochs: 3, Seed: seed})
	})
}
