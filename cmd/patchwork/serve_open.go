//go:build !slim

package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

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

// readData reads a data file: as for the first model that it fits, else as it is.
func (f *serveFlags) readData(cmd *cobra.Command, path string, models []studio.NamedModel) (*dataset.Set, error) {
	for _, m := range models {
		like := f.data
		like.model = m.Model
		if set, err := like.read(cmd, []string{path}); err == nil && fits(m.Model, set) == nil {
			return set, nil
		}
	}
	return f.data.read(cmd, []string{path})
}

// readReal reads the models of real values, and the data that fit them as real values; it returns the other data files.
func (f *serveFlags) readReal(cmd *cobra.Command, opt *studio.Options) (bits []string, err error) {
	for _, path := range f.models {
		if !isReal(path) {
			continue
		}
		m, err := loadReal(path)
		if err != nil {
			return nil, err
		}
		opt.Real = append(opt.Real, studio.NamedReal{Name: strings.TrimSuffix(filepath.Base(path), ".npz"), Model: m})
	}
	for _, path := range f.files {
		fits := false
		for _, m := range opt.Real {
			v, _, err := f.data.readReal(cmd, []string{path}, m.Model)
			if fits = err == nil; fits {
				f.addValues(cmd, opt, path, v)
				break
			}
		}
		if !fits {
			bits = append(bits, path)
		}
	}
	return bits, nil
}

// addValues adds data of real values.
func (f *serveFlags) addValues(cmd *cobra.Command, opt *studio.Options, path string, v *dataset.Values) {
	opt.Values = append(opt.Values, studio.NamedValues{Name: filepath.Base(path), Values: v, Args: f.data.args(cmd)})
}

// plainlyReal returns data that are no bits, as err says, and plainly real values; nil for others.
func (f *serveFlags) plainlyReal(cmd *cobra.Command, err error, path string) *dataset.Values {
	if notBits(err) == nil {
		return nil
	}
	v, _, err := f.data.readReal(cmd, []string{path}, nil)
	if err != nil || v.Plainly() == "" {
		return nil
	}
	return v
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
