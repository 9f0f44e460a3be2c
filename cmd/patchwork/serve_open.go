//go:build !slim

package main

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/studio"
)

// sort takes names without a flag for models or data, by what the files hold.
func (f *serveFlags) sort(args []string) {
	for _, path := range args {
		if kindOfFile(path) == kindModel {
			f.models = append(f.models, path)
		} else {
			f.files = append(f.files, path)
		}
	}
}

// readData reads a data file: as for the first model that it fits, else as it is, or as real values if it plainly holds
// them.
func (f *serveFlags) readData(cmd *cobra.Command, path string, models []studio.NamedModel) (*dataset.Frame, error) {
	for _, m := range models {
		like := f.data
		like.model = m.Model
		if set, err := like.read(cmd, []string{path}); err == nil {
			if _, err := fitted(cmd, m.Model, set); err == nil {
				return set, nil
			}
		}
	}
	opt, err := f.data.options(cmd)
	if err != nil {
		return nil, err
	}
	set, err := f.data.inMemory(cmd, []string{path}, opt, false)
	if err != nil {
		return nil, err
	}
	for _, note := range set.Notes {
		sayNotes(cmd, note.Text) // serve has no flags to decide otherwise; its page has buttons
	}
	return set, nil
}

// browse opens an address in the browser of this machine's user.
func (a *app) browse(site string) error {
	name, args := "xdg-open", []string{site}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", site}
	default:
		if a.getenv("DISPLAY") == "" && a.getenv("WAYLAND_DISPLAY") == "" && a.getenv("BROWSER") == "" {
			return errors.New("there is no display for a browser here")
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("there is no %s to open a browser with", name)
	}
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the browser could not be started: %w", underlying(err))
	}
	go func() { _ = cmd.Wait() }() // nobody waits for a browser
	return nil
}
