package patchwork

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

// Memory keeps what explaining a data set with a model came to, so that a
// learning run that was interrupted need not explain again: all else is quick,
// and the same every time. It must be safe for concurrent use.
type Memory interface {
	// Recall is the value of a key, or not ok where it was not kept.
	Recall(key string) (value []byte, ok bool, err error)
	// Keep keeps the value of a key.
	Keep(key string, value []byte) error
}

// Remember returns the source with a memory; nil is none. Every E-step over its
// images (Explain without each) is kept and, when it is asked for again,
// recalled. The memory must be of these images and weights alone. Learning with
// a memory gives the same bytes as without, whatever it holds. An error of the
// memory ends the work.
func Remember(src Source, m Memory) Source {
	if d, ok := src.(Data); ok {
		d.Memory = m
		return d
	}
	return remembered{src, m}
}

// remembered is a source with a memory.
type remembered struct {
	Source
	memory Memory
}

// memoryOf returns the memory of a source, or nil, and the source to read: that
// of Data, also where another type embeds them.
func memoryOf(src Source) (Memory, Source) {
	switch s := src.(type) {
	case interface{ recalls() Memory }:
		return s.recalls(), src
	case remembered:
		return s.memory, s.Source
	}
	return nil, src
}

// recalls returns the memory.
func (d Data) recalls() Memory { return d.Memory }

// recalled is an E-step through a memory.
func recalled(ctx context.Context, m *Model, memory Memory, src Source, opt PursuitOptions, workers int) (*Tally, error) {
	key := stepKey(m, opt)
	value, ok, err := memory.Recall(key)
	if err != nil {
		return nil, fmt.Errorf("recall an E-step: %w", err)
	}
	if ok {
		t := new(Tally)
		if err := t.UnmarshalBinary(value); err == nil && t.Fits(m) {
			return t, nil
		}
	}
	t, err := tallied(ctx, m, src, opt, workers)
	if err != nil {
		return nil, err
	}
	value, _ = t.MarshalBinary()
	if err := memory.Keep(key, value); err != nil {
		return nil, fmt.Errorf("keep an E-step: %w", err)
	}
	return t, nil
}

// stepKey names an E-step: SHA-256 of all that its result depends on beside the
// data.
func stepKey(m *Model, opt PursuitOptions) string {
	h := sha256.New()
	c := m.cfg
	fmt.Fprintf(h, "%v %d %d %v %v %t %v %t %v %d %v\n", c.Rule, c.Height, c.Width, c.Poses, c.Q, c.Truncate, c.Outside, c.Scene, c.Prior, c.reuse(), len(c.QMap))
	o := opt.withDefaults(&m.cfg)
	costs := o.Costs
	o.Costs = nil
	fmt.Fprintf(h, "%+v %d\n", o, len(costs))
	var buf [8]byte
	for _, list := range append([][]float64{c.QMap, costs}, m.experts...) {
		for _, v := range list {
			binary.LittleEndian.PutUint64(buf[:], math.Float64bits(v))
			h.Write(buf[:])
		}
	}
	if opt.PosePrior && m.extras.Geometry != nil {
		fmt.Fprintf(h, "%v %v", m.extras.Geometry.Normal.Mean(), m.extras.Geometry.Normal.Cov())
	}
	return string(h.Sum(nil))
}
