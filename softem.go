package patchwork

import (
	"context"
	"fmt"
	"iter"

	"example.com/patchwork/bitmap"
)

// SoftExplain is the soft E-step: it finds the best explanations of every row,
// on the given number of workers (0 means 1), and counts them by their posterior
// weights. each, if not nil, is called with every posterior as in [Posteriors].
// The error is the context's, an option's, or says which row does not fit. Data
// with a memory (see [Remember]) recall what was counted before, unless each is
// given.
func SoftExplain(ctx context.Context, m *Model, data Data, opt NBestOptions, workers int, each func(i int, post *Posterior)) (*SoftTally, error) {
	if err := data.validate(); err != nil {
		return nil, err
	}
	if err := still(&m.cfg); err != nil {
		return nil, err
	}
	if data.memory != nil && each == nil {
		return softExplainRecalled(ctx, m, data, opt, workers)
	}
	return softExplain(ctx, m, data, opt, workers, each)
}

func softExplain(ctx context.Context, m *Model, data Data, opt NBestOptions, workers int, each func(i int, post *Posterior)) (*SoftTally, error) {
	tallies := make([]*SoftTally, poolSize(workers, len(data.Images)))
	for w := range tallies {
		tallies[w] = NewSoftTally(m)
	}
	err := eachImage(ctx, m, opt, len(data.Images), workers, func(w int, n *NBest, i int) error {
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
func still(c *Config) error {
	if _, ok := c.Poses.Identity(); !ok || c.Poses.Len() != 1 || c.Scene || c.Reuse > 1 {
		return fmt.Errorf("patchwork: soft learning is for tables: no shifts, no rotations, no scenes, each expert once a row")
	}
	return nil
}

// SoftOptions are the settings of soft EM.
type SoftOptions struct {
	Iterations int // M-steps; 0 means 12
	Step       SoftStep
	Best       NBestOptions
	KeepIdle   bool // keep experts that have no vote left, or explain less than half a row
	Workers    int  // goroutines of the E-step; 0 means 1; the result is the same for any number
}

// SoftIteration is one round of soft EM.
type SoftIteration struct {
	Number int        // of M-steps before it; 0 is the model EM started from
	Model  *Model     // the model that explained the rows
	Tally  *SoftTally // of its posteriors
}

// SoftEM runs EM by posterior weights over the best explanations, which beats
// EM by the best one alone (findings, section 6): SoftExplain, SoftTally.Model,
// and again. It yields Iterations+1 rounds, as [EM] does. Neither the evidence
// nor the loss on hidden bits need improve in every round. The error is the
// context's, or says what does not fit.
func SoftEM(ctx context.Context, m *Model, data Data, opt SoftOptions) iter.Seq2[SoftIteration, error] {
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
				m = m.busy()
			}
		}
	}
}

// busy is the model without experts that have no vote, or that explain less than
// half a row; one is left in any case. What does not vote is never missed: its
// explanations are those without it.
func (m *Model) busy() *Model {
	out := *m
	out.experts, out.extras.Usage = nil, nil
	for k, e := range m.experts {
		last := k == m.K()-1 && out.experts == nil
		if last || m.votes(k, 0) > 0 && m.extras.Usage[k]*float64(m.extras.Record.Rows) >= 0.5 {
			out.experts, out.extras.Usage = append(out.experts, e), append(out.extras.Usage, m.extras.Usage[k])
		}
	}
	return &out
}

// Marginals is the share of rows in which each bit is on, of those where it is
// known, as if half a row more were on and half a row off.
func Marginals(data Data) []float64 {
	on, seen := make([]float64, data.Images[0].Len()), make([]float64, data.Images[0].Len())
	data.eachRow(func(w float64, x, known []uint8) {
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

// eachRow calls f with every row's weight, bits and whether they are known,
// which are 0 or 1.
func (d Data) eachRow(f func(weight float64, x, known []uint8)) {
	var x, known []uint8
	for i, row := range d.Images {
		x, known = row.AppendBytes(x[:0]), row.AppendKnown(known[:0])
		f(float64(d.Weight(i)), x, known)
	}
}

// distinct is the data with equal rows as one, in the order of first occurrence.
func (d Data) distinct() Data {
	var out Data
	at := make(map[string]int)
	var key []byte
	for i, row := range d.Images {
		if d.Weight(i) == 0 {
			continue
		}
		key = row.AppendKnown(row.AppendBytes(key[:0]))
		j, ok := at[string(key)]
		if !ok {
			j = len(out.Images)
			at[string(key)] = j
			out.Images, out.Weights = append(out.Images, row), append(out.Weights, 0)
		}
		out.Weights[j] += d.Weight(i)
	}
	return out
}

// sameSize reports the first image that is not of the given size.
func sameSize(images []*bitmap.Image, height, width int) error {
	for i, img := range images {
		if img.Height() != height || img.Width() != width {
			return fmt.Errorf("image %d: %w", i, &SizeError{img.Height(), img.Width(), height, width, false})
		}
	}
	return nil
}
