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
	"example.com/patchwork/internal/rows"
)

// eStepRecalled runs eStep through the memory of the data.
func eStepRecalled(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.Options, workers int) (*softTally, error) {
	var t *softTally
	err := recallOr(data.Memory, stepKey("soft", m, opt), func(value []byte) bool {
		t = newSoftTally(m)
		rest, ok := t.decode(value)
		return ok && len(rest) == 0
	}, func() (value []byte, err error) {
		t, err = eStepAnew(ctx, m, data, opt, workers, nil)
		if err != nil {
			return nil, err
		}
		return t.encode(nil), nil
	})
	return t, err
}

// eStepChosen runs eStep and returns also the picks of every row's best
// explanation.
func eStepChosen(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt posterior.Options, workers int) (*softTally, [][]patchwork.Pick, error) {
	var t *softTally
	chosen := make([][]patchwork.Pick, len(data.Images))
	if data.Memory == nil {
		t, err := eStepAnew(ctx, m, data, opt, workers, chosen)
		return t, chosen, err
	}
	err := recallOr(data.Memory, stepKey("chosen", m, opt), func(value []byte) bool {
		t, chosen = newSoftTally(m), make([][]patchwork.Pick, len(data.Images))
		rest, ok := t.decode(value)
		if ok {
			rest, ok = decodePicks(rest, m.K(), chosen)
		}
		return ok && len(rest) == 0
	}, func() (value []byte, err error) {
		chosen = make([][]patchwork.Pick, len(data.Images))
		t, err = eStepAnew(ctx, m, data, opt, workers, chosen)
		if err != nil {
			return nil, err
		}
		return encodePicks(t.encode(nil), chosen), nil
	})
	return t, chosen, err
}

// recallOr recalls a value and reads it; if it is not kept, or cannot be read,
// recallOr does the work and keeps its result.
func recallOr(memory Memory, key string, read func(value []byte) bool, work func() ([]byte, error)) error {
	value, ok, err := memory.Recall(key)
	if err != nil {
		return fmt.Errorf("recall a step of soft learning: %w", err)
	}
	if ok && read(value) {
		return nil
	}
	if value, err = work(); err != nil {
		return err
	}
	if err := memory.Keep(key, value); err != nil {
		return fmt.Errorf("keep a step of soft learning: %w", err)
	}
	return nil
}

// mixtureRecalled runs FitMixture, through the memory of the data if they have one.
func mixtureRecalled(ctx context.Context, data patchwork.Data, k int, seed uint64) (*Mixture, error) {
	if data.Memory == nil {
		return FitMixture(ctx, data, k, seed)
	}
	x := &Mixture{Share: make([]float64, k)}
	for range k {
		x.Components = append(x.Components, make([]float64, data.Images[0].Len()))
	}
	err := recallOr(data.Memory, fmt.Sprintf("mixture %d %d", k, seed), func(value []byte) bool {
		for _, list := range append([][]float64{x.Share}, x.Components...) {
			for i := range list {
				if len(value) < 8 {
					return false
				}
				list[i] = math.Float64frombits(binary.LittleEndian.Uint64(value))
				value = value[8:]
			}
		}
		return len(value) == 0
	}, func() (value []byte, err error) {
		if x, err = FitMixture(ctx, data, k, seed); err != nil {
			return nil, err
		}
		for _, list := range append([][]float64{x.Share}, x.Components...) {
			for _, v := range list {
				value = binary.LittleEndian.AppendUint64(value, math.Float64bits(v))
			}
		}
		return value, nil
	})
	return x, err
}

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

// encode appends the tally as bytes; who reads them knows the model.
func (t *softTally) encode(out []byte) []byte {
	for _, n := range []uint64{uint64(t.rows), uint64(t.impossible), t.evidence.Lo, uint64(t.evidence.Hi)} {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	for _, list := range [][]int64{t.freeOn, t.free, t.active} {
		for _, n := range list {
			out = binary.AppendUvarint(out, uint64(n))
		}
	}
	for _, c := range t.cells {
		if c == (voteCell{}) { // most are
			out = append(out, 0)
			continue
		}
		out = append(out, 1)
		for _, n := range []int64{c.right, c.wrong, c.opposing} {
			out = binary.AppendUvarint(out, uint64(n))
		}
	}
	return out
}

// decode reads what encode wrote into an empty tally of the same model, and
// returns what follows it; ok is false if these bytes are no such tally.
func (t *softTally) decode(in []byte) (rest []byte, ok bool) {
	if len(in) < 32 {
		return nil, false
	}
	head := func(i int) uint64 { return binary.LittleEndian.Uint64(in[8*i:]) }
	t.rows, t.impossible, t.evidence = int64(head(0)), int64(head(1)), exact.Int128{Hi: int64(head(3)), Lo: head(2)}
	in = in[32:]
	number := func() int64 {
		n, size := binary.Uvarint(in)
		if size <= 0 || n > math.MaxInt64 {
			in = nil
			return -1
		}
		in = in[size:]
		return int64(n)
	}
	for _, list := range [][]int64{t.freeOn, t.free, t.active} {
		for i := range list {
			if list[i] = number(); list[i] < 0 {
				return nil, false
			}
		}
	}
	for i := range t.cells {
		switch number() {
		case 0:
			continue
		case 1:
		default:
			return nil, false
		}
		c := &t.cells[i]
		if c.right, c.wrong, c.opposing = number(), number(), number(); min(c.right, c.wrong, c.opposing) < 0 {
			return nil, false
		}
	}
	return in, true
}

// encodePicks appends the experts of some explanations.
func encodePicks(out []byte, chosen [][]patchwork.Pick) []byte {
	for _, picks := range chosen {
		out = binary.AppendUvarint(out, uint64(len(picks)))
		for _, p := range picks {
			out = binary.AppendUvarint(out, uint64(p.Expert))
		}
	}
	return out
}

// decodePicks reads as many explanations as chosen has, and returns what follows.
func decodePicks(in []byte, experts int, chosen [][]patchwork.Pick) (rest []byte, ok bool) {
	for i := range chosen {
		n, size := binary.Uvarint(in)
		if size <= 0 || n > uint64(experts) {
			return in, false
		}
		in = in[size:]
		for range n {
			k, size := binary.Uvarint(in)
			if size <= 0 || k >= uint64(experts) {
				return in, false
			}
			in = in[size:]
			chosen[i] = append(chosen[i], patchwork.Pick{Expert: int(k)})
		}
	}
	return in, true
}
