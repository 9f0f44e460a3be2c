// Package rivals measures the comparison models of the paper, section 5.1, on
// the quadrants: denoising autoencoders, a restricted Boltzmann machine, a
// sparse coding dictionary, and, beyond the paper, non-negative matrix
// factorisation, logistic PCA and a Bernoulli mixture, beside our own learner.
// The sets are those of experiments/quadrants: set i has the same images in
// both.
package rivals

import (
	"time"
)

// Names of the models, in the order of the table.
const (
	Default   = "max-minus-min, default"
	Paper     = "max-minus-min, paper"
	DAETied   = "denoising autoencoder, tied"
	DAEUntied = "denoising autoencoder, untied"
	RBM       = "RBM"
	Lasso     = "sparse coding, lasso"
	FourAtoms = "sparse coding, 4 nonzeros"
	NMF       = "NMF"
	LogPCA    = "logistic PCA"
	Mixture   = "Bernoulli mixture"
)

// Names lists all models in the order of the table.
var Names = []string{Default, Paper, DAETied, DAEUntied, RBM, Lasso, FourAtoms, NMF, LogPCA, Mixture}

// Options of the comparison. The zero value, except for the seed, is the full
// comparison.
type Options struct {
	Sizes    []int    // training images; nil means 20, 50, 100, 200, 500, 1000 (quick: 20, 100)
	Sets     int      // independent sets per size; 0 means 20 (quick: 2)
	Test     int      // test images per set; 0 means 1000 (quick: 300)
	TuneSets int      // further sets on which settings are chosen; 0 means 6 (quick: 1)
	Models   []string // of Names; nil means all
	Seed     uint64
	Workers  int  // 0 means 1; the results do not depend on it
	Quick    bool // a few seconds: fewer sizes, sets, settings and epochs

	// TuneRounded chooses settings by the cross-entropy with rounded codes
	// instead of that with the codes as they are.
	TuneRounded bool
}

// Measure holds the results of one fitted model on the test images of its set.
// All are means over the test images except Purity. A measure that does not
// apply is NaN.
type Measure struct {
	CrossEntropy float64 // -log P(x | reconstruction), nats per image
	Excess       float64 // CrossEntropy minus that of the true experts on the same images
	L2           float64 // squared error of the reconstruction, summed over the pixels

	// The same with the code rounded to one bit per unit: sigmoid units to 0 or
	// 1, other real codes to the nearer of two levels per unit, chosen on the
	// training codes; a mixture to its likeliest component. The codes of our
	// models are bits already.
	RoundedCrossEntropy, RoundedL2 float64

	// Purity is the mean over the units of the fraction of a unit's weight (sum
	// of absolute values) on its strongest quadrant: 1 is pure, 1/4 even.
	Purity float64
}

// Figures are the numbers of a measure.
var Figures = []struct {
	Name string
	Of   func(m *Measure) *float64
}{
	{"cross-entropy", func(m *Measure) *float64 { return &m.CrossEntropy }},
	{"excess", func(m *Measure) *float64 { return &m.Excess }},
	{"squared error", func(m *Measure) *float64 { return &m.L2 }},
	{"rounded cross-entropy", func(m *Measure) *float64 { return &m.RoundedCrossEntropy }},
	{"rounded squared error", func(m *Measure) *float64 { return &m.RoundedL2 }},
	{"purity", func(m *Measure) *float64 { return &m.Purity }},
}

// Point is one model at one size.
type Point struct {
	N       int
	Setting string    // chosen by tuning; "" if there is nothing to tune
	Sets    []Measure // by set

	// Quartiles over the sets, figure by figure.
	Low, Median, High Measure

	// Took is the mean elapsed time of one fit without its tuning: the only
	// number that differs between runs.
	Took time.Duration
}

// Curve is one model over the sizes.
type Curve struct {
	Name   string
	Code   string // the code of an image: "8 bits, about 2 on"
	Points []Point

	// Templates are the weights of the units as pictures (8 rows of 36),
	// learned from the first set of the size nearest to 100. Signed says how to
	// read them: log-odds or coefficients around 0 if set, else probabilities
	// (our models, the mixture) or non-negative weights (NMF).
	Templates [][]float64
	Signed    bool

	// Reconstructions holds those of Results.Samples by that model, rows of 36.
	// Those of sparse coding may leave [0,1].
	Reconstructions [][]float64
}

// Nonzero is the squared error of the dictionary with a fixed number of
// nonzero coefficients (orthogonal matching pursuit), quartiles over the sets.
type Nonzero struct {
	Coefficients      int
	Low, Median, High float64
}

// Sample is a test image of the first set of the size nearest to 100.
type Sample struct {
	Image []float64 // 36 of 0 or 1
	Truth []float64 // the probabilities that it was drawn from
}

// Results of the comparison.
type Results struct {
	Options Options // with defaults filled in
	Curves  []Curve // in the order of Names

	// Truth holds the results of the true experts on the same test images, by
	// the pursuit from abstention: one point per size, Excess 0.
	Truth []Point

	// Nonzeros is the dictionary's squared error by number of coefficients (1,
	// 2, 3, 4, 8), learned from the size nearest to 100. Empty if Models has no
	// sparse coding.
	Nonzeros []Nonzero

	Samples []Sample // eight
}
