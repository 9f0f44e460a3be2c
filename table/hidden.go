package table

import (
	"context"
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/recall"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/internal/wire"
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
	o, err := recall.Or(memory, softStep, func() string { return stepKey(l.judgeKey(), m, l.opt.Explain) }, l.codeLosses,
		func() (*losses, error) { return l.hiddenLossAnew(ctx, m) })
	if err != nil {
		return losses{}, err
	}
	return *o, nil
}

// codeLosses writes losses, or reads them: what is not there follows from truth.
func (l *learner) codeLosses(w *wire.Codec, o *losses) {
	if w.Reading() {
		*o = l.noLosses()
	}
	for r := range o.rows {
		w.Float(&o.rows[r])
		wire.List(w, &o.truth[r], l.hiddenOf(r))
		for i, p := range o.truth[r] {
			bits := math.Float32bits(p)
			wire.Fixed(w, &bits, 4)
			o.truth[r][i] = math.Float32frombits(bits)
		}
	}
	l.sum(o)
}

// noLosses returns losses of no bits.
func (l *learner) noLosses() losses {
	n := len(l.judge.Visible)
	return losses{rows: make([]float64, n), truth: make([][]float32, n)}
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
	o.bits = 0
	for r, row := range o.truth {
		w := l.judge.Data.Weight(r)
		o.bits += int64(len(row)) * w
		sum += float64(o.rows[r] * float64(w))
	}
	o.mean = sum / float64(max(o.bits, 1))
}

// hiddenLossAnew does the work of hiddenLoss.
func (l *learner) hiddenLossAnew(ctx context.Context, m *patchwork.Model) (*losses, error) {
	o := l.noLosses()
	visible := patchwork.Data{Images: l.judge.Visible, Weights: l.judge.Data.Weights, Unit: l.judge.Data.Unit}
	templates, rule := m.Templates(), jointRule(m.Config().Rule)
	err := explainRows(ctx, m, visible, l.opt.Explain, l.opt.Workers, func(_, r int, x []uint8, _ *joint.Search,
		sets []joint.Set) {
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
	return &o, err
}

// judgeKey names the work of hiddenLoss in a memory.
func (l *learner) judgeKey() string {
	if l.judge.Exclusive == nil {
		return "hidden"
	}
	return fmt.Sprint("hidden", l.judge.Exclusive)
}
