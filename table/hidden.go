package table

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/recall"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/joint"
)

// losses are those of a model on hidden bits.
type losses struct {
	bits int64     // how many
	mean float64   // of a bit
	rows []float64 // row by row
}

// hiddenLoss returns how many hidden bits the judge has, the model's mean loss on
// them, and its losses row by row, through the memory of the data. Predictions are
// averaged over the best explanations, as those of package posterior.
func (l *learner) hiddenLoss(ctx context.Context, m *patchwork.Model) (bits int64, loss float64, rows []float64, err error) {
	var memory Memory
	if l.memory != nil {
		memory = l.hidden
	}
	o, err := recall.Or(memory, softStep, func() string { return stepKey(l.judgeKey(), m, l.opt.Explain) }, func(value []byte) (o losses, ok bool) {
		n, size := binary.Uvarint(value)
		if size <= 0 || len(value) != size+8*(1+len(l.judge.Visible)) {
			return o, false
		}
		number := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(value[size+8*i:])) }
		o = losses{int64(n), number(0), make([]float64, len(l.judge.Visible))}
		for i := range o.rows {
			o.rows[i] = number(i + 1)
		}
		return o, true
	}, func() (o losses, err error) {
		o.bits, o.mean, o.rows, err = l.hiddenLossAnew(ctx, m)
		return o, err
	}, func(o losses) []byte {
		out := binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(o.bits)), math.Float64bits(o.mean))
		for _, v := range o.rows {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
		return out
	})
	return o.bits, o.mean, o.rows, err
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
