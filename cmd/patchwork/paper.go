package main

import (
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/paper"
)

func (a *app) paperCommand() *cobra.Command {
	var (
		f       paperFlags
		opt     paper.Options
		workers int
	)
	cmd := &cobra.Command{
		Use:   "paper [FIGURE...] [-o DIR]",
		Short: "Make the paper's figures anew, and judge its claims",
		Long:  paperLong(),
		Example: `  patchwork paper 1 --quick
  patchwork paper 1 2 -o report`,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := checkWorkers(workers); err != nil {
				return err
			}
			figures, err := paper.Select(names)
			if err != nil {
				return &usageError{err: err, command: cmd.CommandPath()}
			}
			if err := f.read(cmd, &opt); err != nil {
				return err
			}
			opt.Workers = workers
			return a.makePaper(cmd, figures, opt, f)
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.dir, "output", "o", "report", "folder to write to; what it holds already is not made again")
	fs.BoolVar(&opt.Quick, "quick", false, "under a minute: few seeds and sizes, rough numbers")
	fs.BoolVar(&f.fresh, "fresh", false, "make again what the folder holds already")
	fs.Uint64Var(&opt.Seed, "seed", paper.DefaultSeed, "seed of all randomness")
	fs.StringVar(&f.mnist, "mnist", "", "digits for Figure 3: an IDX file of images with its labels beside it, or their folder (default our own)")
	fs.StringSliceVar(&f.tees, "ticc", nil, "letters for Figure 7, such as TiCC, with an array y or labels that names them, and maybe writer (default our own)")
	f.form.addForm(cmd, "of --ticc: ")
	fs.StringSliceVar(&f.letters, "letters", nil, "letters for Figure 8, with arrays y and writer, such as Chars74K, beside our own")
	workersFlag(cmd, &workers)
	return cmd
}

// paperFlags are what the command is asked for, beside the options.
type paperFlags struct {
	dir, mnist    string
	tees, letters []string
	form          dataFlags // of tees
	fresh         bool
}

// read reads the data into the options.
func (f *paperFlags) read(cmd *cobra.Command, opt *paper.Options) error {
	form, err := f.form.options(cmd, 0)
	if err != nil {
		return err
	}
	if f.mnist != "" {
		if opt.Digits, opt.Labels, err = paper.ReadDigits(f.mnist); err != nil {
			return &inputError{err}
		}
	}
	if len(f.tees) > 0 {
		if opt.Tees, err = paper.ReadLetters(f.tees, form); err != nil {
			return &inputError{err}
		}
	}
	if len(f.letters) > 0 {
		if opt.Letters, err = paper.ReadLetters(f.letters, dataset.Options{}); err != nil {
			return &inputError{err}
		}
	}
	return nil
}

// paperLong is the help, with the figures there are.
func paperLong() string {
	var b strings.Builder
	b.WriteString(`Make everything that the paper shows anew, and say of each of its claims what was
found. The folder of -o gets index.html, a page that needs nothing else; for each
figure a folder with its pictures (PNG, SVG) and numbers (CSV); and the ledger of
claims (ledger.csv, ledger.md).

A figure that the folder holds already, made with the same options and data, is
not made again, so an interrupted run goes on where it stopped. Results are the
same for any number of workers; only the times differ.

The letters of --ticc are read like the data of other commands. Of letters with
writers Figure 7 takes the first by each writer. For an archive of grey pictures
in which folders name the letter and files the writer, say

  patchwork paper 7 --ticc characters.zip --names '{y}/{writer}_{}.png' --threshold 127

and for a MAT-file with 56 x 56 pixels a row, laid out by MATLAB

  patchwork paper 7 --ticc handwrittencharacters.mat --threshold 0.5 \
    --height 56 --width 56 --transpose

Figures (all, if none is named):
`)
	for _, f := range paper.All() {
		fmt.Fprintf(&b, "  %-10s %s\n", f.Name(), f.Title())
	}
	return strings.TrimRight(b.String(), "\n")
}

// makePaper runs the figures with progress on stderr and a summary.
func (a *app) makePaper(cmd *cobra.Command, figures []paper.Figure, opt paper.Options, f paperFlags) error {
	p := a.progress("step", 0)
	var (
		mu    sync.Mutex
		shown string
		last  int
	)
	opt.Progress = func(figure string, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if figure != shown || done < last {
			p.again(total, "figure "+figure)
			shown, last = figure, 0
		}
		p.add(done - last)
		last = done
	}
	report, err := paper.Make(cmd.Context(), f.dir, figures, opt, f.fresh)
	p.stop()
	if err != nil {
		return err
	}
	titles := map[string]string{}
	for _, fig := range paper.All() {
		titles[fig.Name()] = fig.Title()
	}
	for i, name := range report.Figures {
		if err := a.say(a.out, "%-13s %s", report.Verdicts[i], titles[name]); err != nil {
			return err
		}
	}
	return a.say(a.out, "wrote %s: %d figures, of which %d were made now", report.Path, len(report.Figures), len(report.Ran))
}
