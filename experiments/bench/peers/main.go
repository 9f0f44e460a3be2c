// Command peers compares Patchwork with the programs that a user might choose instead,
// in one run, on one core each, in turns:
//
//	go run ./experiments/bench/peers [P1 P2 P3 P4 cores] [--md] [--rounds 5] [--only "K=8"] [--seed 2]
//
// P1 and P2 are explanations of letters and scenes beside one scoring pass of OpenCV's
// matchTemplate; P3 tables beside scikit-learn and NumPy; P4 a complete learning run
// beside the import of scikit-learn; cores the gain from a second core. Without names, all
// are run.
//
// The data are made here from fixed seeds and passed to the peers as files, so that
// both get the same. Every explanation that is timed is also compared with what was
// planted.
//
// The peers need Python with OpenCV, scikit-learn and NumPy (Debian:
// python3-opencv python3-sklearn python3-numpy). PYTHON names an interpreter.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/patchwork/internal/npy"
)

// session is one run of the program.
type session struct {
	options
	dir    string // for the data
	files  int
	python *python // nil if no workload needs it
}

// options are the flags.
type options struct {
	rounds    int
	quick, md bool
	cpu       string
	names     []string // of workloads
	only      string   // part of the names of the tasks
	seed      uint64   // of the tables

	cores int // set if the program runs itself; see runCores
}

var workloads = []string{"P1", "P2", "P3", "P4", "cores"}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.cores > 0 {
		return runCores(o.cores, o.rounds)
	}
	runtime.GOMAXPROCS(1)
	if status, done := bind(o.cpu); done {
		if status != 0 {
			os.Exit(status)
		}
		return nil
	}
	return o.measure()
}

// parse reads names and flags, in any order.
func parse(args []string) (o options, err error) {
	fs := flag.NewFlagSet("peers", flag.ExitOnError)
	fs.IntVar(&o.rounds, "rounds", 5, "rounds of each workload")
	fs.BoolVar(&o.md, "md", false, "print Markdown")
	fs.BoolVar(&o.quick, "quick", false, "small workloads, to check that everything works; the times mean nothing")
	fs.StringVar(&o.cpu, "cpu", "0", "processor to bind to, by taskset; empty for none")
	fs.StringVar(&o.only, "only", "", "of P1 to P4, measure the tasks with this in their names")
	fs.Uint64Var(&o.seed, "seed", tableSeed, "seed of the tables of P3")
	fs.IntVar(&o.cores, "point-cores", 0, "run cores with this number of rows, for the program itself")
	for fs.Parse(args); fs.NArg() > 0; fs.Parse(args) { // ExitOnError: there is no error to check
		o.names, args = append(o.names, fs.Arg(0)), fs.Args()[1:]
	}
	if o.names == nil {
		o.names = workloads
	}
	for _, name := range o.names {
		if !slices.Contains(workloads, name) {
			return o, fmt.Errorf("no workload is called %q; there are %q", name, workloads)
		}
	}
	if o.rounds < 1 {
		return o, fmt.Errorf("%d rounds; give at least 1", o.rounds)
	}
	return o, nil
}

// measure runs the workloads and prints the report.
func (o options) measure() (err error) {
	s := &session{options: o}
	if s.dir, err = os.MkdirTemp("", "patchwork-peers-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	if slices.ContainsFunc(o.names, func(n string) bool { return n != "cores" }) {
		path, err := findPython()
		if err != nil {
			return err
		}
		if s.python, err = startPython(path); err != nil {
			return err
		}
		defer s.python.close()
	}
	var r report
	if r.machine, err = s.machine(); err != nil {
		return err
	}
	for _, name := range o.names {
		if err := s.workload(name, &r); err != nil {
			return err
		}
	}
	r.write(os.Stdout, o.md)
	return nil
}

// workload adds one workload to the report.
func (s *session) workload(name string, r *report) (err error) {
	if name == "cores" {
		if r.cores, err = s.twoCores(); err != nil {
			note("%v", err)
		}
		return nil
	}
	least := time.Duration(s.size(300, 1)) * time.Millisecond
	for _, prepare := range s.groups(name) {
		tasks, err := prepare()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, t := range tasks {
			if !strings.Contains(t.name, s.only) {
				continue
			}
			result, err := measure(t, s.rounds, least)
			if err != nil {
				return err
			}
			r.results = append(r.results, result)
		}
		if err := s.python.forget(); err != nil {
			return err
		}
	}
	return nil
}

// groups returns the tasks of a workload in groups that share data. The targets are
// those of the README.
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
			table(100000, 400, 36, 8, tableGoals{unequal: 1.05, epoch: 1.0 / 5}),
			table(100000, 200, 784, 64, tableGoals{unequal: 1.05, nmf: 1.0 / 10, epoch: 1.0 / 5}),
			table(1000000, 400, 128, 32, tableGoals{unequal: 1.05, epoch: 1.0 / 5}),
		}
	case "P4":
		return []func() ([]task, error){s.startTasks}
	}
	panic("peers: no tasks are called " + strconv.Quote(name))
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

// note reports progress on stderr.
func note(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
