package recipe

import (
	"context"
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/learn"
	"example.com/patchwork/table"
)

// What images hold is found out if a recipe leaves it open: a short comparison, on a
// sample.
const (
	lookParts      = 8  // moving parts of the drawings of the sample, if no number is given
	lookResting    = 16 // parts that stay in their places, at most
	lookStarts     = 2
	lookIterations = 4
)

// open reports whether a recipe says nothing of what images hold: they are learned as
// drawings, or as scenes.
func (r *Recipe) open(d Facts) bool {
	given := *r // what may be given beside
	given.Count, given.Seed, given.Workers, given.Memory = Count{}, 0, 0, 0
	if given.Method == "default" {
		given.Method = ""
	}
	if given.Rule == "max" {
		given.Rule = ""
	}
	return given == Recipe{} && !d.Table && !d.Streamed
}

// Look finds out what images in memory hold, for Resolve, where the recipe and the facts
// leave it open: one thing each, or several parts anywhere. The error is the context's,
// or that of a learner.
func (r Recipe) Look(ctx context.Context, data patchwork.Data, d Facts) (learn.Layout, error) {
	if !r.open(d) {
		return learn.Layout{}, nil
	}
	return learn.LayoutOf(ctx, data, r.Seed, r.Workers, func(ctx context.Context, sample patchwork.Data) (float64, error) {
		return r.otherwise(ctx, sample, d)
	})
}

// otherwise returns the length of the description of a sample of images as they are
// learned if they are not scenes.
func (r Recipe) otherwise(ctx context.Context, sample patchwork.Data, d Facts) (float64, error) {
	r, _ = r.asDrawings(d)
	if r.move() {
		r.Starts, r.Iterations = lookStarts, lookIterations
		if r.Open() {
			r.Count = Count{Experts: lookParts}
		}
	} else {
		r.Method, r.Begin, r.Iterations = "soft", "mixture", lookIterations
		if r.Open() {
			r.Count = Count{AtLeast: 1, AtMost: lookResting}
		}
	}
	p, err := r.Plan(d.Height, d.Width)
	if err != nil {
		return 0, err
	}
	var m *patchwork.Model
	if p.Table != nil {
		m, err = table.Learn(ctx, sample, p.Config, *p.Table)
	} else {
		m, err = learn.Learn(ctx, sample, p.Config, p.Learn)
	}
	if err != nil {
		return 0, err
	}
	if length := m.Extras().Record.DescriptionLength; length > 0 {
		return length, nil
	}
	return math.Inf(1), nil
}

// compared says how two descriptions of a sample compare, "" if there are none.
func compared(l learn.Layout, otherwise string) string {
	if l.Images == 0 {
		return ""
	}
	n := float64(l.Images)
	first, second := fmt.Sprintf("%.0f nats an image as scenes", l.Anywhere/n),
		fmt.Sprintf("%.0f as %s", l.Otherwise/n, otherwise)
	return fmt.Sprintf("%s, %s, on a sample of %d", first, second, l.Images)
}
