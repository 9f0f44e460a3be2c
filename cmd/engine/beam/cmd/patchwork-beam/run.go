package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"example.com/patchwork/cmd/engine"
	"example.com/patchwork/modelfile/tallyfile"
)

var shardType = reflect.TypeFor[engine.Shard]()

// settings are the flags that are not Beam's own.
type settings struct {
	runner   string
	shards   int
	unroll   int
	deadline time.Duration // of a pipeline
	staging  string        // folder that workers and this program share
}

// driver makes the E-steps of a job by pipelines.
type driver struct {
	settings
	job    *engine.Job
	shards []engine.Shard
	runs   int
	ready  map[string]*tallyfile.Part // counts of steps that were not requested yet, by key
}

func newDriver(s settings, job *engine.Job) *driver {
	return &driver{settings: s, job: job, shards: job.Shards(s.shards)}
}

// tally returns the counts of a step. An unrolled pipeline also makes the steps that
// learning will most likely request next; their counts are kept until then, or
// dropped with the next pipeline.
func (d *driver) tally(ctx context.Context, step *engine.Step) (*tallyfile.Part, error) {
	if part := d.ready[step.Key()]; part != nil {
		return part, nil
	}
	d.runs++
	files := resultFiles(d.staging, d.runs, d.unroll)
	p, err := build(d.job, step, d.shards, files)
	if err != nil {
		return nil, err
	}
	if err := d.run(ctx, p); err != nil {
		return nil, err
	}
	d.ready = map[string]*tallyfile.Part{}
	var first *tallyfile.Part
	for i, file := range files {
		part, err := take(ctx, file)
		if err != nil {
			return nil, fmt.Errorf("the job is done, but its counts cannot be read: %w; workers must reach --staging %s", err,
				d.staging)
		}
		if i > 0 {
			if step, err = step.Next(d.job, d.ready[step.Key()]); err != nil {
				return nil, err
			}
		}
		if err := step.Check(part, d.shards); err != nil {
			if i == 0 {
				return nil, err
			}
			break // the worker rounds differently; its models cannot be used
		}
		if d.ready[step.Key()] = part; i == 0 {
			first = part
		}
	}
	return first, nil
}

// run runs a pipeline, at most until the deadline: Beam waits forever for a worker
// that died.
func (d *driver) run(ctx context.Context, p *beam.Pipeline) error {
	ctx, cancel := context.WithTimeout(ctx, d.deadline)
	defer cancel()
	name := fmt.Sprintf("patchwork-%d-%d-%d", os.Getpid(), time.Now().UnixNano(), d.runs)
	*jobopts.JobName = name
	done := make(chan error, 1)
	go func() {
		_, err := beam.Run(ctx, d.runner, p)
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done(): // Beam does not always heed it
		err = ctx.Err()
	}
	if err == nil {
		return nil
	}
	// gRPC reads the clock itself, and so may end a call before the timer of ctx does.
	if end, _ := ctx.Deadline(); !time.Now().Before(end) {
		<-ctx.Done()
	}
	if ctx.Err() == nil {
		return fmt.Errorf("the Beam job failed: %w", err)
	}
	cancelled := cancelJob(name)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the Beam job %s has no result after --deadline %v: a worker may have died, or there is more to "+
			"do than that allows; %s", name, d.deadline, cancelled)
	}
	return fmt.Errorf("the Beam job %s was interrupted; %s", name, cancelled)
}

// take reads the counts that a worker wrote, and removes the file.
func take(ctx context.Context, file string) (*tallyfile.Part, error) {
	fs, err := filesystem.New(ctx, file)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, file)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	r.Close()
	if err != nil {
		return nil, err
	}
	if remover, ok := fs.(filesystem.Remover); ok {
		remover.Remove(ctx, file) // a file that cannot be removed does no harm
	}
	return engine.Decode(content)
}
