package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile/tallyfile"
	"example.com/patchwork/workbench"
)

// numberFeed are numbers that learning and counting read, once or in each pass.
type numberFeed struct {
	*source
	bar  *progress
	seen func([][]float64) // of each block, unless nil
}

// Size returns the size of images; rows of a table have the height 1.
func (s *numberFeed) Size() (height, width int) { return s.head().Size() }

// Blocks reads the rows once, and shows how far.
func (s *numberFeed) Blocks(ctx context.Context) iter.Seq2[[][]float64, error] {
	return func(yield func([][]float64, error) bool) {
		if s.stream != nil {
			s.bar.again(0, "pass")
		}
		for part, err := range s.frames(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if s.seen != nil {
				s.seen(part.Values)
			}
			if !yield(part.Values, nil) {
				return
			}
			s.bar.add(part.Len())
		}
	}
}

// fittingReal returns how many rows of a stream are learned from at first: as many as was asked for, or as take a
// quarter
// of the memory.
func (f *learnFlags) fittingReal(s *source) int {
	h, w := s.head().Size()
	return max(1, min(20000, int(f.data.memory)/4/(16*h*w+64)))
}

// learnRealFrom learns from data of any size.
func (a *app) learnRealFrom(cmd *cobra.Command, f *learnFlags, s *source, data *real.Data,
	o *real.Options) (*real.Result, error) {
	if s.stream == nil {
		return real.Learn(cmd.Context(), data, *o)
	}
	o.Sample = f.fittingReal(s)
	a.note("%s needs more than --memory %v; learning from a uniform sample of %d rows, then from all, one pass per step",
		s.head().Source, &f.data.memory, o.Sample)
	return real.LearnStream(cmd.Context(), &numberFeed{source: s}, *o)
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
	f.data.model = workbench.Numbers{Model: m}
	s, err := f.data.open(cmd, paths)
	if err != nil {
		return nil, nil, err
	}
	hash, err := tallyfile.HashReal(m)
	if err != nil {
		return nil, nil, err
	}
	bar := a.progress("row", 0)
	defer bar.stop()
	of := &counted{tallyfile.NewIdentity(), s.head().Source, s.head().Table, "by the best explanations"}
	see := func(rows [][]float64) { of.id.AddValues(m.Height, m.Width, rows) }
	stream, err := real.NewStream(&numberFeed{s, bar, see}, m.Scales)
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
