// Command peers compares Patchwork with the programs that a user might choose instead, in
// one run, with one thread each, in turns:
//
//	taskset -c 0 go run ./experiments/bench/peers [P1 P2 P3] [--rounds 5] [--only "K=8"] [--seed 2]
//
// P1 and P2 are explanations of letters and scenes beside one scoring pass of OpenCV's
// matchTemplate; P3 tables beside scikit-learn and NumPy. Without names, all are run.
//
// The data are made here from fixed seeds and passed to the peers as files, so that
// both get the same. Every explanation that is timed is also compared with what was
// planted.
//
// The peers need Python with OpenCV, scikit-learn and NumPy (Debian:
// python3-opencv python3-sklearn python3-numpy). PYTHON names an interpreter.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"example.com/patchwork/experiments/python"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/score/kernel"
)

// session is one run of the program.
type session struct {
	rounds int
	quick  bool
	only   string // part of the names of the tasks
	seed   uint64 // of the tables

	dir   string // for the data
	files int
}

//go:embed peers.py
var text string

var peers = python.Script{Text: text, Modules: "cv2, sklearn, numpy",
	Debian: "python3-opencv python3-sklearn python3-numpy", Env: environment()}

// environment is one thread for every library that a peer computes with. Debian's OpenBLAS treats an unknown
// processor like one of 2004; unless the user chose, it is told which kernels this processor can run.
func environment() (env []string) {
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

// ask asks the peers.
func ask(op string, question, answer any) error {
	return peers.Ask(context.Background(), op, question, answer)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// run reads names and flags, in any order, and measures.
func run(args []string) (err error) {
	s, names := &session{}, []string(nil)
	fs := flag.NewFlagSet("peers", flag.ExitOnError)
	fs.IntVar(&s.rounds, "rounds", 5, "rounds of each workload")
	fs.BoolVar(&s.quick, "quick", false, "small workloads, to check that everything works; the times mean nothing")
	fs.StringVar(&s.only, "only", "", "measure the tasks with this in their names")
	fs.Uint64Var(&s.seed, "seed", tableSeed, "seed of the tables of P3")
	for fs.Parse(args); fs.NArg() > 0; fs.Parse(args) { // ExitOnError: there is no error to check
		names, args = append(names, fs.Arg(0)), fs.Args()[1:]
	}
	if names == nil {
		names = []string{"P1", "P2", "P3"}
	}
	for _, name := range names {
		if s.groups(name) == nil {
			return fmt.Errorf("no workload is called %q; there are P1, P2 and P3", name)
		}
	}
	if s.rounds < 1 {
		return fmt.Errorf("%d rounds; give at least 1", s.rounds)
	}
	runtime.GOMAXPROCS(1)
	if s.dir, err = os.MkdirTemp("", "patchwork-peers-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	machine, err := s.machine()
	if err != nil {
		return err
	}
	fmt.Printf("%s\n\n", machine)
	var results []*result
	for _, name := range names {
		more, err := s.workload(name)
		if err != nil {
			return err
		}
		results = append(results, more...)
	}
	write(os.Stdout, results)
	return nil
}

// workload measures one workload.
func (s *session) workload(name string) (results []*result, err error) {
	least := time.Duration(s.size(300, 1)) * time.Millisecond
	for _, prepare := range s.groups(name) {
		tasks, err := prepare()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, t := range tasks {
			if !strings.Contains(t.name, s.only) {
				continue
			}
			r, err := measure(t, s.rounds, least)
			if err != nil {
				return nil, err
			}
			results = append(results, r)
		}
		if err := ask("forget", nil, &struct{}{}); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// groups returns the tasks of a workload in groups that share data; nil for a name that is none. The targets
// are those of the README.
func (s *session) groups(name string) []func() ([]task, error) {
	one := func(t task, err error) ([]task, error) { return []task{t}, err }
	table := func(n, small, d, k int, goals tableGoals) func() ([]task, error) {
		return func() ([]task, error) { return s.tableTasks(s.size(n, small), d, k, goals) }
	}
	switch name {
	case "P1":
		return []func() ([]task, error){func() ([]task, error) { return one(s.lettersTask()) }}
	case "P2":
		return []func() ([]task, error){
			func() ([]task, error) { return one(s.scenesTask(10, 5, 1.0/5)) },
			func() ([]task, error) { return one(s.scenesTask(100, 5, 1.0/8)) },
			func() ([]task, error) { return one(s.scenesTask(100, s.size(20, 5), 1.0/8)) },
		}
	case "P3":
		return []func() ([]task, error){
			table(100000, 400, 36, 8, tableGoals{explain: 1.05, epoch: 1.0 / 5}),
			table(100000, 200, 784, 64, tableGoals{explain: 1.05, nmf: 1.0 / 10, epoch: 1.0 / 5}),
			table(1000000, 400, 128, 32, tableGoals{explain: 1.05, epoch: 1.0 / 5}),
		}
	}
	return nil
}

// size returns the full size, or with --quick the small one.
func (s *session) size(full, quick int) int {
	if s.quick {
		return quick
	}
	return full
}

// save writes an array for the peers and returns its path.
func (s *session) save(name string, a *npy.Array) (string, error) {
	s.files++
	path := filepath.Join(s.dir, fmt.Sprintf("%03d-%s.npy", s.files, name))
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	if err := npy.Write(f, a); err != nil {
		f.Close()
		return "", err
	}
	return path, f.Close()
}
