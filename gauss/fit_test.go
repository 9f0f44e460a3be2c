package gauss

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"example.com/patchwork/internal/testenv"
)

func TestFitGolden(t *testing.T) {
	var file struct {
		Geometry struct {
			Configs [][][4]float64 // expert, dy, dx, theta in radians
			Mean    []float64
			Cov     [][]float64 `json:"cov_unbiased"`
		}
	}
	if err := json.Unmarshal(testenv.ReadShared(t, "golden/images.json"), &file); err != nil {
		t.Fatal(err)
	}
	g := file.Geometry
	if len(g.Configs) != 8 || len(g.Mean) != 6 {
		t.Fatalf("%d configurations, a mean of %d", len(g.Configs), len(g.Mean))
	}
	m := newMoments(t, 2)
	for _, row := range g.Configs {
		c := make([]Placement, 2)
		for _, e := range row {
			c[int(e[0])] = Placement{true, int(e[1]), int(e[2]), e[3] * 180 / math.Pi}
		}
		mustAdd(t, m, c, 1)
	}
	// A theta is rounded by at most half a unit, and so is its mean; a product
	// with a centred value of at most 25 degrees changes by at most 25 of
	// those, twice.
	const half = 0.5 / anglesPerDegree
	n, err := m.Fit()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		scale, slack := 1.0, 1e-12
		if i%3 == 2 {
			scale, slack = 180/math.Pi, half
		}
		if !near(n.mean[i], scale*g.Mean[i], slack) {
			t.Errorf("mean %d is %v, want %v", i, n.mean[i], scale*g.Mean[i])
		}
		for j := range 6 {
			scale, slack := scale, 1e-12
			if j%3 == 2 {
				scale *= 180 / math.Pi
			}
			if i%3 == 2 || j%3 == 2 {
				slack = 2 * 25 * half
			}
			if !near(n.cov[i*6+j], scale*g.Cov[i][j], slack) {
				t.Errorf("covariance %d, %d is %v, want %v", i, j, n.cov[i*6+j], scale*g.Cov[i][j])
			}
		}
	}
}

// TestFitComplete: with nothing missing the fit is the sample mean and
// covariance, by the exact path and by EM alike, and its rank is at most n-1.
func TestFitComplete(t *testing.T) {
	for _, n := range []int{1, 2, 4, 9, 10, 50} {
		rng := rand.New(rand.NewPCG(10, uint64(n)))
		m := newMoments(t, 3)
		data := mat.NewDense(n, 9, nil)
		for i, c := range configurations(rng, random(t, rng, 9, 9), n, 0) {
			mustAdd(t, m, c, 1)
			for k, p := range c {
				data.Set(i, 3*k, float64(p.DY))
				data.Set(i, 3*k+1, float64(p.DX))
				data.Set(i, 3*k+2, p.Theta)
			}
		}
		got, err := m.Fit()
		if err != nil {
			t.Fatal(err)
		}
		if want := min(9, n-1); got.Rank() != want {
			t.Errorf("rank %d from %d configurations, want %d", got.Rank(), n, want)
		}
		if n < 2 {
			continue
		}
		var want mat.SymDense
		stat.CovarianceMatrix(&want, data, nil)
		scale := want.Trace()
		if !nearAll(got.cov, mat.DenseCopyOf(&want).RawMatrix().Data, 1e-13*scale) {
			t.Errorf("n = %d: not the sample covariance", n)
		}
		e := newEM(m)
		for range 3 {
			e.step()
		}
		mean, cov := e.spread(9, float64(n-1))
		if !slices.Equal(mean, got.mean) || !slices.Equal(cov, got.cov) {
			t.Errorf("n = %d: iterating moves a complete fit", n)
		}
	}
}

// TestFitFarAway: integer sums lose no precision when the mean is large.
func TestFitFarAway(t *testing.T) {
	here, far := newMoments(t, 1), newMoments(t, 1)
	rng := rand.New(rand.NewPCG(11, 11))
	for range 20 {
		p := Placement{true, rng.IntN(9), rng.IntN(9), float64(rng.IntN(30))}
		mustAdd(t, here, []Placement{p}, 1)
		p.DY += 1 << 29
		p.DX -= 1 << 29
		mustAdd(t, far, []Placement{p}, 1)
	}
	a, err := here.Fit()
	if err != nil {
		t.Fatal(err)
	}
	b, err := far.Fit()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.cov, b.cov) {
		t.Errorf("covariance %v, far away %v", a.cov, b.cov)
	}
}

func TestFitRecoversTruthWithMissing(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	truth := random(t, rng, 9, 9)
	m := newMoments(t, 3)
	const n = 20000
	for _, c := range configurations(rng, truth, n, 0.3) {
		mustAdd(t, m, c, 1)
	}
	got, err := m.Fit()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		// Half the pairs are left; rounding to pixels adds a variance of 1/12.
		vi := truth.cov[i*9+i] + 1./12
		if !near(got.mean[i], truth.mean[i], 5*math.Sqrt(vi/(n/2))) {
			t.Errorf("mean %d is %v, true %v", i, got.mean[i], truth.mean[i])
		}
		for j := range 9 {
			vj := truth.cov[j*9+j] + 1./12
			if !near(got.cov[i*9+j], truth.cov[i*9+j], 5*math.Sqrt(2*vi*vj/(n/2))+1./12) {
				t.Errorf("covariance %d, %d is %v, true %v", i, j, got.cov[i*9+j], truth.cov[i*9+j])
			}
		}
	}
}

// TestFitMissingAtRandom: expert 1 is seen only where expert 0 is low. The
// placements present are then biased for expert 1; EM corrects this.
func TestFitMissingAtRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	m := newMoments(t, 2)
	present, count := 0.0, 0.0
	for range 20000 {
		a := rng.NormFloat64() * 10
		b := a + rng.NormFloat64()*5
		c := []Placement{{true, int(math.Round(a)), 0, 0}, {a < 0, int(math.Round(b)), 0, 0}}
		mustAdd(t, m, c, 1)
		if a < 0 {
			present += b
			count++
		}
	}
	got, err := m.Fit()
	if err != nil {
		t.Fatal(err)
	}
	if naive := present / count; !(naive < -7) {
		t.Fatalf("what is present has mean %v: the test tests nothing", naive)
	}
	if !near(got.mean[3], 0, 0.5) || !near(got.cov[3*6+3], 125, 6) {
		t.Errorf("mean %v and variance %v of the second expert, want 0 and 125", got.mean[3], got.cov[3*6+3])
	}
}

// logLik returns the observed-data log-likelihood, in nats, of the state of EM.
func (e *em) logLik(t *testing.T) float64 {
	t.Helper()
	d := len(e.mean)
	sum := 0.0
	for _, p := range e.patterns {
		own := p.observed()
		o := len(own)
		cov, off := mat.NewSymDense(o, nil), mat.NewVecDense(o, nil)
		for i, a := range own {
			off.SetVec(i, p.mean[i]-e.mean[a])
			for j, b := range own[:i+1] {
				cov.SetSym(i, j, e.scatter[a*d+b]/e.total)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(cov) {
			return math.Inf(-1)
		}
		var solved mat.Dense
		if err := chol.SolveTo(&solved, mat.NewDense(o, o, p.scatter.Data)); err != nil {
			t.Fatal(err)
		}
		var shift mat.VecDense
		if err := chol.SolveVecTo(&shift, off); err != nil {
			t.Fatal(err)
		}
		sum -= 0.5 * (p.n*(float64(o)*math.Log(2*math.Pi)+chol.LogDet()+mat.Dot(off, &shift)) + mat.Trace(&solved))
	}
	return sum
}

// TestEMRisesToAMaximum checks theorem 1 of Dempster, Laird and Rubin 1977: an
// iteration never lowers the likelihood, and at the end no small step in any
// direction raises it.
func TestEMRisesToAMaximum(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(14, seed))
		m := newMoments(t, 3)
		for _, c := range configurations(rng, random(t, rng, 9, 9), 80, 0.4) {
			mustAdd(t, m, c, 1)
		}
		e := newEM(m)
		last, moved := e.logLik(t), 1.0
		rose := 0.0
		for i := 0; i < 5000 && moved > 1e-12; i++ {
			moved = e.step()
			now := e.logLik(t)
			if !(now >= last-1e-9*math.Abs(last)) || math.IsInf(now, 0) {
				t.Fatalf("seed %d: iteration %d lowers the log-likelihood from %v to %v", seed, i, last, now)
			}
			rose += now - last
			last = now
		}
		if rose < 1 {
			t.Errorf("seed %d: rose by only %v nats", seed, rose)
		}
		e.checkStationary(t, rng, last)
	}
}

// checkStationary compares the likelihood with that of random neighbours.
func (e *em) checkStationary(t *testing.T, rng *rand.Rand, best float64) {
	t.Helper()
	d := len(e.mean)
	mean, scatter := slices.Clone(e.mean), slices.Clone(e.scatter)
	for range 50 {
		copy(e.mean, mean)
		copy(e.scatter, scatter)
		i, j := rng.IntN(d), rng.IntN(d)
		e.mean[i] += 0.02 * rng.NormFloat64() * math.Sqrt(scatter[i*d+i]/e.total)
		change := 0.002 * rng.NormFloat64() * math.Sqrt(scatter[i*d+i]*scatter[j*d+j])
		e.scatter[i*d+j] += change
		if i != j {
			e.scatter[j*d+i] += change
		}
		if got := e.logLik(t); got > best+1e-6 {
			t.Errorf("a neighbour has log-likelihood %v, the fit %v", got, best)
		}
	}
}

// TestFitOfLittle: nothing to fit is said, and what was never seen is 0.
func TestFitOfLittle(t *testing.T) {
	m := newMoments(t, 4)
	if _, err := m.Fit(); !errors.Is(err, ErrNoConfigurations) {
		t.Errorf("fit of nothing: %v", err)
	}
	mustAdd(t, m, make([]Placement, 4), 3)
	if _, err := m.Fit(); !errors.Is(err, ErrNoConfigurations) {
		t.Errorf("fit of empty configurations: %v", err)
	}
	for i := range 5 {
		mustAdd(t, m, []Placement{{true, i, 2, 3}, {}, {}, {}}, 1)
		mustAdd(t, m, []Placement{{}, {}, {true, 5, i * i, 3}, {}}, 1)
	}
	n, err := m.Fit()
	if err != nil {
		t.Fatal(err)
	}
	if !nearAll(n.mean, []float64{2, 2, 3, 0, 0, 0, 5, 6, 3, 0, 0, 0}, 1e-7) || n.Rank() != 2 || n.Dim() != 12 {
		t.Errorf("mean %v, rank %d", n.mean, n.Rank())
	}
}

// TestFitFewWithMissing: with few images and experts missing the likelihood has
// no interior maximum; the fit must still end and be a Gaussian.
func TestFitFewWithMissing(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(15, seed))
		m := newMoments(t, 4)
		for _, c := range configurations(rng, random(t, rng, 12, 12), 2+rng.IntN(8), 0.4) {
			mustAdd(t, m, c, 1)
		}
		n, err := m.Fit()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, x := range n.Sample(rng) {
			if math.IsNaN(x) || math.Abs(x) > 1e4 {
				t.Errorf("seed %d: samples %v", seed, x)
			}
		}
	}
}

func TestFitIsDeterministic(t *testing.T) {
	fit := func() *Normal {
		rng := rand.New(rand.NewPCG(16, 16))
		m := newMoments(t, 5)
		for _, c := range configurations(rng, random(t, rng, 15, 15), 100, 0.4) {
			mustAdd(t, m, c, 1)
		}
		n, err := m.Fit()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	a := fit()
	for range 3 {
		if b := fit(); !slices.Equal(a.mean, b.mean) || !slices.Equal(a.cov, b.cov) {
			t.Fatal("map order shows")
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for _, c := range []struct {
		k       int
		missing float64
	}{{3, 0}, {3, 0.3}, {8, 0.1}} {
		b.Run(fmt.Sprintf("K=%d/missing=%v", c.k, c.missing), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(17, 17))
			m := newMoments(b, c.k)
			for _, row := range configurations(rng, random(b, rng, 3*c.k, 3*c.k), 2000, c.missing) {
				mustAdd(b, m, row, 1)
			}
			for b.Loop() {
				if _, err := m.Fit(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	rng := rand.New(rand.NewPCG(18, 18))
	rows := configurations(rng, random(b, rng, 9, 9), 64, 0.1)
	m := newMoments(b, 3)
	for i := 0; b.Loop(); i++ {
		mustAdd(b, m, rows[i%64], 1)
	}
}
