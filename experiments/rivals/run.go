package rivals

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/pose"
)

func (o Options) withDefaults() (Options, error) {
	pick := func(v *int, full, quick int) {
		if *v == 0 {
			if *v = full; o.Quick {
				*v = quick
			}
		}
	}
	pick(&o.Sets, 20, 2)
	pick(&o.Test, 1000, 300)
	pick(&o.TuneSets, 6, 1)
	o.Workers = max(o.Workers, 1)
	if o.Sizes == nil {
		if o.Sizes = []int{20, 50, 100, 200, 500, 1000}; o.Quick {
			o.Sizes = []int{20, 100}
		}
	}
	if o.Models == nil {
		o.Models = Names
	}
	for _, name := range o.Models {
		if !slices.Contains(Names, name) {
			return o, fmt.Errorf("rivals: no model %q; there are %q", name, Names)
		}
	}
	if len(o.Sizes) == 0 || slices.Min(o.Sizes) < 1 || o.Sets < 0 || o.Test < 0 || o.TuneSets < 0 {
		return o, fmt.Errorf("rivals: sizes %v, %d sets, %d test images, %d sets to tune on; give at least 1 of each",
			o.Sizes, o.Sets, o.Test, o.TuneSets)
	}
	return o, nil
}

// Seeds of different purposes do not overlap; those of the sets equal the ones
// of experiments/quadrants.
const (
	testSeed = 1 << 32
	tuneSeed = 2 << 32 // of the training images; the test images use this plus testSeed
)

// bench holds a set to learn from and one to test on.
type bench struct {
	seed        uint64
	train, test set // train is for the largest size; smaller sizes take the first images
	truth       Measure
}

// prepare draws a set and measures the true experts on its test images.
func (o Options) prepare(seed uint64) (bench, error) {
	b := bench{seed: seed}
	var err error
	if b.train, err = draw(slices.Max(o.Sizes), seed); err != nil {
		return b, err
	}
	if b.test, err = draw(o.Test, seed+testSeed); err != nil {
		return b, err
	}
	side := b.test.Truth.Side
	cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, side, side, pose.Grid{})
	m, err := patchwork.NewModel(cfg, b.test.Truth.Experts)
	if err != nil {
		return b, err
	}
	f, err := explained(m, b.test)
	if err != nil {
		return b, err
	}
	b.truth = f.measure(b.test, 0)
	b.truth.Excess = 0
	return b, nil
}

// fitSet learns from the first n images of the set.
func (r *rival) fitSet(ctx context.Context, b *bench, n int, s setting) (*fitted, error) {
	return r.fit(ctx, job{images: b.train.Images[:n], rows: b.train.rows[:n], test: b.test, side: b.train.Truth.Side,
		seed: b.seed, setting: s})
}

// run is a comparison under way.
type run struct {
	Options
	models     []rival
	sets, tune []bench
}

// Run measures the models on every size and set. Settings are chosen for each
// model and size by the mean cross-entropy on TuneSets further sets, with their
// own test images. This is impossible with the training images alone and
// favours the rivals. The results, except for Took, depend only on the options.
// It takes some minutes, or with Quick some seconds. The error is an option's
// or the context's.
func Run(ctx context.Context, o Options) (Results, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Results{}, err
	}
	r := &run{Options: o, sets: make([]bench, o.Sets), tune: make([]bench, o.TuneSets)}
	for _, m := range all {
		if slices.Contains(o.Models, m.name) {
			r.models = append(r.models, m)
		}
	}
	_, err = pool.Run(ctx, o.Sets+o.TuneSets, o.Workers, 1, func(_, i int) (err error) {
		if i < o.Sets {
			r.sets[i], err = o.prepare(o.Seed*1_000_003 + uint64(i))
		} else {
			r.tune[i-o.Sets], err = o.prepare(o.Seed*1_000_003 + tuneSeed + uint64(i-o.Sets))
		}
		return err
	})
	if err != nil {
		return Results{}, err
	}
	trials := r.trials()
	chosen, err := r.choose(ctx, trials)
	if err != nil {
		return Results{}, err
	}
	return r.measure(ctx, chosen)
}

// trial is a setting of a model at a size, to be tuned.
type trial struct {
	model, size int
	setting
}

// trials returns all settings to choose from.
func (r *run) trials() []trial {
	var out []trial
	for m := range r.models {
		if r.models[m].settings == nil {
			continue
		}
		for size := range r.Sizes {
			for _, s := range r.models[m].settings(r.Quick) {
				out = append(out, trial{m, size, s})
			}
		}
	}
	return out
}

// choose returns the best setting by model and size.
func (r *run) choose(ctx context.Context, trials []trial) ([][]setting, error) {
	costs := matrix(len(trials), len(r.tune))
	_, err := pool.Run(ctx, len(trials)*len(r.tune), r.Workers, 1, func(_, i int) error {
		t, set := trials[i/len(r.tune)], i%len(r.tune)
		b := &r.tune[set]
		f, err := r.models[t.model].fitSet(ctx, b, r.Sizes[t.size], t.setting)
		if err != nil {
			return err
		}
		m := f.measure(b.test, b.truth.CrossEntropy)
		if costs[i/len(r.tune)][set] = m.CrossEntropy; r.TuneRounded {
			costs[i/len(r.tune)][set] = m.RoundedCrossEntropy
		}
		return nil
	})
	best := make([][]float64, len(r.models))
	chosen := make([][]setting, len(r.models))
	for m := range chosen {
		chosen[m], best[m] = make([]setting, len(r.Sizes)), slices.Repeat([]float64{math.Inf(1)}, len(r.Sizes))
	}
	for i, t := range trials {
		sum := 0.0
		for _, c := range costs[i] {
			sum += c
		}
		if sum < best[t.model][t.size] {
			best[t.model][t.size], chosen[t.model][t.size] = sum, t.setting
		}
	}
	return chosen, err
}

// outcome is the result of one fit of the comparison.
type outcome struct {
	Measure
	took     time.Duration
	model    *fitted   // of the first set of the size shown
	nonzeros []float64 // of the dictionary, at the size shown
}

// measure fits every model at every size on every set.
func (r *run) measure(ctx context.Context, chosen [][]setting) (Results, error) {
	shown, out := r.shown(), make([]outcome, len(r.models)*len(r.Sizes)*r.Sets)
	_, err := pool.Run(ctx, len(out), r.Workers, 1, func(_, i int) error {
		m, size, set := i/(len(r.Sizes)*r.Sets), i/r.Sets%len(r.Sizes), i%r.Sets
		b, began := &r.sets[set], time.Now()
		f, err := r.models[m].fitSet(ctx, b, r.Sizes[size], chosen[m][size])
		if err != nil {
			return err
		}
		out[i].took = time.Since(began)
		out[i].Measure = f.measure(b.test, b.truth.CrossEntropy)
		if size == shown {
			out[i].nonzeros = f.errors
			if set == 0 {
				out[i].model = f
			}
		}
		return nil
	})
	if err != nil {
		return Results{}, err
	}
	return r.results(out, chosen)
}

// shown returns the index of the size nearest to 100.
func (r *run) shown() int { return Nearest(r.Sizes) }

// Nearest returns the index of the size nearest to 100.
func Nearest(sizes []int) int {
	off := func(n int) int { return max(n-100, 100-n) }
	return slices.Index(sizes, slices.MinFunc(sizes, func(a, b int) int { return cmp.Compare(off(a), off(b)) }))
}
