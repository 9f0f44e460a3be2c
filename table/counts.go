package table

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/internal/wire"
	"example.com/patchwork/posterior"
)

// Counts are what rows say about a model, by the posterior weights of their explanations:
// all that an M-step of soft learning needs, under any of the seven rules. They are
// integers, so that rows may be counted on many machines and merged in any order. They
// belong to one goroutine.
type Counts struct {
	*counts
	on, seen []int64 // by column: rows in which it is on, of those that know it
}

// NewCounts returns the counts of no rows, for a model whose parts stay where they are.
func NewCounts(m *patchwork.Model) *Counts { return emptyCounts(m.K(), m.Height()*m.Width()) }

func emptyCounts(experts, width int) *Counts {
	return &Counts{&counts{heading: heading{active: make([]int64, experts), unit: 1}, groups: joint.NewGroups(width)},
		make([]int64, width), make([]int64, width)}
}

// Count explains the rows of a source as soft learning does, and counts them: the same
// for any number of workers (0 means 1). The error is the source's or the context's, or
// says what does not fit.
func Count(ctx context.Context, m *patchwork.Model, src patchwork.Source, workers int) (*Counts, error) {
	if err := refuseMoving(m.Config()); err != nil {
		return nil, err
	}
	c := NewCounts(m)
	for data, err := range patchwork.Checked(ctx, src) {
		if err != nil {
			return nil, err
		}
		if err := c.Add(ctx, m, data, workers); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Add explains rows by the model whose counts these are, and counts them.
func (c *Counts) Add(ctx context.Context, m *patchwork.Model, data patchwork.Data, workers int) error {
	t, err := eStepAnew(ctx, m, data, posterior.Options{}, max(workers, 1), nil)
	if err != nil {
		return err
	}
	if c.rows == 0 {
		c.unit = t.unit
	}
	if c.unit != t.unit {
		return fmt.Errorf("patchwork: weights in units of %d, after those in units of %d", t.unit, c.unit)
	}
	c.merge(t)
	c.addColumns(data)
	return nil
}

// addColumns counts the columns of rows.
func (c *Counts) addColumns(data patchwork.Data) {
	var x []uint8
	for i, row := range data.Images {
		x = row.AppendValues(x[:0])
		for j, v := range x {
			if v != joint.Unknown {
				c.seen[j] += data.Weight(i)
			}
			if v == joint.On {
				c.on[j] += data.Weight(i)
			}
		}
	}
}

// Rows returns how many rows were counted, by weight.
func (c *Counts) Rows() int64 { return c.count() }

// Picks returns how many parts the rows have together, as their posterior expects.
func (c *Counts) Picks() float64 {
	sum := 0.0
	for k := range c.active {
		sum += c.activity(k)
	}
	return sum
}

// Share returns the share of the rows that have part k, as their posterior expects.
func (c *Counts) Share(k int) float64 { return c.activity(k) / float64(c.count()) }

// Length returns the nats that describe the rows and the model, term by term. It panics if the
// counts are of another size.
func (c *Counts) Length(m *patchwork.Model) Length {
	if len(c.active) != m.K() || len(c.on) != m.Height()*m.Width() {
		panic("table: these counts are not of this model")
	}
	return lengthOf(m, c.counts)
}

// DescriptionLength returns the nats that describe the rows and the model.
func (c *Counts) DescriptionLength(m *patchwork.Model) float64 { return c.Length(m).Nats() }

// LogLik returns the sum over the rows of log P(row), in nats, as far as the explanations
// hold it; -Inf if a row is impossible.
func (c *Counts) LogLik() float64 { return c.logEvidence() }

// Size returns of how many parts and columns these are the counts.
func (c *Counts) Size() (experts, columns int) { return len(c.active), len(c.on) }

// Merge adds what another counted: exact, and the same in any order. It panics if they are
// of another size.
func (c *Counts) Merge(o *Counts) {
	if len(c.active) != len(o.active) || len(c.on) != len(o.on) {
		panic("table: these counts are of models of different sizes")
	}
	c.merge(o.counts)
	for j := range c.on {
		c.on[j] += o.on[j]
		c.seen[j] += o.seen[j]
	}
}

// MStep returns the model that follows prev, whose explanations were counted: one step of
// soft learning. Parts
// that explain less than half a row, or have no votes left, are gone. The last step of
// learning draws the votes of each part to their mean where the rule is noisy-or. It
// panics if the counts are of another size, or of no rows.
func (c *Counts) MStep(prev *patchwork.Model, last bool, workers int) *patchwork.Model {
	if len(c.active) != prev.K() || len(c.on) != prev.Height()*prev.Width() || c.rows == 0 {
		panic("table: these counts are not of this model, or of no rows")
	}
	step := mStepOptions{Marginal: c.marginal(), Workers: workers, Pooled: last}
	next := withoutIdle(c.mStep(prev, step))
	extras, was := next.Extras(), prev.Extras()
	extras.Means, extras.Columns, extras.Reading = step.Marginal, was.Columns, was.Reading
	extras.Record = patchwork.Record{Method: "soft", Mode: was.Record.Mode, Rows: c.count(), LogLik: c.LogLik()}
	if next, err := next.WithExtras(extras); err == nil {
		return next
	}
	panic("table: the next model does not fit itself")
}

// marginal returns the share of the rows that know it in which each column is on, half a row of each kind added.
func (c *Counts) marginal() []float64 {
	out := make([]float64, len(c.on))
	for j := range out {
		out[j] = (float64(c.on[j]) + 0.5) / (float64(c.seen[j]) + 1)
	}
	return out
}

const (
	countsMagic = "pwcounts\x01" // with the version
	maxCounted  = 1 << 31        // rows
)

// MarshalBinary returns the counts as bytes, the same on every machine: a magic word with
// the version, the number of parts and of columns (uint32, little-endian), by column how
// often it is on and known (unsigned varints, as all that follows), and what the E-step
// counted. It never fails.
func (c *Counts) MarshalBinary() ([]byte, error) { return wire.Marshal(c.code), nil }

// AreCounts reports whether bytes begin as MarshalBinary's do.
func AreCounts(data []byte) bool { return bytes.HasPrefix(data, []byte(countsMagic)) }

// UnmarshalBinary replaces c by the counts that MarshalBinary wrote. It checks that they
// can be counts, and takes no more memory than a small multiple of len(data). After an
// error c is unchanged.
func (c *Counts) UnmarshalBinary(data []byte) error {
	var read Counts
	if err := wire.Unmarshal(data, read.code); err != nil {
		return fmt.Errorf("table: not the counts of a step of soft learning, or damaged ones: %w", err)
	}
	*c = read
	return nil
}

// code writes the counts, or reads them.
func (c *Counts) code(w *wire.Codec) {
	k, width := 0, len(c.on)
	if c.counts != nil {
		k = len(c.active)
	}
	w.Magic(countsMagic)
	wire.Fixed(w, &k, 4)
	wire.Fixed(w, &width, 4)
	// Every part and every column takes at least a byte.
	w.Check(k > 0 && k <= maxExperts && width > 0 && width <= w.Left(), "%d parts of %d columns", k, width)
	if w.Reading() {
		*c = *emptyCounts(k, width)
	}
	wire.Counts(w, c.on, math.MaxInt64)
	wire.Counts(w, c.seen, math.MaxInt64)
	if !w.Failed() {
		c.counts.code(w)
		w.Check(c.possible(), "these are counts of no rows")
	}
}

// possible reports whether these can be counts of rows.
func (c *Counts) possible() bool {
	if c.rows < 0 || c.rows > maxCounted || c.impossible < 0 || c.impossible > c.rows {
		return false
	}
	for j := range c.on {
		if c.on[j] > c.seen[j] || c.seen[j] > c.rows {
			return false
		}
	}
	most := c.rows*weightUnit + c.rows*int64(joint.Unit>>10) // weights are rounded one by one
	for _, n := range c.active {
		if n > most {
			return false
		}
	}
	ok := true
	c.groups.Each(func(_ []int16, weight int64, on, hidden []int64) {
		ok = ok && weight <= most
		for j, n := range on {
			if hidden != nil {
				n += min(hidden[j], most)
			}
			ok = ok && n >= 0 && n <= weight
		}
	})
	return ok
}
