package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
)

// The table of the measurement on two cores.
const baseD, baseK = 128, 32

// twoCores measures an EM iteration with one and with two workers, alternating, on two
// cores. It runs in a process of its own, because the others are bound to one core.
func (s *session) twoCores() ([]float64, error) {
	var ratios []float64
	out, err := self("0-1", "--point-cores", strconv.Itoa(s.size(100000, 2000)), "--rounds", strconv.Itoa(s.rounds))
	if err == nil {
		err = json.Unmarshal(out, &ratios)
	}
	if err != nil {
		return nil, fmt.Errorf("two cores: %w", err)
	}
	return ratios, nil
}

// runCores runs in that process: it prints how much faster two workers are, one number
// per round.
func runCores(n, rounds int) error {
	if runtime.NumCPU() < 2 {
		return fmt.Errorf("there is only one core")
	}
	runtime.GOMAXPROCS(2)
	t, err := plantTable(n, baseD, baseK, false, tableSeed)
	if err != nil {
		return err
	}
	var ratios []float64
	for range rounds {
		var took [2]float64
		for w := range took {
			took[w], err = local(func() error { _, err := t.iterate(w + 1); return err })(1)
			if err != nil {
				return err
			}
		}
		ratios = append(ratios, took[0]/took[1])
	}
	return json.NewEncoder(os.Stdout).Encode(ratios)
}
