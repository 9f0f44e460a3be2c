// Package sklearn asks models of scikit-learn, which one script runs.
package sklearn

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

//go:embed rivals.py
var script string

// ErrNone says that there is no scikit-learn, and where it is to be had.
var ErrNone = errors.New(
	"no Python 3 with scikit-learn (Debian: apt-get install python3-sklearn); PYTHON=/path/to/python3 names another one")

// python returns an interpreter with scikit-learn: $PYTHON, the one on the path, Debian's.
var python = sync.OnceValue(func() string {
	names := []string{"python3", "/usr/bin/python3"}
	if chosen := os.Getenv("PYTHON"); chosen != "" {
		names = []string{chosen}
	}
	for _, name := range names {
		if exec.Command(name, "-c", "import numpy, sklearn.base").Run() == nil {
			return name
		}
	}
	return ""
})

// Available reports whether there is scikit-learn.
func Available() bool { return python() != "" }

// process is a running script.
type process struct {
	in  io.WriteCloser
	out *bufio.Reader
}

var (
	mu   sync.Mutex
	idle []*process // kept for the next question; they end with this program
)

func take() (*process, error) {
	mu.Lock()
	defer mu.Unlock()
	if n := len(idle); n > 0 {
		p := idle[n-1]
		idle = idle[:n-1]
		return p, nil
	}
	if !Available() {
		return nil, ErrNone
	}
	cmd := exec.Command(python(), "-c", script)
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{in, bufio.NewReaderSize(out, 1<<20)}, cmd.Start()
}

// Ask runs an operation of the script on a question, and decodes its answer. Several may
// ask at the same time; each has a process of its own.
func Ask(ctx context.Context, op string, question, answer any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	line, err := json.Marshal(map[string]any{"op": op, "in": question})
	if err != nil {
		return err
	}
	p, err := take()
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("scikit-learn ended: %w", err)
	}
	said, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("scikit-learn ended: %w", err)
	}
	mu.Lock()
	idle = append(idle, p)
	mu.Unlock()
	var a struct {
		Out   json.RawMessage
		Error string
	}
	if err := json.Unmarshal(said, &a); err != nil {
		return err
	}
	if a.Error != "" {
		return fmt.Errorf("scikit-learn: %s: %s", op, a.Error)
	}
	return json.Unmarshal(a.Out, answer)
}
