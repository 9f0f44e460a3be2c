package real

import (
	"context"
	"math"

	"example.com/patchwork/internal/exact"
	"example.com/patchwork/internal/pool"
)

// explained is what an E-step finds: the picks of each row as candidates, its joint
// log-likelihood, and the counts.
type explained struct {
	bank  *bank
	picks [][]int
	joint []float64
	tally *Tally
}

// EStep explains data by a model and returns the counts. With best > 1 a row counts for that many of its
// explanations, by their probabilities in units of 1/[Unit]. The counts are the same for any number of workers. The
// error is the context's, or says what does not fit.
func EStep(ctx context.Context, m *Model, data *Data, best, workers int) (*Tally, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	for _, row := range data.Rows {
		if err := m.CheckImage(row); err != nil {
			return nil, err
		}
	}
	e, err := estep(ctx, m, data, best, workers)
	if err != nil {
		return nil, err
	}
	return e.tally, nil
}

// estep is EStep for a valid model and data that fit it.
func estep(ctx context.Context, m *Model, data *Data, best, workers int) (*explained, error) {
	n := len(data.Rows)
	out := &explained{bank: newBank(m), picks: make([][]int, n), joint: make([]float64, n)}
	workers = pool.Size(n, workers, pool.Chunk)
	hands := make([]*hand, workers)
	for w := range hands {
		hands[w] = &hand{newPursuit(out.bank), NewTally(m), make([]int64, m.D())}
	}
	_, err := pool.Run(ctx, n, workers, pool.Chunk, func(w, i int) error {
		out.picks[i], out.joint[i] = hands[w].explain(data, i, best)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.tally = hands[0].t
	for _, h := range hands[1:] {
		if err := out.tally.Merge(h.t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// hand is what one worker needs.
type hand struct {
	p       *Pursuit
	t       *Tally
	numbers []int64
}

// explain explains and counts row i.
func (h *hand) explain(data *Data, i, best int) (picks []int, joint float64) {
	row := data.Rows[i]
	for d, x := range row {
		h.numbers[d] = data.Scales[d].number(x)
	}
	f := h.p.f
	h.t.Images++
	if best > 1 {
		picks, joint = h.several(row, best)
	} else {
		e, _ := h.p.Explain(row) // the row was checked
		joint = e.LogJoint
		picks = append(picks, f.picks...)
		h.t.credit(f, h.numbers, Unit)
	}
	h.t.LogJoint += int64(math.Round(joint * exact.NatsUnit))
	return picks, joint
}

// several counts a row for its best explanations, and returns the picks of the best and the logarithm of
// the sum of the joint probabilities.
func (h *hand) several(row []float64, best int) (picks []int, evidence float64) {
	post, _ := h.p.Best(row, best)
	f := h.p.f
	for j, e := range post.Explanations {
		f.clear()
		for _, p := range e.Picks {
			at, _ := f.m.Poses.Index(p.Pose)
			f.add(f.candidate(p.Expert, at), false)
		}
		if j == 0 {
			picks = append(picks, f.picks...)
		}
		h.t.credit(f, h.numbers, int64(math.Round(post.Weights[j]*Unit)))
	}
	return picks, post.Evidence
}
