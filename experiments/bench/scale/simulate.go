package main

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Costs are the costs of one iteration. Times are of one core of an undisturbed worker, in
// seconds.
type Costs struct {
	Row        float64 // explain and count a row, reading included
	Shard      float64 // begin a shard, and encode its counts
	Merge      float64 // decode the counts of one worker and add them
	MStep      float64 // read the next model off
	Pipeline   float64 // begin and end a pipeline
	TallyBytes float64 // counts as they are sent
	ModelBytes float64
}

// Cluster is a number of workers of one core each, and how they fail.
type Cluster struct {
	Workers int
	Shards  int

	// Tail is the exponent of the Pareto distribution of slowdowns: an attempt
	// takes x >= 1 times as long with probability x^-Tail, at most maxSlow
	// times. 0: none is slower.
	Tail float64

	// Life is how many seconds a worker lives on average (exponentially; 0:
	// forever). Its shard is given to another after Detect seconds, and it is
	// replaced after Restart seconds.
	Life, Detect, Restart float64

	// Backup lets an idle worker repeat the attempt that has run for longest; the
	// first to end counts.
	Backup bool

	// Bandwidth, in bytes per second, is that of the links over which counts go to
	// the driver: all through its own, one after the other, or, with FanIn, by a tree
	// in which a worker adds those of up to FanIn others.
	Bandwidth float64
	FanIn     int

	Unroll int // iterations per pipeline; 0 means 1
	Seed   uint64
}

const maxSlow = 20

// Run is one simulated iteration.
type Run struct {
	Seconds  float64 // from the beginning to the next model
	Explain  float64 // until the last shard was counted
	Combine  float64 // from then until all counts were added
	Attempts int     // shards that were begun
	Failures int     // of workers
}

// Simulate simulates an iteration over the given number of rows. The result depends on the
// arguments alone. The error says what does not fit, or that no iteration can end because of
// failures.
func Simulate(rows float64, cost Costs, c Cluster) (Run, error) {
	if c.Workers < 1 || c.Shards < 1 || c.Bandwidth <= 0 || c.FanIn == 1 || c.FanIn < 0 || c.Tail < 0 || c.Life < 0 {
		return Run{}, fmt.Errorf("no cluster: %+v", c)
	}
	s := &simulation{cluster: c, work: cost.Shard + rows*cost.Row/float64(c.Shards)}
	s.begin()
	for s.open > 0 {
		if len(s.events) == 0 || s.run.Attempts > 1000*(c.Shards+c.Workers) {
			return Run{}, fmt.Errorf("shards of %.3g s do not get done by workers that live %.3g s", s.work, c.Life)
		}
		s.step()
	}
	s.run.Explain = s.now
	sent := cost.send(c, cost.ModelBytes, 0)
	s.run.Combine = cost.combine(c, s.last) - s.now
	s.run.Seconds = cost.Pipeline/float64(max(c.Unroll, 1)) + sent + s.now + s.run.Combine + cost.MStep
	return s.run, nil
}

// send returns how long a message to all workers takes: it goes the way of the counts in the
// opposite direction.
func (cost Costs) send(c Cluster, bytes, each float64) float64 {
	one := bytes/c.Bandwidth + each
	if c.FanIn == 0 {
		return float64(c.Workers) * one
	}
	levels := 0.0
	for n := c.Workers; n > 1; n = (n + c.FanIn - 1) / c.FanIn {
		levels++
	}
	return (levels*float64(c.FanIn) + 1) * one // the last one to the first worker, from the driver
}

// combine returns when the driver has added the counts of all workers, which are ready at
// the given times.
func (cost Costs) combine(c Cluster, ready []float64) float64 {
	one := cost.TallyBytes/c.Bandwidth + cost.Merge
	ready = slices.DeleteFunc(slices.Clone(ready), func(at float64) bool { return at == 0 }) // those that counted nothing
	if c.FanIn > 0 {
		for len(ready) > 1 {
			var next []float64
			for group := range slices.Chunk(ready, c.FanIn) {
				// The first of a group has its own counts, and adds the others'.
				next = append(next, inTurn(group[0], group[1:], one))
			}
			ready = next
		}
	}
	return inTurn(0, ready, one)
}

// inTurn returns when a worker that is free from a given time has handled all arrivals, one
// after the other, each in the given time.
func inTurn(free float64, arrivals []float64, each float64) float64 {
	arrivals = slices.Clone(arrivals)
	slices.Sort(arrivals)
	for _, at := range arrivals {
		free = max(free, at) + each
	}
	return free
}

// simulation is the state of an iteration: shards in a queue, and workers that take the next
// one when they are free.
type simulation struct {
	cluster Cluster
	work    float64 // of a shard
	now     float64
	events  events
	number  int // of events so far
	open    int // shards not yet counted
	queue   []int
	shards  []shardState
	workers []workerState
	last    []float64 // by worker: when its last shard was counted
	run     Run
}

type shardState struct {
	done     bool
	attempts int
	running  []int   // workers
	silent   bool    // its worker is dead, which has not been noticed yet
	since    float64 // when that one began
}

type workerState struct {
	down    bool
	shard   int // -1: none
	attempt int // number of what it does; an event of another is void
	since   float64
	lives   *rand.Rand
}

type kind uint8

const (
	done   kind = iota // a worker has counted its shard
	failed             // a worker dies
	lost               // a shard of a dead worker is given out again
	back               // a worker is replaced
	late               // an attempt has taken as long as it should: is a worker free to repeat it?
)

type event struct {
	at      float64
	number  int // breaks ties: first come, first served
	kind    kind
	worker  int
	shard   int
	attempt int
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].number < e[j].number
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (s *simulation) add(e event) {
	s.number++
	e.number = s.number
	heap.Push(&s.events, e)
}

func (s *simulation) begin() {
	c := s.cluster
	s.open, s.shards = c.Shards, make([]shardState, c.Shards)
	s.workers, s.last = make([]workerState, c.Workers), make([]float64, c.Workers)
	for i := range c.Shards {
		s.queue = append(s.queue, i)
	}
	for w := range s.workers {
		s.workers[w] = workerState{shard: -1, lives: rand.New(rand.NewPCG(c.Seed, 1<<32+uint64(w)))}
		s.born(w)
	}
	s.assign()
}

// born draws when a worker will die.
func (s *simulation) born(w int) {
	if s.cluster.Life > 0 {
		s.add(event{at: s.now + s.workers[w].lives.ExpFloat64()*s.cluster.Life, kind: failed, worker: w})
	}
}

// step handles the next event.
func (s *simulation) step() {
	e := heap.Pop(&s.events).(event)
	s.now = e.at
	w := &s.workers[e.worker]
	switch e.kind {
	case done:
		if w.attempt != e.attempt || w.down || w.shard != e.shard {
			return
		}
		s.finish(e.shard, e.worker)
	case failed:
		s.run.Failures++
		if w.shard >= 0 {
			s.leave(e.worker)
		}
		w.down = true
		s.add(event{at: s.now + s.cluster.Restart, kind: back, worker: e.worker})
	case lost:
		if sh := &s.shards[e.shard]; sh.silent && !sh.done {
			sh.silent = false
			s.queue = append(s.queue, e.shard)
		}
	case back:
		w.down = false
		s.born(e.worker)
	}
	s.assign()
}

// finish counts a shard; other workers on it stop.
func (s *simulation) finish(shard, worker int) {
	s.shards[shard].done = true
	s.open--
	s.last[worker] = s.now
	for _, w := range s.shards[shard].running {
		s.workers[w].shard = -1
		s.workers[w].attempt++
	}
	s.shards[shard].running = nil
}

// leave takes a dead worker off its shard, which goes back if no other worker has it. Only
// the counts of this shard are lost: runners keep what is done.
func (s *simulation) leave(worker int) {
	w := &s.workers[worker]
	sh := &s.shards[w.shard]
	sh.running = slices.DeleteFunc(sh.running, func(other int) bool { return other == worker })
	if len(sh.running) == 0 {
		sh.silent, sh.since = true, w.since
		s.add(event{at: s.now + s.cluster.Detect, kind: lost, worker: worker, shard: w.shard})
	}
	w.shard = -1
	w.attempt++
}

// assign gives free workers something to do, those of low numbers first.
func (s *simulation) assign() {
	for w := range s.workers {
		if s.workers[w].down || s.workers[w].shard >= 0 {
			continue
		}
		shard := -1
		if len(s.queue) > 0 {
			shard, s.queue = s.queue[0], s.queue[1:]
		} else if s.cluster.Backup {
			shard = s.slowest()
		}
		if shard < 0 {
			return
		}
		s.start(w, shard)
	}
}

// slowest returns the shard that a single worker, possibly a dead one, has had for longest,
// and longer than it should take; -1 if there is none.
func (s *simulation) slowest() int {
	shard, since := -1, s.now-s.work*1.00005
	for i := range s.shards {
		sh := &s.shards[i]
		switch {
		case sh.silent && !sh.done && sh.since < since:
			shard, since = i, sh.since
		case len(sh.running) == 1 && s.workers[sh.running[0]].since < since:
			shard, since = i, s.workers[sh.running[0]].since
		}
	}
	return shard
}

func (s *simulation) start(worker, shard int) {
	s.run.Attempts++
	w, sh := &s.workers[worker], &s.shards[shard]
	sh.attempts++
	sh.silent = false
	sh.running = append(sh.running, worker)
	w.shard, w.since = shard, s.now
	w.attempt++
	s.add(event{at: s.now + s.work*s.slowdown(shard, sh.attempts), kind: done, worker: worker, shard: shard, attempt: w.attempt})
	if s.cluster.Backup { // look again once it has taken as long as it should
		s.add(event{at: s.now + s.work*1.0001, kind: late, worker: worker})
	}
}

// slowdown returns the slowdown of an attempt. It depends on the shard and the attempt, not
// on the worker or the time.
func (s *simulation) slowdown(shard, attempt int) float64 {
	if s.cluster.Tail == 0 {
		return 1
	}
	u := rand.New(rand.NewPCG(s.cluster.Seed, uint64(shard)<<16+uint64(attempt))).Float64()
	return min(math.Pow(1-u, -1/s.cluster.Tail), maxSlow)
}
