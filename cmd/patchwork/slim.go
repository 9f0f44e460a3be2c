//go:build slim

package main

import "github.com/spf13/cobra"

// largeCommands returns none: see large.go.
func (a *app) largeCommands() []*cobra.Command { return nil }
