//go:build !slim

package main

import "github.com/spf13/cobra"

// largeCommands returns the commands that take much space: the page with its server. A build with the tag slim, as inside other packages, goes
// without.
func (a *app) largeCommands() []*cobra.Command {
	return []*cobra.Command{a.serveCommand(), a.manualCommand()}
}
