//go:build !slim

package main

import (
	"errors"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/experiments/paper"
)

func (a *app) paperCommand() *cobra.Command {
	var r paper.Request
	var form dataFlags // of the files of --ticc
	cmd := &cobra.Command{
		Use:   "paper [FIGURE...] [-o DIR]",
		Short: "Reproduce the paper's figures, and check its claims",
		Long:  paperLong + strings.TrimRight(paper.Contents, "\n"),
		Example: `  patchwork paper 1 --quick
  patchwork paper 1 2 -o report`,
		RunE: func(cmd *cobra.Command, names []string) (err error) {
			if r.TeeForm, err = form.options(cmd, 0); err != nil {
				return err
			}
			r.Figures = names
			return a.makePaper(cmd, r)
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&r.Dir, "output", "o", "report", "folder to write to; figures that it already holds are not made again")
	fs.BoolVar(&r.Quick, "quick", false, "under a minute: few seeds and sizes, rough numbers")
	fs.BoolVar(&r.Fresh, "fresh", false, "also make figures that the folder already holds")
	fs.Uint64Var(&r.Seed, "seed", paper.DefaultSeed, "seed of all randomness")
	fs.StringVar(&r.DigitFile, "mnist", "", "digits for Figure 3: an IDX file of images with its labels beside it, or their folder (default our own)")
	fs.StringSliceVar(&r.TeeFiles, "ticc", nil, "letters for Figure 7, such as TiCC, with an array y or labels that names them, and maybe writer (default our own)")
	form.addForm(cmd, "of --ticc: ")
	fs.StringSliceVar(&r.LetterFiles, "letters", nil, "letters for Figure 8, with arrays y and writer, such as Chars74K, beside our own")
	workersFlag(cmd, &r.Workers)
	return cmd
}

// paperLong is the help without the list of figures.
const paperLong = `Reproduce all figures of the paper, and report for each of its claims what was
found. The folder of -o gets index.html, a self-contained page; for each figure a
folder with its pictures (PNG, SVG) and numbers (CSV); and the ledger of claims
(ledger.csv, ledger.md).

A figure that the folder already holds, made with the same options and data, is not
made again, so an interrupted run continues where it stopped. Results are the same
for any number of workers; only the times differ.

The letters of --ticc are read like the data of other commands. If letters have
writers, Figure 7 takes the first letter by each writer. For an archive of grey
pictures in which folders name the letter and files the writer, use

  patchwork paper 7 --ticc characters.zip --names '{y}/{writer}_{}.png' --threshold 127

and for a MAT-file with 56 x 56 pixels per row, laid out by MATLAB

  patchwork paper 7 --ticc handwrittencharacters.mat --threshold 0.5 \
    --size 56x56 --transpose

Figures (all, if none is named):
`

// makePaper runs the figures with progress on stderr and a summary.
func (a *app) makePaper(cmd *cobra.Command, r paper.Request) error {
	p := a.progress("step", 0)
	var (
		mu    sync.Mutex
		shown string
		last  int
	)
	r.Progress = func(figure string, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if figure != shown || done < last {
			p.again(total, "figure "+figure)
			shown, last = figure, 0
		}
		p.add(done - last)
		last = done
	}
	report, err := paper.Make(cmd.Context(), r)
	p.stop()
	var name *paper.NameError
	var data *paper.DataError
	switch {
	case errors.As(err, &name):
		return &usageError{err: err, command: cmd.CommandPath()}
	case errors.As(err, &data):
		return &inputError{data.Err}
	case interrupted(cmd.Context()):
		return &keptError{"the figures that are done stay in " + r.Dir + "; the same command makes the others"}
	case err != nil:
		return err
	}
	for i, title := range report.Titles {
		if err := a.say(a.out, "%-13s %s", report.Verdicts[i], title); err != nil {
			return err
		}
	}
	a.written = append(a.written, r.Dir)
	return a.wrote(report.Path, "%s, %d of them made now", words.Count(len(report.Figures), "figure"), len(report.Ran))
}
