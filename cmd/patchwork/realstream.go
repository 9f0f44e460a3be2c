package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile/tallyfile"
	"example.com/patchwork/workbench"
)

// realSource is the data of a command: in memory, or if they are too large, files that are read again in every pass.
type realSource struct {
	*dataset.Frame                 // of a stream all but the rows
	stream         *dataset.Stream // nil if the rows are in memory
	bar            *progress
}

// openReal reads and selects data as real values, for a model unless that is nil, into memory if --memory allows it.
func (f *dataFlags) openReal(cmd *cobra.Command, paths []string, m *real.Model) (*realSource, error) {
	v, opt, err := f.readReal(cmd, paths, m)
	if err == nil && m == nil {
		sayNotes(cmd, v.Notes...)
	}
	if !errors.Is(err, dataset.ErrMemory) {
		return &realSource{Frame: v}, err
	}
	opt.MaxMemory = int64(f.memory)
	s, err := dataset.OpenStream(cmd.Context(), paths, opt)
	if err != nil {
		return nil, &inputError{err}
	}
	if m == nil {
		sayNotes(cmd, s.Head().Notes...)
	} else if s, err = s.Match(m.Columns, m.Height, m.Width); err != nil {
		return nil, &inputError{err}
	}
	s = s.Cut(f.skip, f.most())
	return &realSource{Frame: s.Head(), stream: s}, nil
}

// Blocks reads the rows once, and shows how far.
func (s *realSource) Blocks(ctx context.Context) iter.Seq2[[][]float64, error] {
	return func(yield func([][]float64, error) bool) {
		if s.stream == nil {
			yield(s.Values, nil)
			return
		}
		s.bar.again(0, "pass")
		for part, err := range s.stream.Sets(ctx) {
			if err != nil && ctx.Err() == nil {
				err = &inputError{err}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(part.Values, nil) {
				return
			}
			s.bar.add(part.Len())
		}
	}
}

// identity returns what the rows in memory are; "" for a stream.
func (s *realSource) identity() string {
	if s.stream != nil {
		return ""
	}
	id := tallyfile.NewIdentity()
	id.AddValues(s.Height, s.Width, s.Values)
	return id.String()
}

// fittingReal returns how many rows of a stream are learned from at first: as many as was asked for, or as take a
// quarter
// of the memory.
func (f *learnFlags) fittingReal(s *realSource) int {
	return max(1, min(20000, int(f.data.memory)/4/(16*s.Height*s.Width+64)))
}

// learnRealFrom learns from data of any size.
func (a *app) learnRealFrom(cmd *cobra.Command, f *learnFlags, s *realSource, data *real.Data,
	o *real.Options) (*real.Result, error) {
	if s.stream == nil {
		return real.Learn(cmd.Context(), data, *o)
	}
	o.Sample = f.fittingReal(s)
	a.note("%s needs more than --memory %v; learning from a uniform sample of %d rows, then from all, one pass per step",
		s.Source, &f.data.memory, o.Sample)
	return real.LearnStream(cmd.Context(), s, *o)
}

// realCounted says how rows of real values are explained and counted.
func realCounted(m *real.Model) string { return fmt.Sprintf("real, %d explanations", realBest(m)) }

// realBest returns for how many explanations a row counts: as in the last steps of learning.
func realBest(m *real.Model) int {
	if isTableModel(m) && !m.Moves() {
		return 8
	}
	return 1
}

// countReal explains rows of real values and counts them.
func (a *app) countReal(cmd *cobra.Command, f *countFlags, m *real.Model, paths []string) (*tallyfile.Part,
	*counted, error) {
	if m.Scales == nil {
		return nil, nil, &inputError{fmt.Errorf(
			"%s: the model does not say on what grid values are counted (step, origin, floor); learn it with patchwork",
			f.model)}
	}
	s, err := f.data.openReal(cmd, paths, m)
	if err != nil {
		return nil, nil, err
	}
	hash, err := tallyfile.HashReal(m)
	if err != nil {
		return nil, nil, err
	}
	if s.stream != nil {
		s.bar = a.progress("row", 0)
		defer s.bar.stop()
	}
	of := &counted{tallyfile.NewIdentity(), s.Source, s.Table, "by the best explanations"}
	stream, err := real.NewStream(&watched{s, of.id}, m.Scales)
	if err != nil {
		return nil, nil, &inputError{err}
	}
	part := &tallyfile.Part{Model: hash, Options: realCounted(m)}
	part.Real, err = real.EStep(cmd.Context(), m, stream, realBest(m), f.workers)
	var input *inputError
	if err != nil && cmd.Context().Err() == nil && !errors.As(err, &input) {
		err = &inputError{err}
	}
	return part, of, err
}

// watched are rows that are identified while they are read.
type watched struct {
	*realSource
	id *tallyfile.Identity
}

// Blocks reads the rows once.
func (w *watched) Blocks(ctx context.Context) iter.Seq2[[][]float64, error] {
	return func(yield func([][]float64, error) bool) {
		for rows, err := range w.realSource.Blocks(ctx) {
			w.id.AddValues(w.Height, w.Width, rows)
			if !yield(rows, err) {
				return
			}
		}
	}
}

// beginReal is begin for a model of real values.
func beginReal(m *real.Model) (*tallyfile.Part, func() (workbench.Model, error), error) {
	hash, err := tallyfile.HashReal(m)
	sum := &tallyfile.Part{Model: hash, Options: realCounted(m), Real: real.NewTally(m)}
	return sum, func() (workbench.Model, error) {
		next, err := sum.Real.MStep(m)
		if err != nil {
			return nil, &inputError{err}
		}
		return workbench.Numbers{Model: next}, nil
	}, err
}
