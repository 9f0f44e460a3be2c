//go:build !slim

package main

import "github.com/spf13/cobra"

// largeCommands returns the commands that take much space: the page with its server. A build with the tag slim, as
// inside other packages, goes
// without.
func (a *app) largeCommands() []*cobra.Command {
	out := []*cobra.Command{a.serveCommand()}
	for _, command := range moreCommands {
		out = append(out, command(a))
	}
	return out
}

// moreCommands are those of builds with other tags.
var moreCommands []func(*app) *cobra.Command
