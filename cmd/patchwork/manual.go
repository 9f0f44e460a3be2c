//go:build manual

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { moreCommands = append(moreCommands, (*app).manualCommand) }

// manualCommand writes man pages, for packages of this program, which are made by a build with the tag manual: what
// writes them takes half a megabyte.
func (a *app) manualCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "manual DIR",
		Short:   "Write a man page for each command into a folder",
		Example: "  patchwork manual man/man1",
		Args:    cobra.ExactArgs(1),
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.files.folder(args[0]); err != nil {
				return err
			}
			return a.writeManual(cmd.Root(), args[0], builtAt())
		},
	}
}

// writeManual writes the pages of a command and of those below it into a folder, dated.
func (a *app) writeManual(cmd *cobra.Command, folder string, at time.Time) error {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			if err := a.writeManual(c, folder, at); err != nil {
				return err
			}
		}
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	return a.output(filepath.Join(folder, name+".1"), func(w io.Writer) error {
		c := *cmd // whose text is that of a page
		c.Long = manualText(cmd)
		c.DisableAutoGenTag = true
		header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Date: &at, Source: "Patchwork " + version(),
			Manual: "Patchwork"}
		if err := doc.GenMan(&c, header, w); err != nil {
			return fmt.Errorf("page of %s: %w", cmd.CommandPath(), err)
		}
		return nil
	})
}

// manualText returns the text of a command in Markdown, in which lines that are indented
// are examples.
func manualText(cmd *cobra.Command) string {
	var out []string
	for _, line := range strings.Split(cmd.Long, "\n") {
		if strings.HasPrefix(line, "  ") {
			line = "    " + strings.TrimPrefix(line, "  ")
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// builtAt returns the time of the revision that this program was built from, or of 1970,
// so that the same sources give the same pages.
func builtAt() time.Time {
	at := time.Unix(0, 0).UTC()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				at = t
			}
		}
	}
	return at
}
