package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/cmd/engine"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/workbench"
)

// engineFlags say what makes the E-steps over all images.
type engineFlags struct {
	name string
	beam []string
}

func (f *engineFlags) add(cmd *cobra.Command) {
	f.name = "goroutines"
	cmd.Flags().Var(&textFlag{kind: "NAME", text: f.name, read: f.parse}, "engine",
		"what explains all images in every iteration: goroutines of this process, or Apache Beam through patchwork-beam, "+
			"whose options may follow, as in beam:shards=17,deadline=10m (also endpoint=HOST:PORT, unroll=4)")
	groupFlags(cmd.Flags(), largeData, "engine")
}

// parse reads the name of an engine, with options of Beam after a colon.
func (f *engineFlags) parse(text string) error {
	name, options, given := strings.Cut(text, ":")
	if name != "goroutines" && name != "beam" || given && name != "beam" {
		return fmt.Errorf("choose goroutines or beam, or beam:OPTION=VALUE,...%s",
			enum.DidYouMean(name, []string{"goroutines", "beam"}))
	}
	f.name = name
	depth := 0 // of braces: commas within them belong to a value
	f.beam = strings.FieldsFunc(options, func(r rune) bool {
		depth += map[rune]int{'{': 1, '}': -1}[r]
		return r == ',' && depth == 0
	})
	return nil
}

func (f *engineFlags) used() bool { return f.name == "beam" }

// check rejects options that an engine cannot carry out.
func (f *engineFlags) check(l *learnFlags) error {
	switch {
	case !f.used():
		return nil
	case l.Soft():
		return usagef("--engine beam adds counts; --method soft weighs them, so leave --engine out")
	case l.Method == "online":
		return errNoOnline
	}
	return nil
}

var errNoOnline = usagef(
	"--engine beam cannot learn online, one image after the other; give --method batch or both, or leave --engine out")

// engineError says that the engine failed: the request is not at fault.
type engineError struct{ err error }

func (e *engineError) Error() string { return e.err.Error() }
func (e *engineError) Unwrap() error { return e.err }

// beamProgram finds patchwork-beam: beside this program, or on the PATH.
func beamProgram() (string, error) {
	const name = "patchwork-beam"
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", usagef("--engine beam needs the program patchwork-beam, which is neither beside patchwork nor on the " +
			"PATH; build it in the folder cmd/engine/beam with: GOWORK=off go install ./cmd/patchwork-beam")
	}
	return path, nil
}

// engineProcess is a running engine. Its methods are for one goroutine at a time.
type engineProcess struct {
	cmd      *exec.Cmd
	requests io.WriteCloser
	encoder  *json.Encoder
	replies  *json.Decoder
	passes   int      // over all images
	paths    []string // of the data, as the engine finds them
}

// startEngine starts the engine of the flags; it returns nil if there is none. The
// engine ends with the context, and, because its standard input ends, with this
// process, even if that is killed.
func (a *app) startEngine(ctx context.Context, f *engineFlags) (*engineProcess, error) {
	if !f.used() {
		return nil, nil
	}
	path, err := beamProgram()
	if err != nil {
		return nil, err
	}
	var args []string
	for _, option := range f.beam {
		args = append(args, "--"+strings.TrimLeft(option, "-"))
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stderr = a.err
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, &engineError{fmt.Errorf("start %s: %w", path, err)}
	}
	e := &engineProcess{cmd: cmd, requests: in, encoder: json.NewEncoder(in), replies: json.NewDecoder(out)}
	if _, err := e.ask(ctx, &engine.Request{Check: true}); err != nil {
		e.stop()
		return nil, err
	}
	return e, nil
}

// stop ends the engine and waits for it.
func (e *engineProcess) stop() {
	if e != nil {
		e.requests.Close()
		e.cmd.Wait() // errors have been reported
	}
}

// ask sends a request and waits for the reply.
func (e *engineProcess) ask(ctx context.Context, r *engine.Request) (*engine.Reply, error) {
	r.Version = engine.Version
	reply := new(engine.Reply)
	err := e.encoder.Encode(r)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		err = e.replies.Decode(reply)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, io.EOF):
		return nil, &engineError{fmt.Errorf("patchwork-beam ended without a reply")}
	case err != nil:
		return nil, &engineError{fmt.Errorf("talk to patchwork-beam: %w", err)}
	case reply.Error != "":
		return nil, &engineError{fmt.Errorf("patchwork-beam: %s", reply.Error)}
	}
	return reply, nil
}

// local returns for every path one that this program can read: the engine copies
// files with a scheme, such as gs://.
func (e *engineProcess) local(ctx context.Context, paths []string) ([]string, error) {
	remote := false
	for _, p := range paths {
		remote = remote || strings.Contains(p, "://")
	}
	if e == nil || !remote {
		return paths, nil
	}
	reply, err := e.ask(ctx, &engine.Request{Fetch: paths})
	if err != nil {
		return nil, err
	}
	return reply.Paths, nil
}

// openFor opens the data of a run; for an engine, as files that are read in every
// pass. local are the paths by which this program reads them.
func (f *learnFlags) openFor(cmd *cobra.Command, e *engineProcess, paths []string) (s *source, local []string,
	err error) {
	switch {
	case f.by != "":
		set, err := f.readClasses(cmd, paths)
		return &source{set: set}, paths, err
	case e == nil:
		s, err = f.data.openAs(cmd, paths, f.kind(cmd))
		if size := oneSize(err); size != "" {
			if err := f.data.scale("pictures of several sizes", size); err != nil {
				return nil, nil, err
			}
			s, err = f.data.openAs(cmd, paths, f.kind(cmd))
			if err == nil && !f.data.silent {
				sayNotes(cmd, f.data.scaled)
			}
		}
		return s, paths, err
	}
	ctx := cmd.Context()
	if e.paths, err = absolute(paths); err != nil {
		return nil, nil, err
	}
	if local, err = e.local(ctx, paths); err != nil {
		return nil, nil, err
	}
	opt, err := f.data.options(cmd)
	if err != nil {
		return nil, nil, err
	}
	opt.MaxMemory = int64(f.data.memory)
	stream, err := dataset.OpenStream(ctx, local, opt)
	if err != nil {
		return nil, nil, &inputError{err}
	}
	return &source{stream: stream.Cut(f.data.skip, f.data.most())}, local, nil
}

// begin gives the engine its data, which were read once.
func (e *engineProcess) begin(cmd *cobra.Command, f *learnFlags, l *workbench.Learning) error {
	opt, err := f.data.options(cmd)
	if err != nil {
		return err
	}
	opt.MaxMemory = int64(f.data.memory)
	job := &engine.Job{Paths: e.paths, Options: opt, Skip: f.data.skip, Rows: l.Images, Learn: l.Learn}
	_, err = e.ask(cmd.Context(), &engine.Request{Job: job})
	return err
}

// absolute returns paths that are valid for processes that run in other folders.
func absolute(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		if !strings.Contains(p, "://") {
			abs, err := filepath.Abs(p)
			if err != nil {
				return nil, err
			}
			p = abs
		}
		out = append(out, p)
	}
	return out, nil
}

// tally returns what lets the engine explain all images and count them; begin sends it its data.
func (e *engineProcess) tally(begin func() error, bar **progress) func(context.Context, *patchwork.Model,
	patchwork.PursuitOptions) (*patchwork.Tally, error) {
	return func(ctx context.Context, m *patchwork.Model, opt patchwork.PursuitOptions) (*patchwork.Tally, error) {
		if e.passes == 0 {
			if err := begin(); err != nil {
				return nil, err
			}
		}
		step, err := engine.NewStep(m, opt)
		if err != nil {
			return nil, err
		}
		e.passes++
		(*bar).again(fmt.Sprintf("pass %d by Beam, image", e.passes), 0)
		reply, err := e.ask(ctx, &engine.Request{Step: step})
		if err != nil {
			return nil, err
		}
		part, err := engine.Decode(reply.Part)
		if err != nil {
			return nil, &engineError{err}
		}
		return part.Tally, nil
	}
}
