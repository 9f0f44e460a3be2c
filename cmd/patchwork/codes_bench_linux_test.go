package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
)

// tableTask returns a model of ten parts among a hundred columns, and rows that were
// drawn from it, a fifth of the parts in each. Its votes are all equal, as in planted
// data, or all different, as a learned model's.
func tableTask(b *testing.B, rows, workers int, equal bool) *job {
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
			if experts[k][j] = 0.9; !equal {
				experts[k][j] = 0.8 + 0.2*r.Float64()
			}
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
	return &job{source: source{set: set}, model: workbench.Bits{Model: m}, workers: workers}
}

// BenchmarkExplainTo measures explaining a million rows of a hundred columns into a file
// of each format, and before each time the E-step alone. It reports both in milliseconds
// and the median of their ratios: by the clock, which counts on an idle machine only, and
// in processor time, that of all threads together.
func BenchmarkExplainTo(b *testing.B) {
	for _, votes := range []string{"votes differ", "votes are equal"} {
		j := tableTask(b, 1_000_000, 2, votes == "votes are equal")
		for _, format := range []string{".npz", ".parquet", ".csv", ".jsonl"} {
			b.Run(votes+"/"+format, func(b *testing.B) { explainTo(b, j, format) })
		}
	}
}

func explainTo(b *testing.B, j *job, format string) {
	a := &app{quiet: true}
	out := &explainFlags{best: 1, path: filepath.Join(b.TempDir(), "codes"+format), format: format}
	var bare, whole, ratio [2][]float64
	for b.Loop() {
		e := spent(func() error {
			_, err := patchwork.EStep(context.Background(), j.model.(workbench.Bits).Model, j.set, patchwork.PursuitOptions{},
				j.workers,
				nil)
			return err
		}, b)
		os.Remove(out.path) // to free the blocks of a file that is replaced takes the system 50 ms
		x := spent(func() error { _, err := a.explainJob(context.Background(), j, out, nil); return err }, b)
		for k := range e {
			bare[k], whole[k], ratio[k] = append(bare[k], e[k]), append(whole[k], x[k]), append(ratio[k], x[k]/e[k])
		}
	}
	for k, name := range []string{"clock", "processor"} {
		b.ReportMetric(median(bare[k]), name+"-E-step-ms")
		b.ReportMetric(median(whole[k]), name+"-ms")
		b.ReportMetric(median(ratio[k]), name+"-ratio")
	}
	b.ReportMetric(0, "ns/op") // of both together
}

// spent returns how many milliseconds f took, by the clock and of the processor.
func spent(f func() error, b *testing.B) [2]float64 {
	clock, processor := time.Now(), processorTime()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return [2]float64{1e3 * time.Since(clock).Seconds(), 1e3 * (processorTime() - processor).Seconds()}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// processorTime returns the processor time of this process so far.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err) // it exists on Linux
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
