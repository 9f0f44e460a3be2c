package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"example.com/patchwork/pose"
)

// Limits bounds what requests may demand and what the server keeps, so that its
// memory stays bounded whatever it receives. A zero field means its default.
type Limits struct {
	Upload int64         // bytes of a model or data file; what one request may demand is in proportion
	Memory int64         // bytes of all that is kept while no request is worked on
	Jobs   int           // of learning, running, waiting and finished; how much is kept is in proportion
	Time   time.Duration // of one request, waiting included; a job of learning has 20 times as long
}

// WithDefaults returns the limits with every zero replaced by its default.
func (l Limits) WithDefaults() Limits {
	return Limits{cmp.Or(l.Upload, 64e6), cmp.Or(l.Memory, 768e6), cmp.Or(l.Jobs, 32), cmp.Or(l.Time, 30*time.Second)}
}

// least are the smallest limits that a server can work with.
var least = Limits{Upload: 1 << 16, Memory: 24 << 20, Jobs: 4, Time: 1}

// Check returns an error that names the limit that is too small.
func (l Limits) Check() error {
	small := func(name string, is, least any) error { return fmt.Errorf("%s %v: give at least %d", name, is, least) }
	switch {
	case l.Upload < least.Upload:
		return small("max-upload", l.Upload, least.Upload)
	case l.Memory < least.Memory:
		return small("max-memory", l.Memory, least.Memory)
	case l.Jobs < least.Jobs:
		return small("max-jobs", l.Jobs, least.Jobs)
	case l.Time < least.Time:
		return small("max-time", l.Time, least.Time)
	}
	return nil
}

// serverLimits are the bounds that the server tells.
type serverLimits struct {
	BodyBytes   int64   `json:"body_bytes" doc:"of a request that is not an upload"`
	UploadBytes int64   `json:"upload_bytes" doc:"of a model or data file"`
	Pixels      int     `json:"pixels" doc:"of one image"`
	Batch       int     `json:"batch" doc:"images in one request"`
	Samples     int     `json:"samples" doc:"in one request"`
	LearnImages int     `json:"learn_images" doc:"in one job"`
	Seconds     float64 `json:"seconds" doc:"time limit of a request"`
	Models      int     `json:"models" doc:"maximum number of uploaded and learned models"`
	Data        int     `json:"data" doc:"uploaded data sets kept"`
	Jobs        int     `json:"jobs" doc:"of learning, running, waiting and finished"`
	Concurrent  int     `json:"concurrent" doc:"requests processed at a time"`
}

// bounds are all bounds of a server, which follow from its Limits.
type bounds struct {
	serverLimits

	// Candidates bounds experts x poses of a model that is uploaded or learned,
	// Templates the numbers of its templates, rotations counted, and Effort
	// candidates x pixels: the work of one step of a pursuit. Models in
	// Options.Models are the operator's and bounded only by memory, but with
	// any model an image may take no more than maxSteps times Effort.
	Candidates, Templates, Effort int

	ModelBytes    int64 // of uploaded and learned models
	DataBytes     int64 // of all data sets, their images packed
	RecalledBytes int64 // of what the last request of a kind came to

	LearnQueue int // jobs that wait

	Time      time.Duration // of one request, waiting included, and for the arrival of its body
	LearnTime time.Duration // of one job
}

// bounds returns what follows from the limits. The shares of memory come to 16 of 24 parts.
func (l Limits) bounds() bounds {
	size := func(of float64) int { return int(min(of*float64(l.Upload)/64e6, math.MaxInt32)) }
	share := func(parts int64) int64 { return l.Memory / 24 * parts }
	return bounds{
		serverLimits: serverLimits{BodyBytes: max(l.Upload/8, 1<<16), UploadBytes: l.Upload, Pixels: size(1 << 18),
			Batch: max(size(1000), 16), Samples: max(size(256), 8), LearnImages: int(l.Memory / 38_400),
			Seconds: l.Time.Seconds(), Models: 2 * l.Jobs, Data: l.Jobs, Jobs: l.Jobs, Concurrent: runtime.GOMAXPROCS(0)},
		Candidates: size(1 << 20), Templates: size(1 << 22), Effort: size(1 << 30),
		ModelBytes: share(7), DataBytes: share(7), RecalledBytes: share(1) / 2, LearnQueue: l.Jobs / 4,
		Time: l.Time, LearnTime: 20 * l.Time,
	}
}

// checkParts rejects k parts that would take too much memory or time.
func (l *bounds) checkParts(height, width int, grid pose.Grid, k int) error {
	pixels, turns := float64(height)*float64(width), float64(grid.Turns())
	places := turns * float64(grid.DY.Len()) * float64(grid.DX.Len())
	candidates, templates := float64(max(k, 1))*places, float64(k)*turns*pixels
	tooMuch := func(format string, args ...any) error {
		return l.smaller(problem(422, fmt.Sprintf(format, args...)), height, width, candidates*pixels, templates)
	}
	switch {
	case pixels > float64(l.Pixels):
		return problemf(422, "a frame of %d x %d pixels is larger than this server accepts (%d pixels)", height, width, l.Pixels)
	case candidates > float64(l.Candidates):
		return tooMuch("%d parts at %.0f poses are %.0f candidates, more than this server searches (%d); use fewer "+
			"rotations or a larger shift step", k, places, candidates, l.Candidates)
	case templates > float64(l.Templates):
		return tooMuch("%d parts of %d x %d pixels in %.0f rotations are a larger model than this server accepts "+
			"(%d numbers)", k, height, width, turns, l.Templates)
	case candidates*pixels > float64(l.Effort):
		return tooMuch("%.0f candidates of %.0f pixels are more than this server searches (%d in total); bring the pictures "+
			"to a smaller size, or use a larger shift step", candidates, pixels, l.Effort)
	}
	return nil
}

// quickly is how many times less than the most effort takes about a minute.
const quickly = 8

// smaller adds to a problem the size at which pictures are learned within a minute. Shifts are in proportion to the
// size, so that the effort grows with its fourth power.
func (l *bounds) smaller(p *problemError, height, width int, effort, templates float64) error {
	factor := min(math.Sqrt(math.Sqrt(float64(l.Effort)/quickly/effort)), math.Sqrt(float64(l.Templates)/quickly/templates))
	side := func(n int) int { return max(1, int(factor*float64(n))) }
	p.Fix = []string{fmt.Sprintf("--size %dx%d", side(height), side(width))}
	return p
}

// enter starts the work of a request: it waits for its turn, at most the time
// of a request. The context ends with the request, its time, or the server.
func (s *core) enter(ctx context.Context) (_ context.Context, leave func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.Time, errTime)
	stop := context.AfterFunc(s.closing, cancel)
	select {
	case s.work <- struct{}{}:
		return s.resting(ctx), func() { <-s.work; stop(); cancel() }, nil
	case <-ctx.Done():
		stop()
		cancel()
		return nil, nil, s.workError(context.Cause(ctx))
	}
}

var errTime = errors.New("the time limit of a request has passed")

// workError returns the answer to a request that was not finished in time.
func (s *core) workError(err error) error {
	switch {
	case errors.Is(err, errTime), errors.Is(err, context.DeadlineExceeded):
		return retryLater(5, "the request was not finished within %v; send fewer images, or try again when the server is "+
			"less busy", s.limits.Time)
	case errors.Is(err, context.Canceled):
		return retryLater(5, "the request was interrupted: the client disconnected, or the server is stopping")
	}
	return err
}
