package table

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/joint"
)

// hiddenLoss returns how many hidden bits the judge has, the model's mean loss on
// them, and its losses row by row, through the memory of the data. Predictions are
// averaged over the best explanations, as those of package posterior.
func (l *learner) hiddenLoss(ctx context.Context, m *patchwork.Model) (bits int64, loss float64, losses []float64, err error) {
	work := func() (err error) {
		bits, loss, losses, err = l.hiddenLossAnew(ctx, m)
		return err
	}
	if l.memory == nil {
		return bits, loss, losses, work()
	}
	err = recallOr(l.hidden, stepKey(l.judgeKey(), m, l.opt.Explain), func(value []byte) bool {
		n, size := binary.Uvarint(value)
		if size <= 0 || len(value) != size+8*(1+len(l.judge.Visible)) {
			return false
		}
		number := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(value[size+8*i:])) }
		bits, loss, losses = int64(n), number(0), make([]float64, len(l.judge.Visible))
		for i := range losses {
			losses[i] = number(i + 1)
		}
		return true
	}, func() ([]byte, error) {
		if err := work(); err != nil {
			return nil, err
		}
		out := binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(bits)), math.Float64bits(loss))
		for _, v := range losses {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
		return out, nil
	})
	return bits, loss, losses, err
}

// hiddenLossAnew does the work of hiddenLoss.
func (l *learner) hiddenLossAnew(ctx context.Context, m *patchwork.Model) (bits int64, loss float64, losses []float64, err error) {
	losses = make([]float64, len(l.judge.Visible))
	counts := make([]int64, len(losses))
	visible := patchwork.Data{Images: l.judge.Visible, Weights: l.judge.Data.Weights}
	templates, rule := m.Templates(), jointRule(m.Config().Rule)
	err = explainRows(ctx, m, visible, l.opt.Explain, l.opt.Workers, func(_, r int, x []uint8, sets []joint.Set) {
		truth, p := l.judge.Data.Images[r].AppendValues(nil), make([]float64, len(x))
		opinions := make([]float64, 0, 8)
		for i := range x {
			if x[i] != joint.Unknown {
				continue
			}
			for _, s := range sets {
				opinions = opinions[:0]
				for _, k := range s.Experts {
					opinions = append(opinions, templates[k][i])
				}
				p[i] += float64(s.Weight * joint.Compose(rule, m.Abstention(i), opinions...))
			}
			p[i] = max(0, min(p[i], 1))
		}
		l.judge.Exclusive.Normalize(p, l.judge.Visible[r])
		for i := range x {
			if x[i] == joint.Unknown && truth[i] != joint.Unknown {
				losses[r] -= score.LogLik(truth[i] == joint.On, p[i])
				counts[r]++
			}
		}
	})
	sum := 0.0
	for r, n := range counts {
		w := l.judge.Data.Weight(r)
		bits += n * w
		sum += float64(losses[r] * float64(w))
	}
	return bits, sum / float64(max(bits, 1)), losses, err
}

// judgeKey names the work of hiddenLoss in a memory.
func (l *learner) judgeKey() string {
	if l.judge.Exclusive == nil {
		return "hidden"
	}
	return fmt.Sprint("hidden", l.judge.Exclusive)
}
