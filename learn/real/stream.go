package real

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/draw"
)

// Rows are rows of real values that can be read any number of times, in blocks, always the same. A block is used
// until the next one is asked for. Package dataset reads such rows from files.
type Rows interface {
	// Size returns the size of images.
	Size() (height, width int)
	Blocks(ctx context.Context) iter.Seq2[[][]float64, error]
}

// Stream is rows on a grid of values: a [Source] of any length.
type Stream struct {
	rows          Rows
	height, width int
	scales        []Scale
}

// NewStream returns rows on the grid of the given scales, one for each pixel, such as those of a model.
func NewStream(rows Rows, scales []Scale) (*Stream, error) {
	s := &Stream{rows: rows, scales: scales}
	if s.height, s.width = rows.Size(); len(scales) != s.height*s.width {
		return nil, fmt.Errorf("real: %d scales for %d x %d values", len(scales), s.height, s.width)
	}
	return s, nil
}

// Blocks reads the rows once.
func (s *Stream) Blocks(ctx context.Context) iter.Seq2[*Data, error] {
	return func(yield func(*Data, error) bool) {
		for rows, err := range s.rows.Blocks(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(s.block(rows), nil) {
				return
			}
		}
	}
}

// block returns a copy of rows on the grid.
func (s *Stream) block(rows [][]float64) *Data {
	d := &Data{Height: s.height, Width: s.width, Scales: s.scales}
	for _, row := range rows {
		row = slices.Clone(row)
		for i := range min(len(row), len(s.scales)) {
			row[i] = s.scales[i].nearest(row[i])
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

const (
	defaultSample = 20000
	sampleStream  = 1 << 33 // of random numbers, as in package learn
)

// LearnStream learns a model of rows that need not fit in memory. One pass finds the grid of values and draws a uniform
// sample, from which parts are learned as by [Learn]; then all rows shape them, by steps of EM, one pass each, until
// two in turn do not shorten the description. If the sample holds all rows, the model is that of Learn. Equal rows,
// options
// and seed give the same model for any blocks and any number of workers. The error is that of the rows or the context,
// or says what does not fit; if the context ends, the best so far stands beside it, as in Learn. A committee is that of
// the sample.
func LearnStream(ctx context.Context, rows Rows, o Options) (*Result, error) {
	s, sample, err := surveyed(ctx, rows, cmp.Or(o.Sample, defaultSample), o.Seed)
	if err != nil {
		return nil, err
	}
	stream, err := NewStream(rows, s.scales())
	if err != nil {
		return nil, err
	}
	r, err := Learn(ctx, stream.block(sample), o)
	if err != nil || len(sample) == s.rows {
		return r, err
	}
	return r.overAll(ctx, stream, s.rows, o)
}

// surveyed reads rows once: what they are, and a uniform sample of at most n of them, in their order.
func surveyed(ctx context.Context, rows Rows, n int, seed uint64) (*survey, [][]float64, error) {
	s := newSurvey(rows.Size())
	sample := draw.NewSample[[]float64](n, rand.New(rand.NewPCG(seed, sampleStream)))
	for block, err := range rows.Blocks(ctx) {
		if err != nil {
			return nil, nil, err
		}
		for _, row := range block {
			if err := s.add(row); err != nil {
				return nil, nil, err
			}
			sample.Add(func() []float64 { return slices.Clone(row) })
		}
	}
	return s, sample.Items(), ctx.Err()
}

// overAll lets all rows of a stream shape the parts that were learned from a sample.
func (r *Result) overAll(ctx context.Context, stream *Stream, n int, o Options) (*Result, error) {
	l := &learner{ctx: ctx, stream: stream, o: o, lambda: price(n, stream.height*stream.width, o.Predict)}
	l.data = stream.block(nil) // its size and scales
	s, err := l.explain(r.Model)
	if err != nil {
		return r.stopped(l, err)
	}
	l.columns = columns(s.e.tally.All, stream.scales, r.Model.Moves())
	after, err := l.settle(s, l.terms())
	if err != nil {
		return r.stopped(l, err)
	}
	if after.length < s.length {
		s = after
	}
	out := &Result{Model: s.m, LogLik: s.e.tally.LogLik(), DescriptionLength: s.length, Starts: r.Starts}
	out.record(Record{Rows: n, Sample: r.Model.Record.Rows, Seed: o.Seed}, &o)
	return out, nil
}

// stopped returns an error, and beside it the result of the sample if the context has ended.
func (r *Result) stopped(l *learner, err error) (*Result, error) {
	if l.ctx.Err() == nil {
		return nil, err
	}
	return r, err
}

// say reports a step over all rows.
func (l *learner) say(s *state) {
	if l.o.Progress != nil && l.stream != nil {
		l.o.Progress(Progress{Stage: "all", Starts: 1, Experts: s.m.K(), DescriptionLength: s.length})
	}
}
