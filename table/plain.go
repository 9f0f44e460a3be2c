package table

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// Plain improves a model by so many iterations of soft EM and nothing else: every vote
// that gains anything is cast, no expert is grown, put elsewhere or deleted unless it has
// no vote left, and the background is that of m where fixed is true. It shows what a rule
// does by itself, from whatever start; Learn is what learns well. The result is the same
// for any number of workers (0 means 1). The error is the context's, or says what in the
// model and the data do not fit.
func Plain(ctx context.Context, data patchwork.Data, m *patchwork.Model, iterations int, fixed bool,
	workers int) (*patchwork.Model, error) {
	if iterations < 0 {
		return nil, fmt.Errorf("patchwork: %d iterations", iterations)
	}
	if err := errors.Join(rows.Validate(ctx, data), refuseMoving(m.Config())); err != nil {
		return nil, err
	}
	if err := rows.SameSize(data.Images, m.Height(), m.Width()); err != nil {
		return nil, err
	}
	data = rows.Distinct(data)
	step := mStepOptions{Marginal: rows.Means(data), FixedBackground: fixed}
	if fixed { // where the M-step takes it from
		step.Marginal = rows.Background(m)
	}
	for r, err := range softEM(ctx, m, data, emOptions{Iterations: iterations, MStep: step, Explain: posterior.Options{},
		Workers: max(workers, 1)}) {
		if err != nil {
			return nil, err
		}
		m = r.Model
	}
	return m, nil
}

// RandomModel returns a model of k experts whose votes are drawn uniformly between 0.02
// and 0.98 (under a rule that knows no votes for off, between the background and 0.98),
// and each of which is active in a share of the rows.
func RandomModel(cfg patchwork.Config, k int, share float64, seed uint64) (*patchwork.Model, error) {
	rng := rand.New(rand.NewPCG(seed, plainStream))
	templates, usage := make([][]float64, k), make([]float64, k)
	for j := range templates {
		usage[j] = share
		for i := range cfg.Height * cfg.Width {
			low := 0.02
			if q := backgroundOf(cfg, i); !jointRule(cfg.Rule).TwoSided() {
				low = min(q, 0.98)
			}
			templates[j] = append(templates[j], low+float64((0.98-low)*rng.Float64()))
		}
	}
	m, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		return nil, err
	}
	return m.WithExtras(patchwork.Extras{Usage: usage})
}

const plainStream = 1<<35 + 1

// backgroundOf returns the abstention value of pixel i.
func backgroundOf(cfg patchwork.Config, i int) float64 {
	if cfg.QMap != nil {
		return cfg.QMap[i]
	}
	return cfg.Q
}
