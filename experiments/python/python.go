// Package python asks scripts for what Python's libraries compute.
package python

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

//go:embed serve.py
var serve string

// Script is Python text with functions that answer questions, by name in a dictionary ops. A process that runs
// it is kept for the next question.
type Script struct {
	Text    string
	Modules string   // that it imports, such as "numpy, sklearn.base"
	Debian  string   // the packages that have them
	Env     []string // beside our own

	once sync.Once
	path string
	mu   sync.Mutex
	idle []*process // they end with this program
}

// process runs a script.
type process struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// MissingError says which modules no interpreter has.
type MissingError struct{ Modules, Debian string }

// Error says how to get them.
func (e *MissingError) Error() string {
	return fmt.Sprintf("no Python 3 with %s (Debian: apt-get install %s); PYTHON=/path/to/python3 names another one",
		e.Modules, e.Debian)
}

// Path returns the first interpreter that has the modules: $PYTHON, the one on the path, Debian's.
func (s *Script) Path() (string, error) {
	s.once.Do(func() {
		names := []string{"python3", "/usr/bin/python3"}
		if chosen := os.Getenv("PYTHON"); chosen != "" {
			names = []string{chosen}
		}
		for _, name := range names {
			if exec.Command(name, "-c", "import "+s.Modules).Run() == nil {
				s.path = name
				return
			}
		}
	})
	if s.path == "" {
		return "", &MissingError{s.Modules, s.Debian}
	}
	return s.path, nil
}

func (s *Script) take() (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		p := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return p, nil
	}
	path, err := s.Path()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "-c", s.Text+serve)
	cmd.Env, cmd.Stderr = append(os.Environ(), s.Env...), os.Stderr
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

// Ask calls a function of the script with a question, and decodes its answer. Several may ask at the same time;
// each has a process of its own. Who asks one after the other has the same one.
func (s *Script) Ask(ctx context.Context, op string, question, answer any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	line, err := json.Marshal(map[string]any{"op": op, "in": question})
	if err != nil {
		return err
	}
	p, err := s.take()
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%s: Python ended: %w", op, err)
	}
	said, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: Python ended: %w", op, err)
	}
	s.mu.Lock()
	s.idle = append(s.idle, p)
	s.mu.Unlock()
	var a struct {
		Out   json.RawMessage
		Error string
	}
	if err := json.Unmarshal(said, &a); err != nil {
		return err
	}
	if a.Error != "" {
		return fmt.Errorf("%s, in Python: %s", op, a.Error)
	}
	return json.Unmarshal(a.Out, answer)
}
