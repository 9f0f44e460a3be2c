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

// Row is one row of a table: sets of one kind, and what was found in them.
type Row struct {
	Name    string
	Images  int
	Flips   float64
	Draws   int
	All     int     // draws in which all parts were found exactly, and nothing else
	Found   float64 // true parts found exactly, mean
	Parts   int     // true parts
	K       float64 // parts found, right or wrong, mean
	Seconds float64 // of the processor, mean
}

// Outcome is what was found in one set.
type Outcome struct {
	Parts   []*bitmap.Image
	Seconds float64
}

// Learn learns the parts of a set as patchwork learn --start-from pairs does, on one
// worker, and returns the pixels of each that are more likely on than off. A set
// without parts has none.
func Learn(ctx context.Context, set Set, seed uint64) (Outcome, error) {
	began := stat.ProcessorTime()
	var out Outcome
	if len(set.Parts) == 0 {
		r, err := pairs.Grow(ctx, set.Images, pairs.Options{Seed: seed})
		if err != nil {
			return out, err
		}
		return Outcome{r.Parts, (stat.ProcessorTime() - began).Seconds()}, nil
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, set.Images[0].Height(), set.Images[0].Width(),
		pose.Grid{Angles: set.Angles})
	m, err := learn.Learn(ctx, patchwork.Data{Images: set.Images}, cfg,
		learn.Options{StartFrom: learn.StartFromPairs, Seed: seed})
	if err != nil {
		return out, err
	}
	for k := range m.K() {
		out.Parts = append(out.Parts, Ink(m, k))
	}
	out.Seconds = (stat.ProcessorTime() - began).Seconds()
	return out, nil
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

// Measure learns the sets of seeds 1 to draws, each with its seed.
func Measure(ctx context.Context, row Row, draws int, set func(seed uint64) Set) (Row, error) {
	row.Draws = draws
	for seed := uint64(1); seed <= uint64(draws); seed++ {
		s := set(seed)
		o, err := Learn(ctx, s, seed)
		if err != nil {
			return row, fmt.Errorf("%s, seed %d: %w", row.Name, seed, err)
		}
		found := s.Found(o.Parts)
		if found == len(s.Parts) && len(o.Parts) == found {
			row.All++
		}
		n := float64(draws)
		row.Images, row.Parts = len(s.Images), len(s.Parts)
		row.Found, row.K, row.Seconds = row.Found+float64(found)/n, row.K+float64(len(o.Parts))/n, row.Seconds+o.Seconds/n
	}
	return row, nil
}

// write prints the row.
func (r Row) write(t stat.Table) {
	t.Row("%s | %d | %.2f | %d of %d | %.2f of %d | %.2f | %.2f", r.Name, r.Images, r.Flips, r.All, r.Draws, r.Found,
		r.Parts, r.K, r.Seconds)
}

// job is a row to be measured.
type job struct {
	name  string
	flips float64
	draws int
	set   func(seed uint64) Set
}

// report measures the jobs, each with at most so many draws.
func report(ctx context.Context, w io.Writer, jobs []job, draws int) error {
	t := stat.NewTable(w, "set", "images", "flips", "all found, nothing else", "true parts found", "K", "s of one core")
	for _, j := range jobs {
		row, err := Measure(ctx, Row{Name: j.name, Flips: j.flips}, min(j.draws, draws), j.set)
		if err != nil {
			return err
		}
		row.write(t)
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
