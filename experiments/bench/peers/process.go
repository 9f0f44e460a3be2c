package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// self runs this program again and returns what it printed; if cpus is not empty, on
// these (a list as for taskset).
func self(cpus string, args ...string) ([]byte, error) {
	cmd, err := again(cpus, args)
	if err != nil {
		return nil, err
	}
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, failed.String())
	}
	return out, nil
}

// again returns the command that runs this program.
func again(cpus string, args []string) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if cpus == "" {
		return exec.Command(program, args...), nil
	}
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		return nil, fmt.Errorf("bind to processors %s: %w", cpus, err)
	}
	return exec.Command(taskset, append([]string{"-c", cpus, program}, args...)...), nil
}

// bound is the variable that marks a process bound to its core, and says to which of how
// many.
const bound = "PATCHWORK_BENCH_CPU"

// bind runs this program again, bound to one processor, which the peers inherit. done is
// false if that is impossible or already done.
func bind(cpu string) (status int, done bool) {
	if cpu == "" || os.Getenv(bound) != "" {
		return 0, false
	}
	cmd, err := again(cpu, os.Args[1:])
	if err != nil {
		note("%v; going on unbound", err)
		return 0, false
	}
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s of %d", bound, cpu, runtime.NumCPU()))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		note("%v; going on unbound", err)
		return 0, false
	}
	return cmd.ProcessState.ExitCode(), true
}
