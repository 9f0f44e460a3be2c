//go:build manual

package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { moreCommands = append(moreCommands, (*app).manualCommand) }

// manualCommand writes man pages, for packages of this program, which are made by a build with the tag manual: what
// writes them takes half a megabyte. Their date is that of SOURCE_DATE_EPOCH, or today.
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
			asMarkdown(cmd.Root())
			cmd.Root().DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: "Patchwork " + version(), Manual: "Patchwork"}
			return doc.GenManTree(cmd.Root(), header, args[0])
		},
	}
}

// asMarkdown makes lines that are indented examples of Markdown, in the texts of a command and those below it.
func asMarkdown(cmd *cobra.Command) {
	cmd.Long = strings.ReplaceAll(cmd.Long, "\n  ", "\n      ")
	for _, c := range cmd.Commands() {
		asMarkdown(c)
	}
}
