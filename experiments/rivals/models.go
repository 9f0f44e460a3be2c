package rivals

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/learn"
	"example.com/patchwork/table"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/rivals/coding"
	"example.com/patchwork/experiments/rivals/dae"
	"example.com/patchwork/experiments/rivals/logpca"
	"example.com/patchwork/experiments/rivals/nmf"
	"example.com/patchwork/experiments/rivals/rbm"
	"example.com/patchwork/experiments/rivals/sparse"
	"example.com/patchwork/pose"
)

// units is the number of units of every model: that of the true experts.
const units = synth.QuadrantExperts

// clip is the minimum distance from 0 and 1 of reconstructions that are not
// probabilities, for their cross-entropy.
const clip = 0.01

// fitted is a learned model.
type fitted struct {
	// reconstruct encodes an image, given as bits and as numbers, and writes
	// the reconstructions from the code and from the rounded code. It is for
	// one goroutine.
	reconstruct func(img *bitmap.Image, x, y, rounded []float64) error

	templates [][]float64
	least     float64     // clip for the cross-entropy, 0 for none
	votes     [][]float64 // weights whose absolute values say where a unit votes
	atoms     *sparse.Model
}

// setting is one choice of the tuned settings.
type setting struct {
	rate, corruption float64
}

// String returns the setting in words.
func (s setting) String() string {
	switch {
	case s.rate == 0:
		return ""
	case s.corruption == 0:
		return fmt.Sprintf("rate %v", s.rate)
	}
	return fmt.Sprintf("rate %v, corruption %v", s.rate, s.corruption)
}

// job holds the data that a model learns from.
type job struct {
	images []*bitmap.Image
	rows   [][]float64
	side   int
	seed   uint64
	setting
}

// rival is a learner of the comparison.
type rival struct {
	name, code string
	signed     bool
	settings   func(quick bool) []setting // nil: nothing to tune
	fit        func(ctx context.Context, j job) (*fitted, error)
}

// all lists the learners in the order of Names.
var all = []rival{
	{Default, "8 bits, about 2 on", false, nil, ours(false)},
	{Paper, "8 bits, about 2 on", false, nil, ours(true)},
	{DAETied, "8 numbers in (0,1)", true, daeSettings, autoencoder(false)},
	{DAEUntied, "8 numbers in (0,1)", true, daeSettings, autoencoder(true)},
	{RBM, "8 numbers in (0,1)", true, rbmSettings, machine},
	{Lasso, "8 real numbers, some 0", true, nil, dictionary(false)},
	{FourAtoms, "4 real numbers and where", true, nil, dictionary(true)},
	{NMF, "8 numbers, 0 or more", false, nil, factors},
	{LogPCA, "8 real numbers", true, nil, components},
	{Mixture, "8 shares, sum 1", false, nil, mixture},
}

// ours returns a learner that uses the core, or follows the paper to the letter.
func ours(paper bool) func(context.Context, job) (*fitted, error) {
	return func(ctx context.Context, j job) (*fitted, error) {
		cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, j.side, j.side, pose.Grid{})
		if paper {
			cfg = learn.PaperConfig(patchwork.RuleMaxMinusMin, j.side, j.side, pose.Grid{})
		}
		m, err := learn.Learn(ctx, patchwork.Data{Images: j.images}, cfg, learn.Options{Experts: units, Paper: paper, Seed: j.seed})
		if err != nil {
			return nil, err
		}
		return explained(m)
	}
}

// explained encodes images by the pursuit from abstention.
func explained(m *patchwork.Model) (*fitted, error) {
	p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		return nil, err
	}
	return &fitted{templates: m.Templates(), votes: votes(m.Templates()),
		reconstruct: func(img *bitmap.Image, x, y, rounded []float64) error {
			e, err := p.Explain(img)
			if err != nil {
				return err
			}
			copy(y, m.Compose(img.Height(), img.Width(), e.Picks).P)
			copy(rounded, y)
			return nil
		}}, nil
}

// votes returns how far the probabilities are from 1/2.
func votes(templates [][]float64) [][]float64 {
	out := coding.Clone(templates)
	for _, t := range out {
		for d, p := range t {
			t[d] = p - 0.5
		}
	}
	return out
}

// coded returns a rival, its codes rounded to the given levels.
func coded(c coding.Coder, l coding.Levels) *fitted {
	code := make([]float64, c.Units())
	return &fitted{templates: c.Weights(), votes: c.Weights(),
		reconstruct: func(_ *bitmap.Image, x, y, rounded []float64) error {
			c.Code(x, code)
			c.Decode(code, y)
			l.Round(code)
			c.Decode(code, rounded)
			return nil
		}}
}

func daeSettings(quick bool) []setting {
	if quick {
		return []setting{{corruption: 0.05, rate: 0.03}, {corruption: 0.1, rate: 0.03}}
	}
	var out []setting
	for _, corruption := range []float64{0.02, 0.05, 0.1, 0.2} {
		for _, rate := range []float64{0.01, 0.03, 0.1} {
			out = append(out, setting{corruption: corruption, rate: rate})
		}
	}
	return out
}

func autoencoder(untied bool) func(context.Context, job) (*fitted, error) {
	return func(ctx context.Context, j job) (*fitted, error) {
		m, err := dae.Fit(ctx, j.rows, dae.Options{Units: units, Untied: untied, Corruption: j.corruption, Rate: j.rate, Seed: j.seed})
		if err != nil {
			return nil, err
		}
		return coded(m, coding.Bits(units)), nil
	}
}

func rbmSettings(quick bool) []setting {
	if quick {
		return []setting{{rate: 0.3}}
	}
	var out []setting
	for _, rate := range []float64{0.1, 0.2, 0.3, 0.5, 1} {
		out = append(out, setting{rate: rate})
	}
	return out
}

func machine(ctx context.Context, j job) (*fitted, error) {
	m, err := rbm.Fit(ctx, j.rows, rbm.Options{Units: units, Rate: j.rate, Seed: j.seed})
	if err != nil {
		return nil, err
	}
	return coded(m, coding.Bits(units)), nil
}

// dictionary returns a learner with lasso codes, or with four nonzero
// coefficients.
func dictionary(four bool) func(context.Context, job) (*fitted, error) {
	return func(ctx context.Context, j job) (*fitted, error) {
		m, err := sparse.Fit(ctx, j.rows, sparse.Options{Units: units, Seed: j.seed})
		if err != nil {
			return nil, err
		}
		var c coding.Coder = m
		if four {
			c = fixed{m, 4}
		}
		f := coded(c, coding.FitLevels(c, j.rows))
		f.least, f.atoms = clip, m
		return f, nil
	}
}

// fixed is a dictionary whose codes have a fixed number of nonzero
// coefficients.
type fixed struct {
	*sparse.Model
	n int
}

func (f fixed) Code(x, code []float64) { f.OMP(x, f.n, code) }

func factors(ctx context.Context, j job) (*fitted, error) {
	m, err := nmf.Fit(ctx, j.rows, nmf.Options{Units: units, Seed: j.seed})
	if err != nil {
		return nil, err
	}
	f := coded(m, coding.FitLevels(m, j.rows))
	f.least = clip
	return f, nil
}

func components(ctx context.Context, j job) (*fitted, error) {
	m, err := logpca.Fit(ctx, j.rows, logpca.Options{Units: units, Seed: j.seed})
	if err != nil {
		return nil, err
	}
	return coded(m, coding.FitLevels(m, j.rows)), nil
}

// mixture learns the core's mixture. The code of a row is the posterior of the
// components; the rounded code is the likeliest component.
func mixture(ctx context.Context, j job) (*fitted, error) {
	m, err := table.FitMixture(ctx, patchwork.Data{Images: j.images}, units, j.seed)
	if err != nil {
		return nil, err
	}
	code := make([]float64, units)
	return &fitted{templates: m.Components, votes: votes(m.Components),
		reconstruct: func(_ *bitmap.Image, x, y, rounded []float64) error {
			posterior(m, x, code)
			clear(y)
			for k, c := range m.Components {
				for d, p := range c {
					y[d] += code[k] * p
				}
			}
			copy(rounded, m.Components[slices.Index(code, slices.Max(code))])
			return nil
		}}, nil
}

// posterior writes the posterior probabilities of the components for x.
func posterior(m *table.Mixture, x, post []float64) {
	for k, c := range m.Components {
		post[k] = math.Log(m.Share[k]) - coding.CrossEntropy(x, c)
	}
	top, sum := slices.Max(post), 0.0
	for k, l := range post {
		post[k] = math.Exp(l - top)
		sum += post[k]
	}
	for k := range post {
		post[k] /= sum
	}
}
