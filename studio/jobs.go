package studio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
)

// The states of a job. The last four are final.
const (
	queued    = "queued"
	running   = "running"
	done      = "done"
	stopped   = "stopped"
	failed    = "failed"
	cancelled = "cancelled"
)

// job is one requested learning run.
type job struct {
	item
	args    []string // of patchwork, without -o and the recipe's; nil where none read the data as they were read
	recipe  recipe.Recipe
	data    string // id of the data set
	images  int
	created time.Time
	cancel  context.CancelCauseFunc

	mu       sync.Mutex
	learning *learning // while it does
	state    string
	started  time.Time
	ended    time.Time
	p        progress
	model    string
	command  string
	problem  string
	latest   *patchwork.Model // while it learns
}

// final reports whether the job has ended. The caller holds j.mu.
func (j *job) final() bool { return j.state != queued && j.state != running }

func (j *job) hasEnded() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.final()
}

// jobInfo describes a job.
type jobInfo struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	State   string    `json:"state" enum:"queued,running,done,stopped,failed,cancelled"`
	Created time.Time `json:"created"`
	Started time.Time `json:"started,omitempty,omitzero"`
	Ended   time.Time `json:"ended,omitempty,omitzero"`
	stand
	Model   *string `json:"model" nullable:"true" doc:"id of the model, once there is one"`
	Command *string `json:"command" nullable:"true" doc:"the command line that makes the same file; null for a run that was stopped in the middle of a start, or whose data no flags read the same way"`
	Error   string  `json:"error,omitempty"`
	Data    string  `json:"data" doc:"id of the data set"`
	Images  int     `json:"images"`

	Progress *progress `json:"progress,omitempty" doc:"on request"`
}

// info returns the current state of the job. The caller holds j.mu.
func (j *job) info() *jobInfo {
	i := &jobInfo{ID: j.id, Name: j.name, State: j.state, Created: j.created, Started: j.started, Ended: j.ended,
		stand: j.p.stand, Error: j.problem, Data: j.data, Images: j.images}
	if j.model != "" {
		i.Model = &j.model
	}
	if j.command != "" {
		i.Command = &j.command
	}
	return i
}

func (j *job) snapshot() *jobInfo {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.info()
}

// jobs holds the jobs in order of arrival. One runs at a time.
type jobs struct {
	shelf[*job]
	s    *core
	turn chan struct{}
}

func newJobs(s *core) *jobs {
	return &jobs{shelf: shelf[*job]{what: "job", loosely: "learning jobs", limit: s.limits.Jobs}, s: s,
		turn: make(chan struct{}, 1)}
}

// bytes is not counted: jobs are few.
func (j *job) bytes() int64 { return 0 }

// active returns the number of jobs that run or wait.
func (q *jobs) active() int {
	n := 0
	for _, j := range q.list() {
		if !j.hasEnded() {
			n++
		}
	}
	return n
}

// learnsFrom returns an error if a job that has not ended learns from a data set.
func (q *jobs) learnsFrom(id string) error {
	for _, j := range q.list() {
		if j.data == id && !j.hasEnded() {
			return problemf(statusConflict, "job %s learns from data set %s; cancel it first", j.id, id)
		}
	}
	return nil
}

// add accepts a job and starts it, or returns an error if too many wait. It
// forgets the oldest finished one if there are many.
func (q *jobs) add(j *job) error {
	if q.s.closing.Err() != nil {
		return retryLater(10, "the server is stopping")
	}
	if n := q.active(); n > q.s.limits.LearnQueue {
		return retryLater(10, "%d learning jobs are running or waiting, the limit of this server", n)
	}
	if all := q.list(); len(all) >= q.limit {
		if i := slices.IndexFunc(all, (*job).hasEnded); i >= 0 {
			q.shelf.remove(all[i].id) // an error: it is gone already
		}
	}
	j.state, j.created = queued, now()
	j.p.Score, j.p.Best = nats(math.NaN()), nats(math.Inf(-1))
	ctx, cancel := context.WithCancelCause(q.s.closing)
	j.cancel = cancel
	if err := q.keep(j); err != nil {
		cancel(nil)
		return err
	}
	q.s.tasks.Go(func() {
		defer cancel(nil)
		q.work(ctx, j)
	})
	return nil
}

// remove cancels a job, or forgets one that has ended.
func (q *jobs) remove(id string) error {
	j, err := q.find(id)
	if err == nil && !j.hasEnded() {
		j.cancel(context.Canceled)
		return nil
	}
	_, err = q.shelf.remove(id)
	return err
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// work runs a job when its turn comes.
func (q *jobs) work(ctx context.Context, j *job) {
	var out outcome
	var err error
	select {
	case q.turn <- struct{}{}:
		out, err = q.learn(ctx, j)
		<-q.turn
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	q.finish(j, out, err)
}

func (q *jobs) learn(ctx context.Context, j *job) (out outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			q.s.log.Error("panic in learning", "job", j.id, "error", fmt.Sprint(p))
			err = errors.New("internal error; the server's log has the details")
		}
	}()
	if err := context.Cause(ctx); err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, q.s.limits.LearnTime, errStopped)
	defer cancel()
	end, free := context.WithTimeout(q.s.closing, q.s.limits.LearnTime+learnGrace)
	defer free()
	ctx = q.s.resting(learn.Until(ctx, end))
	j.mu.Lock()
	j.state, j.started = running, now()
	l := j.learning
	j.mu.Unlock()
	l.tell = func(p *progress, m *patchwork.Model) {
		j.reached(p, m)
		q.s.rest()
	}
	return l.run(ctx)
}

// finish stores the model and reports how the job ended.
func (q *jobs) finish(j *job, out outcome, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.learning, j.latest, j.ended = nil, nil, now()
	switch {
	case errors.Is(err, errNothing) || errors.Is(err, errStopped):
		j.state = stopped
		j.problem = errNothing.Error()
	case errors.Is(err, context.Canceled):
		j.state = cancelled
	case err != nil:
		j.state, j.problem = failed, err.Error()
	default:
		q.finished(j, out)
	}
	q.s.log.Info("learning ended", "job", j.id, "state", j.state, "model", j.model, "error", j.problem, "took",
		j.ended.Sub(j.created))
}

// finished stores the outcome as a model. The caller holds j.mu.
func (q *jobs) finished(j *job, out outcome) {
	j.state = done
	r := j.recipe
	if out.starts != 0 {
		j.state = stopped
	}
	if out.starts >= 0 && j.args != nil {
		if out.starts > 0 {
			r.Starts = out.starts
		}
		j.command = j.line(&r)
	}
	m := &model{item: item{name: j.name}, source: "learned", of: out.model, command: j.command}
	if err := q.s.models.keepLearned(m); err != nil {
		j.state, j.problem = failed, err.Error()
		return
	}
	j.model = m.id
	if err := q.s.keeper.save(q.s, m.id); err != nil {
		j.problem = err.Error()
	}
}

// line returns the command line that does the job.
func (j *job) line(r *recipe.Recipe) string {
	args := append([]string{"patchwork", "learn"}, j.args...)
	return recipe.CommandLine(append(append(args, "-o", "model.npz"), r.Args()...))
}

// learnGrace is the time that a job has beyond its own, to make a model of what it found.
const learnGrace = time.Second

// maxShownNumbers is the maximum size of templates in progress.
const maxShownNumbers = 1 << 18

// reached stores the progress that the learner reports, and the latest model if there is a new one.
func (j *job) reached(p *progress, m *patchwork.Model) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.p = *p
	if m != nil {
		j.latest = m
	}
}

// progress returns the state of the job with its progress.
func (j *job) progress() *jobInfo {
	j.mu.Lock()
	info, p, m := j.info(), j.p, j.latest
	j.mu.Unlock()
	p.Templates = []f32{}
	if p.Scores == nil {
		p.Scores = []scored{}
	}
	if m != nil && m.K()*m.Height()*m.Width() <= maxShownNumbers {
		for k := range m.K() {
			p.Templates = append(p.Templates, newF32(m.Template(k)))
		}
	}
	info.Progress = &p
	return info
}
