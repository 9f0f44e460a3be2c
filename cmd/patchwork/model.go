package main

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/modelfile"
)

// modelFlag adds -m.
func modelFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "model", "m", "", "model file")
	if err := cmd.MarkFlagFilename("model", "npz"); err != nil {
		panic(err)
	}
}

// modelArgument returns the model file of a command that takes it as -m or as its
// argument.
func modelArgument(cmd *cobra.Command, flag string, args []string) (string, error) {
	switch {
	case len(args) > 1, len(args) == 1 && flag != "":
		return "", misused(cmd, "one model at a time")
	case len(args) == 1:
		return args[0], nil
	case flag == "":
		return "", misused(cmd, "no model: name its file")
	}
	return flag, nil
}

// loadModel reads a model file.
func loadModel(path string) (*patchwork.Model, error) {
	if path == "" {
		return nil, usagef("-m MODEL is required: name the model file")
	}
	if path == "-" {
		return nil, usagef("-: a model is read from a file, not from standard input; name the file")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, &inputError{fmt.Errorf("%s is a folder, not a model file", path)}
	}
	m, err := modelfile.Load(path)
	if err != nil && isReal(path) {
		return nil, &inputError{
			fmt.Errorf("%s is a model of real values, which this command does not take; those that do are: %s", path,
				realCommands)}
	}
	if err != nil {
		return nil, cmp.Or(notModel(path), error(&inputError{err}))
	}
	return m, nil
}

// saveModel writes a model file, or the model to standard output for "-".
func (a *app) saveModel(path string, m *patchwork.Model) error {
	return a.output(path, func(w io.Writer) error { return modelfile.Write(w, m) })
}

// describeModel returns the number of parts of a model with their size.
func describeModel(m *patchwork.Model) string {
	if m.Height() == 1 {
		return fmt.Sprintf("%s of %s", words.Count(m.K(), "part"), words.Count(m.Width(), "column"))
	}
	return fmt.Sprintf("%s of %d x %d pixels", words.Count(m.K(), "part"), m.Height(), m.Width())
}
