package real

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/exact"
	model "example.com/patchwork/learn/real"
)

// ReportGap prints where the excess over the truth's density comes from, for quadrants of n images with means only: what is
// left if the parts of every image are told, if votes are told too, and if all parameters are the truth's; each with the density over the 24 best
// explanations, and over 96.
func ReportGap(ctx context.Context, w io.Writer, n, sets int) error {
	fmt.Fprintf(w, "Real quadrants, means only, N = %d, %d sets: nats per test row behind the truth\n\n| model | 24 explanations | 96 explanations |\n|---|---|---|\n", n, sets)
	names := []string{"learned", "parts of every image told", "votes told, too", "all parameters told"}
	few, many := make([][]float64, len(names)), make([][]float64, len(names))
	for seed := range uint64(sets) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := Quadrants(n, 2, 1, rng)
		test := Quadrants(1000, 2, 1, rng)
		data, err := model.NewData(6, 6, s.Rows)
		if err != nil {
			return err
		}
		r, err := model.Learn(ctx, data, model.Options{Seed: seed, MeansOnly: true})
		if err != nil {
			return err
		}
		told, err := s.told(data)
		if err != nil {
			return err
		}
		for i, m := range []*model.Model{r.Model, told, s.onSupport(told), s.truth(1)} {
			for best, to := range map[int]*[][]float64{24: &few, 96: &many} {
				excess, err := excessOf(m, test, best)
				if err != nil {
					return err
				}
				(*to)[i] = append((*to)[i], excess)
			}
		}
	}
	for i, name := range names {
		fmt.Fprintf(w, "| %s | %.3f ± %.3f | %.3f ± %.3f |\n", name, stat.Mean(few[i]), stat.SD(few[i]), stat.Mean(many[i]), stat.SD(many[i]))
	}
	return nil
}

// excessOf returns how much lower the log-density of test rows is than under the truth, over so many explanations.
func excessOf(m *model.Model, test *Set, best int) (float64, error) {
	p, err := model.NewPursuit(m)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, row := range test.Rows {
		post, err := p.Best(row, best)
		if err != nil {
			return 0, err
		}
		sum += (test.LogDensity(row) - post.Evidence) / float64(len(test.Rows))
	}
	return sum, nil
}

// truth returns the model that has the true parameters, as far as it can: parts are on by themselves, so two that exclude each other
// in truth have their rate only. sd is the deviation of the noise.
func (s *Set) truth(sd float64) *model.Model {
	m := &model.Model{Height: s.Height, Width: s.Width}
	for range s.Truth[0] {
		m.Background = append(m.Background, model.Normal{Var: sd * sd})
	}
	for _, t := range s.Truth {
		e := make([]model.Entry, len(t))
		for d, x := range t {
			if x != 0 {
				e[d] = model.Entry{Vote: model.MeanOnly, Normal: model.Normal{Mean: x, Var: sd * sd}}
			}
		}
		m.Experts, m.Pi = append(m.Experts, e), append(m.Pi, .25)
	}
	return m
}

// told returns what the last step of learning makes of the true parts of every image. Parts that are on together must not overlap.
func (s *Set) told(data *model.Data) (*model.Model, error) {
	m := s.truth(1)
	m.Scales, m.Record.MeansOnly = data.Scales, true
	t := model.NewTally(m)
	for i, row := range data.Rows {
		spoken := make([]bool, len(row))
		for _, k := range s.On[i] {
			t.Picks[k] += model.Unit
			for d, x := range s.Truth[k] {
				spoken[d] = spoken[d] || x != 0
			}
		}
		t.Images++
		for d, x := range row {
			one := sumsOf(x, data.Scales[d])
			add(&t.All[d], one)
			if !spoken[d] {
				add(&t.Free[d], one)
			}
			for _, k := range s.On[i] {
				if !spoken[d] || s.Truth[k][d] != 0 {
					add(&t.Experts[k][d], one)
				}
			}
		}
	}
	return t.MStep(m)
}

// onSupport returns a model that abstains where the truth says nothing.
func (s *Set) onSupport(m *model.Model) *model.Model {
	out := *m
	out.Experts = nil
	for k, e := range m.Experts {
		only := make([]model.Entry, len(e))
		for d, o := range e {
			if s.Truth[k][d] != 0 {
				only[d] = o
			}
		}
		out.Experts = append(out.Experts, only)
	}
	return &out
}

// sumsOf returns the sums of one value.
func sumsOf(x float64, s model.Scale) model.Sums {
	n := int64(math.Round((x - s.Origin) / s.Step))
	return model.Sums{N: model.Unit, Sum: model.Unit * n, Square: exact.Product(model.Unit*n, n)}
}

// add adds sums.
func add(to *model.Sums, o model.Sums) {
	to.N, to.Sum, to.Square = to.N+o.N, to.Sum+o.Sum, to.Square.Add(o.Square)
}
