package figures

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"example.com/patchwork/dataset"
)

// Report is the result of a run.
type Report struct {
	Path     string   // of the page
	Figures  []string // in it, by name
	Titles   []string // of these
	Ran      []string // those computed now; the others were in the folder already
	Verdicts []Verdict
}

// Request says which figures to make, from what data, and where.
type Request struct {
	Options          // its data are read from the files below
	Figures []string // by name; none means all
	Dir     string   // folder of the report; it is created
	Fresh   bool     // make again what the folder holds already

	DigitFile   string          // see Options.Digits: an IDX file of images with its labels beside it, or their folder
	TeeFiles    []string        // see Options.Tees
	TeeForm     dataset.Options // how to read TeeFiles
	LetterFiles []string        // see Options.Letters
}

// NameError says that no figure has a name.
type NameError struct{ Err error }

// Error implements the error interface.
func (e *NameError) Error() string { return e.Err.Error() }

// DataError says that a file of data cannot be read.
type DataError struct{ Err error }

// Error implements the error interface.
func (e *DataError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

// Make makes the figures of a request and writes the report. Unless Fresh is
// set, it does not make a figure again that the folder already holds, complete
// and with the same options and data. The page has every figure of the folder
// that was made with these, in the order of the paper. The error is a
// *NameError, a *DataError, the context's, or says what failed.
func Make(ctx context.Context, r Request) (Report, error) {
	figures, err := choose(r.Figures)
	if err != nil {
		return Report{}, &NameError{err}
	}
	if err := r.read(); err != nil {
		return Report{}, &DataError{err}
	}
	return write(ctx, r.Dir, figures, r.Options, r.Fresh)
}

// read reads the data into the options.
func (r *Request) read() (err error) {
	if r.DigitFile != "" {
		if r.Digits, r.Labels, err = readDigits(r.DigitFile); err != nil {
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
func write(ctx context.Context, dir string, figures []Figure, o Options, fresh bool) (Report, error) {
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
	for _, f := range inOrder() {
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
		report.Figures, report.Titles = append(report.Figures, f.Name()), append(report.Titles, f.Title())
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
