package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
)

// axis is one way for the work to grow. Each of its sizes runs in a process of its own,
// because the peak of memory is that of a process.
type axis struct {
	name  string // as in --point name=size
	what  string
	sizes []int
}

// The base of the table axes, of which one is varied at a time.
const baseN, baseD, baseK = 4000, 128, 32

func axes(quick bool) []axis {
	all := []axis{
		{"N", fmt.Sprintf("rows N (D=%d, K=%d), one EM iteration", baseD, baseK), []int{4000, 8000, 16000, 32000, 64000, 128000}},
		{"D", fmt.Sprintf("columns D (N=%d, K=%d), one EM iteration", baseN, baseK), []int{64, 128, 256, 512, 1024, 2048}},
		{"K", fmt.Sprintf("experts K (N=%d, D=%d), one EM iteration", baseN, baseD), []int{8, 16, 32, 64, 128, 256}},
		{"shifts", "shifts (4 experts, 9 rotations, 56x56), 16 letters", []int{25, 81, 289, 1089, 4225}},
	}
	if quick {
		for i := range all {
			all[i].sizes = all[i].sizes[:2]
		}
	}
	return all
}

// measurement is what the process of a point reports.
type measurement struct {
	Seconds   float64 // of one call, the median of several
	PeakBytes float64 // the largest memory the process had
}

// growth is P5: time and memory against each size.
type growth struct {
	axis
	seconds, bytes []float64 // bytes are those above a process without work
}

// growth measures every point.
func (s *session) growth() ([]growth, error) {
	idle, err := s.point("idle=0")
	if err != nil {
		return nil, err
	}
	var out []growth
	for _, a := range axes(s.quick) {
		g := growth{axis: a}
		for _, size := range a.sizes {
			m, err := s.point(fmt.Sprintf("%s=%d", a.name, size))
			if err != nil {
				return nil, err
			}
			g.seconds = append(g.seconds, m.Seconds)
			g.bytes = append(g.bytes, max(m.PeakBytes-idle.PeakBytes, 1))
		}
		note("P5 %s: %.3g to %.3g s", a.name, g.seconds[0], g.seconds[len(g.seconds)-1])
		out = append(out, g)
	}
	return out, nil
}

// point runs one point in a process of its own.
func (s *session) point(name string) (measurement, error) {
	var m measurement
	out, err := self("", "--point", name)
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	if err != nil {
		return m, fmt.Errorf("P5 %s: %w", name, err)
	}
	return m, nil
}

// runPoint runs in the process of a point: it makes the data, does the work, and prints
// what it took.
func runPoint(point string) error {
	name, text, _ := strings.Cut(point, "=")
	size, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("the point %q is not of the form name=size", point)
	}
	work, err := pointWork(name, size)
	if err != nil {
		return err
	}
	var took []float64
	for began := time.Now(); len(took) < 3 || len(took) < 100 && time.Since(began) < 300*time.Millisecond; {
		s, err := local(work)(1)
		if err != nil {
			return err
		}
		took = append(took, s)
	}
	return json.NewEncoder(os.Stdout).Encode(measurement{stat.Median(took), peakBytes()})
}

// pointWork makes the data of a point and returns the call to be measured.
func pointWork(name string, size int) (func() error, error) {
	n, d, k := baseN, baseD, baseK
	switch name {
	case "idle":
		return func() error { return nil }, nil
	case "N":
		n = size
	case "D":
		d = size
	case "K":
		k = size
	case "shifts":
		return shiftsWork(size)
	default:
		return nil, fmt.Errorf("no point is called %q", name)
	}
	t, err := plantTable(n, d, k, false, tableSeed)
	if err != nil {
		return nil, err
	}
	return func() error { _, err := t.iterate(1); return err }, nil
}

// shiftsWork explains the letters of P1 under the given number of shifts, an odd square.
func shiftsWork(shifts int) (func() error, error) {
	p, err := plantLetters(16)
	if err != nil {
		return nil, err
	}
	reach := (int(math.Sqrt(float64(shifts))) - 1) / 2
	cfg := p.model.Config()
	cfg.Poses.DY, cfg.Poses.DX = pose.Symmetric(reach, 1), pose.Symmetric(reach, 1)
	if p.model, err = p.model.WithConfig(cfg); err != nil {
		return nil, err
	}
	pursuit, err := patchwork.NewPursuit(p.model, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		return nil, err
	}
	return func() error { _, err := p.explain(pursuit); return err }, nil
}

// peakBytes returns the largest resident set of this process, as Linux counts it;
// on other systems, the memory that the runtime has obtained.
func peakBytes() float64 {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
			if kib, err := strconv.ParseFloat(strings.Fields(after)[0], 64); err == nil {
				return 1024 * kib
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys)
}

// exponent returns the slope of log y on log x by least squares: y grows as x to that
// power.
func exponent(x []int, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	n := float64(len(x))
	for i := range x {
		lx, ly := math.Log(float64(x[i])), math.Log(y[i])
		sx, sy, sxx, sxy = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// last returns the exponent between the two largest sizes, where constants matter
// least.
func last(x []int, y []float64) float64 {
	n := len(x)
	return exponent(x[n-2:], y[n-2:])
}

// plot draws the growths with both axes in doublings, so that an exponent is a slope.
func plot(all []growth, folder string) error {
	for _, p := range []struct {
		name, title, label string
		values             func(growth) []float64
	}{
		{"growth-time.png", "Time against size", "time, doublings", func(g growth) []float64 { return g.seconds }},
		{"growth-memory.png", "Memory against size", "memory, doublings", func(g growth) []float64 { return g.bytes }},
	} {
		longest := 0.0
		var series []render.Series
		for _, g := range all {
			c := render.Series{Name: g.name}
			y := p.values(g)
			for i, size := range g.sizes {
				c.X = append(c.X, math.Log2(float64(size)/float64(g.sizes[0])))
				c.Y = append(c.Y, math.Log2(y[i]/y[0]))
			}
			longest = max(longest, c.X[len(c.X)-1])
			series = append(series, c)
		}
		series = append(series, render.Series{Name: "linear", X: []float64{0, longest}, Y: []float64{0, longest}, Dashed: true})
		chart := render.Curves(p.title, "size, doublings", p.label, series)
		if err := render.Save(filepath.Join(folder, p.name), chart); err != nil {
			return err
		}
	}
	return nil
}
