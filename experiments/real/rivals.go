package real

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.com/patchwork/experiments/sklearn"
	model "example.com/patchwork/learn/real"
)

// Job is what rivals are to learn from and to say something about.
type Job struct {
	Train [][]float64
	Test  [][]float64 // NaN is hidden
	Truth [][]float64 // of the test rows, nothing hidden; nil if nothing is
	Floor []float64   // least variance of each column
	// Normal leaves out rivals that are no normal distributions or mixtures of these: components, which take long.
	Normal bool
}

// Score is how well a model says what test rows hold.
type Score struct {
	Known float64 // log-density of the known values of a row; NaN of components, which have none
	// RMSE and NLL are of hidden values: the root mean square error, and the mean of minus the log-density.
	RMSE, NLL float64
}

// Rivals returns the scores of scikit-learn's models by name, each with its best setting on the test rows themselves.
func Rivals(ctx context.Context, j *Job) (map[string]Score, error) {
	hide := func(rows [][]float64) [][]*float64 {
		out := make([][]*float64, len(rows))
		for i, row := range rows {
			out[i] = make([]*float64, len(row))
			for d := range row {
				if !math.IsNaN(row[d]) {
					out[i][d] = &row[d]
				}
			}
		}
		return out
	}
	var lists map[string][]*float64
	question := map[string]any{"train": j.Train, "test": hide(j.Test), "truth": j.Truth, "floor": j.Floor,
		"components": !j.Normal}
	if err := sklearn.Ask(ctx, "scores", question, &lists); err != nil {
		return nil, err
	}
	out := map[string]Score{}
	for name, l := range lists {
		var s Score
		for i, to := range []*float64{&s.Known, &s.RMSE, &s.NLL}[:len(l)] {
			if *to = math.NaN(); l[i] != nil {
				*to = *l[i]
			}
		}
		out[name] = s
	}
	return out, nil
}

// Density is how likely a rival says that test rows are.
type Density struct {
	Mean       float64 // log-density of a row, in nats
	Size       int     // factors or components: of several, those that describe a fifth of the training rows best
	Parameters int     // how many numbers were learned
}

// Densities returns what rivals, by their names in the script, say of test rows. No variance is below the floor.
func Densities(ctx context.Context, train, test [][]float64, floor float64, sizes map[string][]int) (map[string]Density,
	error) {
	var lists map[string][2]float64
	question := map[string]any{"train": train, "test": test, "floor": floor, "sizes": sizes}
	if err := sklearn.Ask(ctx, "density", question, &lists); err != nil {
		return nil, err
	}
	out := map[string]Density{}
	for name, l := range lists {
		d, k := len(train[0]), int(l[1])
		n := 2*d + d*k - k*(k-1)/2 // means, variances, loadings up to a rotation
		switch name {
		case "PPCA": // one variance
			n -= d - 1
		case "mixture":
			n = k*(2*d+1) - 1
		}
		out[name] = Density{l[0], k, n}
	}
	return out, nil
}

// Parts returns the templates of scikit-learn's methods by name, each told how many there are. signed: parts come with
// both signs.
func (s *Set) Parts(ctx context.Context, signed bool) (out map[string][][]float64, err error) {
	err = sklearn.Ask(ctx, "parts", map[string]any{"rows": s.Rows, "k": len(s.Truth), "signed": signed}, &out)
	return out, err
}

// Alike returns how many of the true templates have a template of their own whose cosine with them is at least 0.9.
func (s *Set) Alike(templates [][]float64) int {
	used := make([]bool, len(templates))
	n := 0
	for _, t := range s.Truth {
		best, most := -1, .9
		for k, u := range templates {
			c := cosine(t, u)
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
	if size := floats.Norm(x, 2) * floats.Norm(y, 2); size > 0 {
		return floats.Dot(x, y) / size
	}
	return 0
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
