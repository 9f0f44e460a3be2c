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
	bits  int64       // how many
	mean  float64     // of a bit
	rows  []float64   // row by row
	truth [][]float32 // by row and hidden bit: how probable it is that it is what it is
}

// hiddenLoss returns the losses of a model on the judge's hidden bits, through the memory
// of the data. Predictions are averaged over the best explanations, as those of package
// posterior.
func (l *learner) hiddenLoss(ctx context.Context, m *patchwork.Model) (losses, error) {
	var memory Memory
	if l.memory != nil {
		memory = l.hidden
	}
	return recall.Or(memory, softStep, func() string { return stepKey(l.judgeKey(), m, l.opt.Explain) },
		l.decodeLosses, func() (losses, error) { return l.hiddenLossAnew(ctx, m) }, losses.encode)
}

// encode returns the losses as bytes: what they are of each row follows from truth.
func (o losses) encode() []byte {
	var out []byte
	for r, row := range o.truth {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(o.rows[r]))
		for _, p := range row {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(p))
		}
	}
	return out
}

// decodeLosses reads what encode returns.
func (l *learner) decodeLosses(value []byte) (losses, bool) {
	n := len(l.judge.Visible)
	o := losses{rows: make([]float64, n), truth: make([][]float32, n)}
	for r := range n {
		bits := l.hiddenOf(r)
		if len(value) < 8+4*bits {
			return o, false
		}
		o.rows[r] = math.Float64frombits(binary.LittleEndian.Uint64(value))
		value = value[8:]
		for range bits {
			o.truth[r] = append(o.truth[r], math.Float32frombits(binary.LittleEndian.Uint32(value)))
			value = value[4:]
		}
	}
	l.sum(&o)
	return o, len(value) == 0
}

// hiddenOf returns how many of the judge's bits are hidden in a row, and known otherwise.
func (l *learner) hiddenOf(r int) int {
	if l.judge.Data.Weight(r) == 0 {
		return 0
	}
	n := 0
	visible := l.judge.Visible[r].AppendKnown(nil)
	for i, known := range l.judge.Data.Images[r].AppendKnown(nil) {
		if known != 0 && visible[i] == 0 {
			n++
		}
	}
	return n
}

// sum sets how many bits there are, and the mean loss of one.
func (l *learner) sum(o *losses) {
	sum := 0.0
	for r, row := range o.truth {
		w := l.judge.Data.Weight(r)
		o.bits += int64(len(row)) * w
		sum += float64(o.rows[r] * float64(w))
	}
	o.mean = sum / float64(max(o.bits, 1))
}

// hiddenLossAnew does the work of hiddenLoss.
func (l *learner) hiddenLossAnew(ctx context.Context, m *patchwork.Model) (losses, error) {
	o := losses{rows: make([]float64, len(l.judge.Visible)), truth: make([][]float32, len(l.judge.Visible))}
	visible := patchwork.Data{Images: l.judge.Visible, Weights: l.judge.Data.Weights}
	templates, rule := m.Templates(), jointRule(m.Config().Rule)
	err := explainRows(ctx, m, visible, l.opt.Explain, l.opt.Workers, func(_, r int, x []uint8, sets []joint.Set) {
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
				o.rows[r] -= score.LogLik(truth[i] == joint.On, p[i])
				if truth[i] != joint.On {
					p[i] = 1 - p[i]
				}
				o.truth[r] = append(o.truth[r], float32(p[i]))
			}
		}
	})
	l.sum(&o)
	return o, err
}

// judgeKey names the work of hiddenLoss in a memory.
func (l *learner) judgeKey() string {
	if l.judge.Exclusive == nil {
		return "hidden"
	}
	return fmt.Sprint("hidden", l.judge.Exclusive)
}
