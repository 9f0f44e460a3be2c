// Command paper reproduces the figures of the paper, and checks its claims.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"

	flag "github.com/spf13/pflag"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/experiments/paper/figures"
)

// help stands before the flags; the figures follow them.
const help = `Reproduce all figures of the paper, or those that are named, and report for each of
its claims what was found. The folder of -o gets index.html, a self-contained page;
for each figure a folder with its pictures (PNG, SVG) and numbers (CSV); and the
ledger of claims (ledger.csv, ledger.md). Results are the same for
any number of workers; only the times differ.

If the letters of --ticc have writers, Figure 7 takes the first letter by each. For an
archive of grey pictures in which folders name the letter and files the writer, use

  go run ./experiments/paper 7 --ticc characters.zip --names '{y}/{writer}_{}.png' --threshold 127

and for a MAT-file with 56 x 56 pixels per row, laid out by MATLAB

  go run ./experiments/paper 7 --ticc handwrittencharacters.mat --threshold 0.5 --height 56 --width 56 --transpose

usage: go run ./experiments/paper [FIGURE...] [-o DIR]
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "paper:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, args []string) error {
	r, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	report, err := figures.Make(ctx, r)
	if err != nil {
		return err
	}
	for i, title := range report.Titles {
		fmt.Fprintf(w, "%-13s %s\n", report.Verdicts[i], title)
	}
	_, err = fmt.Fprintf(w, "wrote %s: %s\n", report.Path, words.Count(len(report.Titles), "figure"))
	return err
}

// parse reads the command line.
func parse(args []string) (r figures.Request, err error) {
	var threshold float64
	fs := flag.NewFlagSet("paper", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprint(os.Stderr, help, fs.FlagUsages(), "\nFigures (all, if none is named):\n", figures.Contents())
	}
	fs.StringVarP(&r.Dir, "output", "o", "report", "folder to write to")
	fs.BoolVar(&r.Quick, "quick", false, "under a minute: few seeds and sizes, rough numbers")
	fs.Uint64Var(&r.Seed, "seed", figures.DefaultSeed, "seed of all randomness")
	fs.IntVar(&r.Workers, "workers", runtime.NumCPU(), "at the same time")
	fs.StringVar(&r.DigitFile, "mnist", "",
		"digits for Figure 3: an IDX file of images with its labels beside it, or their folder (default our own)")
	fs.StringSliceVar(&r.TeeFiles, "ticc", nil,
		"letters for Figure 7, such as TiCC, with an array y or labels that names them, and maybe writer (default our own)")
	fs.StringSliceVar(&r.LetterFiles, "letters", nil,
		"letters for Figure 8, with arrays y and writer, such as Chars74K, beside our own")
	form := &r.TeeForm
	fs.StringVar(&form.Names, "names", "",
		"of --ticc: pattern of the names of pictures, such as {y}/{writer}_{sample}.png; {} is ignored")
	fs.StringVar(&form.Array, "array", "",
		"of --ticc: array of an .npz or .mat file that holds the images (default x, or the only one)")
	fs.Float64Var(&threshold, "threshold", 0, "of --ticc: grey values above it are on")
	fs.BoolVar(&form.Invert, "invert", false, "of --ticc: swap on and off; in pictures light is ink")
	fs.IntVar(&form.Height, "height", 0, "of --ticc: height of the images, where rows are flat")
	fs.IntVar(&form.Width, "width", 0, "of --ticc: their width")
	fs.BoolVar(&form.Transpose, "transpose", false,
		"of --ticc: swap the rows and columns of the images, for rows laid out by MATLAB")
	if err := fs.Parse(args); err != nil {
		return r, err
	}
	r.Figures = fs.Args()
	if r.Workers < 1 {
		return r, fmt.Errorf("--workers %d: give at least 1", r.Workers)
	}
	if fs.Changed("threshold") {
		form.Threshold = &threshold
	}
	return r, nil
}
