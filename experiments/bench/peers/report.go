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
	"text/tabwriter"
	"time"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/score/kernel"
)

// report holds everything that a run found.
type report struct {
	machine string
	results []*result
	cores   []float64
}

// grid is a heading and rows of cells.
type grid [][]string

// write prints the report, as Markdown or aligned for a terminal.
func (r *report) write(w io.Writer, markdown bool) {
	show := aligned
	if markdown {
		show = pipes
	}
	fmt.Fprintf(w, "%s\n", r.machine)
	if r.results != nil {
		show(w, r.times())
		for _, t := range r.results {
			fmt.Fprintf(w, "- %s: %s.\n", t.name, t.found)
		}
	}
	if r.cores != nil {
		fmt.Fprintf(w, "\nTwo workers on two cores are %s times as fast as one (target: 1.85; EM iteration, %d "+
			"columns, K=%d).\n",
			spread(r.cores), baseD, baseK)
	}
}

// times returns the table of ratios.
func (r *report) times() grid {
	g := grid{{"workload", "Patchwork", "peer", "peer's time", "ratio: median (min to max)", "target", ""}}
	for _, t := range r.results {
		for i, p := range t.peers {
			ratios := t.ratios(i)
			goal, met := "", ""
			if p.target != 0 {
				goal, met = fmt.Sprintf("<= %.3g", p.target), "not met"
				if stat.Median(ratios) <= p.target {
					met = "met"
				}
			}
			g = append(g, []string{t.name, duration(stat.Median(t.oursTook)) + "/" + t.unit, p.name,
				duration(stat.Median(t.took[i])) + "/" + t.unit, spread(ratios), goal, met})
		}
	}
	return g
}

func pipes(w io.Writer, g grid) {
	fmt.Fprintln(w)
	for i, row := range g {
		for j := range row {
			row[j] = strings.ReplaceAll(row[j], "|", `\|`)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
	fmt.Fprintln(w)
}

func aligned(w io.Writer, g grid) {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range g {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	fmt.Fprintln(w)
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
	text := fmt.Sprintf("%s, Patchwork's path %s; %s %s/%s; commit %s; %s.",
		processor(), kernel.Chosen().Name,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, commit(), time.Now().UTC().Format(time.DateOnly))
	if cpu := os.Getenv(bound); cpu != "" {
		text += " Bound to processor " + cpu + "."
	} else {
		text += fmt.Sprintf(" One thread each, on any of %d processors.", runtime.NumCPU())
	}
	if s.python != nil {
		var v struct{ Python, NumPy, BLAS, OpenCV, Sklearn string }
		if err := s.python.ask(map[string]any{"op": "versions"}, &v); err != nil {
			return "", err
		}
		text += fmt.Sprintf(" Peers: OpenCV %s, scikit-learn %s, NumPy %s (%s), Python %s.", v.OpenCV, v.Sklearn, v.NumPy,
			v.BLAS, v.Python)
	}
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
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	name := strings.TrimSpace(string(out))
	if changes, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no").Output(); err == nil &&
		len(changes) > 0 {
		name += "+"
	}
	return name
}
