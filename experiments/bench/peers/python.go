package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"example.com/patchwork/internal/score/kernel"
)

//go:embed peers.py
var script string

// errNoPython says what is missing and how to get it.
var errNoPython = errors.New("no Python here has cv2, sklearn and numpy " +
	"(Debian: apt-get install python3-opencv python3-sklearn python3-numpy); PYTHON=/path/to/python3 names another one")

// probe fails if a peer is missing. It looks for peers without importing them, which
// would take a second.
const probe = `import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ("cv2", "sklearn", "numpy"))))`

// findPython returns the first interpreter that has the peers: $PYTHON, the one on the
// PATH, Debian's.
func findPython() (string, error) {
	names := []string{"python3", "/usr/bin/python3"}
	if chosen := os.Getenv("PYTHON"); chosen != "" {
		names = []string{chosen}
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", probe).Run() == nil {
			return path, nil
		}
	}
	return "", errNoPython
}

// environment returns our environment, with one thread for every library that a peer
// computes with. Debian's OpenBLAS treats an unknown processor like one of 2004; unless
// the user chose, it is told which kernels this processor can run.
func environment() []string {
	env := os.Environ()
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"} {
		env = append(env, name+"=1")
	}
	if os.Getenv("OPENBLAS_CORETYPE") == "" {
		if core := map[string]string{"avx512": "SkylakeX", "avx2": "Haswell"}[kernel.Chosen().Name]; core != "" {
			env = append(env, "OPENBLAS_CORETYPE="+core)
		}
	}
	return env
}

// python is a running peers.py.
type python struct {
	path string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int // ID of the next work
}

// startPython starts the peers. close ends them.
func startPython(path string) (*python, error) {
	p := &python{path: path, cmd: exec.Command(path, "-c", script)}
	p.cmd.Env, p.cmd.Stderr = environment(), os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

func (p *python) close() error {
	return errors.Join(p.in.Close(), p.cmd.Wait())
}

// ask sends one question and reads the answer into reply.
func (p *python) ask(question map[string]any, reply any) error {
	line, err := json.Marshal(question)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("ask the peers: %w", err)
	}
	line, err = p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the peers ended while asked to %v: %w", question["op"], err)
	}
	var failed struct{ Error string }
	if err := json.Unmarshal(line, &failed); err != nil {
		return fmt.Errorf("an answer of the peers: %w", err)
	}
	if failed.Error != "" {
		return fmt.Errorf("peers.py: %s", failed.Error)
	}
	return json.Unmarshal(line, reply)
}

// remote is work that the peers have prepared.
type remote struct {
	p  *python
	id int
}

// prepare makes the peers load what a work needs.
func (p *python) prepare(work string, args map[string]any) (*remote, error) {
	p.next++
	r := &remote{p, p.next}
	err := p.ask(map[string]any{"op": "prepare", "id": r.id, "work": work, "args": args}, &struct{}{})
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", work, err)
	}
	return r, nil
}

// run repeats the work, and returns the seconds it took by the peer's own clock.
func (r *remote) run(repeat int) (float64, error) {
	var reply struct{ Seconds float64 }
	err := r.p.ask(map[string]any{"op": "run", "id": r.id, "repeat": repeat}, &reply)
	return reply.Seconds, err
}

// forget makes the peers drop all that was prepared.
func (p *python) forget() error {
	return p.ask(map[string]any{"op": "forget"}, &struct{}{})
}

// check returns what a template match found first in every image: template, row, column.
func (r *remote) check() ([][3]int, error) {
	var reply struct{ Found [][3]int }
	err := r.p.ask(map[string]any{"op": "check", "id": r.id}, &reply)
	return reply.Found, err
}
