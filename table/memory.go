package table

import (
	"context"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/posterior"

	"example.com/patchwork/internal/recall"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/wire"
)

// eStepRecalled runs eStep through the memory of the data.
func eStepRecalled(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.Options,
	workers int) (*counts, error) {
	return recall.Or(data.Memory, softStep, func() string { return stepKey("soft", m, opt) },
		func(w *wire.Codec, t *counts) {
			if w.Reading() {
				*t = *newCounts(m, data.Unit)
			}
			t.code(w)
		}, func() (*counts, error) { return eStepAnew(ctx, m, data, opt, workers, nil) })
}

// softStep is what errors of the memory call a step here.
const softStep = "a step of soft learning"

// mixtureRecalled runs FitMixture, through the memory of the data if they have one.
func mixtureRecalled(ctx context.Context, data patchwork.Data, k int, seed uint64) (*Mixture, error) {
	return recall.Or(data.Memory, softStep, func() string { return recall.Key("mixture", k, seed) },
		func(w *wire.Codec, x *Mixture) {
			wire.List(w, &x.Share, k)
			wire.List(w, &x.Components, k)
			for i := range x.Components {
				wire.List(w, &x.Components[i], data.Images[0].Len())
			}
			for _, list := range append([][]float64{x.Share}, x.Components...) {
				for i := range list {
					w.Float(&list[i])
				}
			}
		}, func() (*Mixture, error) { return FitMixture(ctx, data, k, seed) })
}

// stepKey names a result of explaining the rows, by all that it depends on beside the data.
func stepKey(kind string, m *patchwork.Model, opt posterior.Options) string {
	values := []any{kind, opt.WithDefaults(), m.Config(), m.Templates(), posterior.ActivationPrior(m)}
	for p := m.Extras().SetPrior; p != nil; p = p.Above {
		level := *p
		level.Above = nil // a pointer
		values = append(values, level)
	}
	return recall.Key(values...)
}

// withMemory returns the data with a memory for this one set of rows, of several
// that a run learns from.
func withMemory(d patchwork.Data, memory Memory) patchwork.Data {
	if memory == nil {
		return d
	}
	var values []any
	for i, row := range d.Images {
		values = append(values, row.Height(), row.Width(), d.Weight(i), row.AppendKnown(row.AppendBytes(nil)))
	}
	if d.Unit > 1 {
		values = append(values, d.Unit)
	}
	d.Memory = rows.PartMemory{Memory: memory, Part: recall.Key(values...)}
	return d
}

// Memory keeps what the E-steps of a run came to; see learn.Memory.
type Memory = rows.Memory

// code writes the counts, or reads them into empty ones of as many experts.
func (t *counts) code(w *wire.Codec) {
	wire.Fixed(w, &t.rows, 8)
	wire.Fixed(w, &t.impossible, 8)
	w.Int128(&t.evidence)
	wire.Counts(w, t.active, math.MaxInt64)
	t.groups.Code(w, len(t.active))
}
