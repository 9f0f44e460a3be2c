package rivals

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/sklearn"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
	"example.com/patchwork/table"
)

// units is the number of units of every model: that of the true experts.
const units = synth.QuadrantExperts

// clip is the minimum distance from 0 and 1 of reconstructions that are not
// probabilities, for their cross-entropy.
const clip = 0.01

// fitted is a learned model, and what it says of the test images.
type fitted struct {
	templates [][]float64
	votes     [][]float64 // weights whose absolute values say where a unit votes

	said, rounded [][]float64 // the reconstructions from the codes, and from the rounded codes
	least         float64     // clip for the cross-entropy, 0 for none

	errors []float64 // of the dictionary: the squared error by number of coefficients
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

// job holds the data that a model learns from, and those that it is tested on.
type job struct {
	images []*bitmap.Image
	rows   [][]float64
	test   set
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
	{RBM, "8 numbers in (0,1)", true, rbmSettings, scikit("RBM", 0, 0)},
	{Lasso, "8 real numbers, some 0", true, nil, scikit("dictionary", 0, clip)},
	{FourAtoms, "4 real numbers and where", true, nil, scikit("dictionary", 4, clip)},
	{NMF, "8 numbers, 0 or more", false, nil, scikit("NMF", 0, clip)},
	{LogPCA, "8 real numbers", true, nil, scikit("logistic PCA", 0, 0)},
	{Mixture, "8 shares, sum 1", false, nil, mixture},
}

// ours returns a learner that uses the core, or follows the paper to the letter.
func ours(paper bool) func(context.Context, job) (*fitted, error) {
	return func(ctx context.Context, j job) (*fitted, error) {
		data := patchwork.Data{Images: j.images}
		cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, j.side, j.side, pose.Grid{})
		learned := func() (*patchwork.Model, error) {
			return table.Learn(ctx, data, cfg, table.Options{Experts: units, Seed: j.seed})
		}
		if paper {
			cfg = learn.PaperConfig(patchwork.RuleMaxMinusMin, j.side, j.side, pose.Grid{})
			learned = func() (*patchwork.Model, error) {
				return learn.Learn(ctx, data, cfg, learn.Options{Experts: units, Paper: true, Seed: j.seed})
			}
		}
		m, err := learned()
		if err != nil {
			return nil, err
		}
		return explained(m, j.test)
	}
}

// explained encodes images by the pursuit from abstention.
func explained(m *patchwork.Model, test set) (*fitted, error) {
	p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		return nil, err
	}
	f := &fitted{templates: m.Templates(), votes: votes(m.Templates())}
	for _, img := range test.Images {
		e, err := p.Explain(img)
		if err != nil {
			return nil, err
		}
		f.said = append(f.said, m.Compose(img.Height(), img.Width(), e.Picks).P)
	}
	f.rounded = f.said // codes are bits
	return f, nil
}

// votes returns how far the probabilities are from 1/2.
func votes(templates [][]float64) [][]float64 {
	out := matrix(len(templates), len(templates[0]))
	for k, t := range templates {
		for d, p := range t {
			out[k][d] = p - 0.5
		}
	}
	return out
}

// matrix is n rows of d zeros.
func matrix(n, d int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, d)
	}
	return out
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

// Alpha is the weight of the codes of the dictionary.
const alpha = 1

// scikit returns a learner of the script in package sklearn. nonzeros is how many
// coefficients the codes of a dictionary have; 0 for the lasso's.
func scikit(model string, nonzeros int, least float64) func(context.Context, job) (*fitted, error) {
	return func(ctx context.Context, j job) (*fitted, error) {
		a, err := askUnits(ctx, map[string]any{"model": model, "train": j.rows, "test": j.test.rows, "seed": j.seed,
			"rate": j.rate, "alpha": alpha, "nonzeros": nonzeros})
		if err != nil {
			return nil, err
		}
		return &fitted{templates: a.Templates, votes: a.Templates, said: a.Said, rounded: a.Rounded, least: least,
			errors: a.Errors}, nil
	}
}

// answer is what the script says of a model.
type answer struct {
	Templates, Said, Rounded [][]float64
	Errors                   []float64
}

// askUnits asks the script for a model of the comparison.
func askUnits(ctx context.Context, question map[string]any) (a answer, err error) {
	question["units"] = units
	if question["errors"] = []int{}; question["model"] == "dictionary" {
		question["errors"] = coefficients
	}
	err = sklearn.Ask(ctx, "units", question, &a)
	return a, err
}

// Dictionary returns test rows as a dictionary learned from others says them, with lasso codes of the given weight.
func Dictionary(ctx context.Context, train, test [][]float64, alpha float64, seed uint64) ([][]float64, error) {
	a, err := askUnits(ctx, map[string]any{"model": "dictionary", "train": train, "test": test, "seed": seed,
		"alpha": alpha, "nonzeros": 0})
	return a.Said, err
}

// mixture learns the core's mixture. The code of a row is the posterior of the
// components; the rounded code is the likeliest component.
func mixture(ctx context.Context, j job) (*fitted, error) {
	m, err := table.FitMixture(ctx, patchwork.Data{Images: j.images}, units, j.seed)
	if err != nil {
		return nil, err
	}
	f := &fitted{templates: m.Components, votes: votes(m.Components)}
	code := make([]float64, units)
	for _, x := range j.test.rows {
		posterior(m, x, code)
		y := make([]float64, len(x))
		for k, c := range m.Components {
			for d, p := range c {
				y[d] += code[k] * p
			}
		}
		f.said = append(f.said, y)
		f.rounded = append(f.rounded, m.Components[slices.Index(code, slices.Max(code))])
	}
	return f, nil
}

// posterior writes the posterior probabilities of the components for x.
func posterior(m *table.Mixture, x, post []float64) {
	for k, c := range m.Components {
		post[k] = math.Log(m.Share[k]) - crossEntropy(x, c, 1e-9)
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
