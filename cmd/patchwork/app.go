package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/render"
)

// app is one run of the command.
type app struct {
	console
	quiet   bool
	started bool     // the command line was parsed, and work began
	inputs  []named  // all that the command line may read
	written []string // paths of which the command has said what it wrote there
	carried bool     // standard output has data, so summaries go to stderr
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
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.started = true
			return a.guard(cmd, args)
		},
		PersistentPostRunE: func(cmd *cobra.Command, _ []string) error { return a.sayWritten(cmd) },
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
	a.carried = true
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

// wrote says, unless quiet, what a file that was written holds: on stdout, or on
// stderr if stdout has data. Flags whose files no one speaks of get a line without
// more (sayWritten).
func (a *app) wrote(path, format string, args ...any) error {
	a.written = append(a.written, path)
	if path == "" || path == "-" {
		return nil
	}
	w := a.out
	if a.carried {
		w = a.err
	}
	return a.say(w, "wrote %s: "+format, append([]any{path}, args...)...)
}

// sayWritten says which files a command that is done has written, as far as it has
// not said so itself.
func (a *app) sayWritten(cmd *cobra.Command) error {
	w := a.out
	if a.carried {
		w = a.err
	}
	for _, f := range outputFlags(cmd) {
		path := f.Value.String()
		if path == "" || path == "-" || slices.Contains(a.written, path) {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			continue // it was not asked for after all
		}
		if err := a.say(w, "wrote %s", path); err != nil {
			return err
		}
	}
	return nil
}

// warn prints a warning on stderr. It ignores errors of stderr, which cannot be
// reported anywhere.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.err, "patchwork: warning: "+format+"\n", args...)
}

// show prints a sheet as text on standard output.
func (a *app) show(s render.Sheet) error {
	a.carried = true
	return render.TerminalSheet(a.out, s, render.TerminalOptions{
		Width: a.width, Colours: render.DetectColours(a.getenv, a.outTerminal)})
}

// workersFlag adds --workers.
func workersFlag(cmd *cobra.Command, workers *int) {
	*workers = runtime.GOMAXPROCS(0)
	positiveFlag(cmd, workers, "workers", "goroutines; the result is the same for any number")
}
