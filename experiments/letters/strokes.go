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
	Natural int     // how many of their models are the letter's strokes
	Pure    float64 // share of experts that are one straight stroke
	Stray   float64 // share of votes more than 2 pixels from the main piece of their expert
	Test    float64 // nats per pixel of unseen writers' letters
	Placed  float64 // the same, less the logarithm of the number of poses for every pick
}

// LearnClean learns a letter with as many seeds from o.Seed on, and tests it.
func LearnClean(ctx context.Context, set *dataset.Set, task Task, seeds int, opt learn.Options, o Options) (Clean,
	error) {
	task.LastTrainer = strokeTrainers
	train, test, err := task.Data(set)
	if err != nil {
		return Clean{}, err
	}
	h, w := set.Size()
	var c Clean
	var pure, stray, votes, tests, placed []float64
	for s := range seeds {
		opt.Experts, opt.Seed, opt.Starts, opt.Workers = task.Experts, o.Seed+uint64(s), o.Starts, o.Workers
		m, err := learn.Learn(ctx, train, Config(set), opt)
		if err != nil {
			return Clean{}, err
		}
		if natural(m, task.Letter) {
			c.Natural++
		}
		strokes := strokesOf(m)
		pure = append(pure, float64(stat.Count(strokes, Stroke.Pure))/float64(len(strokes)))
		for k := range strokes {
			away, all := strayVotes(m.Template(k), w)
			stray, votes = append(stray, float64(away)), append(votes, float64(all))
		}
		ll, picks, err := HeldOut(ctx, m, test, patchwork.PursuitOptions{Refined: true}, o.Workers)
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
	main := largest(inkOf(template), width)
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

// ReportStrokes learns twelve straight letters with some seeds, and prints how clean their parts are.
func ReportStrokes(ctx context.Context, w io.Writer, set *dataset.Set, seeds int, method learn.Method,
	o Options) error {
	fmt.Fprintf(w, "method %v, %d seeds from %d\n\n", method, seeds, o.Seed)
	t := stat.NewTable(w, "letter (parts)", "natural", "pure", "stray votes", "test", "with placement")
	var nine []Clean
	for i, task := range StrokeTasks {
		c, err := LearnClean(ctx, set, task, seeds, learn.Options{Method: method}, o)
		if err != nil {
			return err
		}
		t.Row("%s (%d) | %d of %d | %.2f | %.2f | %.4f | %.4f", task.Letter, task.Experts, c.Natural, seeds, c.Pure, c.Stray,
			c.Test, c.Placed)
		if nine = append(nine, c); i == lettersOfMean-1 {
			mean := func(of func(Clean) float64) float64 { return stat.MeanOf(nine, of) }
			t.Row("**the nine** | %.0f of %d | %.2f | %.2f | %.4f | %.4f",
				lettersOfMean*mean(func(c Clean) float64 { return float64(c.Natural) }), lettersOfMean*seeds,
				mean(func(c Clean) float64 { return c.Pure }), mean(func(c Clean) float64 { return c.Stray }),
				mean(func(c Clean) float64 { return c.Test }), mean(func(c Clean) float64 { return c.Placed }))
		}
	}
	return nil
}
