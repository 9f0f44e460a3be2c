package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/pose"
)

// choice is a flag whose value is one of a few names.
type choice struct {
	names []string
	value string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.names, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.names, s) {
		return fmt.Errorf("choose %s", orList(c.names))
	}
	c.value = s
	return nil
}

func orList(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// add puts the flag, whose completion is its names, on a command.
func (c *choice) add(cmd *cobra.Command, name, value, usage string, names ...string) {
	c.names, c.value = names, value
	cmd.Flags().Var(c, name, usage)
	err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // only for a flag that does not exist
	}
}

// picturePath is a flag that names a picture to write; its format is checked
// before any work is done.
type picturePath string

func (p *picturePath) String() string { return string(*p) }
func (p *picturePath) Type() string   { return "FILE" }

func (p *picturePath) Set(s string) error {
	if !isPicture(s) {
		return fmt.Errorf("a picture is a .png or .svg file")
	}
	*p = picturePath(s)
	return nil
}

func (p *picturePath) add(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(p, name, usage)
	if err := cmd.MarkFlagFilename(name, "png", "svg"); err != nil {
		panic(err)
	}
}

func isPicture(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".png" || ext == ".svg"
}

// checkOutputs finds out before the work whether the files that are to hold
// its results can be there at all.
func checkOutputs(paths ...string) error {
	for _, path := range paths {
		if path == "" || path == "-" {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("write %s: is a folder; name a file inside it", path)
		}
		info, err := os.Stat(filepath.Dir(path))
		if err != nil {
			return fmt.Errorf("write %s: folder %s: %w; make it first", path, filepath.Dir(path), underlying(err))
		}
		if !info.IsDir() {
			return fmt.Errorf("write %s: %s is not a folder", path, filepath.Dir(path))
		}
	}
	return nil
}

// shiftReach is --shift S or --shift DY,DX: how far experts move, in pixels.
type shiftReach struct{ dy, dx int }

func (s *shiftReach) String() string {
	if s.dy == s.dx {
		return strconv.Itoa(s.dy)
	}
	return fmt.Sprintf("%d,%d", s.dy, s.dx)
}

func (s *shiftReach) Type() string { return "S|DY,DX" }

func (s *shiftReach) Set(text string) error {
	dy, dx, two := strings.Cut(text, ",")
	if !two {
		dx = dy
	}
	y, errY := strconv.Atoi(strings.TrimSpace(dy))
	x, errX := strconv.Atoi(strings.TrimSpace(dx))
	if errY != nil || errX != nil || y < 0 || x < 0 {
		return fmt.Errorf("a shift is a whole number of pixels such as 14, or two, 14,10")
	}
	s.dy, s.dx = y, x
	return nil
}

// maxRotations bounds --rotate: each rotation is a copy of every template.
const maxRotations = 720

// rotations is --rotate RANGE:STEP in degrees.
type rotations struct {
	text   string
	angles []float64
}

func (r *rotations) String() string { return r.text }
func (r *rotations) Type() string   { return "RANGE:STEP" }

func (r *rotations) Set(text string) error {
	reach, step, two := strings.Cut(text, ":")
	a, errA := strconv.ParseFloat(reach, 64)
	b, errB := strconv.ParseFloat(step, 64)
	if !two && errA == nil && a == 0 {
		b, errB = 1, nil
	}
	if errA != nil || errB != nil || !(a >= 0 && a <= 180) || !(b > 0 && b <= 360) {
		return fmt.Errorf("rotations are RANGE:STEP in degrees, such as 24:6 for -24, -18, ... 24; RANGE is at most 180")
	}
	if a/b > (maxRotations-1)/2 {
		return fmt.Errorf("%.0f rotations are too many (at most %d); take a larger step", 2*math.Floor(a/b)+1, maxRotations)
	}
	r.text, r.angles = text, pose.Evenly(a, b)
	if a == 180 && len(r.angles) > 1 && r.angles[0] == -180 {
		r.angles = r.angles[1:] // -180 is 180
	}
	return nil
}

// priorFlag is --prior ON:OFF, a Beta prior in pseudo-counts.
type priorFlag struct{ patchwork.Prior }

func (p *priorFlag) String() string {
	if p.Prior == (patchwork.Prior{}) {
		return ""
	}
	return fmt.Sprintf("%v:%v", p.On, p.Off)
}

func (p *priorFlag) Type() string { return "ON:OFF" }

func (p *priorFlag) Set(text string) error {
	on, off, two := strings.Cut(text, ":")
	a, errA := strconv.ParseFloat(on, 64)
	b, errB := strconv.ParseFloat(off, 64)
	if !two || errA != nil || errB != nil || !(a > 0) || !(b > 0) || math.IsInf(a+b, 0) {
		return fmt.Errorf("a prior is ON:OFF, two pseudo-counts above 0 such as 0.05:1")
	}
	p.Prior = patchwork.Prior{On: a, Off: b}
	return nil
}

// What a model may be at most: the limits of a model file, refused before the
// work rather than after it. The search holds a few numbers for each candidate,
// a model a number for each pixel of each expert, and one more a rotation.
const (
	maxCandidates = 1 << 26 // experts x rotations x shifts
	maxTemplates  = 1 << 25 // experts x pixels
	maxTurned     = 1 << 26 // experts x rotations x pixels
)

// poseFlags say where experts may be placed.
type poseFlags struct {
	shift  shiftReach
	step   int
	rotate rotations
}

func (f *poseFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&f.shift, "shift", "how far experts are shifted, in pixels")
	cmd.Flags().IntVar(&f.step, "shift-step", 1, "pixels between two shifts")
	cmd.Flags().Var(&f.rotate, "rotate", "rotations in degrees, such as 24:6")
}

// grid is the poses asked for, in a frame of the given size.
func (f *poseFlags) grid(experts, height, width int) (pose.Grid, error) {
	if f.step < 1 {
		return pose.Grid{}, usagef("--shift-step %d: there must be at least 1 pixel between shifts", f.step)
	}
	if f.shift.dy >= height || f.shift.dx >= width {
		return pose.Grid{}, usagef("--shift %v moves experts of %d x %d pixels out of the image; give at most %d,%d",
			&f.shift, height, width, height-1, width-1)
	}
	g := pose.Grid{DY: pose.Symmetric(f.shift.dy, f.step), DX: pose.Symmetric(f.shift.dx, f.step), Angles: f.rotate.angles}
	if len(g.Angles) == 1 {
		g.Angles = nil // just 0
	}
	// In floating point: the product of absurd flags is beyond an int.
	pixels := float64(experts) * float64(height) * float64(width)
	if pixels > maxTemplates || pixels*float64(g.Rotations()) > maxTurned {
		return pose.Grid{}, usagef("%d experts of %d x %d pixels in %s are too large a model; take fewer",
			experts, height, width, count(g.Rotations(), "rotation"))
	}
	n := float64(g.DY.Len()) * float64(g.DX.Len()) * float64(g.Rotations())
	if n*float64(experts) > maxCandidates {
		return pose.Grid{}, usagef("%d experts at %.0f poses are too many to search (at most %d together); take fewer rotations or a larger --shift-step",
			experts, n, maxCandidates)
	}
	return g, nil
}
