package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// app is one run of the command.
type app struct {
	console
	quiet   bool
	started bool     // the command line was parsed, and work began
	files   files    // all that is read and written
	written []string // paths of which the command has said what it wrote there
	carried bool     // standard output has data, so summaries go to stderr
	helpAll bool     // --help-all

	see func(workbench.Step) // gets every step of learning; nil but in the demo
}

const rootLong = `A part votes on some of the pixels or columns. patchwork FILE says what a table, pictures or a
model hold. A session:

  patchwork synth letters --letters T --writers 20 --seed 1 -o t.npz
  patchwork learn t.npz -o model.npz -k 2 --shift 14 --rotate 24:6 --rows :10
  patchwork show model.npz
  patchwork explain -m model.npz t.npz --rows 11:`

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "patchwork FILE...",
		Short:         "Learn parts from images and tables, and explain others by them",
		Long:          rootLong,
		Example:       "  patchwork demo",
		SilenceErrors: true,
		SilenceUsage:  true,

		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Args:              noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asked, _ := cmd.Flags().GetBool("version"); asked {
				_, err := fmt.Fprint(a.out, versionLine())
				return err
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.started = true
			return a.guard(cmd, args)
		},
		PersistentPostRunE: func(cmd *cobra.Command, _ []string) error { return a.sayWritten(cmd) },
	}
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no summary, warnings or progress, only errors")
	root.Flags().BoolP("version", "v", false, "version for patchwork") // cobra's own runs a template, which keeps 3 MB
	root.SetHelpCommand(a.helpCommand())
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { a.help(cmd) })
	root.SetFlagErrorFunc(flagError)
	a.addCommands(root)
	return root
}

// addCommands adds all commands in their groups.
func (a *app) addCommands(root *cobra.Command) {
	cobra.EnableCommandSorting = false // help shows them as they come here
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Learn and look", []*cobra.Command{a.learnCommand(), a.exactCommand(), a.showCommand(), a.compareCommand(),
			a.reportCommand()}},
		{"Use a model", []*cobra.Command{a.explainCommand(), a.predictCommand(), a.findCommand(),
			a.scoreCommand(),
			a.sampleCommand()}},
		{"Try it", []*cobra.Command{a.demoCommand(), a.synthCommand()}},
		{"In a browser, on many machines", append(a.largeCommands(), a.countCommand(), a.mergeCommand())},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.versionCommand(), a.pipeCommand(), a.answerCommand())
}

// noSuchCommand returns an error about a command that does not exist, with the
// likeliest meaning.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if filepath.Ext(args[0]) != "" || strings.ContainsRune(args[0], filepath.Separator) { // a file is meant
		return &inputError{&fs.PathError{Op: "open", Path: args[0], Err: syscall.ENOENT}}
	}
	return misused(cmd, "there is no command %q%s", args[0], enum.DidYouMean(args[0], names))
}

// helpCommand is help for a command as a command.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Long:    "Explain a command: the same as patchwork COMMAND --help.",
		Example: "  patchwork help learn",
		RunE: func(cmd *cobra.Command, args []string) error {
			at, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return noSuchCommand(at, rest)
			}
			at.InitDefaultHelpFlag()
			at.InitDefaultVersionFlag()
			a.help(at)
			return nil
		},
	}
}

// isStdout reports whether an output is standard output.
func isStdout(path string) bool { return path == "" || path == "-" || path == "/dev/stdout" }

// output writes to a file that appears completely or not at all, or to standard
// output for the path "", "-" or /dev/stdout: to a terminal without colours for "-".
func (a *app) output(path string, write func(io.Writer) error) error {
	if !isStdout(path) {
		return a.files.write(path, write)
	}
	a.carried = true
	to := a.out
	if t, ok := to.(*terminalWriter); ok && path == "-" {
		to = &terminalWriter{to: t.to, line: t.line, plain: true} // data have no colours of ours
	}
	w := bufio.NewWriter(to)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// savePicture writes a picture to a file, as PNG or SVG by its suffix, unless the context ends.
func (a *app) savePicture(ctx context.Context, path string, p render.Picture) error {
	write, err := render.Encoder(ctx, path, p)
	if err != nil {
		return err
	}
	return a.files.write(path, write)
}

// say prints a line of a summary, unless quiet, and returns the writer's error.
func (a *app) say(w io.Writer, format string, args ...any) error {
	if a.quiet {
		return nil
	}
	_, err := io.WriteString(w, words.Visible(fmt.Sprintf(format+"\n", args...)))
	return err
}

// sayAll prints lines of a summary.
func (a *app) sayAll(w io.Writer, lines []string) error {
	for _, line := range lines {
		if err := a.say(w, "%s", line); err != nil {
			return err
		}
	}
	return nil
}

// beside returns where a summary goes: to stdout, or to stderr if stdout has data.
func (a *app) beside() io.Writer {
	if a.carried {
		return a.err
	}
	return a.out
}

// wrote says, unless quiet, what a file that was written holds: on stdout, or on
// stderr if stdout has data. Flags whose files no one speaks of get a line without
// more (sayWritten).
func (a *app) wrote(path, format string, args ...any) error {
	a.written = append(a.written, path)
	if isStdout(path) {
		return nil
	}
	return a.say(a.beside(), "wrote %s: "+format, append([]any{path}, args...)...)
}

// sayWritten says which files a command that is done has written, as far as it has
// not said so itself.
func (a *app) sayWritten(cmd *cobra.Command) error {
	w := a.beside()
	for _, f := range outputFlags(cmd) {
		for _, path := range outputsOf(f) {
			if isStdout(path) || slices.Contains(a.written, path) {
				continue
			}
			if _, err := os.Stat(path); err != nil {
				continue // it was not asked for after all
			}
			if err := a.say(w, "wrote %s", path); err != nil {
				return err
			}
		}
	}
	return nil
}

// warn prints a warning on stderr, unless quiet. It ignores errors of stderr, which cannot be
// reported anywhere.
func (a *app) warn(format string, args ...any) { a.remark("warning", format, args...) }

// note prints a note on stderr, unless quiet.
func (a *app) note(format string, args ...any) { a.remark("note", format, args...) }

func (a *app) remark(what, format string, args ...any) {
	if a.quiet {
		return
	}
	fmt.Fprint(a.err, words.Visible(fmt.Sprintf("patchwork: "+what+": "+format+"\n", args...)))
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
	boundedFlag(cmd, workers, 10_000, "workers", "goroutines; the result is the same for any number")
	groupFlags(cmd.Flags(), largeData, "workers")
}
