package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/learn/real"
)

// realTask is a model of real values and data for it.
type realTask struct {
	m       *real.Model
	v       *dataset.Set
	workers int
}

// realTask reads data for a model of real values.
func (a *app) realTask(cmd *cobra.Command, m *real.Model, f *dataFlags, workers int, paths []string) (*realTask,
	error) {
	v, _, err := f.readReal(cmd, paths, m)
	if err != nil {
		return nil, err
	}
	return &realTask{m, v, workers}, nil
}

// each calls do for each row, with a pursuit of its worker.
func (t *realTask) each(ctx context.Context, do func(p *real.Pursuit, i int) error) error {
	first, err := real.NewPursuit(t.m)
	if err != nil {
		return err
	}
	workers := pool.Size(t.v.Len(), max(t.workers, 1), pool.Chunk)
	pursuits := []*real.Pursuit{first}
	for len(pursuits) < workers {
		pursuits = append(pursuits, first.Fork())
	}
	at, err := pool.Run(ctx, t.v.Len(), workers, pool.Chunk, func(w, i int) error { return do(pursuits[w], i) })
	if err != nil && ctx.Err() == nil {
		return &inputError{fmt.Errorf("row %d: %w", t.v.Index[at]+1, err)}
	}
	return err
}
