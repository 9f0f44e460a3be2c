// Package studio serves models over HTTP: an API that explains, scores, samples
// and learns, and the page that uses it.
//
// The API is described at /openapi.json (OpenAPI 3.1) and in docs/serve.md.
// Everything that a request can demand, and everything that is kept, is bounded
// (Limits); requests beyond a limit are refused with a problem (RFC 9457) that
// says so. Nothing is written to disk, but for the models of Options.Keep, and nothing leaves the machine.
package studio

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/workbench"
)

// Options says what a Server serves. The zero value serves the built-in models.
type Options struct {
	Models  []NamedModel // besides the built-in ones
	Data    []NamedData
	Version string // of the program

	// Token, if not empty, must be sent with every request to /v1, as Authorization: Bearer TOKEN.
	Token string

	// Hosts lists names of the server besides localhost and IP addresses: a
	// request with another Host header is refused (DNS rebinding).
	Hosts []string

	NoLearn   bool // no learning on request
	NoUpload  bool // no uploads of models and data
	NoBuiltin bool // without the built-in models

	// Made holds the files of built-in models, by their ids, which were made before
	// (Builtins). Those that are not in it are learned.
	Made map[string][]byte

	// Rest, if not nil, is called again and again by what takes long, by several goroutines
	// at once, so that a program with one thread can do other things, too.
	Rest func()

	// Keep is a folder for the models that are learned or uploaded: those of it are listed again. Without it they are
	// forgotten with the server.
	Keep string

	Limits Limits
	Log    *slog.Logger // nil: nothing is logged

	bound func(*bounds) // changes single bounds, in tests
}

// NamedModel is a model to serve.
type NamedModel struct {
	Name  string
	Model workbench.Model
}

// NamedData is a data set to serve.
type NamedData struct {
	Name string // preferably that of its file
	Set  *dataset.Frame
	Args []string // flags of patchwork learn that read the file the same way
}

// core holds models, data and jobs, and answers what the API asks. It knows nothing of
// HTTP: a Server asks it, or a Desk.
type core struct {
	version           string
	locked            bool // whoever asks must send a token
	noLearn, noUpload bool
	limits            bounds
	log               *slog.Logger
	made              map[string][]byte
	rest              func()
	resting           func(context.Context) context.Context // what rests by itself while it works

	models   *models
	keeper   keeper
	classes  remembered[[sha256.Size]byte, *classes.Classifier]
	searches remembered[string, *patchwork.Pursuit]
	data     *library
	jobs     *jobs
	work     chan struct{} // has an element for each request that is worked on

	closing context.Context // ends when the core is closed
	close   context.CancelFunc
	tasks   sync.WaitGroup

	building atomic.Pointer[string] // what is still being learned; nil: all is ready

	operations []route
}

// newCore returns a core, which does not learn the built-in models yet. The error says
// which limit, model or data set is invalid.
func newCore(opt *Options) (*core, error) {
	s := &core{version: opt.Version, locked: opt.Token != "", noLearn: opt.NoLearn, noUpload: opt.NoUpload,
		limits: opt.Limits.WithDefaults().bounds(), log: opt.Log, made: opt.Made, rest: opt.Rest,
		keeper: keeper{dir: opt.Keep}}
	if err := opt.Limits.WithDefaults().Check(); err != nil {
		return nil, fmt.Errorf("studio: %w", err)
	}
	if opt.bound != nil {
		opt.bound(&s.limits)
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.resting = func(ctx context.Context) context.Context { return ctx }
	if s.rest != nil {
		s.resting = func(ctx context.Context) context.Context { return pool.Rested(ctx, s.rest) }
	} else {
		s.rest = func() {}
	}
	s.closing, s.close = context.WithCancel(context.Background())
	s.work = make(chan struct{}, s.limits.Concurrent)
	s.models, s.data, s.jobs = newModels(s.limits.Models, s.limits.ModelBytes),
		newLibrary(s.limits.Data, s.limits.DataBytes), newJobs(s)
	s.classes.limit, s.searches.limit = s.limits.RecalledBytes, 3*s.limits.RecalledBytes
	err := s.keeper.open(s)
	if err == nil {
		err = s.take(opt)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.modelRoutes()
	s.dataRoutes()
	s.explainRoutes()
	s.overviewRoutes()
	s.classifyRoutes()
	s.sampleRoutes()
	s.findRoutes()
	s.learnRoutes()
	s.ruleRoutes()
	s.serverRoutes()
	return s, nil
}

// Close cancels all learning and waits for it to end.
func (s *core) Close() {
	s.close()
	s.tasks.Wait()
}

// take adds the operator's models and data.
func (s *core) take(opt *Options) error {
	for _, of := range opt.Data {
		d := &data{item: item{name: of.Name, fixed: true}, rows: rows{of.Set}, files: []string{of.Name}, args: of.Args,
			notes: of.Set.Plan(new(dataset.Options)).Notes}
		if err := s.data.keep(d); err != nil {
			return err
		}
	}
	for _, of := range opt.Models {
		m := &model{item: item{name: of.Name, fixed: true}, source: "file", of: of.Model}
		if err := s.models.keep(m); err != nil {
			return err
		}
	}
	return nil
}

// Ready returns what the server still waits for, or "" if it is ready.
func (s *core) Ready() string {
	if what := s.building.Load(); what != nil {
		return *what
	}
	return ""
}

type serverInfo struct {
	Version       string       `json:"version"`
	GoVersion     string       `json:"go_version"`
	TokenRequired bool         `json:"token_required"`
	Learn         bool         `json:"learn"`
	Upload        bool         `json:"upload"`
	Keeps         bool         `json:"keeps" doc:"models are written to a folder and are there after a restart"`
	Ready         bool         `json:"ready" doc:"false while built-in models are being learned"`
	Limits        serverLimits `json:"limits"`
}

func (s *core) serverRoutes() {
	add(s, operation("GET", "/v1/server", "server", "What this server is and allows", 200),
		func(context.Context, *struct{}) (*serverInfo, error) {
			return &serverInfo{s.version, runtime.Version(), s.locked, !s.noLearn, !s.noUpload, s.keeper.dir != "", s.Ready() == "",
				s.limits.serverLimits}, nil
		})
}
