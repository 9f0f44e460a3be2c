package real

import (
	"context"
	"fmt"
	"io"
	"time"

	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
)

// growthTimes are processor times of learning, in seconds: of a step of EM with the parts that were learned, of the last round of growth,
// which adds a part and takes three of these steps, of all rounds, and of the whole.
type growthTimes struct {
	experts                 int
	step, round, all, whole float64
}

// learningTimes learns at most k parts, by one start, from the first n images of k parts.
func learningTimes(ctx context.Context, k, side, n int) (out growthTimes, err error) {
	_, images := greyModel(k, side, n)
	data, err := model.NewData(side, side, images)
	if err != nil {
		return out, err
	}
	began := stat.ProcessorTime()
	var rounds []time.Duration // when each was over, after the time until the first
	o := model.Options{Experts: k, Starts: 1, Progress: func(p model.Progress) {
		if p.Stage == "grow" {
			rounds = append(rounds, stat.ProcessorTime()-began)
		}
	}}
	r, err := model.Learn(ctx, data, o)
	if err != nil {
		return out, err
	}
	out.whole, out.experts = (stat.ProcessorTime() - began).Seconds(), r.Model.K()
	most := 0
	for i := 1; i < len(rounds) && i < k; i++ {
		most = i
	}
	if most > 0 {
		out.round, out.all = (rounds[most] - rounds[most-1]).Seconds(), rounds[most].Seconds()
	}
	us, err := micros(3, func(int) error {
		t, err := model.EStep(ctx, r.Model, data, 1, 1)
		if err == nil {
			_, err = t.MStep(r.Model)
		}
		return err
	})
	out.step = us / 1e6
	return out, err
}

// ReportGrowth prints how the time of learning grows with the number of images, of pixels and of parts.
func ReportGrowth(ctx context.Context, w io.Writer) error {
	fmt.Fprint(w, "Learning images of parts, one start, processor time in s: a step of EM, the last round of growth (a part and three steps), all rounds, and everything\n\n| images | pixels | parts | learned | step of EM | last round | all rounds | learning |\n|---|---|---|---|---|---|---|---|\n")
	for _, c := range [][3]int{
		{250, 14, 16}, {500, 14, 16}, {1000, 14, 16},
		{500, 10, 16}, {500, 20, 16},
		{500, 14, 8}, {500, 14, 32},
	} {
		t, err := learningTimes(ctx, c[2], c[1], c[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %d x %d | %d | %d | %.3f | %.3f | %.2f | %.2f |\n", c[0], c[1], c[1], c[2], t.experts, t.step, t.round, t.all, t.whole)
	}
	return nil
}
