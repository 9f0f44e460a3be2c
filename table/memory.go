package table

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/posterior"

	"example.com/patchwork/internal/exact"
	"example.com/patchwork/internal/recall"
	"example.com/patchwork/internal/rows"
)

// eStepRecalled runs eStep through the memory of the data.
func eStepRecalled(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.Options,
	workers int) (*counts, error) {
	return recall.Or(data.Memory, softStep, func() string { return stepKey("soft", m, opt) },
		func(value []byte) (*counts, bool) {
			t := newCounts(m)
			rest, ok := t.decode(value)
			return t, ok && len(rest) == 0
		}, func() (*counts, error) { return eStepAnew(ctx, m, data, opt, workers, nil) },
		func(t *counts) []byte { return t.encode(nil) })
}

// softStep is what errors of the memory call a step here.
const softStep = "a step of soft learning"

// mixtureRecalled runs FitMixture, through the memory of the data if they have one.
func mixtureRecalled(ctx context.Context, data patchwork.Data, k int, seed uint64) (*Mixture, error) {
	return recall.Or(data.Memory, softStep, func() string { return fmt.Sprintf("mixture %d %d", k, seed) },
		func(value []byte) (*Mixture, bool) {
			x := &Mixture{Share: make([]float64, k)}
			for range k {
				x.Components = append(x.Components, make([]float64, data.Images[0].Len()))
			}
			for _, list := range x.lists() {
				for i := range list {
					if len(value) < 8 {
						return nil, false
					}
					list[i] = math.Float64frombits(binary.LittleEndian.Uint64(value))
					value = value[8:]
				}
			}
			return x, len(value) == 0
		}, func() (*Mixture, error) { return FitMixture(ctx, data, k, seed) }, func(x *Mixture) (value []byte) {
			for _, list := range x.lists() {
				for _, v := range list {
					value = binary.LittleEndian.AppendUint64(value, math.Float64bits(v))
				}
			}
			return value
		})
}

// lists returns all numbers of a mixture, in the order in which they are kept.
func (x *Mixture) lists() [][]float64 { return append([][]float64{x.Share}, x.Components...) }

// stepKey names a result of explaining the rows: SHA-256 of all that it depends on
// beside the data.
func stepKey(kind string, m *patchwork.Model, opt posterior.Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %+v %+v %v %v", kind, opt.WithDefaults(), m.Config(), m.Templates(), posterior.ActivationPrior(m))
	return string(h.Sum(nil))
}

// withMemory returns the data with a memory for this one set of rows, of several
// that a run learns from.
func withMemory(d patchwork.Data, memory Memory) patchwork.Data {
	if memory == nil {
		return d
	}
	h := sha256.New()
	var words []byte
	for i, row := range d.Images {
		words = binary.LittleEndian.AppendUint64(words[:0], uint64(row.Height())<<32|uint64(row.Width()))
		words = binary.LittleEndian.AppendUint64(words, uint64(d.Weight(i)))
		words = row.AppendKnown(row.AppendBytes(words))
		h.Write(words)
	}
	d.Memory = rows.PartMemory{Memory: memory, Part: string(h.Sum(nil))}
	return d
}

// Memory keeps what the E-steps of a run came to; see learn.Memory.
type Memory = rows.Memory

// encode appends the counts as bytes.
func (t *counts) encode(out []byte) []byte { return t.groups.Encode(t.heading.encode(out)) }

// decode reads what encode wrote into empty counts of the same model, and returns what
// follows.
func (t *counts) decode(in []byte) (rest []byte, ok bool) {
	if in, ok = t.heading.decode(in); !ok {
		return nil, false
	}
	return t.groups.Decode(in, len(t.active))
}

// encode appends the heading as bytes.
func (h *heading) encode(out []byte) []byte {
	for _, n := range []uint64{uint64(h.rows), uint64(h.impossible), h.evidence.Lo, uint64(h.evidence.Hi)} {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	for _, n := range h.active {
		out = binary.AppendUvarint(out, uint64(n))
	}
	return out
}

// decode reads what encode wrote for as many experts.
func (h *heading) decode(in []byte) (rest []byte, ok bool) {
	if len(in) < 32 {
		return nil, false
	}
	head := func(i int) uint64 { return binary.LittleEndian.Uint64(in[8*i:]) }
	h.rows, h.impossible, h.evidence = int64(head(0)), int64(head(1)), exact.Int128{Hi: int64(head(3)), Lo: head(2)}
	return numbers(in[32:], h.active)
}

// numbers reads a list of numbers from 0 upward.
func numbers(in []byte, into []int64) (rest []byte, ok bool) {
	for i := range into {
		n, size := binary.Uvarint(in)
		if size <= 0 || n > math.MaxInt64 {
			return nil, false
		}
		into[i], in = int64(n), in[size:]
	}
	return in, true
}
