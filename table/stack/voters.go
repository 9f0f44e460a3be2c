package stack

import (
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/matrix"
	"example.com/patchwork/table"
)

// voter predicts the unknown bits of rows.
type voter interface {
	// predict sets p to the probability of being on, for each bit of a row that is not known.
	predict(x *row, p []float64)
}

// row is a row whose bits are known or not.
type row struct {
	image         *bitmap.Image
	known, hidden []int     // bits
	above         []float64 // of each known bit, its value less its mean
}

func newRow(image *bitmap.Image, means []float64) *row {
	x := &row{image: image}
	on, known := image.AppendBytes(nil), image.AppendKnown(nil)
	for i, k := range known {
		if k == 0 {
			x.hidden = append(x.hidden, i)
			continue
		}
		x.known = append(x.known, i)
		x.above = append(x.above, float64(on[i])-means[i])
	}
	return x
}

// mixtures predict by the mean of mixtures of one size.
type mixtures []func(*bitmap.Image) []float64

func newMixtures(starts []*table.Mixture) (m mixtures) {
	for _, x := range starts {
		m = append(m, x.Predictor())
	}
	return m
}

func (m mixtures) predict(x *row, p []float64) {
	clear(p)
	for _, predicted := range m {
		matrix.AddTo(p, 1/float64(len(m)), predicted(x.image))
	}
}

// gaussian predicts by the mean of the unknown numbers given the known ones.
type gaussian struct {
	means                 []float64
	covariance, precision *matrix.Matrix
}

// surest bounds what a Gaussian says of bits.
const surest = .99

// newGaussian returns the Gaussian of a covariance; false if it is none.
func newGaussian(means []float64, covariance *matrix.Matrix) (*gaussian, bool) {
	precision, ok := matrix.Inverse(covariance)
	return &gaussian{means, covariance, precision}, ok
}

func (g *gaussian) predict(x *row, p []float64) {
	var shift []float64 // of the unknown numbers, by the known ones
	if len(x.hidden) <= len(x.known) {
		shift = g.byPrecision(x)
	} else {
		shift = g.byCovariance(x)
	}
	for j, i := range x.hidden {
		p[i] = max(1-surest, min(g.means[i]+shift[j], surest))
	}
}

// byCovariance returns S_hk S_kk^-1 y, of hidden and known numbers h and k.
func (g *gaussian) byCovariance(x *row) []float64 {
	solved, ok := matrix.Solve(g.covariance.Part(x.known, x.known), x.above)
	if !ok {
		return make([]float64, len(x.hidden))
	}
	return g.covariance.Part(x.hidden, x.known).Apply(solved)
}

// byPrecision returns -P_hh^-1 P_hk y, which is the same.
func (g *gaussian) byPrecision(x *row) []float64 {
	shift := g.precision.Part(x.hidden, x.known).Apply(x.above)
	solved, ok := matrix.Solve(g.precision.Part(x.hidden, x.hidden), shift)
	if !ok {
		return make([]float64, len(x.hidden))
	}
	for i := range solved {
		solved[i] = -solved[i]
	}
	return solved
}

// Moments are the means of the columns of a table and their covariance, of the rows in which both columns are known.
type Moments struct {
	Means      []float64
	Covariance []float64 // row by row
}

const (
	noise     = .001 // added to the variances of a shrunk covariance
	restNoise = .1   // the variance beside a few directions
)

// directions are those in which a covariance is largest, the largest last, as matrix.Eigen has them.
type directions struct {
	values []float64
	axes   [][]float64
}

// directions returns those of the covariance, nil if its numbers are none.
func (m *Moments) directions() *directions {
	n := len(m.Means)
	values, axes, ok := matrix.Eigen(&matrix.Matrix{Rows: n, Columns: n, Data: m.Covariance})
	if !ok {
		return nil
	}
	return &directions{values, axes}
}

// few returns the covariance of the largest directions alone.
func (d *directions) few(rank int) *matrix.Matrix {
	s := d.sum(rank)
	for i := range s.Rows {
		s.Set(i, i, s.At(i, i)+restNoise)
	}
	return s
}

// shrunk returns the covariance with a share taken from beside its diagonal.
func (d *directions) shrunk(share float64) *matrix.Matrix {
	s := d.sum(len(d.values))
	for i := range s.Rows {
		for j := range s.Columns {
			if i != j {
				s.Set(i, j, float64((1-share)*s.At(i, j)))
			}
		}
		s.Set(i, i, s.At(i, i)+noise)
	}
	return s
}

// sum returns the covariance of the largest directions, in which there is no less than nothing: of columns of which
// rows know different ones, the smallest can be.
func (d *directions) sum(rank int) *matrix.Matrix {
	n := len(d.values)
	s := matrix.New(n, n)
	for k := n - min(rank, n); k < n; k++ {
		for i, u := range d.axes[k] {
			matrix.AddTo(s.Row(i), float64(max(d.values[k], 0)*u), d.axes[k])
		}
	}
	return s
}
