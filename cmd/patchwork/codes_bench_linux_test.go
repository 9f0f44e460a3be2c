package main

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// tableTask returns a model of ten parts among a hundred columns, and rows that were
// drawn from it, a fifth of the parts in each.
func tableTask(b *testing.B, rows, workers int) *task {
	b.Helper()
	const columns, parts = 100, 10
	r := rand.New(rand.NewPCG(1, 2))
	experts, usage := make([][]float64, parts), make([]float64, parts)
	for k := range experts {
		experts[k] = make([]float64, columns)
		for j := range experts[k] {
			experts[k][j] = 0.03
		}
		for _, j := range r.Perm(columns)[:12] {
			experts[k][j] = 0.9
		}
		usage[k] = 0.2
	}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: columns, Q: 0.03}, experts)
	if err != nil {
		b.Fatal(err)
	}
	set := &dataset.Set{Table: true, Source: "drawn"}
	p := make([]float64, columns)
	for range rows {
		for j := range p {
			p[j] = 0.03
		}
		for k := range experts {
			if r.Float64() < usage[k] {
				for j, v := range experts[k] {
					p[j] = max(p[j], v)
				}
			}
		}
		set.Images = append(set.Images, bitmap.Sample(r, 1, columns, p))
	}
	return &task{source: source{set: set}, model: m, workers: workers}
}

// BenchmarkExplainTo measures the E-step over a million rows of a hundred columns, and
// explaining them into a file of each format. On a machine with other work compare the
// processor time: it is that of all threads.
func BenchmarkExplainTo(b *testing.B) {
	t := tableTask(b, 1_000_000, 2)
	a := &app{quiet: true}
	b.Run("E-step", func(b *testing.B) {
		began := processorTime()
		for b.Loop() {
			if _, err := patchwork.EStep(context.Background(), t.model, t.set, t.opt, t.workers, nil); err != nil {
				b.Fatal(err)
			}
		}
		reportTime(b, began)
	})
	for _, format := range []string{".npz", ".parquet", ".csv", ".arrow", ".jsonl"} {
		b.Run(format, func(b *testing.B) {
			out := &explainOutput{best: bestFlags{best: 1}, path: filepath.Join(b.TempDir(), "codes"+format), format: format, gains: true}
			began := processorTime()
			for b.Loop() {
				if err := a.explain(context.Background(), t, out, &gallery{}); err != nil {
					b.Fatal(err)
				}
			}
			reportTime(b, began)
		})
	}
}

// processorTime returns the processor time of this process so far.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err) // it exists on Linux
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// reportTime reports the processor time of an operation since it began.
func reportTime(b *testing.B, began time.Duration) {
	b.ReportMetric(float64((processorTime()-began).Milliseconds())/float64(b.N), "processor-ms/op")
}
