package paper

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Report is the result of a run.
type Report struct {
	Path     string   // of the page
	Figures  []string // in it, by name
	Ran      []string // those computed now; the others were in the folder already
	Verdicts []Verdict
}

// Make runs the figures and writes the report to a folder, which it creates.
// Unless fresh is set, it does not run a figure again that the folder already
// holds, complete and with the same options. The page has every figure of the
// folder that was made with these options, in the order of the paper.
func Make(ctx context.Context, dir string, figures []Figure, o Options, fresh bool) (Report, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return Report{}, fmt.Errorf("create the folder %s: %w; choose another with -o", dir, err)
	}
	wanted := map[string]bool{}
	for _, f := range figures {
		wanted[f.Name()] = true
	}
	if o.compare == nil {
		o.compare = comparison(dir, fresh)
	}
	report := Report{Path: filepath.Join(dir, "index.html")}
	var page page
	for _, f := range All() {
		r, ok := load(dir, f, o)
		if wanted[f.Name()] && (fresh || !ok) {
			var err error
			if r, err = run(ctx, dir, f, o); err != nil {
				return report, fmt.Errorf("figure %s: %w", f.Name(), err)
			}
			report.Ran = append(report.Ran, f.Name())
		} else if !ok {
			continue
		}
		report.Figures = append(report.Figures, f.Name())
		report.Verdicts = append(report.Verdicts, r.Verdict())
		page.add(f, o, r)
	}
	return report, page.save(dir)
}

// run makes one figure and stores it in the folder.
func run(ctx context.Context, dir string, f Figure, o Options) (Result, error) {
	began := o.now()
	if o.Progress != nil {
		o.Progress(f.Name(), 0, 0)
	}
	r, err := f.Run(ctx, o)
	if err != nil {
		return r, err
	}
	r.Times = append([]Timing{{"all of it", o.now().Sub(began).Seconds()}}, r.Times...)
	return r, save(dir, f, o, r)
}
