package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/cmd/engine"
	"example.com/patchwork/dataset"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
)

// BenchmarkStep measures an E-step over a million rows of 64 columns in a file, by
// goroutines and by Beam in this process, with several numbers of shards: how many
// times as long Beam takes.
//
//	go test -run '^$' -bench Step -benchtime 7x ./cmd/patchwork-beam
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
	opt := learn.Options{Experts: 8, Starts: 1, Workers: 2}
	cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, 1, width, pose.Grid{})
	m, err := learn.Learn(b.Context(), set.Take(2000).Data, cfg, opt)
	if err != nil {
		b.Fatal(err)
	}
	step, err := engine.NewStep(m, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		b.Fatal(err)
	}
	job := &engine.Job{Paths: []string{path}, Rows: n, Learn: opt}
	var want []byte
	goroutines := func() {
		data, err := job.Open(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		explainer, err := step.Explainer()
		if err != nil {
			b.Fatal(err)
		}
		part, err := explainer.Count(b.Context(), job, data, job.Shards(1)[0])
		if err != nil {
			b.Fatal(err)
		}
		want, _ = part.Tally.MarshalBinary()
	}
	byBeam := func(shards int) {
		part, err := newDriver(inProcess(b, shards, 1), job).tally(b.Context(), step)
		if err != nil {
			b.Fatal(err)
		}
		if got, _ := part.Tally.MarshalBinary(); !bytes.Equal(got, want) {
			b.Fatal("other counts")
		}
	}
	goroutines() // the file is in the system's cache from now on
	// All in turn in every round: the speed of a shared machine changes within
	// minutes, the ratios within a round change less.
	shards := []int{1, 4, 17, 64}
	ratios, seconds := make([][]float64, len(shards)), []float64{}
	for b.Loop() {
		alone := timed(goroutines)
		seconds = append(seconds, alone)
		for i, n := range shards {
			ratios[i] = append(ratios[i], timed(func() { byBeam(n) })/alone)
		}
	}
	b.ReportMetric(median(seconds), "s/goroutines")
	for i, n := range shards {
		b.ReportMetric(median(ratios[i]), fmt.Sprintf("x/beam-%d", n))
	}
}

// timed returns how many seconds a call takes.
func timed(call func()) float64 {
	began := time.Now()
	call()
	return time.Since(began).Seconds()
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
