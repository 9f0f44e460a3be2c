package main

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// demo is one run of the demo.
type demo struct {
	dir     string
	seed    uint64
	workers int
	json    jsonFlag

	swept map[int][]*patchwork.Model // by start: the parts after each iteration of EM
}

// demoSeed is that of letters which are learned from a start that needs some iterations.
const demoSeed = 15

func (a *app) demoCommand() *cobra.Command {
	d := &demo{swept: make(map[int][]*patchwork.Model)}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Learn the letter T from ten drawings, and explain five more",
		Long: `Draw ten T's by ten invented writers, learn two parts from them, and explain
five T's by other writers with them. The parts become the two strokes of the letter;
--seed draws other letters.

The commands that do it are printed, and run. The folder of -o gets the letters, the
model, the explanations, pictures, and index.html, a report that needs nothing else.`,
		Example: `  patchwork demo
  patchwork demo -o other-letters --seed 4`,
		Args: flagsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), d) },
	}
	fs := cmd.Flags()
	fs.StringVarP(&d.dir, "output", "o", "demo", "folder to write to")
	fs.Uint64Var(&d.seed, "seed", demoSeed, "seed of the letters and of learning")
	d.json.add(cmd)
	workersFlag(cmd, &d.workers)
	return cmd
}

// demo prints the commands of the demo, and runs them.
func (a *app) demo(ctx context.Context, d *demo) error {
	if err := a.files.folder(d.dir); err != nil {
		return fmt.Errorf("make the folder %s: %w; choose another with -o", d.dir, underlying(err))
	}
	a.written = append(a.written, d.dir)
	letters, model, seed := d.path("letters.npz"), d.path("model.npz"), strconv.FormatUint(d.seed, 10)
	learned := []string{"learn", letters, "--rows", ":10", "-k", "2", "--shift", "14", "--rotate", "24:6", "--seed", seed,
		"-o", model}
	if d.json {
		learned = append(learned, "--json")
	}
	lines := [][]string{
		{"synth", "letters", "--letters", "T", "--n", "15", "--seed", seed, "-o", letters},
		learned,
		{"show", model, "-o", d.path("strokes.png")},
		{"explain", "-m", model, letters, "--rows", "11:", "-o", d.path("explanations.jsonl"),
			"--picture", d.path("explanations.png")},
		{"report", "-m", model, letters, "--rows", "11:", "--stability", "0", "-o", d.path("index.html")},
	}
	if a.outTerminal && !a.quiet {
		lines = append(lines, []string{"show", model})
	}
	for _, line := range lines {
		if err := a.demoLine(ctx, d, line); err != nil {
			return err
		}
	}
	return d.learning(ctx, a, letters, model)
}

func (d *demo) path(name string) string { return filepath.Join(d.dir, name) }

// demoLine prints a command, and runs it.
func (a *app) demoLine(ctx context.Context, d *demo, line []string) error {
	quiet := a.quiet || bool(d.json)
	if !quiet {
		if err := a.say(a.out, "patchwork %s", recipe.CommandLine(line)); err != nil {
			return err
		}
	}
	sub := &app{console: a.console, see: d.see}
	root := sub.rootCommand()
	if slices.Contains([]string{"learn", "explain", "report"}, line[0]) {
		line = append(line, "--workers", strconv.Itoa(d.workers))
	}
	if quiet {
		line = append(line, "-q")
	}
	root.SetArgs(line)
	return root.ExecuteContext(context.WithValue(ctx, filesKey{}, &sub.files))
}

// see keeps the parts after an iteration of EM.
func (d *demo) see(s workbench.Step) {
	if m, ok := s.Model.(workbench.Bits); ok && s.Stage == learn.StageEM {
		d.swept[s.Start] = append(d.swept[s.Start], m.Model)
	}
}

// learning draws how the chosen start went, which began with the pieces of one letter: the letters, below them the
// pieces and the parts after each iteration, and samples of the model.
func (d *demo) learning(ctx context.Context, a *app, letters, model string) error {
	set, err := dataset.Read([]string{letters}, dataset.Options{})
	if err != nil {
		return err
	}
	m, err := loadModel(model)
	if err != nil {
		return err
	}
	tiles := valuesBy(9, func(i int) image.Image {
		picks := m.SamplePicks(rand.New(rand.NewPCG(d.seed, uint64(i))))
		return render.Composed(m, m.Config().ImageHeight, m.Config().ImageWidth, picks)
	})
	sheet := render.Progress(set.Take(10).Images, d.swept[m.Extras().Record.Chosen], tiles)
	for i := range d.swept[m.Extras().Record.Chosen] {
		sheet.ColumnLabels[i] = fmt.Sprint(i)
	}
	sheet.ColumnLabels[0] = "pieces"
	return a.savePicture(ctx, d.path("learning.png"), sheet)
}
