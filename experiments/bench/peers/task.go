package main

import (
	"fmt"
	"time"
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

// result holds the rounds of a task: seconds per unit, [peer][round].
type result struct {
	task
	oursTook []float64
	took     [][]float64
	found    string // what check returned
}

// measure runs a task beside its peers. Rounds alternate, so that other work of the
// machine disturbs all equally; a ratio is of times of one round.
func measure(t task, rounds int, least time.Duration) (*result, error) {
	began := time.Now()
	r := &result{task: t, took: make([][]float64, len(t.peers))}
	found, err := t.check() // the speed of a wrong answer means nothing; also warms up
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	r.found = found
	runs := []func(int) (float64, error){local(t.ours)}
	for _, p := range t.peers {
		runs = append(runs, p.run)
	}
	repeat := make([]int, len(runs))
	for i, run := range runs {
		if repeat[i], err = repeats(run, least); err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
	}
	seconds := make([][]float64, len(runs))
	for n := range rounds {
		for j := range runs {
			i := (n + j) % len(runs) // a different one first each time
			s, err := runs[i](repeat[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			seconds[i] = append(seconds[i], s/float64(repeat[i]))
		}
	}
	r.oursTook = per(seconds[0], t.units)
	for i, p := range t.peers {
		r.took[i] = per(seconds[i+1], p.units)
	}
	r.ours, r.check = nil, nil // so that the data can be freed
	for i := range r.peers {
		r.peers[i].run = nil
	}
	note("%s: %d rounds in %.1f s", t.name, rounds, time.Since(began).Seconds())
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

func per(seconds []float64, units float64) []float64 {
	out := make([]float64, len(seconds))
	for i, s := range seconds {
		out[i] = s / units
	}
	return out
}

// ratios returns our time per unit divided by peer i's, round by round.
func (r *result) ratios(i int) []float64 {
	out := make([]float64, len(r.oursTook))
	for n, s := range r.oursTook {
		out[n] = s / r.took[i][n]
	}
	return out
}
