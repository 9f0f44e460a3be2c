// Package letters measures section 5.2 on real handwriting: strokes learned
// from few letters of one class, judged on letters of other writers.
package letters

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/pose"
)

// Poses is the grid searched for letters of 56x56 pixels: shifts of up to 14
// pixels and rotations of up to 24 degrees in steps of 6, 7,569 poses per
// expert.
var Poses = pose.Grid{DY: pose.Symmetric(14, 1), DX: pose.Symmetric(14, 1), Angles: pose.Evenly(24, 6)}

// Task is one letter with its number of experts, and the writers to learn from
// and to test on.
type Task struct {
	Letter      string
	Experts     int
	LastTrainer int // train on writers 1..LastTrainer, test on 26..50
}

// Tasks lists those of the ledger.
var Tasks = []Task{{"T", 2, 10}, {"L", 2, 20}, {"H", 3, 20}, {"E", 4, 20}, {"A", 3, 20}, {"F", 3, 20}, {"N", 3, 20},
	{"Y", 3, 20}, {"K", 3, 20}}

// Data returns the letters to learn from and those to test.
func (t Task) Data(set *dataset.Set) (train, test patchwork.Data, err error) {
	if train, err = Choose(set, t.Letter, 1, t.LastTrainer); err != nil {
		return train, test, err
	}
	test, err = Choose(set, t.Letter, 26, 50)
	return train, test, err
}

// Config returns the configuration of parts of the letters of a set.
func Config(set *dataset.Set) patchwork.Config {
	h, w := set.Size()
	return patchwork.NewConfig(patchwork.RuleMax, h, w, Poses)
}

// Options of the reports.
type Options struct {
	Seed    uint64
	Starts  int // 0 means the default: 2 orders and 6 splits
	Workers int
}

// Result is the result of one letter, in nats per pixel of the test images.
type Result struct {
	Task
	Truncated float64 // the strokes, explained by greedy truncated pursuit
	Hybrid    float64 // the strokes, explained by the hybrid pursuit
	Mean      float64 // one template (mean) with shift and rotation
	Train     float64 // the strokes, on the training images
	Picks     float64 // experts per test image, by the hybrid
	Pure      int     // experts that are one straight stroke
	Natural   bool    // whether the experts are the letter's strokes
}

// Run learns and tests one letter.
func Run(ctx context.Context, set *dataset.Set, task Task, o Options) (Result, error) {
	train, test, err := task.Data(set)
	if err != nil {
		return Result{}, err
	}
	r := Result{Task: task}
	cfg := Config(set)
	m, err := learn.Learn(ctx, train, cfg, learn.Options{Experts: task.Experts, Seed: o.Seed, Starts: o.Starts,
		Workers: o.Workers})
	if err != nil {
		return Result{}, err
	}
	r.Pure = stat.Count(strokesOf(m), Stroke.Pure)
	r.Natural = natural(m, task.Letter)
	r.Train = m.Extras().Record.LogLik / pixels(train)
	if r.Truncated, _, err = HeldOut(ctx, m, test, patchwork.PursuitOptions{Paper: true}, o.Workers); err != nil {
		return Result{}, err
	}
	if r.Hybrid, r.Picks, err = HeldOut(ctx, m, test, patchwork.PursuitOptions{Refined: true}, o.Workers); err != nil {
		return Result{}, err
	}
	r.Mean, err = Mean(ctx, cfg, train, test, o)
	return r, err
}

// Mean measures a simple rival: one template, the mean of the training images
// under the best shift and rotation of each.
func Mean(ctx context.Context, cfg patchwork.Config, train, test patchwork.Data, o Options) (float64, error) {
	cfg.Truncate = false
	m, err := learn.Learn(ctx, train, cfg, learn.Options{Experts: 1, Method: learn.MethodBoth, Seed: o.Seed,
		Starts: o.Starts, Workers: o.Workers})
	if err != nil {
		return 0, err
	}
	ll, _, err := HeldOut(ctx, m, test, patchwork.PursuitOptions{Paper: true, Forced: true}, o.Workers)
	return ll, err
}

// HeldOut returns the log-likelihood per pixel of the test images, and the
// picks per image.
func HeldOut(ctx context.Context, m *patchwork.Model, test patchwork.Data, opt patchwork.PursuitOptions,
	workers int) (logLik, picks float64, err error) {
	t, err := patchwork.EStep(ctx, m, test, opt, workers, nil)
	if err != nil {
		return 0, 0, err
	}
	return t.LogLik() / pixels(test), float64(t.Picks()) / float64(t.Rows()), nil
}

// pixels counts the pixels of all images, weights counted.
func pixels(d patchwork.Data) float64 {
	return float64(rows.Total(d) * int64(d.Images[0].Len()))
}

// Choose selects the images of a letter by the writers first..last.
func Choose(set *dataset.Set, letter string, first, last int) (patchwork.Data, error) {
	chosen, err := byWriters(set, []string{letter}, first, last)
	if err != nil {
		return patchwork.Data{}, err
	}
	return chosen.Data, nil
}

// byWriters returns some letters by the writers first..last.
func byWriters(set *dataset.Set, letters []string, first, last int) (*dataset.Set, error) {
	return set.Where(dataset.Condition{Name: "y", Op: "=", Values: letters},
		dataset.Condition{Name: "writer", Op: ">=", Values: []string{fmt.Sprint(first)}},
		dataset.Condition{Name: "writer", Op: "<=", Values: []string{fmt.Sprint(last)}})
}

// Report runs every task and writes the table.
func Report(ctx context.Context, w io.Writer, set *dataset.Set, o Options) error {
	t := stat.NewTable(w, "letter (K)", "hybrid", "truncated", "mean + shift + rotation", "train",
		"picks", "pure", "natural")
	for _, task := range Tasks {
		r, err := Run(ctx, set, task, o)
		if err != nil {
			return err
		}
		t.Row("%s (%d) | %.4f | %.4f | %.4f | %.4f | %.1f | %d of %d | %t", r.Letter, r.Experts, r.Hybrid, r.Truncated,
			r.Mean, r.Train, r.Picks, r.Pure, r.Experts, r.Natural)
	}
	return nil
}

// Bars is the result of learning the letter T from ten examples.
type Bars struct {
	Set    int
	Starts []bool // by start: whether the experts are an upright and a level bar
	Chosen int    // the start that Learn would choose
	Model  *patchwork.Model
}

// RunBars learns T as two experts from ten of the images, chosen at random.
func RunBars(ctx context.Context, images []*bitmap.Image, set int, o Options) (Bars, error) {
	const examples = 10
	if len(images) < examples {
		return Bars{}, fmt.Errorf("letters: %d images are too few to choose %d", len(images), examples)
	}
	var data patchwork.Data
	for _, i := range Shuffled(len(images), o.Seed, set)[:examples] {
		data.Images = append(data.Images, images[i])
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, images[0].Height(), images[0].Width(), Poses)
	opt := learn.Options{Experts: 2, Seed: o.Seed, Starts: o.Starts, Workers: o.Workers}
	b := Bars{Set: set}
	for s, err := range learn.Run(ctx, data, cfg, opt) {
		if err != nil {
			return Bars{}, err
		}
		if s.Stage == learn.StageStart {
			b.Starts = append(b.Starts, TwoBars(s.Model))
		}
		b.Model = s.Model
	}
	b.Chosen = b.Model.Extras().Record.Chosen
	return b, nil
}

// Shuffled returns the order of n images of which the first are random set i.
func Shuffled(n int, seed uint64, i int) []int {
	return rand.New(rand.NewPCG(seed, uint64(i)+1)).Perm(n)
}

// ReportBars learns the letter T from six random sets of ten of the images.
func ReportBars(ctx context.Context, w io.Writer, set *dataset.Set, o Options) error {
	fmt.Fprintf(w, "%d letters T, seed %d\n\n", set.Len(), o.Seed)
	t := stat.NewTable(w, "set", "starts that end in two bars", "the chosen one")
	all, err := stat.Seeds(6, func(i uint64) (Bars, error) {
		b, err := RunBars(ctx, set.Images, int(i), o)
		if err == nil {
			t.Row("%d | %d of %d | %s", i, stat.Count(b.Starts, func(ok bool) bool { return ok }), len(b.Starts),
				map[bool]string{true: "two bars", false: "not"}[b.Starts[b.Chosen]])
		}
		return b, err
	})
	fmt.Fprintf(w, "\ntwo bars in %d of 6 sets\n", stat.Count(all, func(b Bars) bool { return b.Starts[b.Chosen] }))
	return err
}
