// Package engine is the protocol between patchwork and a program that makes E-steps
// for it (an engine, such as patchwork-beam).
//
// The engine is a child process. patchwork writes requests to its standard input and
// reads a reply to each from its standard output, both as lines of JSON: first the
// job, then one step after the other. The engine ends when its input ends.
package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/modelfile/tallyfile"
)

// Version is the version of the protocol. Both sides must have the same.
const Version = 4

// Request is one line to the engine: one of these.
type Request struct {
	Version int      `json:"version"`
	Check   bool     `json:"check,omitempty"` // is the engine there, as far as it can say before there is work?
	Fetch   []string `json:"fetch,omitempty"` // copy files here that only the engine can read
	Job     *Job     `json:"job,omitempty"`
	Step    *Step    `json:"step,omitempty"`
}

// Reply is one line of the engine.
type Reply struct {
	Paths []string `json:"paths,omitempty"` // to Fetch: local copies, there until the engine ends
	Part  []byte   `json:"part,omitempty"`  // to Step: a tally file with one record
	Error string   `json:"error,omitempty"`
}

// Job is the data of a learning run, and how to learn from them.
type Job struct {
	Paths   []string        `json:"paths"` // as the engine's workers find them
	Options dataset.Options `json:"options"`
	Skip    int             `json:"skip"`  // of the selected images, the first
	Rows    int             `json:"rows"`  // how many images after these are the data
	Learn   learn.Options   `json:"learn"` // Workers: goroutines per shard
}

// Shard is images First, First+1, ... of a job, in the order of its files.
type Shard struct {
	First, Rows int
}

// ID returns the name of a shard.
func (s Shard) ID() string { return fmt.Sprintf("rows %012d+%d", s.First, s.Rows) }

// inputID identifies the numbered images of a job, for parts: those of other files, or
// selected otherwise, are others.
func (j *Job) inputID() string {
	line, err := json.Marshal(Job{Paths: j.Paths, Options: j.Options, Skip: j.Skip})
	if err != nil {
		panic(err) // a job is sent as JSON
	}
	return fmt.Sprintf("job:%x", sha256.Sum256(line))
}

// Shards cuts a job into n shards of nearly equal size, or into as many as it has
// images if those are fewer.
func (j *Job) Shards(n int) []Shard {
	n = max(1, min(n, j.Rows))
	shards := make([]Shard, n)
	for i := range shards {
		from, to := j.Rows/n*i+min(i, j.Rows%n), j.Rows/n*(i+1)+min(i+1, j.Rows%n)
		shards[i] = Shard{from, to - from}
	}
	return shards
}

// Open opens the data of a job. All shards can share the stream.
func (j *Job) Open(ctx context.Context) (*dataset.Stream, error) {
	return dataset.OpenStream(ctx, j.Paths, j.Options)
}

// Step is an E-step: a model, and how it explains.
type Step struct {
	Model   []byte                   `json:"model"` // a model file
	Pursuit patchwork.PursuitOptions `json:"pursuit"`
}

// NewStep returns the step that explains by m. It returns an error if a file cannot
// hold the model exactly.
func NewStep(m *patchwork.Model, opt patchwork.PursuitOptions) (*Step, error) {
	bare, err := m.WithExtras(patchwork.Extras{})
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := modelfile.Write(&file, bare); err != nil {
		return nil, err
	}
	s := &Step{file.Bytes(), opt}
	back, err := s.Open()
	if err != nil {
		return nil, err
	}
	// Compared as text, in which nil and an empty list are the same.
	if got, want := fmt.Sprintf("%+v", back.Config()), fmt.Sprintf("%+v", m.Config()); got != want {
		return nil, fmt.Errorf("a model file does not hold this configuration: %s comes back as %s", want, got)
	}
	return s, nil
}

// Open returns the model of a step.
func (s *Step) Open() (*patchwork.Model, error) {
	return modelfile.Read(bytes.NewReader(s.Model), int64(len(s.Model)))
}

// Key returns the identity of the step, which its parts carry as their options.
func (s *Step) Key() string {
	line, err := json.Marshal(s)
	if err != nil {
		panic(err) // NaN; NewPursuit rejects it before
	}
	return fmt.Sprintf("engine %d step %x", Version, sha256.Sum256(line))
}

// Empty returns the part of a step that has counted nothing yet.
func (s *Step) Empty() (*tallyfile.Part, *patchwork.Model, error) {
	m, err := s.Open()
	if err != nil {
		return nil, nil, err
	}
	hash, err := tallyfile.HashModel(m)
	if err != nil {
		return nil, nil, err
	}
	return &tallyfile.Part{Model: hash, Options: s.Key(), Tally: patchwork.NewTally(m)}, m, nil
}

// Explainer is a step that is ready to explain shards. It is safe for concurrent use.
type Explainer struct {
	empty   tallyfile.Part // without a tally
	pursuit *patchwork.Pursuit
}

// Explainer prepares the step.
func (s *Step) Explainer() (*Explainer, error) {
	part, m, err := s.Empty()
	if err != nil {
		return nil, err
	}
	p, err := patchwork.NewPursuit(m, s.Pursuit)
	if err != nil {
		return nil, err
	}
	part.Tally = nil
	return &Explainer{*part, p}, nil
}

// Count explains and counts a shard of a job, whose data are open. The error is of the
// data or the context, or says that there are fewer images than before.
func (e *Explainer) Count(ctx context.Context, job *Job, data *dataset.Stream, shard Shard) (*tallyfile.Part, error) {
	seen := 0
	src := rows.Watch(data.Cut(job.Skip+shard.First, shard.Rows), func(d patchwork.Data) { seen += len(d.Images) })
	t, err := e.pursuit.Fork().Tally(ctx, src, job.Learn.Workers)
	if err != nil {
		return nil, err
	}
	part := e.empty
	part.Tally = t
	if seen != shard.Rows {
		return nil, fmt.Errorf("%s: %d images where there were %d; do not change files during learning", shard.ID(), seen,
			shard.Rows)
	}
	part.Shards = []tallyfile.Shard{{ID: shard.ID(), Rows: part.Tally.Rows(), File: job.inputID(),
		From: int64(shard.First), To: int64(shard.First + shard.Rows)}}
	return &part, nil
}

// Next returns the step that learning asks for after this one, whose counts are part;
// see LearnOptions.NextStep.
func (s *Step) Next(job *Job, part *tallyfile.Part) (*Step, error) {
	m, err := s.Open()
	if err != nil {
		return nil, err
	}
	next, how := job.Learn.NextStep(m, part.Tally)
	return NewStep(next, how)
}

// Check returns an error if part does not have all shards of the step, each once.
func (s *Step) Check(part *tallyfile.Part, shards []Shard) error {
	want, _, err := s.Empty()
	if err != nil {
		return err
	}
	if part.Model != want.Model || part.Options != want.Options {
		return fmt.Errorf("the counts are of another step")
	}
	counted := map[string]bool{}
	for _, c := range part.Shards {
		counted[c.ID] = true
	}
	for _, c := range shards {
		if !counted[c.ID()] {
			return fmt.Errorf("%s were not counted", c.ID())
		}
	}
	if len(part.Shards) != len(shards) {
		return fmt.Errorf("%d shards were counted, there are %d", len(part.Shards), len(shards))
	}
	return nil
}

// Encode returns a part as the bytes of a tally file.
func Encode(p *tallyfile.Part) ([]byte, error) {
	var b bytes.Buffer
	err := tallyfile.Write(&b, p)
	return b.Bytes(), err
}

// Decode reads the only part of a tally file.
func Decode(file []byte) (*tallyfile.Part, error) {
	var one *tallyfile.Part
	for p, err := range tallyfile.Read(bytes.NewReader(file)) {
		if err != nil {
			return nil, err
		}
		if one != nil {
			return nil, fmt.Errorf("a tally file of several parts")
		}
		one = p
	}
	return one, nil
}
