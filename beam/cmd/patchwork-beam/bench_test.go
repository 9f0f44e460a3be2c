package main

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/engine"
)

// BenchmarkStep is an E-step over a million rows of 64 columns in a file: by
// goroutines, and by Beam in this process.
//
//	go test -run '^$' -bench Step -benchtime 3x ./cmd/patchwork-beam
func BenchmarkStep(b *testing.B) {
	const n, width = 1_000_000, 64
	b.Setenv("TMPDIR", b.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	table := make([][]byte, n)
	for i := range table {
		table[i] = make([]byte, width)
		on := rng.Uint64() & rng.Uint64() & 0xff
		for j := range table[i] {
			table[i][j] = byte(on>>(j/8)) & 1
			if rng.IntN(12) == 0 {
				table[i][j] ^= 1
			}
		}
	}
	path := filepath.Join(b.TempDir(), "rows.npy")
	writeNPY(b, path, table)
	set, err := dataset.Read([]string{path}, dataset.Options{})
	if err != nil {
		b.Fatal(err)
	}
	learn := patchwork.LearnOptions{Experts: 8, Starts: 1, Workers: 2}
	cfg := patchwork.DefaultConfig(patchwork.ModeDefault, patchwork.MaxMinusMin, 1, width, patchwork.Config{}.Poses)
	m, err := patchwork.Learn(b.Context(), patchwork.Data{Images: set.Images[:2000]}, cfg, learn)
	if err != nil {
		b.Fatal(err)
	}
	step, err := engine.NewStep(m, patchwork.PursuitOptions{})
	if err != nil {
		b.Fatal(err)
	}
	job := &engine.Job{Paths: []string{path}, Rows: n, Learn: learn}
	var want []byte
	b.Run("goroutines", func(b *testing.B) {
		data, err := job.Open(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			part, err := step.Count(b.Context(), job, data, job.Shards(1)[0])
			if err != nil {
				b.Fatal(err)
			}
			want, _ = part.Tally.MarshalBinary()
		}
	})
	for _, c := range []struct {
		name   string
		shards int
	}{{"beam-1", 1}, {"beam-4", 4}, {"beam-17", 17}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				part, err := newDriver(inProcess(b, c.shards, 1), job).tally(b.Context(), step)
				if err != nil {
					b.Fatal(err)
				}
				if got, _ := part.Tally.MarshalBinary(); !bytes.Equal(got, want) {
					b.Fatal("other counts")
				}
			}
		})
	}
}
