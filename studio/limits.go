package studio

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"example.com/patchwork"
)

// Limits bounds what requests may demand and what the server keeps, so that its
// memory stays bounded whatever it receives. A zero field means its default.
type Limits struct {
	BodyBytes   int64 // of a request that is not an upload; default 8 MB
	UploadBytes int64 // of a model or data file; default 64 MB
	FlightBytes int64 // of all request bodies at one time; default 128 MB
	AnswerBytes int64 // of one answer, and of all that are made or not read yet; default 96 MB
	Pixels      int   // of one image; default 262,144
	Batch       int   // images in one request; default 1000
	Samples     int   // in one request; default 256

	// Candidates bounds experts x poses of a model that is uploaded or learned,
	// Templates the numbers of its templates, rotations counted, and Effort
	// candidates x pixels: the work of one step of a pursuit. Models in
	// Options.Models are the operator's and bounded only by memory, but with
	// any model an image may take no more than maxSteps times Effort.
	Candidates int // default 1,048,576
	Templates  int // default 4,194,304
	Effort     int // default 1,073,741,824

	Concurrent int           // requests processed at a time; default GOMAXPROCS
	Queue      int           // requests that wait; default 64
	Time       time.Duration // of one request, waiting included; default 30 s
	ReadTime   time.Duration // for the arrival of a request's body; default 30 s
	WriteTime  time.Duration // in which a client must take 64 KB of an answer; default 10 s

	Models      int           // maximum number of uploaded and learned models; default 64
	ModelBytes  int64         // of these together; default 160 MB
	SearchBytes int64         // of cached pursuits, about; default 96 MB
	Data        int           // uploaded data sets kept; default 32
	DataBytes   int64         // of all data sets, their images packed; default 128 MB
	Jobs        int           // of learning, running, waiting and finished; default 32
	LearnQueue  int           // jobs that wait; default 8
	LearnImages int           // in one job; default 20,000
	LearnTime   time.Duration // of one job; default 10 min
	Streams     int           // event streams open at one time; default 64
}

// WithDefaults returns the limits with every zero replaced by its default.
func (l Limits) WithDefaults() Limits {
	set(&l.BodyBytes, 8e6)
	set(&l.UploadBytes, 64e6)
	set(&l.FlightBytes, 128e6)
	set(&l.AnswerBytes, 96e6)
	set(&l.Pixels, 1<<18)
	set(&l.Batch, 1000)
	set(&l.Samples, 256)
	set(&l.Candidates, 1<<20)
	set(&l.Templates, 1<<22)
	set(&l.Effort, 1<<30)
	set(&l.Concurrent, runtime.GOMAXPROCS(0))
	set(&l.Queue, 64)
	set(&l.Time, 30*time.Second)
	set(&l.ReadTime, 30*time.Second)
	set(&l.WriteTime, 10*time.Second)
	set(&l.Models, 64)
	set(&l.ModelBytes, 160e6)
	set(&l.SearchBytes, 96e6)
	set(&l.Data, 32)
	set(&l.DataBytes, 128e6)
	set(&l.Jobs, 32)
	set(&l.LearnQueue, 8)
	set(&l.LearnImages, 20_000)
	set(&l.LearnTime, 10*time.Minute)
	set(&l.Streams, 64)
	return l
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// validate rejects limits that are not positive.
func (l *Limits) validate() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"BodyBytes", l.BodyBytes}, {"UploadBytes", l.UploadBytes}, {"FlightBytes", l.FlightBytes}, {"AnswerBytes", l.AnswerBytes}, {"Pixels", int64(l.Pixels)},
		{"Batch", int64(l.Batch)}, {"Samples", int64(l.Samples)}, {"Candidates", int64(l.Candidates)}, {"Templates", int64(l.Templates)},
		{"Effort", int64(l.Effort)}, {"Concurrent", int64(l.Concurrent)}, {"Queue", int64(l.Queue)}, {"Time", int64(l.Time)},
		{"ReadTime", int64(l.ReadTime)}, {"WriteTime", int64(l.WriteTime)}, {"Models", int64(l.Models)}, {"ModelBytes", l.ModelBytes}, {"SearchBytes", l.SearchBytes}, {"Data", int64(l.Data)}, {"DataBytes", l.DataBytes},
		{"Jobs", int64(l.Jobs)}, {"LearnQueue", int64(l.LearnQueue)}, {"LearnImages", int64(l.LearnImages)},
		{"LearnTime", int64(l.LearnTime)}, {"Streams", int64(l.Streams)},
	} {
		if f.value < 1 {
			return fmt.Errorf("studio: the limit %s is %d; it must be at least 1", f.name, f.value)
		}
	}
	return nil
}

// checkModel rejects a model that would take too much memory or time.
func (l *Limits) checkModel(cfg *patchwork.Config, k int) error {
	pixels, turns := float64(cfg.Height)*float64(cfg.Width), float64(cfg.Poses.Turns())
	candidates := float64(k) * turns * float64(cfg.Poses.DY.Len()) * float64(cfg.Poses.DX.Len())
	switch {
	case pixels > float64(l.Pixels):
		return problemf(422, "a frame of %d x %d pixels is larger than this server accepts (%d pixels)", cfg.Height, cfg.Width, l.Pixels)
	case candidates > float64(l.Candidates):
		return problemf(422, "%d parts at %.0f poses are %.0f candidates, more than this server searches (%d); use fewer rotations or a larger shift step",
			k, candidates/float64(k), candidates, l.Candidates)
	case float64(k)*turns*pixels > float64(l.Templates):
		return problemf(422, "%d parts of %d x %d pixels in %.0f rotations are a larger model than this server accepts (%d numbers)",
			k, cfg.Height, cfg.Width, turns, l.Templates)
	case candidates*pixels > float64(l.Effort):
		return problemf(422, "%.0f candidates of %.0f pixels are more than this server searches (%d in total)", candidates, pixels, l.Effort)
	}
	return nil
}

// gate lets a bounded number of requests run, and a bounded number wait.
type gate struct {
	working chan struct{}
	waiting chan struct{}
}

func newGate(concurrent, queue int) *gate {
	return &gate{make(chan struct{}, concurrent), make(chan struct{}, concurrent+queue)}
}

// errBusy reports a gate whose queue is full.
var errBusy = errors.New("the queue is full")

// enter waits for its turn. The caller must call leave unless there is an
// error: errBusy, or the context's.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g.waiting <- struct{}{}:
	default:
		return nil, errBusy
	}
	select {
	case g.working <- struct{}{}:
		return func() { <-g.working; <-g.waiting }, nil
	case <-ctx.Done():
		<-g.waiting
		return nil, context.Cause(ctx)
	}
}

// enter starts the work of a request: it waits for its turn, at most the time
// of a request. The context ends with the request, its time, or the server.
func (s *core) enter(ctx context.Context) (_ context.Context, leave func(), err error) {
	return s.enterGate(ctx, s.work)
}

func (s *core) enterGate(ctx context.Context, g *gate) (_ context.Context, leave func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.Time, errTime)
	stop := context.AfterFunc(s.closing, cancel)
	out, err := g.enter(ctx)
	if err != nil {
		stop()
		cancel()
		return nil, nil, s.workError(err)
	}
	return s.resting(ctx), func() { out(); stop(); cancel() }, nil
}

// largeAnswer is the size from which answers are made one at a time, so that small ones
// need not wait behind them.
const largeAnswer = 1 << 20

// enterLarge is like enter for an answer of so many bytes, about, for which it makes room.
func (s *core) enterLarge(ctx context.Context, bytes int64) (_ context.Context, leave func(), err error) {
	if err := s.answerTakes(ctx, bytes); err != nil {
		return nil, nil, err
	}
	if bytes < largeAnswer {
		return s.enter(ctx)
	}
	return s.enterGate(ctx, s.large)
}

var errTime = errors.New("the time limit of a request has passed")

// workError returns the answer to a request that was not finished in time.
func (s *core) workError(err error) error {
	switch {
	case errors.Is(err, errBusy):
		s.meter.refused("queue")
		return retryLater(1, "the server is busy: as many requests are running and waiting as it allows (%d and %d, fewer for uploads and large answers)", s.limits.Concurrent, s.limits.Queue)
	case errors.Is(err, errTime), errors.Is(err, context.DeadlineExceeded):
		s.meter.refused("time")
		return retryLater(5, "the request was not finished within %v; send fewer images, or try again when the server is less busy", s.limits.Time)
	case errors.Is(err, context.Canceled):
		return retryLater(5, "the request was interrupted: the client disconnected, or the server is stopping")
	}
	return err
}
