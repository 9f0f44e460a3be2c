package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/score/kernel"
)

// write prints the ratios, and that what was timed is right.
func write(w io.Writer, results []*result) {
	t := stat.NewTable(w, "workload", "Patchwork", "peer", "peer's time", "ratio: median (min to max)", "target", "")
	for _, r := range results {
		for i, p := range r.peers {
			ratios := r.ratios(i)
			goal, met := "", ""
			if p.target != 0 {
				goal, met = fmt.Sprintf("<= %.3g", p.target), "not met"
				if stat.Median(ratios) <= p.target {
					met = "met"
				}
			}
			t.Row("%s | %s/%s | %s | %s/%s | %s | %s | %s", r.name, duration(stat.Median(r.ours)), r.unit, p.name,
				duration(stat.Median(r.took[i])), r.unit, spread(ratios), goal, met)
		}
	}
	fmt.Fprintln(w)
	for _, r := range results {
		fmt.Fprintf(w, "- %s: %s.\n", r.name, r.found)
	}
}

// spread returns the median, smallest and largest of some numbers.
func spread(x []float64) string {
	return fmt.Sprintf("%.3g (%.3g to %.3g)", stat.Median(x), slices.Min(x), slices.Max(x))
}

// duration returns seconds as text, with three digits and a unit.
func duration(s float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}} {
		if s >= u.size {
			return fmt.Sprintf("%.3g %s", s/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", s/1e-9)
}

// machine describes what was measured, where and when.
func (s *session) machine() (string, error) {
	var v struct{ Python, NumPy, BLAS, OpenCV, Sklearn string }
	if err := ask("versions", nil, &v); err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s, Patchwork's path %s; %s %s/%s; commit %s; %s. One thread each, on any of %d processors. "+
		"Peers: OpenCV %s, scikit-learn %s, NumPy %s (%s), Python %s.", processor(), kernel.Chosen().Name,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, commit(), time.Now().UTC().Format(time.DateOnly),
		runtime.NumCPU(), v.OpenCV, v.Sklearn, v.NumPy, v.BLAS, v.Python)
	if s.quick {
		text += " --quick: these times mean nothing."
	}
	return text + fmt.Sprintf(" Medians of %d rounds.", s.rounds), nil
}

// processor returns the name that Linux has for the processor.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// commit returns the commit of the working folder, with a + if there are changes.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty=+", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
