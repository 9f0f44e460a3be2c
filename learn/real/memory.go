package real

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"slices"
)

// Memory keeps what the steps of a run came to, so that a run that was interrupted need not take them again. Recall
// returns the value of a key; ok is false where it was not kept. Keep keeps the value of a key. Both are called
// by one goroutine.
type Memory = interface {
	Recall(key string) (value []byte, ok bool, err error)
	Keep(key string, value []byte) error
}

// recalled reads the value that a memory has for a key; if there is none, or it cannot be read, it does the work and
// keeps the result. Without a memory it does the work.
func recalled(memory Memory, key func() string, read func(value []byte) bool, work func() error, write func() []byte) error {
	if memory == nil {
		return work()
	}
	name := key()
	value, ok, err := memory.Recall(name)
	if err != nil {
		return fmt.Errorf("recall a step: %w", err)
	}
	if ok && len(value) >= sha256.Size && bytes.Equal(value[:sha256.Size], checksum(name, value[sha256.Size:])) && read(value[sha256.Size:]) {
		return nil
	}
	if err := work(); err != nil {
		return err
	}
	value = write()
	if err := memory.Keep(name, append(checksum(name, value), value...)); err != nil {
		return fmt.Errorf("keep a step: %w", err)
	}
	return nil
}

// checksum returns a hash of a key and its value.
func checksum(key string, value []byte) []byte {
	sum := sha256.Sum256(slices.Concat([]byte(key), value))
	return sum[:]
}

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
	fmt.Fprintf(d, "%d %d %d %d %v %v %+v %d\n", m.Height, m.Width, m.FrameHeight, m.FrameWidth, m.Rule, m.Tau, m.Poses, m.Reuse)
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
	var out *explained
	var err error
	if l.stream != nil || best > 1 {
		out = &explained{}
		err = recalled(l.o.Memory, key, func(value []byte) bool {
			out.tally = &Tally{}
			return out.tally.UnmarshalBinary(value) == nil && out.tally.fits(m)
		}, func() error {
			var src Source = l.data
			if l.stream != nil {
				src = l.stream
			}
			out.tally, err = EStep(l.ctx, m, src, best, l.o.Workers)
			return err
		}, func() []byte {
			value, _ := out.tally.MarshalBinary()
			return value
		})
		return out, err
	}
	err = recalled(l.o.Memory, key, func(value []byte) bool {
		out, err = l.replay(m, value)
		return err == nil && out != nil
	}, func() error {
		out, err = estep(l.ctx, m, l.data, l.o.Workers)
		return err
	}, func() []byte { return encodePicks(out.picks) })
	return out, err
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

// replay counts the data by picks that were kept; nil if these are not of the model.
func (l *learner) replay(m *Model, value []byte) (*explained, error) {
	candidates := m.K() * m.Poses.Len()
	out := &explained{picks: make([][]int, len(l.data.Rows))}
	for i := range out.picks {
		n, size := binary.Uvarint(value)
		if size <= 0 || n > uint64(len(value)) {
			return nil, nil
		}
		value = value[size:]
		for range n {
			c, size := binary.Uvarint(value)
			if size <= 0 || c >= uint64(candidates) {
				return nil, nil
			}
			out.picks[i], value = append(out.picks[i], int(c)), value[size:]
		}
	}
	if len(value) > 0 {
		return nil, nil
	}
	c := newCounter(m, 1, 1)
	out.bank = c.bank
	h := &hand{newPursuit(c.bank), NewTally(m), make([]int64, m.D())}
	for i := range out.picks {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		h.again(l.data, i, out.picks[i])
	}
	out.tally = h.t
	return out, nil
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
func (g *grown) encode() []byte {
	out := binary.LittleEndian.AppendUint64(nil, math.Float64bits(g.pi))
	for _, o := range g.entries {
		out = append(out, byte(o.Vote))
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(o.Mean))
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(o.Var))
	}
	return out
}

// decode reads what encode wrote, of as many entries or none.
func (g *grown) decode(in []byte, entries int) bool {
	if len(in) != 8 && len(in) != 8+17*entries {
		return false
	}
	at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(in[i:])) }
	g.pi, g.entries = at(0), nil
	for i := 8; i < len(in); i += 17 {
		g.entries = append(g.entries, Entry{Vote(in[i]), Normal{at(i + 1), at(i + 9)}})
	}
	return true
}
