package tables

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// svd predicts hidden bits by the first right singular vectors of the centred rows: the
// coordinates of a row are fitted to its visible bits (ridge regression), and what they
// say about a hidden bit is made a probability by
//
//	logit p = a + b logit(mean) + c s + d logit(mean + s)
//
// with s the fitted deviation from the mean of the column (mean + s kept in [0.02, 0.98]),
// and a to d fitted to hidden bits of validation rows.
type svd struct {
	mean    []float64
	vectors *mat.Dense // by column and component
	ridge   []float64  // by component
	scale   [4]float64
}

// directions returns the eigenvectors of the columns' scatter, those with the largest
// eigenvalues first, these values per row, and the means.
func directions(data patchwork.Data) (mean []float64, vectors *mat.Dense, values []float64, err error) {
	n, width := len(data.Images), data.Images[0].Len()
	mean = rows.Means(data)
	x := mat.NewDense(n, width, nil)
	for r, img := range data.Images {
		for i, v := range img.AppendBytes(nil) {
			x.Set(r, i, float64(v)-mean[i])
		}
	}
	var scatter mat.SymDense
	scatter.SymOuterK(1, x.T())
	var e mat.EigenSym
	if !e.Factorize(&scatter, true) {
		return nil, nil, nil, fmt.Errorf("no eigenvectors of %d columns", width)
	}
	var ascending mat.Dense
	e.VectorsTo(&ascending)
	vectors, values = mat.NewDense(width, width, nil), e.Values(nil)
	slices.Reverse(values)
	for k := range width {
		values[k] = max(values[k]/float64(n), 1e-6)
		for i := range width {
			vectors.Set(i, k, ascending.At(i, width-1-k))
		}
	}
	return mean, vectors, values, nil
}

// deviations returns what the visible bits of a row say about each of its bits, beside the
// column's mean.
func (s *svd) deviations(visible *bitmap.Image) []float64 {
	width, rank := s.vectors.Dims()
	x, known := visible.AppendBytes(nil), visible.AppendKnown(nil)
	a, b := mat.NewSymDense(rank, nil), mat.NewVecDense(rank, nil)
	for k := range rank {
		a.SetSym(k, k, s.ridge[k])
	}
	for i := range width {
		if known[i] == 0 {
			continue
		}
		row := s.vectors.RawRowView(i)
		d := float64(x[i]) - s.mean[i]
		for k, v := range row {
			b.SetVec(k, b.AtVec(k)+v*d)
			for j := k; j < rank; j++ {
				a.SetSym(k, j, a.At(k, j)+v*row[j])
			}
		}
	}
	var z mat.VecDense
	var c mat.Cholesky
	if !c.Factorize(a) || c.SolveVecTo(&z, b) != nil {
		return make([]float64, width)
	}
	out := make([]float64, width)
	for i := range out {
		for k, v := range s.vectors.RawRowView(i) {
			out[i] += v * z.AtVec(k)
		}
	}
	return out
}

// features returns what a deviation and a mean tell.
func features(mean, deviation float64) [4]float64 {
	p := min(max(mean+deviation, 0.02), 0.98)
	return [4]float64{1, math.Log(mean / (1 - mean)), deviation, math.Log(p / (1 - p))}
}

// Predict returns the probability of every bit of a row.
func (s *svd) Predict(visible *bitmap.Image) []float64 { return s.probabilities(s.deviations(visible)) }

func (s *svd) probabilities(deviations []float64) []float64 {
	out := make([]float64, len(deviations))
	for i, d := range deviations {
		out[i] = logistic(s.scale, features(s.mean[i], d))
	}
	return out
}

func logistic(w, x [4]float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += w[j] * v
	}
	return 1 / (1 + math.Exp(-min(max(sum, -30), 30)))
}

// calibrate fits the scale to hidden bits of some of the rows by Newton's method, drawn to
// the means as by a hundredth of a bit.
func (s *svd) calibrate(hidden posterior.HiddenBits, deviations [][]float64, use func(r int) bool) {
	var x [][4]float64
	var y []float64
	for r, visible := range hidden.Visible {
		if !use(r) {
			continue
		}
		d := deviations[r]
		bits, known, seen := hidden.Data.Images[r].AppendBytes(nil), hidden.Data.Images[r].AppendKnown(nil), visible.AppendKnown(nil)
		for i := range d {
			if known[i] != 0 && seen[i] == 0 {
				x, y = append(x, features(s.mean[i], d[i])), append(y, float64(bits[i]))
			}
		}
	}
	first := [4]float64{0, 1, 0, 0}
	s.scale = first
	for range 25 {
		h, g := mat.NewSymDense(4, nil), mat.NewVecDense(4, nil)
		for j := range 4 {
			h.SetSym(j, j, 0.01)
			g.SetVec(j, 0.01*(s.scale[j]-first[j]))
		}
		for n, f := range x {
			p := logistic(s.scale, f)
			for j := range 4 {
				g.SetVec(j, g.AtVec(j)+(p-y[n])*f[j])
				for k := j; k < 4; k++ {
					h.SetSym(j, k, h.At(j, k)+p*(1-p)*f[j]*f[k])
				}
			}
		}
		var c mat.Cholesky
		var step mat.VecDense
		if !c.Factorize(h) || c.SolveVecTo(&step, g) != nil {
			return
		}
		for j := range 4 {
			s.scale[j] -= min(max(step.AtVec(j), -1), 1)
		}
	}
}

// The settings that are tried on validation rows.
var (
	svdRanks   = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}
	svdRidges  = []float64{0.3, 1, 3, 10} // times what is due by the values that are left out
	components = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}
)

// fitSVD learns from rows, with rank and ridge that predict the hidden bits of validation
// rows best: those of either half by the scale that is fitted to the other. Then the scale
// is fitted to both.
func fitSVD(train patchwork.Data, valid posterior.HiddenBits, rows int) (*svd, error) {
	mean, vectors, values, err := directions(train)
	if err != nil {
		return nil, err
	}
	var best *svd
	lowest := math.Inf(1)
	for _, rank := range svdRanks {
		width := len(values)
		if rank >= width {
			break
		}
		noise := 0.0
		for _, v := range values[rank:] {
			noise += v / float64(width-rank)
		}
		for _, times := range svdRidges {
			s := &svd{mean: mean, vectors: mat.DenseCopyOf(vectors.Slice(0, width, 0, rank))}
			for _, v := range values[:rank] {
				s.ridge = append(s.ridge, times*noise/v)
			}
			loss, err := s.fit(valid, rows)
			if err != nil {
				return nil, err
			}
			if loss < lowest {
				lowest, best = loss, s
			}
		}
	}
	return best, nil
}

// fit calibrates to validation rows, each of which is there several times, and returns
// their loss by the scale of the other half of them.
func (s *svd) fit(valid posterior.HiddenBits, rows int) (float64, error) {
	deviations, p := make([][]float64, len(valid.Visible)), make([][]float64, len(valid.Visible))
	for r, visible := range valid.Visible {
		deviations[r] = s.deviations(visible)
	}
	for half := range 2 {
		s.calibrate(valid, deviations, func(r int) bool { return r%rows%2 != half })
		for r, d := range deviations {
			if r%rows%2 == half {
				p[r] = s.probabilities(d)
			}
		}
	}
	s.calibrate(valid, deviations, func(int) bool { return true })
	loss, err := posterior.ScorePredictions(valid, func(i int) []float64 { return p[i] })
	return loss.LogLoss, err
}
