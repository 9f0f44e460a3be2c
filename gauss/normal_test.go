package gauss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.com/patchwork/internal/matrix"
)

// random returns a Gaussian of the given rank over d coordinates, with
// variances of very different sizes.
func random(t testing.TB, rng *rand.Rand, d, rank int) *Normal {
	t.Helper()
	factors := make([]float64, d*rank)
	for i := range factors {
		factors[i] = rng.NormFloat64() * math.Exp2(float64(i%rank%6))
	}
	mean, cov := make([]float64, d), make([]float64, d*d)
	for i := range d {
		mean[i] = 20 * rng.NormFloat64()
		for j := range d {
			for r := range rank {
				cov[i*d+j] += factors[i*rank+r] * factors[j*rank+r]
			}
		}
	}
	n, err := New(mean, cov)
	if err != nil {
		t.Fatal(err)
	}
	if n.Rank() != rank {
		t.Fatalf("rank %d, made with %d", n.Rank(), rank)
	}
	return n
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func nearAll(a, b []float64, tolerance float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return near(x, y, tolerance) })
}

func TestNewRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		mean, cov []float64
		says      string
	}{
		{nil, nil, "mean of 0 numbers"},
		{make([]float64, 193), make([]float64, 193*193), "mean of 193 numbers"},
		{[]float64{1, 2}, []float64{1, 2, 3}, "covariance of 3 numbers"},
		{[]float64{1, nan}, []float64{1, 0, 0, 1}, "mean of coordinate 1 is NaN"},
		{[]float64{1, 2}, []float64{1, 0, 0, -1}, "variance of coordinate 1 is -1"},
		{[]float64{1, 2}, []float64{inf, 0, 0, 1}, "variance of coordinate 0 is +Inf"},
		{[]float64{1, 2}, []float64{1, nan, 0, 1}, "covariance of coordinates 1 and 0"},
		{[]float64{1, 2}, []float64{1, 0.5, 0.4, 1}, "row 1, column 0 is 0.4, but row 0, column 1 is 0.5"},
		{[]float64{1, 2}, []float64{1, 2, 2, 1}, "not positive semi-definite"},
		{[]float64{1, 2}, []float64{0, 1e-3, 1e-3, 0}, "not positive semi-definite"},
		{[]float64{1, 2}, []float64{1.7e308, 1.7e308, 1.7e308, 1.7e308}, "too large"},
	} {
		if _, err := New(c.mean, c.cov); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("New(%.40v, %.40v): %v, want %q", c.mean, c.cov, err, c.says)
		}
	}
}

func TestNewCopiesAndKeepsBits(t *testing.T) {
	n := random(t, rand.New(rand.NewPCG(1, 1)), 9, 4)
	mean, cov := n.Mean(), n.Cov()
	again, err := New(mean, cov)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Cov(), cov) || !slices.Equal(again.Mean(), mean) {
		t.Error("the moments changed")
	}
	mean[0], cov[0] = 1e9, 1e9
	n.Mean()[1], n.Cov()[1] = 1e9, 1e9
	direction, _ := n.Principal(0)
	direction[0] = 1e9
	if again.mean[0] == 1e9 || again.cov[0] == 1e9 || n.mean[1] == 1e9 || n.cov[1] == 1e9 || n.directions[0][0] == 1e9 {
		t.Error("shares memory with its caller")
	}
}

func TestPrincipalDirections(t *testing.T) {
	for rank := range 7 {
		if rank == 0 {
			continue
		}
		n := random(t, rand.New(rand.NewPCG(2, uint64(rank))), 6, rank)
		rebuilt := make([]float64, 36)
		last := math.Inf(1)
		for i := range n.Rank() {
			u, sd := n.Principal(i)
			if sd > last {
				t.Errorf("standard deviation rises from %v to %v", last, sd)
			}
			last = sd
			if !near(matrix.Dot(u, u), 1, 1e-12) || slices.Max(u) < -slices.Min(u)*(1-1e-9) {
				t.Errorf("direction %v is not a unit vector with a positive largest component", u)
			}
			for a := range 6 {
				for b := range 6 {
					rebuilt[a*6+b] += sd * sd * u[a] * u[b]
				}
			}
		}
		if scale := n.variances[0]; !nearAll(rebuilt, n.Cov(), 1e-12*scale) {
			t.Errorf("rank %d: directions do not rebuild the covariance", rank)
		}
	}
}

func TestFixSign(t *testing.T) {
	half := math.Sqrt(0.5)
	for _, c := range []struct{ v, want []float64 }{
		{[]float64{0.1, -0.9}, []float64{-0.1, 0.9}},
		{[]float64{-half, half * (1 + 1e-15)}, []float64{half, -half * (1 + 1e-15)}},
		{[]float64{half, -half}, []float64{half, -half}},
	} {
		got := slices.Clone(c.v)
		if fixSign(got); !slices.Equal(got, c.want) {
			t.Errorf("fixSign(%v) = %v", c.v, got)
		}
	}
}

func TestPoint(t *testing.T) {
	n, err := New([]float64{1, 2}, make([]float64, 4))
	if err != nil {
		t.Fatal(err)
	}
	if n.Rank() != 0 {
		t.Errorf("rank %d", n.Rank())
	}
	if got := n.Sample(rand.New(rand.NewPCG(1, 1))); !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("sample %v", got)
	}
}

func TestSampleMomentsAndSpan(t *testing.T) {
	for _, rank := range []int{1, 3, 6} {
		rng := rand.New(rand.NewPCG(4, uint64(rank)))
		n := random(t, rng, 6, rank)
		const trials = 40000
		sum, products := make([]float64, 6), make([]float64, 36)
		for range trials {
			x := n.Sample(rng)
			off := slices.Clone(n.mean) // less what lies along the principal directions
			for i := range off {
				off[i] = x[i] - off[i]
			}
			for _, u := range n.directions {
				matrix.AddTo(off, -matrix.Dot(u, off), u)
			}
			if size := matrix.Dot(off, off); size > 1e-12 {
				t.Fatalf("rank %d: sample %v is off the span by %v", rank, x, math.Sqrt(size))
			}
			for i := range x {
				sum[i] += x[i]
				for j := range x {
					products[i*6+j] += (x[i] - n.mean[i]) * (x[j] - n.mean[j])
				}
			}
		}
		for i := range sum {
			sd := math.Sqrt(n.cov[i*6+i])
			if !near(sum[i]/trials, n.mean[i], 5*sd/math.Sqrt(trials)) {
				t.Errorf("rank %d: mean of coordinate %d is %v, want %v", rank, i, sum[i]/trials, n.mean[i])
			}
			for j := range sum {
				// The variance of a product is at most 2 v_i v_j.
				limit := 5 * math.Sqrt(2*n.cov[i*6+i]*n.cov[j*6+j]/trials)
				if !near(products[i*6+j]/trials, n.cov[i*6+j], limit) {
					t.Errorf("rank %d: covariance %d, %d is %v, want %v", rank, i, j, products[i*6+j]/trials, n.cov[i*6+j])
				}
			}
		}
	}
}

// TestSampleIsPinned: figures and notebooks rely on the samples of a seed. They
// may change only with a note in the change log.
func TestSampleIsPinned(t *testing.T) {
	n, err := New([]float64{1, -1, 0}, []float64{4, 2, 0, 2, 3, 0, 0, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%.6f", n.Sample(rand.New(rand.NewPCG(7, 7))))
	if want := "[1.829791 1.935156 0.000000]"; got != want {
		t.Errorf("sample %s, want %s", got, want)
	}
}

// TestSampleOfEqualVariances: if variances are equal the principal directions
// are arbitrary, and the samples must not depend on them.
func TestSampleOfEqualVariances(t *testing.T) {
	n, err := New([]float64{1, 2, 3}, []float64{4, 0, 0, 0, 4, 0, 0, 0, 4})
	if err != nil {
		t.Fatal(err)
	}
	got := n.Sample(rand.New(rand.NewPCG(3, 4)))
	z := rand.New(rand.NewPCG(3, 4))
	want := []float64{1 + 2*z.NormFloat64(), 2 + 2*z.NormFloat64(), 3 + 2*z.NormFloat64()}
	if !nearAll(got, want, 1e-12) {
		t.Errorf("sample %v, want %v", got, want)
	}
}

func TestRegress(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	n := random(t, rng, 6, 6)
	// The precision matrix gives the same result another way: the covariance of
	// the remaining part given the rest is the inverse of its block.
	var precision mat.Dense
	if err := precision.Inverse(mat.NewDense(6, 6, n.Cov())); err != nil {
		t.Fatal(err)
	}
	left := []int{0, 2, 3, 5}
	block, pull := mat.NewDense(4, 4, nil), mat.NewVecDense(4, nil)
	values := map[int]float64{4: 3, 1: -7}
	for i, a := range left {
		for j, b := range left {
			block.Set(i, j, precision.At(a, b))
		}
		for c, v := range values {
			pull.SetVec(i, pull.AtVec(i)-precision.At(a, c)*(v-n.mean[c]))
		}
	}
	var cov mat.Dense
	if err := cov.Inverse(block); err != nil {
		t.Fatal(err)
	}
	var mean mat.VecDense
	mean.MulVec(&cov, pull)
	for i, a := range left {
		mean.SetVec(i, mean.AtVec(i)+n.mean[a])
	}
	r := regress(n.cov, []bool{false, true, false, false, true, false})
	got := make([]float64, len(left))
	for i, a := range left {
		got[i] = n.mean[a]
		for j, o := range r.observed {
			got[i] += r.slope.At(i, j) * (values[o] - n.mean[o])
		}
	}
	if !nearAll(got, mean.RawVector().Data, 1e-8) || !nearAll(r.rest.Data, cov.RawMatrix().Data, 1e-8*n.variances[0]) {
		t.Errorf("predicted mean %v, by precision %v", got, mean.RawVector().Data)
	}
}

func TestPrincipalPanicsBeyondTheRank(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	n, err := New([]float64{1, 2}, []float64{1, 0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	n.Principal(2)
}
