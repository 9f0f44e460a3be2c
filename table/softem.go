package table

import (
	"context"
	"fmt"
	"iter"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"

	"example.com/patchwork/internal/pool"
)

// SoftExplain is the soft E-step: it finds the best explanations of every row,
// on the given number of workers (0 means 1), and counts them by their posterior
// weights. each, if not nil, is called with every posterior as in [Posteriors].
// The error is the context's, an option's, or says which row does not fit. Data
// with a memory (see [Remember]) recall what was counted before, unless each is
// given.
func SoftExplain(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.NBestOptions, workers int, each func(i int, post *posterior.Posterior)) (*SoftTally, error) {
	if err := data.Validate(); err != nil {
		return nil, err
	}
	if err := still(m.Config()); err != nil {
		return nil, err
	}
	if data.Memory != nil && each == nil {
		return softExplainRecalled(ctx, m, data, opt, workers)
	}
	return softExplain(ctx, m, data, opt, workers, each)
}

func softExplain(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.NBestOptions, workers int, each func(i int, post *posterior.Posterior)) (*SoftTally, error) {
	tallies := make([]*SoftTally, pool.Size(len(data.Images), workers, pool.Chunk))
	for w := range tallies {
		tallies[w] = NewSoftTally(m)
	}
	err := posterior.ForEach(ctx, m, opt, len(data.Images), workers, func(w int, n *posterior.NBest, i int) error {
		if data.Weight(i) == 0 {
			return nil
		}
		post, err := n.Explain(data.Images[i])
		if err != nil {
			return err
		}
		tallies[w].Add(m, data.Images[i], post, data.Weight(i))
		if each != nil {
			each(i, post)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, t := range tallies[1:] {
		tallies[0].Merge(t)
	}
	return tallies[0], nil
}

// still reports experts that may move, which soft learning does not know.
func still(c patchwork.Config) error {
	if _, ok := c.Poses.Identity(); !ok || c.Poses.Len() != 1 || c.Scene || c.Reuse > 1 {
		return fmt.Errorf("patchwork: soft learning is for tables: no shifts, no rotations, no scenes, each expert once a row")
	}
	return nil
}

// SoftOptions are the settings of soft EM.
type SoftOptions struct {
	Iterations int // M-steps; 0 means 12
	Step       SoftStep
	Best       posterior.NBestOptions
	KeepIdle   bool // keep experts that have no vote left, or explain less than half a row
	Workers    int  // goroutines of the E-step; 0 means 1; the result is the same for any number
}

// SoftIteration is one round of soft EM.
type SoftIteration struct {
	Number int              // of M-steps before it; 0 is the model EM started from
	Model  *patchwork.Model // the model that explained the rows
	Tally  *SoftTally       // of its posteriors
}

// SoftEM runs EM by posterior weights over the best explanations, which beats
// EM by the best one alone (findings, section 6): SoftExplain, SoftTally.Model,
// and again. It yields Iterations+1 rounds, as [EM] does. Neither the evidence
// nor the loss on hidden bits need improve in every round. The error is the
// context's, or says what does not fit.
func SoftEM(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt SoftOptions) iter.Seq2[SoftIteration, error] {
	if opt.Iterations == 0 {
		opt.Iterations = 12
	}
	return func(yield func(SoftIteration, error) bool) {
		for n := 0; ; n++ {
			t, err := SoftExplain(ctx, m, data, opt.Best, opt.Workers, nil)
			if err != nil {
				yield(SoftIteration{}, err)
				return
			}
			if !yield(SoftIteration{n, m, t}, nil) || n == opt.Iterations {
				return
			}
			if m = t.Model(m, opt.Step); !opt.KeepIdle {
				m = busy(m)
			}
		}
	}
}

// busy returns the model without experts that have no vote, or that explain less
// than half a row; one is left in any case. What does not vote is never missed:
// its explanations are those without it.
func busy(m *patchwork.Model) *patchwork.Model {
	var experts [][]float64
	extras := m.Extras()
	usage := extras.Usage
	extras.Usage = nil
	for k := range m.K() {
		last := k == m.K()-1 && experts == nil
		if last || m.Votes(k, 0) > 0 && usage[k]*float64(extras.Record.Rows) >= 0.5 {
			experts, extras.Usage = append(experts, m.Template(k)), append(extras.Usage, usage[k])
		}
	}
	return m.WithTemplates(experts, extras)
}

// Marginals is the share of rows in which each bit is on, of those where it is
// known, as if half a row more were on and half a row off.
func Marginals(data patchwork.Data) []float64 {
	on, seen := make([]float64, data.Images[0].Len()), make([]float64, data.Images[0].Len())
	rows.Each(data, func(w float64, x, known []uint8) {
		for i := range x {
			seen[i] += w * float64(known[i])
			on[i] += w * float64(known[i]*x[i])
		}
	})
	for i := range on {
		on[i] = (on[i] + 0.5) / (seen[i] + 1)
	}
	return on
}
