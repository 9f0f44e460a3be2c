package figures

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/rivals"
	"example.com/patchwork/experiments/scenes"
	"example.com/patchwork/internal/pool"
)

// Report is the result of a run.
type Report struct {
	Path     string   // of the page
	Titles   []string // of the figures in it
	Verdicts []Verdict
}

// Request says which figures to make, from what data, and where.
type Request struct {
	Options          // its data are read from the files below
	Figures []string // by name; none means all
	Dir     string   // folder of the report; it is created

	DigitFile   string          // see Options.Digits: an IDX file of images with its labels beside it, or their folder
	TeeFiles    []string        // see Options.Tees
	TeeForm     dataset.Options // how to read TeeFiles
	LetterFiles []string        // see Options.Letters
}

// Make makes the figures of a request, in the order of the paper, and writes the report.
func Make(ctx context.Context, r Request) (Report, error) {
	figures, err := choose(r.Figures)
	if err != nil {
		return Report{}, err
	}
	if err := r.read(); err != nil {
		return Report{}, err
	}
	return write(ctx, r.Dir, figures, r.Options)
}

// read reads the data into the options.
func (r *Request) read() (err error) {
	if r.DigitFile != "" {
		if r.Digits, r.Labels, err = scenes.ReadDigits(r.DigitFile); err != nil {
			return err
		}
	}
	if len(r.TeeFiles) > 0 {
		if r.Tees, err = readLetters(r.TeeFiles, r.TeeForm); err != nil {
			return err
		}
	}
	if len(r.LetterFiles) > 0 {
		r.Letters, err = readLetters(r.LetterFiles, dataset.Options{})
	}
	return err
}

// write makes the figures and writes the report to a folder.
func write(ctx context.Context, dir string, figures []Figure, o Options) (Report, error) {
	if o.compare == nil {
		o.compare = sync.OnceValues(func() (*compared, error) {
			return compareWith(ctx, rivals.Options{Quick: o.Quick, Seed: o.Seed, Workers: o.Workers})
		})
	}
	report, page := Report{Path: filepath.Join(dir, "index.html")}, page{Quick: o.Quick}
	for _, f := range figures {
		began := time.Now()
		r, err := f.Run(ctx, o)
		if err == nil {
			err = page.add(dir, f, o, r, time.Since(began).Seconds())
		}
		if err != nil {
			return report, fmt.Errorf("figure %s: %w", f.Name, err)
		}
		report.Titles, report.Verdicts = append(report.Titles, f.Title), append(report.Verdicts, r.Verdict())
	}
	return report, page.save(dir)
}

// compared is the comparison with the rivals, shared by Figures 4 to 6.
type compared struct {
	rivals.Results

	// Tuned holds the models with tuned settings, tuned again for codes rounded
	// to bits.
	Tuned rivals.Results
}

// rounded returns the comparison with rounded codes: every model with the
// settings tuned for them.
func (c *compared) rounded() rivals.Results {
	out := c.Results
	out.Curves = slices.Clone(out.Curves)
	for i, k := range out.Curves {
		for _, t := range c.Tuned.Curves {
			if t.Name == k.Name {
				out.Curves[i] = t
			}
		}
	}
	return out
}

// compareWith runs the comparison with the given options.
func compareWith(ctx context.Context, o rivals.Options) (*compared, error) {
	var c compared
	var err error
	if c.Results, err = rivals.Run(ctx, o); err != nil {
		return nil, err
	}
	o.TuneRounded, o.Models = true, []string{rivals.DAETied, rivals.DAEUntied, rivals.RBM}
	c.Tuned, err = rivals.Run(ctx, o)
	return &c, err
}

// each runs f(0) to f(n-1) on the workers of the options. f must write its result to its
// own slot, so that nothing depends on the order. The error is the context's, or that of
// the lowest index.
func (o Options) each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	_, err := pool.Run(ctx, n, o.Workers, 1, func(_, i int) error { return f(ctx, i) })
	return err
}
