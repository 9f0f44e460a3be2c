// Command patchwork-beam makes the E-steps of patchwork learn on Apache Beam.
//
//	patchwork learn rows-*.npy -o model.npz --experts 8 --rule max-minus-min --engine beam:shards=17
//
// patchwork starts it, sends it steps and receives counts (see package cmd/engine); it
// is not meant to be started by hand. The flags here and Beam's own follow --engine beam:
// NAME=VALUE. The same program is the worker, if a runner starts it as one.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"example.com/patchwork/cmd/engine"
)

func main() { os.Exit(realMain()) }

func realMain() int {
	var s settings
	flag.StringVar(&s.runner, "runner", "prism",
		"Beam runner: prism (in this process, unless --endpoint names a server) or universal (any server)")
	flag.IntVar(&s.shards, "shards", 0,
		"pieces to cut the images into, on a cluster several for each of its workers (default 16, or 1 in this process, "+
			"where a piece has all --workers of learn)")
	flag.IntVar(&s.unroll, "unroll", 1, "iterations per pipeline: more if submitting one takes long")
	flag.DurationVar(&s.deadline, "deadline", time.Hour,
		"how long a pipeline may take; Beam itself waits for ever for a worker that died")
	flag.StringVar(&s.staging, "staging", "",
		"folder that all workers and this program can write and read, such as gs://bucket/folder (default: a temporary one)")
	verbose := flag.Bool("verbose", false, "show what Beam logs")
	flag.Usage = usage(os.Args[1:])
	flag.Parse()
	endWithParent()
	beam.Init() // does not return in a worker
	quieten(*verbose)
	if err := s.check(); err != nil {
		fmt.Fprintln(os.Stderr, "patchwork-beam:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Beam leaves files behind in the folder for temporary files; this one is removed.
	dir, err := os.MkdirTemp("", "patchwork-beam-*")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Setenv("TMPDIR", dir)
	}
	if s.staging == "" {
		s.staging = dir
	}
	if err == nil {
		err = serve(ctx, s, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "patchwork-beam:", err)
		return 1
	}
	return 0
}

// usage returns what is printed for a flag that does not exist: the flags of learning, not
// those of Beam, which only a request for help prints.
func usage(args []string) func() {
	all := flag.Usage
	for _, a := range args {
		switch strings.TrimLeft(a, "-") {
		case "h", "help":
			return all
		}
	}
	return func() {
		fmt.Fprintln(os.Stderr,
			"options are deadline, endpoint, runner, shards, staging, unroll, verbose, and those of Beam: patchwork-beam "+
				"-help lists all")
	}
}

// patience is how long the job server may take to answer at all.
const patience = 10 * time.Second

// reachable returns an error if nothing listens at an endpoint of a job server; "" is
// none, where Beam runs in this process.
func reachable(ctx context.Context, endpoint string) error {
	if endpoint == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return fmt.Errorf("no job server answers at --endpoint %s: %w", endpoint, err)
	}
	return c.Close()
}

// runners are the runners in this program: those of its imports. Beam ends the process for any other,
// without a word, and leaves its temporary files behind.
var runners = []string{"prism", "PrismRunner", "universal", "PortableRunner", "portable"}

// check returns an error for invalid flags, and completes Beam's.
func (s *settings) check() error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; this program is started by: patchwork learn --engine beam", flag.Arg(0))
	case s.shards < 0:
		return fmt.Errorf("--shards %d: there must be at least 1", s.shards)
	case s.unroll < 1:
		return fmt.Errorf("--unroll %d: a pipeline has at least 1 iteration", s.unroll)
	case s.deadline <= 0:
		return fmt.Errorf("--deadline %v is no time to work in", s.deadline)
	case s.runner == "universal" && *jobopts.Endpoint == "":
		return fmt.Errorf("--runner universal needs --endpoint HOST:PORT of a job server")
	case !slices.Contains(runners, s.runner):
		return fmt.Errorf("--runner %s is not in this program; there is: %s", s.runner, strings.Join(runners, ", "))
	case *jobopts.Async:
		return fmt.Errorf("--async: learning needs the counts of each step; leave it out")
	}
	if s.shards == 0 {
		s.shards = 1
		if *jobopts.Endpoint != "" {
			s.shards = 16
		}
	}
	// Without a binary for the workers Beam compiles one, on this machine, from
	// source that need not be here.
	if *jobopts.WorkerBinary == "" && *jobopts.Endpoint != "" && !jobopts.IsLoopback() {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		*jobopts.WorkerBinary = self
	}
	return nil
}

// quieten drops what Beam logs, in several ways, unless verbose is set.
func quieten(verbose bool) {
	if verbose {
		return
	}
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(silent{})
}

type silent struct{}

// Log drops a message.
func (silent) Log(context.Context, log.Severity, int, string) {}

// serve answers requests until their end, which also ends the work in progress.
func serve(ctx context.Context, s settings, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	requests := make(chan *engine.Request)
	go func() {
		for d := json.NewDecoder(in); ; {
			r := new(engine.Request)
			if err := d.Decode(r); err != nil {
				cancel(err)
				return
			}
			select {
			case requests <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	var d *driver
	replies := json.NewEncoder(out)
	for {
		select {
		case <-ctx.Done():
			if err := context.Cause(ctx); err != io.EOF {
				return fmt.Errorf("no more requests: %w", err)
			}
			return nil
		case r := <-requests:
			reply, err := answer(ctx, s, &d, r)
			if err != nil {
				reply = &engine.Reply{Error: strings.TrimSpace(err.Error())}
			}
			if err := replies.Encode(reply); err != nil {
				return err
			}
		}
	}
}

// answer answers one request.
func answer(ctx context.Context, s settings, d **driver, r *engine.Request) (*engine.Reply, error) {
	switch {
	case r.Version != engine.Version:
		return nil, fmt.Errorf("patchwork speaks version %d, patchwork-beam version %d; install both from the same release",
			r.Version, engine.Version)
	case r.Check:
		return &engine.Reply{}, reachable(ctx, *jobopts.Endpoint)
	case len(r.Fetch) > 0:
		paths, err := fetch(ctx, r.Fetch)
		return &engine.Reply{Paths: paths}, err
	case r.Job != nil:
		*d = newDriver(s, r.Job)
		return &engine.Reply{}, nil
	case r.Step != nil && *d != nil:
		part, err := (*d).tally(ctx, r.Step)
		if err != nil {
			return nil, err
		}
		file, err := engine.Encode(part)
		return &engine.Reply{Part: file}, err
	}
	return nil, fmt.Errorf("a request that asks for nothing, or for a step before there is a job")
}
