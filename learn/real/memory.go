package real

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"

	"example.com/patchwork/internal/recall"
)

// Memory keeps what the steps of a run came to, so that a run that was interrupted need not take them again. Recall
// returns the value of a key; ok is false where it was not kept. Keep keeps the value of a key. Both are called
// by one goroutine.
type Memory = recall.Memory

// step is what errors of a memory call a step.
const step = "a step"

// digest is a hash of numbers.
type digest struct{ hash.Hash }

func newDigest(what string) digest {
	d := digest{sha256.New()}
	d.Write([]byte(what))
	return d
}

func (d digest) numbers(list ...float64) {
	var buf []byte
	for _, x := range list {
		buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(x))
	}
	d.Write(buf)
}

func (d digest) normals(list []Normal) {
	for _, n := range list {
		d.numbers(n.Mean, n.Var)
	}
}

func (d digest) entries(e []Entry) {
	for _, o := range e {
		d.numbers(float64(o.Vote), o.Mean, o.Var)
	}
}

// model adds all of a model that an explanation depends on.
func (d digest) model(m *Model) {
	fmt.Fprintf(d, "%d %d %d %d %v %v %+v %d\n", m.Height, m.Width, m.FrameHeight, m.FrameWidth, m.Rule, m.Tau, m.Poses,
		m.Reuse)
	d.normals(m.Background)
	for _, s := range m.Scales {
		d.numbers(s.Step, s.Origin, s.Floor, bitIf(s.Bit))
	}
	for _, e := range m.Experts {
		d.entries(e)
	}
	d.numbers(m.Pi...)
}

func (d digest) String() string { return string(d.Sum(nil)) }

// estep is EStep for a valid model and the learner's data.
func (l *learner) estep(m *Model, best int) (*explained, error) {
	key := func() string {
		d := newDigest(fmt.Sprintf("explain %t %d ", l.stream != nil, best))
		d.model(m)
		return d.String()
	}
	if l.stream != nil || best > 1 {
		return recall.Or(l.o.Memory, step, key, func(value []byte) (*explained, bool) {
			out := &explained{tally: &Tally{}}
			return out, out.tally.UnmarshalBinary(value) == nil && out.tally.fits(m)
		}, func() (out *explained, err error) {
			var src Source = l.data
			if l.stream != nil {
				src = l.stream
			}
			out = &explained{}
			out.tally, err = EStep(l.ctx, m, src, best, l.o.Workers)
			return out, err
		}, func(out *explained) []byte {
			value, _ := out.tally.MarshalBinary()
			return value
		})
	}
	return recall.Or(l.o.Memory, step, key, func(value []byte) (*explained, bool) { return l.replay(m, value) },
		func() (*explained, error) { return estep(l.ctx, m, l.data, l.o.Workers) },
		func(out *explained) []byte { return encodePicks(out.picks) })
}

// estep explains and counts data in memory.
func estep(ctx context.Context, m *Model, data *Data, workers int) (*explained, error) {
	c := newCounter(m, 1, workers)
	out := &explained{bank: c.bank, picks: make([][]int, len(data.Rows))}
	err := c.count(ctx, data, func(i int, picks []int) { out.picks[i] = picks })
	if err != nil {
		return nil, err
	}
	out.tally, err = c.tally()
	return out, err
}

// replay counts the data by picks that were kept; ok is false if these are not of the
// model, or if the run has ended meanwhile.
func (l *learner) replay(m *Model, value []byte) (out *explained, ok bool) {
	candidates := m.K() * m.Poses.Len()
	out = &explained{picks: make([][]int, len(l.data.Rows))}
	for i := range out.picks {
		n, size := binary.Uvarint(value)
		if size <= 0 || n > uint64(len(value)) {
			return nil, false
		}
		value = value[size:]
		for range n {
			c, size := binary.Uvarint(value)
			if size <= 0 || c >= uint64(candidates) {
				return nil, false
			}
			out.picks[i], value = append(out.picks[i], int(c)), value[size:]
		}
	}
	if len(value) > 0 {
		return nil, false
	}
	c := newCounter(m, 1, 1)
	out.bank = c.bank
	h := &hand{newPursuit(c.bank), NewTally(m), make([]int64, m.D())}
	for i := range out.picks {
		if l.ctx.Err() != nil {
			return nil, false
		}
		h.again(l.data, i, out.picks[i])
	}
	out.tally = h.t
	return out, true
}

// encodePicks returns the picks of all rows as bytes.
func encodePicks(picks [][]int) []byte {
	var out []byte
	for _, row := range picks {
		out = binary.AppendUvarint(out, uint64(len(row)))
		for _, c := range row {
			out = binary.AppendUvarint(out, uint64(c))
		}
	}
	return out
}

// grown is an expert that a grower found; its entries are nil if none pays.
type grown struct {
	entries []Entry
	pi      float64
}

// encode returns it as bytes.
func (g grown) encode() []byte {
	out := binary.LittleEndian.AppendUint64(nil, math.Float64bits(g.pi))
	for _, o := range g.entries {
		out = append(out, byte(o.Vote))
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(o.Mean))
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(o.Var))
	}
	return out
}

// decodeGrown reads what encode wrote, of as many entries or none.
func decodeGrown(in []byte, entries int) (g grown, ok bool) {
	if len(in) != 8 && len(in) != 8+17*entries {
		return g, false
	}
	at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(in[i:])) }
	g.pi = at(0)
	for i := 8; i < len(in); i += 17 {
		g.entries = append(g.entries, Entry{Vote(in[i]), Normal{at(i + 1), at(i + 9)}})
	}
	return g, g.pi >= 0 && g.pi <= 1 && (g.entries != nil || g.pi == 0)
}
