package pairs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/pairs"
	"example.com/patchwork/pose"
)

// outcome is what was found in one set.
type outcome struct {
	images, parts int
	found, k      float64 // true parts found exactly, and parts found, right or wrong
	seconds       float64 // of the processor
}

// all reports whether all parts were found exactly, and nothing else.
func (o outcome) all() bool { return o.found == float64(o.parts) && o.k == o.found }

// measure learns the parts of a set as patchwork learn --start-from pairs does, on one
// worker, and compares the pixels of each that are more likely on than off with the truth. A set
// without parts has none.
func measure(ctx context.Context, set Set, seed uint64) (outcome, error) {
	began := stat.ProcessorTime()
	var parts []*bitmap.Image
	if len(set.Parts) == 0 {
		r, err := pairs.Grow(ctx, set.Images, pairs.Options{Seed: seed})
		if err != nil {
			return outcome{}, err
		}
		parts = r.Parts
	} else {
		cfg := patchwork.NewConfig(patchwork.RuleMax, set.Images[0].Height(), set.Images[0].Width(),
			pose.Grid{Angles: set.Angles})
		m, err := learn.Learn(ctx, patchwork.Data{Images: set.Images}, cfg,
			learn.Options{StartFrom: learn.StartFromPairs, Seed: seed})
		if err != nil {
			return outcome{}, err
		}
		for k := range m.K() {
			parts = append(parts, Ink(m, k))
		}
	}
	return outcome{len(set.Images), len(set.Parts), float64(set.Found(parts)), float64(len(parts)),
		(stat.ProcessorTime() - began).Seconds()}, nil
}

// Ink returns the pixels of a part that are more likely on than off, trimmed.
func Ink(m *patchwork.Model, k int) *bitmap.Image {
	img := bitmap.New(m.Height(), m.Width())
	for i, p := range m.Template(k) {
		if p > 0.5 {
			img.Set(i/m.Width(), i%m.Width(), true)
		}
	}
	return Trim(img)
}

// job is a row to be measured.
type job struct {
	name  string
	flips float64
	draws int
	set   func(seed uint64) Set
}

// report learns the sets of seeds 1 to draws of each job, at most so many, each with its seed.
func report(ctx context.Context, w io.Writer, jobs []job, draws int) error {
	t := stat.NewTable(w, "set", "images", "flips", "all found, nothing else", "true parts found", "K", "s of one core")
	for _, j := range jobs {
		all, err := stat.Seeds(min(j.draws, draws), func(i uint64) (outcome, error) { return measure(ctx, j.set(i+1), i+1) })
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		t.Row("%s | %d | %.2f | %d of %d | %.2f of %d | %.2f | %.2f", j.name, all[0].images, j.flips,
			stat.Count(all, outcome.all), len(all), stat.MeanOf(all, func(o outcome) float64 { return o.found }), all[0].parts,
			stat.MeanOf(all, func(o outcome) float64 { return o.k }),
			stat.MeanOf(all, func(o outcome) float64 { return o.seconds }))
	}
	return nil
}

// ReportDeconvolution measures the four features of a deconvolution problem, from
// few of its images to most of them and through flips, with at most so many draws of each.
func ReportDeconvolution(ctx context.Context, w io.Writer, draws int, images, features []*bitmap.Image) error {
	var jobs []job
	add := func(n, most int, flips float64) {
		jobs = append(jobs, job{"deconvolution", flips, most,
			func(seed uint64) Set { return Deconvolution(seed, n, flips, images, features) }})
	}
	for _, n := range []int{8, 20, 50, 80} {
		add(n, 30, 0)
	}
	for _, flips := range []float64{.02, .05, .1} {
		add(40, 15, flips)
	}
	return report(ctx, w, jobs, draws)
}

// ReportWalks measures random walks, through flips and in quarter turns, and noise,
// in which there is nothing, with at most so many draws of each.
func ReportWalks(ctx context.Context, w io.Writer, draws int) error {
	turns := []float64{0, 90, 180, 270}
	jobs := []job{
		{"eight walks", 0, 5, func(seed uint64) Set { return Walks(seed, 8, 60, 0, nil) }},
		{"eight walks", .05, 5, func(seed uint64) Set { return Walks(seed, 8, 60, .05, nil) }},
		{"six walks in quarter turns", 0, 5, func(seed uint64) Set { return Walks(seed, 6, 60, 0, turns) }},
	}
	for _, ink := range []float64{.1, .2, .3} {
		jobs = append(jobs, job{"noise, ink " + strings.TrimPrefix(fmt.Sprint(ink), "0"), 0, 3,
			func(seed uint64) Set { return Noise(seed, 60, ink) }})
	}
	return report(ctx, w, jobs, draws)
}

// ReportAlone measures ten digits that are never shown alone, with at most so many draws.
func ReportAlone(ctx context.Context, w io.Writer, draws int, glyphs []*bitmap.Image, labels []int) error {
	var jobs []job
	for _, flips := range []float64{0, .02} {
		jobs = append(jobs, job{"ten digits, five in a scene", flips, 3,
			func(seed uint64) Set { return Alone(seed, 60, flips, glyphs, labels) }})
	}
	return report(ctx, w, jobs, draws)
}
