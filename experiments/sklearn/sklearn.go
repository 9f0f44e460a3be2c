// Package sklearn asks models of scikit-learn, which one script runs.
package sklearn

import (
	"context"
	_ "embed"

	"example.com/patchwork/experiments/python"
)

//go:embed rivals.py
var text string

var script = python.Script{Text: text, Modules: "numpy, sklearn.base", Debian: "python3-sklearn",
	Env: []string{"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"}}

// Available reports whether there is scikit-learn.
func Available() bool {
	_, err := script.Path()
	return err == nil
}

// Ask runs an operation of the script on a question, and decodes its answer.
func Ask(ctx context.Context, op string, question, answer any) error {
	return script.Ask(ctx, op, question, answer)
}
