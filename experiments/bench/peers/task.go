package main

import (
	"fmt"
	"os"
	"time"

	"example.com/patchwork/experiments/stat"
)

// task is work of Patchwork, with the programs that a user might choose instead.
type task struct {
	name  string
	unit  string       // what the work is counted in: "letter"
	units float64      // of these in one call of ours
	ours  func() error // the work that is measured
	check func() (string, error)
	peers []peer
}

// peer is one alternative.
type peer struct {
	name   string
	units  float64 // of work in one run
	target float64 // at most this ratio of times, ours to the peer's; 0: none was set
	run    func(repeat int) (seconds float64, err error)
}

// works counts those that the peers have prepared.
var works int

// prepare makes the peers load what a work needs, and returns what times it by their own clock.
func prepare(work string, args map[string]any) (id int, run func(repeat int) (float64, error), err error) {
	works++
	id = works
	err = ask("prepare", map[string]any{"id": id, "work": work, "args": args}, &struct{}{})
	return id, func(repeat int) (seconds float64, err error) {
		err = ask("run", map[string]any{"id": id, "repeat": repeat}, &seconds)
		return seconds, err
	}, err
}

// result holds the rounds of a task: seconds per unit, of ours and of each peer.
type result struct {
	task
	ours  []float64
	took  [][]float64
	found string // what check returned
}

// measure runs a task beside its peers. Rounds alternate, so that other work of the
// machine disturbs all equally; a ratio is of times of one round.
func measure(t task, rounds int, least time.Duration) (r *result, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", t.name, err)
		}
	}()
	began := time.Now()
	r = &result{task: t}
	if r.found, err = t.check(); err != nil { // the speed of a wrong answer means nothing; also warms up
		return nil, err
	}
	runs, units := []func(int) (float64, error){local(t.ours)}, []float64{t.units}
	for _, p := range t.peers {
		runs, units = append(runs, p.run), append(units, p.units)
	}
	repeat := make([]int, len(runs))
	for i, run := range runs {
		if repeat[i], err = repeats(run, least); err != nil {
			return nil, err
		}
	}
	seconds := make([][]float64, len(runs)) // per unit
	for n := range rounds {
		for j := range runs {
			i := (n + j) % len(runs) // a different one first each time
			s, err := runs[i](repeat[i])
			if err != nil {
				return nil, err
			}
			seconds[i] = append(seconds[i], s/float64(repeat[i])/units[i])
		}
	}
	r.ours, r.took = seconds[0], seconds[1:]
	r.task.ours, r.check = nil, nil // so that the data can be freed
	for i := range r.peers {
		r.peers[i].run = nil
	}
	fmt.Fprintf(os.Stderr, "%s: %d rounds in %.1f s\n", t.name, rounds, time.Since(began).Seconds())
	return r, nil
}

// local times a call of our own.
func local(call func() error) func(int) (float64, error) {
	return func(repeat int) (float64, error) {
		began := time.Now()
		for range repeat {
			if err := call(); err != nil {
				return 0, err
			}
		}
		return time.Since(began).Seconds(), nil
	}
}

// repeats returns how often to repeat the work in a round so that the round takes at least
// the given time. Measuring this warms up.
func repeats(run func(int) (float64, error), least time.Duration) (int, error) {
	for n := 1; ; {
		s, err := run(n)
		if err != nil || s >= least.Seconds() {
			return n, err
		}
		n = max(n+1, int(1.2*float64(n)*least.Seconds()/max(s, 1e-9)))
	}
}

// ratios returns our time per unit divided by peer i's, round by round.
func (r *result) ratios(i int) []float64 {
	at := -1
	return stat.Of(r.ours, func(s float64) float64 { at++; return s / r.took[i][at] })
}
