package letters

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn"
)

// StrokeTasks lists straight letters with the number of their strokes: the nine of
// Tasks, from as many writers each, and V, W and X.
var StrokeTasks = []Task{
	{Letter: "T", Experts: 2}, {Letter: "L", Experts: 2}, {Letter: "H", Experts: 3}, {Letter: "E", Experts: 4},
	{Letter: "F", Experts: 3},
	{Letter: "A", Experts: 3}, {Letter: "N", Experts: 3}, {Letter: "Y", Experts: 3}, {Letter: "K", Experts: 3},
	{Letter: "V", Experts: 2}, {Letter: "W", Experts: 4}, {Letter: "X", Experts: 2},
}

const (
	strokeTrainers = 20 // writers to learn from; those to test on are 26 to 50
	lettersOfMean  = 9  // of StrokeTasks, whose mean is reported
)

// Clean is how cleanly some seeds learn a letter.
type Clean struct {
	Models  []*patchwork.Model // by seed
	Natural int                // how many of them are the letter's strokes
	Pure    float64            // share of experts that are one straight stroke
	Stray   float64            // share of votes more than 2 pixels from the main piece of their expert
	Test    float64            // nats per pixel of unseen writers' letters
	Placed  float64            // the same, less the logarithm of the number of poses for every pick
}

// LearnClean learns a letter with as many seeds from o.Seed on, and tests it.
func LearnClean(ctx context.Context, set *dataset.Set, task Task, seeds int, opt learn.Options, o Options) (Clean,
	error) {
	train, err := Choose(set, task.Letter, 1, strokeTrainers)
	if err != nil {
		return Clean{}, err
	}
	test, err := Choose(set, task.Letter, 26, 50)
	if err != nil {
		return Clean{}, err
	}
	h, w := set.Size()
	cfg := patchwork.NewConfig(patchwork.RuleMax, h, w, Poses)
	var c Clean
	var pure, stray, votes, tests, placed []float64
	for s := range seeds {
		opt.Experts, opt.Seed, opt.Starts, opt.Workers = task.Experts, o.Seed+uint64(s), o.Starts, o.Workers
		m, err := learn.Learn(ctx, train, cfg, opt)
		if err != nil {
			return Clean{}, err
		}
		c.Models = append(c.Models, m)
		if natural(m, task.Letter) {
			c.Natural++
		}
		for k, one := range strokesOf(m) {
			is := 0.0
			if one.Pure() {
				is = 1
			}
			away, all := strayVotes(m.Template(k), w)
			pure, stray, votes = append(pure, is), append(stray, float64(away)), append(votes, float64(all))
		}
		ll, picks, err := heldOut(ctx, m, test, patchwork.PursuitOptions{Refined: true}, o.Workers)
		if err != nil {
			return Clean{}, err
		}
		tests = append(tests, ll)
		placed = append(placed, ll-picks*math.Log(float64(Poses.Len()))/float64(h*w))
	}
	c.Pure, c.Stray, c.Test, c.Placed = stat.Mean(pure), stat.Mean(stray)/stat.Mean(votes), stat.Mean(tests),
		stat.Mean(placed)
	return c, nil
}

// strayVotes returns how many entries of a template that vote (0.03 or more) are more than
// 2 pixels from its main piece, the largest of those above 1/2, and how many vote.
func strayVotes(template []float64, width int) (away, all int) {
	var ink []int
	for i, p := range template {
		if p > 0.5 {
			ink = append(ink, i)
		}
	}
	main := largest(ink, width)
	for i, p := range template {
		if p < 0.03 {
			continue
		}
		all++
		if !slices.ContainsFunc(main, func(j int) bool {
			dy, dx := i/width-j/width, i%width-j%width
			return dy*dy+dx*dx <= 4
		}) {
			away++
		}
	}
	return away, all
}

// ReportStrokes learns twelve straight letters and bows with some seeds, and prints how clean their
// parts are.
func ReportStrokes(ctx context.Context, w io.Writer, set *dataset.Set, seeds int, method learn.Method,
	o Options) error {
	fmt.Fprintf(w, "method %v, %d seeds from %d\n\n| letter (parts) | natural | pure | stray votes | test | with "+
		"placement |\n|---|---|---|---|---|---|\n", method, seeds, o.Seed)
	var sum [4][]float64
	all := 0
	for i, task := range StrokeTasks {
		c, err := LearnClean(ctx, set, task, seeds, learn.Options{Method: method}, o)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s (%d) | %d of %d | %.2f | %.2f | %.4f | %.4f |\n", task.Letter, task.Experts, c.Natural, seeds,
			c.Pure, c.Stray, c.Test, c.Placed)
		if i >= lettersOfMean {
			continue
		}
		all += c.Natural
		for j, v := range []float64{c.Pure, c.Stray, c.Test, c.Placed} {
			sum[j] = append(sum[j], v)
		}
		if i == lettersOfMean-1 {
			fmt.Fprintf(w, "| **the nine** | %d of %d | %.2f | %.2f | %.4f | %.4f |\n", all, lettersOfMean*seeds,
				stat.Mean(sum[0]), stat.Mean(sum[1]), stat.Mean(sum[2]), stat.Mean(sum[3]))
		}
	}
	return reportBows(ctx, w, set, seeds, method, o)
}
