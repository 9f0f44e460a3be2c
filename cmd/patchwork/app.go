package main

import (
	"bufio"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/render"
)

// app is one run of the command.
type app struct {
	console
	quiet   bool
	started bool // the command line was parsed, and work began
}

const rootLong = `Patchwork explains a binary image by a few parts, each with an opinion about some
of its pixels, and learns such parts from images.

A session, from nothing to explained letters:

  patchwork synth letters --letters T --writers 20 --seed 1 -o t.npz
  patchwork learn t.npz -o model.npz --experts 2 --shift 14 --rotate 24:6 --take 10
  patchwork draw model.npz
  patchwork explain -m model.npz t.npz --skip 10

or all at once: patchwork demo`

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "patchwork",
		Short:         "Learn parts from binary images, and explain images with them",
		Long:          rootLong,
		Example:       "  patchwork demo",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRun: func(*cobra.Command, []string) {
			a.started = true
		},
	}
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no summary, warnings or progress, only errors")
	root.SetGlobalNormalizationFunc(otherNames)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.learnCommand(), a.explainCommand(), a.predictCommand(), a.scoreCommand(), a.sampleCommand(), a.drawCommand(),
		a.infoCommand(), a.statsCommand(), a.mstepCommand(), a.synthCommand(), a.ruleCommand(), a.demoCommand(), a.paperCommand(), a.serveCommand(), a.versionCommand())
	return root
}

// noSuchCommand returns an error about a command that does not exist, with the
// likeliest meaning.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	hint := ""
	if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
		hint = "; did you mean " + orList(s) + "?"
	}
	return &usageError{err: fmt.Errorf("there is no command %q%s", args[0], hint), command: cmd.CommandPath()}
}

// otherNames accepts other common names of flags.
func otherNames(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "orders":
		name = "starts"
	case "binarise", "binarize":
		name = "threshold"
	case "colored":
		name = "coloured"
	}
	return pflag.NormalizedName(name)
}

// output writes to a file that appears completely or not at all, or to standard
// output for the path "" or "-".
func (a *app) output(path string, write func(io.Writer) error) error {
	if path != "" && path != "-" {
		return atomicfile.Write(path, write)
	}
	w := bufio.NewWriter(a.out)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// say prints a line of a summary, unless quiet, and returns the writer's error.
func (a *app) say(w io.Writer, format string, args ...any) error {
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintf(w, format+"\n", args...)
	return err
}

// warn prints a warning on stderr. It ignores errors of stderr, which cannot be
// reported anywhere.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.err, "patchwork: warning: "+format+"\n", args...)
}

// show prints a sheet as text on standard output.
func (a *app) show(s render.Sheet) error {
	return render.TerminalSheet(a.out, s, render.TerminalOptions{
		Width: a.width, Colours: render.DetectColours(a.getenv, a.outTerminal)})
}

// workersFlag adds --workers.
func workersFlag(cmd *cobra.Command, workers *int) {
	*workers = runtime.GOMAXPROCS(0)
	positiveFlag(cmd, workers, "workers", "goroutines; the result is the same for any number")
}
