package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/render/report"
	"example.com/patchwork/workbench"
)

// reportFlags are the flags of report.
type reportFlags struct {
	data               dataFlags
	model, output, csv string
	stability, sampled int
	seed               uint64
	workers            int
	asJSON             bool
}

func (a *app) reportCommand() *cobra.Command {
	f := new(reportFlags)
	cmd := &cobra.Command{
		Use:   "report -m MODEL DATA... -o report.html",
		Short: "Report what a model shows about data: one page, and tables as CSV",
		Long: `Explain data by a model and write one page that needs nothing else, to read, print
and send: what the parts are, which rows or images use them, how they go with labels
and with each other, what nothing explains, what unknown cells probably are, how well
hidden cells or pixels are predicted (beside the means and a mixture), and whether the
same parts are found again from other starts and from redrawn rows. Where the parts
predict no better than the means, or most do not come back, it begins with that. Parts
that only a sample of the rows does not bring back are not judged.

All numbers are also written as CSV files beside the page: report-rows.csv has the
rows by parts, report-parts.csv the parts, and so on; --csv names another folder for them.

For the last two the model is learned again, as its file says it was learned, with as
many parts: 3 or 5 times for the hidden cells, and twice --stability times. That takes
most of the time, some 20 seconds of one core, up to a minute for large tables; from more than
--sample rows it is done with so many, drawn at random, and the page says so. The page is
the same for any number of workers.

Of a table it also lists the largest surprises. Models of
numbers are not learned again.`,
		Example: `  patchwork report -m sites-model.npz sites.csv -o report.html
  patchwork report -m model.npz t.npz -o t.html --stability 0
  patchwork report -m sites-model.npz sites.csv --json`,
		Args: oneOrMoreData,
		RunE: func(cmd *cobra.Command, args []string) error { return a.reportOn(cmd, f, args) },
	}
	fs := cmd.Flags()
	modelFlag(cmd, &f.model)
	fs.StringVarP(&f.output, "output", "o", "", "page to write (.html; - for standard output)")
	fs.StringVar(&f.csv, "csv", "", "folder `DIR` for the CSV files (default that of the page)")
	fs.IntVar(&f.stability, "stability", 0,
		"learn again from N other starts and from N times redrawn rows; 0: not at all (default 10; 2 for large tables, 4 "+
			"for images)")
	positiveFlag(cmd, &f.sampled, "sample",
		"how many rows at most to learn again from (default 600 to 2000, or 24 to 200 images: as many as take some "+
			"20 seconds)")
	fs.Uint64Var(&f.seed, "seed", 0, "seed of hidden cells, samples and redrawn rows")
	fs.BoolVar(&f.asJSON, "json", false, "print all numbers as one JSON object")
	workersFlag(cmd, &f.workers)
	f.data.add(cmd)
	everyday(cmd, "model output csv stability json rows where")
	f.data.addWholeMemory(cmd)
	return cmd
}

// check returns an error if something is wrong that shows before any data are read.
func (f *reportFlags) check(a *app, cmd *cobra.Command) error {
	if f.output == "" && f.csv == "" && !f.asJSON {
		return usagef("-o report.html is required: name the page to write (or --csv FOLDER, or --json)")
	}
	if f.output == "-" && f.asJSON {
		return usagef("-o - and --json both write to standard output; choose one")
	}
	switch {
	case f.stability < 0:
		return usagef("--stability %d: give 0 or more", f.stability)
	case f.stability > mostStability:
		return usagef("--stability %d: give 0 to %d", f.stability, mostStability)
	}
	if cmd.Flags().Changed("stability") && f.stability == 0 {
		f.stability = -1
	}
	if _, err := checkOutput("report", f.output); err != nil {
		return err
	}
	for _, name := range report.TableNames() {
		if path := f.table(name); path != "" {
			if err := a.files.plan(named{path, path}); err != nil {
				return err
			}
			if err := checkOutputs(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostStability bounds how often a report learns again: ten times tell, and a model of each is compared.
const mostStability = 1000

// table returns the file for a table, "" if tables are not written.
func (f *reportFlags) table(name string) string {
	folder, stem := f.csv, "report"
	if f.output != "" && f.output != "-" {
		stem = strings.TrimSuffix(filepath.Base(f.output), filepath.Ext(f.output))
		if folder == "" {
			folder = filepath.Dir(f.output)
		}
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, stem+"-"+name+".csv")
}

// reportOn builds a report and writes it.
func (a *app) reportOn(cmd *cobra.Command, f *reportFlags, paths []string) error {
	if err := f.check(a, cmd); err != nil {
		return err
	}
	began := time.Now()
	m, set, err := f.read(cmd, paths)
	if err != nil {
		return err
	}
	bar := a.progress("step", 0)
	r, err := report.Build(cmd.Context(), m, set, report.Options{Stability: f.stability, Sample: f.sampled,
		Seed: f.seed, Workers: f.workers, Progress: reportProgress(bar), First: f.first(a)})
	bar.stop()
	if err == nil && cmd.Context().Err() != nil {
		err = context.Cause(cmd.Context())
	}
	if err != nil {
		return request(err)
	}
	return a.writeReport(f, r, describe(r.Rows, set), time.Since(began))
}

// read reads the model and all data for it.
func (f *reportFlags) read(cmd *cobra.Command, paths []string) (workbench.Model, *dataset.Frame, error) {
	m, err := modelFor(cmd, f.model, false)
	if _, wide := m.(workbench.Lists); wide {
		err = &inputError{fmt.Errorf("%s is a model of a wide table, of which there is no report yet; patchwork show, score "+
			"and explain take it", f.model)}
	}
	if err != nil {
		return nil, nil, err
	}
	f.data.model = m
	set, err := f.data.read(cmd, paths)
	if err == nil {
		m, err = fitted(cmd, m, set)
	}
	return m, set, err
}

// reportProgress shows the steps of a report on a bar.
func reportProgress(bar *progress) func(step string, done, total int) {
	return func(step string, done, total int) {
		if done == 0 {
			bar.again(step, total)
			return
		}
		bar.reach(done, total, "")
	}
}

// first returns what writes a page of the parts before the model is learned again; none where a page is there, which
// only a whole one replaces.
func (f *reportFlags) first(a *app) func(*report.Report) error {
	if _, err := os.Stat(f.output); f.output == "-" || !errors.Is(err, fs.ErrNotExist) || f.output == "" {
		return nil
	}
	return func(r *report.Report) error {
		if err := a.files.together(func() error { return a.writePage(f.output, r) }); err != nil {
			return &outputError{err}
		}
		return nil
	}
}

// writePage writes the page of a report.
func (a *app) writePage(path string, r *report.Report) error {
	return a.output(path, func(w io.Writer) error { return r.WriteHTML(w, "Patchwork report: "+r.Title()) })
}

// writeReport writes the CSV files, the page and the JSON, and says so.
func (a *app) writeReport(f *reportFlags, r *report.Report, what string, took time.Duration) error {
	var files []string
	if err := a.files.together(func() error {
		for _, t := range r.Tables() {
			if path := f.table(t.Name); path != "" {
				if err := a.output(path, t.Write); err != nil {
					return err
				}
				files = append(files, path)
			}
		}
		if f.output == "" {
			return nil
		}
		return a.writePage(f.output, r)
	}); err != nil {
		return err
	}
	if f.asJSON {
		if err := a.printLong(r); err != nil {
			return err
		}
	}
	w := a.beside()
	if err := a.sayAll(w, r.Summary); err != nil {
		return err
	}
	if err := a.wrote(f.output, "%s with %s explained, in %.2f s", "page", what, took.Seconds()); err != nil {
		return err
	}
	if len(files) > 0 {
		return a.say(w, "wrote %s", strings.Join(files, ", "))
	}
	return nil
}
