package real

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.com/patchwork/experiments/rivals/nmf"
	"example.com/patchwork/experiments/rivals/sparse"
	model "example.com/patchwork/learn/real"
)

// Density is a rival that says how likely a row is.
type Density interface {
	// LogDensity returns the logarithm of the density of a row of known values, in nats.
	LogDensity(row []float64) float64
	// Parameters returns how many numbers were learned.
	Parameters() int
}

// Factors is a normal distribution of a few factors: x = mean + loadings f + noise, f and the noise normal, the noise of
// pixels independent: factor analysis, or probabilistic principal components where all pixels have one variance.
type Factors struct {
	Mean, Noise []float64
	Loadings    *mat.Dense // D x Q; nil for none

	shared bool // one variance of the noise
	chol   mat.Cholesky
	scaled *mat.Dense // loadings over the noise's variance
	logDet float64
}

// FitFactors fits q factors by EM (Rubin and Thayer; Tipping and Bishop where the noise is shared), in 200 iterations from the
// principal axes of random numbers; no variance of the noise goes below the floor.
func FitFactors(rows [][]float64, q int, shared bool, floor float64, seed uint64) *Factors {
	n, d := len(rows), len(rows[0])
	f := &Factors{Mean: make([]float64, d), Noise: make([]float64, d), shared: shared}
	for _, row := range rows {
		for i, x := range row {
			f.Mean[i] += x / float64(n)
		}
	}
	centred := mat.NewDense(n, d, nil)
	for r, row := range rows {
		for i, x := range row {
			centred.Set(r, i, x-f.Mean[i])
			f.Noise[i] += (x - f.Mean[i]) * (x - f.Mean[i]) / float64(n)
		}
	}
	total := slices.Clone(f.Noise)
	if q > 0 {
		rng := rand.New(rand.NewPCG(seed, 3))
		f.Loadings = mat.NewDense(d, q, nil)
		for i := range d {
			for j := range q {
				f.Loadings.Set(i, j, rng.NormFloat64()*math.Sqrt(total[i]/float64(q)))
			}
		}
	}
	f.settle(floor)
	for range 200 {
		if q == 0 {
			break
		}
		f.step(centred, total)
		f.settle(floor)
	}
	return f
}

// step is one iteration of EM.
func (f *Factors) step(centred *mat.Dense, total []float64) {
	n, d := centred.Dims()
	_, q := f.Loadings.Dims()
	var inverse mat.SymDense
	if err := f.chol.InverseTo(&inverse); err != nil {
		return // singular to working precision: it stays
	}
	var half, z, cross, second mat.Dense
	half.Mul(centred, f.scaled) // N x Q
	z.Mul(&half, &inverse)      // means of the factors
	cross.Mul(centred.T(), &z)  // D x Q
	second.Mul(z.T(), &z)
	for i := range q {
		for j := range q {
			second.Set(i, j, second.At(i, j)+float64(n)*inverse.At(i, j))
		}
	}
	var next mat.Dense
	var t mat.Dense
	if err := t.Solve(&second, cross.T()); err != nil {
		return
	}
	next.CloneFrom(t.T())
	for i := range d {
		s := 0.0
		for j := range q {
			s += next.At(i, j) * cross.At(i, j)
		}
		f.Noise[i] = total[i] - s/float64(n)
	}
	f.Loadings = &next
}

// settle prepares the density.
func (f *Factors) settle(floor float64) {
	d := len(f.Mean)
	if f.shared {
		mean := 0.0
		for _, v := range f.Noise {
			mean += v / float64(d)
		}
		for i := range f.Noise {
			f.Noise[i] = mean
		}
	}
	f.logDet = float64(d) * math.Log(2*math.Pi)
	for i := range f.Noise {
		f.Noise[i] = max(f.Noise[i], floor)
		f.logDet += math.Log(f.Noise[i])
	}
	if f.Loadings == nil {
		return
	}
	_, q := f.Loadings.Dims()
	f.scaled = mat.NewDense(d, q, nil)
	for i := range d {
		for j := range q {
			f.scaled.Set(i, j, f.Loadings.At(i, j)/f.Noise[i])
		}
	}
	var m mat.Dense
	m.Mul(f.Loadings.T(), f.scaled)
	sym := mat.NewSymDense(q, nil)
	for i := range q {
		for j := i; j < q; j++ {
			sym.SetSym(i, j, m.At(i, j))
		}
		sym.SetSym(i, i, sym.At(i, i)+1)
	}
	f.chol.Factorize(sym)
	f.logDet += f.chol.LogDet()
}

// LogDensity implements Density.
func (f *Factors) LogDensity(row []float64) float64 {
	sum := f.logDet
	x := mat.NewVecDense(len(row), nil)
	for i, v := range row {
		x.SetVec(i, v-f.Mean[i])
		sum += (v - f.Mean[i]) * (v - f.Mean[i]) / f.Noise[i]
	}
	if f.Loadings != nil {
		var h, s mat.VecDense
		h.MulVec(f.scaled.T(), x)
		if err := f.chol.SolveVecTo(&s, &h); err == nil {
			sum -= mat.Dot(&h, &s)
		}
	}
	return -sum / 2
}

// Parameters implements Density: loadings up to a rotation, means, variances.
func (f *Factors) Parameters() int {
	d, q := len(f.Mean), 0
	if f.Loadings != nil {
		_, q = f.Loadings.Dims()
	}
	noise := d
	if f.shared {
		noise = 1
	}
	return d + noise + d*q - q*(q-1)/2
}

// Mixture is a mixture of normal distributions with independent pixels.
type Mixture struct {
	Weight         []float64
	Mean, Variance [][]float64
}

// FitMixture fits k components by EM from k different rows, in 100 iterations, the best of 3 starts; no variance goes below the
// floor.
func FitMixture(rows [][]float64, k int, floor float64, seed uint64) *Mixture {
	var best *Mixture
	most := math.Inf(-1)
	for start := range 3 {
		rng := rand.New(rand.NewPCG(seed, uint64(start)))
		m := &Mixture{}
		base := FitFactors(rows, 0, false, floor, 0).Noise
		for _, i := range rng.Perm(len(rows))[:min(k, len(rows))] {
			m.Weight, m.Mean, m.Variance = append(m.Weight, 1/float64(k)), append(m.Mean, slices.Clone(rows[i])), append(m.Variance, slices.Clone(base))
		}
		last := 0.0
		for range 100 {
			last = m.step(rows, floor)
		}
		if last > most {
			best, most = m, last
		}
	}
	return best
}

// step is one iteration of EM; it returns the log-likelihood before it.
func (m *Mixture) step(rows [][]float64, floor float64) float64 {
	k, d, total := len(m.Weight), len(rows[0]), 0.0
	n := make([]float64, k)
	s1, s2 := make([][]float64, k), make([][]float64, k)
	for j := range k {
		s1[j], s2[j] = make([]float64, d), make([]float64, d)
	}
	for _, row := range rows {
		l, sum := m.joint(row)
		total += sum
		for j := range k {
			r := math.Exp(l[j] - sum)
			if r < 1e-12 {
				continue
			}
			n[j] += r
			for i, x := range row {
				s1[j][i] += r * x
				s2[j][i] += r * x * x
			}
		}
	}
	for j := range k {
		if n[j] < 1e-6 {
			continue
		}
		m.Weight[j] = n[j] / float64(len(rows))
		for i := range d {
			m.Mean[j][i] = s1[j][i] / n[j]
			m.Variance[j][i] = max(s2[j][i]/n[j]-m.Mean[j][i]*m.Mean[j][i], floor)
		}
	}
	return total
}

// joint returns the logarithms of the joint densities with each component, and of their sum.
func (m *Mixture) joint(row []float64) ([]float64, float64) {
	l, top := make([]float64, len(m.Weight)), math.Inf(-1)
	for j := range l {
		l[j] = math.Log(m.Weight[j])
		for i, x := range row {
			l[j] += model.Normal{Mean: m.Mean[j][i], Var: m.Variance[j][i]}.LogDensity(x)
		}
		top = max(top, l[j])
	}
	sum := 0.0
	for _, v := range l {
		sum += math.Exp(v - top)
	}
	return l, top + math.Log(sum)
}

// LogDensity implements Density.
func (m *Mixture) LogDensity(row []float64) float64 { _, sum := m.joint(row); return sum }

// Parameters implements Density.
func (m *Mixture) Parameters() int { return len(m.Weight)*(2*len(m.Mean[0])+1) - 1 }

// Tuned fits a rival with each of some sizes to four fifths of the rows, and with the one that describes the last fifth best to
// all rows. It returns that size, too.
func Tuned(rows [][]float64, sizes []int, fit func(rows [][]float64, size int) Density) (Density, int) {
	cut := len(rows) * 4 / 5
	best, most := sizes[0], math.Inf(-1)
	for _, size := range sizes {
		if sum := MeanLogDensity(fit(rows[:cut], size), rows[cut:]); sum > most {
			best, most = size, sum
		}
	}
	return fit(rows, best), best
}

// MeanLogDensity returns the mean logarithm of the density of rows.
func MeanLogDensity(d Density, rows [][]float64) float64 {
	sum := 0.0
	for _, row := range rows {
		sum += d.LogDensity(row) / float64(len(rows))
	}
	return sum
}

// ICA returns k independent components of rows as templates: the columns of the mixing matrix of FastICA (tanh, symmetric) after
// whitening by the k largest principal axes.
func ICA(rows [][]float64, k int, seed uint64) ([][]float64, error) {
	f := FitFactors(rows, 0, false, 0, 0)
	n, d := len(rows), len(rows[0])
	x := mat.NewDense(n, d, nil)
	for r, row := range rows {
		for i, v := range row {
			x.Set(r, i, v-f.Mean[i])
		}
	}
	var cov mat.SymDense
	cov.SymOuterK(1/float64(n), x.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&cov, true) {
		return nil, fmt.Errorf("the covariance of %d x %d values has no eigenvectors", n, d)
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	whiten, mixing := mat.NewDense(d, k, nil), mat.NewDense(k, d, nil)
	for j := range k {
		at := d - 1 - j
		s := math.Sqrt(max(values[at], 1e-12))
		for i := range d {
			whiten.Set(i, j, vectors.At(i, at)/s)
			mixing.Set(j, i, vectors.At(i, at)*s)
		}
	}
	var z mat.Dense
	z.Mul(x, whiten)
	rng := rand.New(rand.NewPCG(seed, 5))
	w := mat.NewDense(k, k, nil)
	w.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, w)
	if w = orthogonal(w); w == nil {
		return nil, fmt.Errorf("independent components: a start without directions")
	}
	for range 200 {
		var s, g mat.Dense
		s.Mul(&z, w.T()) // N x K
		slopes := make([]float64, k)
		s.Apply(func(_, j int, v float64) float64 {
			t := math.Tanh(v)
			slopes[j] += (1 - t*t) / float64(n)
			return t
		}, &s)
		g.Mul(s.T(), &z)
		g.Apply(func(i, j int, v float64) float64 { return v/float64(n) - slopes[i]*w.At(i, j) }, &g)
		next := orthogonal(&g)
		if next == nil {
			break
		}
		w = next
	}
	var out mat.Dense
	out.Mul(w, mixing)
	parts := make([][]float64, k)
	for j := range parts {
		parts[j] = mat.Row(nil, j, &out)
	}
	return parts, nil
}

// orthogonal returns the orthogonal matrix nearest to w; nil if it has no singular values.
func orthogonal(w *mat.Dense) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(w, mat.SVDThin) {
		return nil
	}
	var u, v, out mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	out.Mul(&u, v.T())
	return &out
}

// NMF returns k units of rows as templates: of rows with values below 0 the units of [x+, x-], less what they say below 0.
func NMF(ctx context.Context, rows [][]float64, k int, seed uint64) ([][]float64, error) {
	split, d := positive(rows)
	m, err := nmf.Fit(ctx, split, nmf.Options{Units: k, Seed: seed})
	if err != nil {
		return nil, err
	}
	return joined(m.Weights(), d), nil
}

// Dictionary returns k atoms of rows as templates, split as for [NMF], learned online with the lasso of weight 0.1.
func Dictionary(ctx context.Context, rows [][]float64, k int, seed uint64) ([][]float64, error) {
	split, d := positive(rows)
	m, err := sparse.Fit(ctx, split, sparse.Options{Units: k, Alpha: .1, Seed: seed})
	if err != nil {
		return nil, err
	}
	return joined(m.Weights(), d), nil
}

// positive returns rows as numbers from 0 to 1: [x+, x-], or x+ alone where what is below 0 is noise. d is the length of x.
func positive(rows [][]float64) (split [][]float64, d int) {
	least, most := 0.0, 0.0
	for _, row := range rows {
		least, most = min(least, slices.Min(row)), max(most, slices.Max(row))
	}
	d = len(rows[0])
	signed := least < -most/2
	most = max(most, -least)
	for _, row := range rows {
		both := make([]float64, 2*d)
		for i, x := range row {
			both[i], both[d+i] = max(x, 0)/most, max(-x, 0)/most
		}
		if !signed {
			both = both[:d]
		}
		split = append(split, both)
	}
	return split, d
}

// joined returns templates of [x+, x-] as templates of x.
func joined(templates [][]float64, d int) [][]float64 {
	for j, u := range templates {
		for i := d; i < len(u); i++ {
			u[i-d] -= u[i]
		}
		templates[j] = u[:d]
	}
	return templates
}

// Alike returns how many of the true templates have a template of their own whose cosine with them is at least 0.9, whatever
// its sign if that is free.
func (s *Set) Alike(templates [][]float64, free bool) int {
	used := make([]bool, len(templates))
	n := 0
	for _, t := range s.Truth {
		best, most := -1, .9
		for k, u := range templates {
			c := cosine(t, u)
			if free {
				c = math.Abs(c)
			}
			if !used[k] && c >= most {
				best, most = k, c
			}
		}
		if best >= 0 {
			used[best] = true
			n++
		}
	}
	return n
}

// cosine returns the cosine of the angle between two vectors; 0 for a vector of zeros.
func cosine(x, y []float64) float64 {
	var xy, xx, yy float64
	for i := range x {
		xy, xx, yy = xy+x[i]*y[i], xx+x[i]*x[i], yy+y[i]*y[i]
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// Templates returns what the experts of a model say as differences of their means from the background.
func Templates(m *model.Model) [][]float64 {
	var out [][]float64
	for _, e := range m.Experts {
		t := make([]float64, len(e))
		for d, o := range e {
			if o.Vote != model.Abstains {
				t[d] = o.Mean - m.Background[d].Mean
			}
		}
		out = append(out, t)
	}
	return out
}
