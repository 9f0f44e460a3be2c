package main

import (
	"fmt"
	"io"
	"path/filepath"

	"example.com/patchwork/render"
)

// scenario is a job for a cluster. Its costs are those that measure printed on
// the machine of the README.
type scenario struct {
	name, file string
	rows       float64
	cost       Costs
}

// stagedPipeline is the overhead, in seconds, of a pipeline of Beam whose workers Prism
// starts from the staged program (see the README).
const stagedPipeline = 1.0

var scenarios = []scenario{
	{"1e9 rows of 64 columns, 8 experts", "scale-narrow", 1e9,
		Costs{Row: .56e-6, Shard: .8e-3, Merge: .12e-3, MStep: .2e-3, Pipeline: stagedPipeline, TallyBytes: 6.1e3, ModelBytes: 4.7e3}},
	{"1e8 rows of 784 columns, 64 experts", "scale-wide", 1e8,
		Costs{Row: 54e-6, Shard: 1.5e-3, Merge: 1.1e-3, MStep: 3.6e-3, Pipeline: stagedPipeline, TallyBytes: 1.15e5, ModelBytes: 4.02e5}},
}

// sizes are the numbers of workers.
var sizes = []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

// setting is a cluster with its failures and remedies; the simulation sets its numbers of
// workers and shards.
type setting struct {
	name    string
	cluster Cluster
	shards  int     // per worker
	rows    float64 // times those of the scenario
}

// The failures: one attempt in 316 takes ten times as long (Pareto, 2.5), at most 20 times;
// a worker lives four hours, as cheap ones do, and its failure is noticed after half a
// minute.
var (
	equal   = Cluster{Bandwidth: 1.25e8, Seed: 1} // a gigabit per second
	failing = Cluster{Bandwidth: 1.25e8, Seed: 1, Tail: 2.5, Life: 4 * 3600, Detect: 30, Restart: 120}
	backup  = Cluster{Bandwidth: 1.25e8, Seed: 1, Tail: 2.5, Life: 4 * 3600, Detect: 30, Restart: 120, Backup: true}
	tree    = Cluster{Bandwidth: 1.25e8, Seed: 1, Tail: 2.5, Life: 4 * 3600, Detect: 30, Restart: 120, Backup: true, FanIn: 8}
	unroll  = Cluster{Bandwidth: 1.25e8, Seed: 1, Tail: 2.5, Life: 4 * 3600, Detect: 30, Restart: 120, Backup: true, FanIn: 8, Unroll: 8}
)

var settings = []setting{
	{"equal workers", equal, 4, 1},
	{"some slow, some fail", failing, 4, 1},
	{"... backup attempts", backup, 4, 1},
	{"... 32 shards per worker", backup, 32, 1},
	{"... a tree of 8", tree, 32, 1},
	{"... 8 iterations per pipeline", unroll, 32, 1},
	{"... ten times the rows", unroll, 32, 10},
}

// average returns the mean of several seeds of a setting with the given number of workers.
func average(s scenario, t setting, workers int) (Run, error) {
	const seeds = 5
	var sum Run
	for seed := range uint64(seeds) {
		c := t.cluster
		c.Workers, c.Shards, c.Seed = workers, t.shards*workers, seed
		r, err := Simulate(s.rows*t.rows, s.cost, c)
		if err != nil {
			return Run{}, err
		}
		sum.Seconds += r.Seconds / seeds
		sum.Explain += r.Explain / seeds
		sum.Combine += r.Combine / seeds
		sum.Attempts += r.Attempts
		sum.Failures += r.Failures
	}
	return sum, nil
}

// report prints how long iterations take and how efficient the workers are, and plots the
// latter.
func report(w io.Writer, folder string) error {
	for _, s := range scenarios {
		alone := s.rows * s.cost.Row
		chart := render.Chart{Title: s.name, XLabel: "workers", YLabel: "efficiency", LogX: true, Width: 860, Height: 420}
		fmt.Fprintf(w, "%s (%.0f s of one core)\n\n| workers |", s.name, alone)
		for _, t := range settings {
			fmt.Fprintf(w, " %s |", t.name)
		}
		fmt.Fprintf(w, "\n|%s\n", "---|---|---|---|---|---|---|---|")
		series := make([]render.Series, len(settings))
		for _, n := range sizes {
			fmt.Fprintf(w, "| %d |", n)
			for i, t := range settings {
				r, err := average(s, t, n)
				if err != nil {
					return err
				}
				efficiency := alone * t.rows / (r.Seconds * float64(n))
				series[i].Name = t.name
				series[i].X, series[i].Y = append(series[i].X, float64(n)), append(series[i].Y, efficiency)
				fmt.Fprintf(w, " %.3g s, %.0f %% |", r.Seconds, 100*efficiency)
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w)
		chart.Series = series
		for _, n := range sizes {
			chart.XTicks = append(chart.XTicks, float64(n))
		}
		if folder == "" {
			continue
		}
		if err := render.Save(filepath.Join(folder, s.file+".png"), chart); err != nil {
			return err
		}
	}
	return nil
}
