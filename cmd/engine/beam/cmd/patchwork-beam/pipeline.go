package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"example.com/patchwork/cmd/engine"
	"example.com/patchwork/modelfile/tallyfile"
)

// init registers the types in a pipeline, which must have the same names in every
// program that is a worker.
func init() {
	register.DoFn3x2[context.Context, engine.Shard, []byte, []byte, error](&countFn{})
	register.Combiner1[[]byte](&sumFn{})
	register.DoFn2x2[[]byte, []byte, []byte, error](&nextFn{})
	register.DoFn2x1[context.Context, []byte, error](&saveFn{})
	beam.RegisterType(shardType)
}

// build returns the pipeline of an E-step and of the unroll-1 after it. Each writes its
// counts to a file of its own.
//
//	shards --> countFn(step) --> sumFn --> saveFn
//	                               |
//	                step ------> nextFn --> the step of the next round
func build(job *engine.Job, step *engine.Step, shards []engine.Shard, files []string) (*beam.Pipeline, error) {
	jobLine, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	stepLine, err := json.Marshal(step)
	if err != nil {
		return nil, err
	}
	p, s := beam.NewPipelineWithRoot()
	elements := beam.Reshuffle(s, beam.CreateList(s, shards))
	current := beam.Create(s, stepLine)
	for i, file := range files {
		round := s.Scope(fmt.Sprintf("step %d", i+1))
		model := beam.SideInput{Input: current}
		parts := beam.ParDo(round, &countFn{Job: jobLine}, elements, model)
		sum := beam.Combine(round, &sumFn{}, parts)
		beam.ParDo0(round, &saveFn{File: file}, sum)
		if i+1 < len(files) {
			current = beam.ParDo(round, &nextFn{Job: jobLine}, sum, model)
		}
	}
	return p, nil
}

// countFn explains a shard by the model of its side input.
type countFn struct {
	Job []byte // JSON
	job *openJob
}

// Setup opens the data.
func (f *countFn) Setup(ctx context.Context) (err error) {
	f.job, err = openOnce(ctx, f.Job)
	return err
}

// ProcessElement counts a shard.
func (f *countFn) ProcessElement(ctx context.Context, shard engine.Shard, stepLine []byte) ([]byte, error) {
	explainer, err := f.job.explainer(stepLine)
	if err != nil {
		return nil, err
	}
	part, err := explainer.Count(ctx, &f.job.Job, f.job.data, shard)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shard.ID(), err)
	}
	return engine.Encode(part)
}

// sumFn adds parts, in any order. Its accumulator is a part, or no bytes; a
// shard that comes twice is an error.
type sumFn struct{}

// CreateAccumulator returns the sum of no parts.
func (*sumFn) CreateAccumulator() []byte { return nil }

// AddInput adds a part.
func (f *sumFn) AddInput(sum, part []byte) ([]byte, error) { return f.MergeAccumulators(sum, part) }

// MergeAccumulators adds two sums.
func (*sumFn) MergeAccumulators(a, b []byte) ([]byte, error) {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...), nil
	}
	sum, err := engine.Decode(a)
	if err != nil {
		return nil, err
	}
	var other *tallyfile.Part
	if other, err = engine.Decode(b); err == nil {
		err = sum.Merge(other)
	}
	if err != nil {
		return nil, err
	}
	return engine.Encode(sum)
}

// ExtractOutput returns the sum.
func (*sumFn) ExtractOutput(sum []byte) []byte { return sum }

// nextFn is the M-step: the E-step after the one whose counts it gets.
type nextFn struct {
	Job []byte // JSON
}

// ProcessElement reads the next step off the counts of the one before.
func (f *nextFn) ProcessElement(sum, stepLine []byte) ([]byte, error) {
	job, step := new(engine.Job), new(engine.Step)
	if err := json.Unmarshal(f.Job, job); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(stepLine, step); err != nil {
		return nil, err
	}
	part, err := engine.Decode(sum)
	if err != nil {
		return nil, err
	}
	next, err := step.Next(job, part)
	if err != nil {
		return nil, err
	}
	return json.Marshal(next)
}

// saveFn writes the counts where patchwork-beam finds them. A runner may write them
// again: they are the same.
type saveFn struct {
	File string
}

// ProcessElement writes the counts.
func (f *saveFn) ProcessElement(ctx context.Context, sum []byte) error {
	fs, err := filesystem.New(ctx, f.File)
	if err != nil {
		return err
	}
	defer fs.Close()
	w, err := fs.OpenWrite(ctx, f.File)
	if err != nil {
		return err
	}
	if _, err := w.Write(sum); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}

// resultFiles returns the names of the files for the counts of run number run.
func resultFiles(dir string, run, steps int) []string {
	files := make([]string, steps)
	for i := range files {
		files[i] = join(dir, fmt.Sprintf("run-%06d-step-%d.tally", run, i+1))
	}
	return files
}

// join does what path.Join does, for folders that may have a scheme such as gs://.
func join(dir, name string) string {
	if scheme, rest, ok := cutScheme(dir); ok {
		return scheme + "://" + path.Join(rest, name)
	}
	return path.Join(dir, name)
}
