// Command refuse gives the command line files that should not bring it down, and changed copies
// of them, and reports what is neither read nor refused in little time and memory.
//
//	go run ./experiments/bench/refuse -n 1000 FILE...
//	go run ./experiments/bench/refuse -n 20 -wide
//
// Each file, and n copies that package mutate changes, are read by the commands that read its
// kind: .npz as a model and as data, .tally as counts, all others as data. A finding is a
// crash, a refusal that takes 2 s of processor time or 200 MB more than the program needs for
// nothing, or an escape character printed. The system counts the most memory that this
// program ever had as the other's, too, if it is more. Copies that make a finding are kept. -wide adds
// tables of text of 260,000 columns, made here.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"example.com/patchwork/experiments/bench/mutate"
)

// bounds of a refusal.
const (
	mostTime   = 2 * time.Second
	mostMemory = 200 << 20
	patience   = 30 * time.Second // of one run, by the clock
)

type plan struct {
	binary, model, dir string
	copies             int
	seed               uint64
	wide               int   // columns of the wide tables; 0 for none
	idle               int64 // bytes that the program takes for nothing
	findings           int
}

func main() {
	var p plan
	flag.StringVar(&p.binary, "binary", "", "patchwork to run (default: built from this repository)")
	flag.StringVar(&p.model, "model", "", "model to read data and counts with (default: one of two parts of quadrants)")
	flag.StringVar(&p.dir, "keep", "", "folder for copies that make a finding (default: a new temporary one)")
	flag.IntVar(&p.copies, "n", 100, "changed copies of each file")
	flag.Uint64Var(&p.seed, "seed", 1, "seed of the changes")
	wide := flag.Bool("wide", false, fmt.Sprintf("also read tables of text of %d columns, made here", wideColumns))
	flag.Parse()
	debug.SetGCPercent(10) // its own memory is the least that can be measured
	if *wide {
		p.wide = wideColumns
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := p.run(ctx, os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "refuse:", err)
		stop()
		os.Exit(1)
	}
}

func (p *plan) run(ctx context.Context, w io.Writer, files []string) error {
	scratch, err := os.MkdirTemp("", "patchwork-refuse")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if p.dir == "" {
		p.dir = filepath.Join(os.TempDir(), "patchwork-findings")
	}
	if err := p.prepare(ctx, scratch); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d changed copies of each file, seed %d; the program needs %d MB for nothing\n\n| file | runs | read | refused | most s | most MB | findings |\n|---|---|---|---|---|---|---|\n", p.copies, p.seed, p.idle>>20)
	if p.wide > 0 {
		wide, err := writeWide(scratch, p.wide, p.seed)
		if err != nil {
			return err
		}
		files = append(files, wide...)
	}
	for _, file := range files {
		if err := p.file(ctx, w, scratch, file); err != nil {
			return err
		}
	}
	if p.findings > 0 {
		return fmt.Errorf("%d findings; the copies are in %s", p.findings, p.dir)
	}
	return nil
}

// prepare builds the program and makes a model to read data with.
func (p *plan) prepare(ctx context.Context, scratch string) error {
	if p.binary == "" {
		p.binary = filepath.Join(scratch, "patchwork")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", p.binary, "example.com/patchwork/cmd/patchwork").CombinedOutput(); err != nil {
			return fmt.Errorf("build patchwork (run this in the repository, or give -binary): %w\n%s", err, out)
		}
	}
	model, data := filepath.Join(scratch, "model.npz"), filepath.Join(scratch, "data.npz")
	steps := [][]string{{"synth", "quadrants", "-n", "60", "--seed", "1", "-o", data}, {"learn", data, "-o", model, "-k", "2", "--starts", "1"}}
	if p.model != "" {
		model, steps = p.model, nil
	}
	p.model = model
	for _, args := range steps {
		if out, err := exec.CommandContext(ctx, p.binary, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("patchwork %s: %w\n%s", args[0], err, out)
		}
	}
	r, err := p.once(ctx, "version")
	p.idle = r.memory
	return err
}

// file gives a file and its changed copies to all commands that read its kind.
func (p *plan) file(ctx context.Context, w io.Writer, scratch, name string) error {
	original, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(p.seed, uint64(len(original))))
	_, kind, _ := strings.Cut(filepath.Base(name), ".")
	path := filepath.Join(scratch, "copy."+kind)
	var runs, read, found int
	var most result
	for i := range p.copies + 1 {
		content := original
		if i > 0 {
			content = mutate.File(rng, original)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
		for _, args := range p.commands(kind, path, scratch) {
			r, err := p.once(ctx, args...)
			if err != nil {
				return err
			}
			runs++
			if r.code == 0 {
				read++
			} else {
				most.spent, most.memory = max(most.spent, r.spent), max(most.memory, r.memory)
			}
			if why := r.finding(p.idle); why != "" {
				found++
				kept, err := p.keep(content, fmt.Sprintf("%s-%d-%s", filepath.Base(name), i, args[0]), kind)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "finding: patchwork %s, %s: %s\n", strings.Join(args, " "), kept, why)
			}
		}
	}
	p.findings += found
	fmt.Fprintf(w, "| %s | %d | %d | %d | %.2f | %d | %d |\n", filepath.Base(name), runs, read, runs-read, most.spent.Seconds(), max(0, most.memory-p.idle)>>20, found)
	return nil
}

// commands returns the command lines that read a kind of file.
func (p *plan) commands(kind, path, scratch string) [][]string {
	out := filepath.Join(scratch, "out.npz")
	data := [][]string{{"score", "-m", p.model, path}, {"learn", path, "-o", out, "-k", "1", "--starts", "1", "--iterations", "1"}}
	switch kind {
	case "tally":
		return [][]string{{"mstep", "-m", p.model, path, "-o", out}}
	case "npz":
		return append(data, []string{"info", path}, []string{"sample", "-m", path, "-n", "2", "-o", out})
	}
	return data
}

func (p *plan) keep(content []byte, name, kind string) (string, error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(p.dir, name+"."+kind)
	return path, os.WriteFile(path, content, 0o600)
}

// result is how a run went.
type result struct {
	code   int
	spent  time.Duration // of processor
	memory int64         // resident at most
	late   bool
	output []byte
}

// once runs patchwork.
func (p *plan) once(ctx context.Context, args ...string) (result, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(limited, p.binary, args...)
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	if err != nil && !errors.As(err, &exit) {
		return result{}, err
	}
	state := cmd.ProcessState
	return result{code: state.ExitCode(), spent: state.UserTime() + state.SystemTime(), late: limited.Err() != nil, memory: memory(state), output: output}, nil
}

// finding says what is wrong with a run; "" if nothing is. What is read may take longer than what
// is refused.
func (r *result) finding(idle int64) string {
	refused := r.code != 0
	switch {
	case r.late:
		return fmt.Sprintf("not ended after %v", patience)
	case r.code < 0 || r.code > 2 || bytes.Contains(r.output, []byte("goroutine ")):
		return fmt.Sprintf("exit code %d: %.300q", r.code, r.output)
	case bytes.ContainsRune(r.output, '\x1b'):
		return fmt.Sprintf("an escape character: %.300q", r.output)
	case refused && r.spent > mostTime:
		return fmt.Sprintf("refused after %v of processor time: %.300q", r.spent, r.output)
	case refused && r.memory-idle > mostMemory:
		return fmt.Sprintf("refused after %d MB: %.300q", r.memory>>20, r.output)
	}
	return ""
}
