package real

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
)

//go:embed rivals.py
var rivalScript string

// ErrNoRivals says that there is no scikit-learn (Debian: python3-sklearn).
var ErrNoRivals = errors.New("no Python 3 with scikit-learn (Debian: python3-sklearn)")

// Job is what rivals are to learn from and to say something about.
type Job struct {
	Train [][]float64
	Test  [][]float64 // NaN is hidden
	Truth [][]float64 // of the test rows, nothing hidden; nil if nothing is
	Floor []float64   // least variance of each column
}

// Score is how well a model says what test rows hold.
type Score struct {
	Known float64 // log-density of the known values of a row; NaN of components, which have none
	// RMSE and NLL are of hidden values: the root mean square error, and the mean of minus the log-density.
	RMSE, NLL float64
}

// Rivals returns the scores of scikit-learn's models by name, each with its best setting on the test rows themselves.
func Rivals(ctx context.Context, j *Job) (map[string]Score, error) {
	hide := func(rows [][]float64) [][]*float64 {
		out := make([][]*float64, len(rows))
		for i, row := range rows {
			out[i] = make([]*float64, len(row))
			for d := range row {
				if !math.IsNaN(row[d]) {
					out[i][d] = &row[d]
				}
			}
		}
		return out
	}
	in, err := json.Marshal(map[string]any{"train": j.Train, "test": hide(j.Test), "truth": j.Truth, "floor": j.Floor})
	if err != nil {
		return nil, err
	}
	said, err := python(ctx, rivalScript, in)
	if err != nil {
		return nil, err
	}
	var lists map[string][]*float64
	if err := json.Unmarshal(said, &lists); err != nil {
		return nil, fmt.Errorf("what the rivals say: %w", err)
	}
	out := map[string]Score{}
	for name, l := range lists {
		var s Score
		for i, to := range []*float64{&s.Known, &s.RMSE, &s.NLL}[:len(l)] {
			if *to = math.NaN(); l[i] != nil {
				*to = *l[i]
			}
		}
		out[name] = s
	}
	return out, nil
}

// python runs a script of scikit-learn.
func python(ctx context.Context, script string, in []byte) ([]byte, error) {
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if exec.CommandContext(ctx, name, "-c", "import sklearn").Run() != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, name, "-c", script)
		var said, complaint bytes.Buffer
		cmd.Env = append(cmd.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &said, &complaint
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("rivals: %w: %s", err, strings.TrimSpace(complaint.String()))
		}
		return said.Bytes(), nil
	}
	return nil, ErrNoRivals
}
