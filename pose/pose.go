// Package pose describes where an expert is placed: a rotation about the
// centre of its frame followed by a shift by whole pixels.
//
// Angles are degrees, positive = clockwise on screen (x right, y down). A
// rotation turns (x, y) into (cx - sy, sx + cy) about ((h-1)/2, (w-1)/2), with
// c, s the cosine and sine of the angle; each pixel goes to the nearest one, so
// binary images stay binary and counts stay integers.
package pose

import (
	"fmt"
	"math"
)

// Pose is a place for an expert: rotate by Angle degrees, then shift by DY rows
// (down) and DX columns (right). The zero Pose leaves the expert where it is.
type Pose struct {
	DY, DX int
	Angle  float64
}

// Range is the arithmetic sequence Min, Min+Step, ... up to Max, of shifts in
// pixels. The zero Range holds only 0; a Step of 0 means 1.
type Range struct{ Min, Max, Step int }

// Symmetric returns the range -reach..reach; it always contains 0, because it
// counts outwards from 0 in multiples of step.
func Symmetric(reach, step int) Range {
	if step <= 0 {
		step = 1
	}
	reach -= reach % step
	return Range{-reach, reach, step}
}

func (r Range) step() int { return max(r.Step, 1) }

// Len returns the number of shifts in the range, at least 1 for a valid range.
func (r Range) Len() int { return (r.Max-r.Min)/r.step() + 1 }

// At returns the i-th shift.
func (r Range) At(i int) int { return r.Min + i*r.step() }

// Index returns the inverse of At; ok is false where shift is not in the range.
func (r Range) Index(shift int) (i int, ok bool) {
	d := shift - r.Min
	if d < 0 || shift > r.Max || d%r.step() != 0 {
		return 0, false
	}
	return d / r.step(), true
}

// MaxShift bounds the shifts of a valid Range, in pixels, either way.
const MaxShift = 1 << 20

// Grid is a finite set of poses: every rotation with every pair of shifts.
// Poses are numbered rotation first, then dy, then dx, the order in which ties
// are broken. The zero Grid holds only the zero pose.
type Grid struct {
	DY, DX Range
	Angles []float64 // degrees; none means only 0
}

// Validate returns an error that says what is wrong with the grid, or nil:
// ranges must be neither empty nor beyond MaxShift, and angles must be finite
// and distinct.
func (g Grid) Validate() error {
	for _, r := range []struct {
		name string
		Range
	}{{"dy", g.DY}, {"dx", g.DX}} {
		if r.Min < -MaxShift || r.Max > MaxShift {
			return fmt.Errorf("pose: %s range %d..%d goes beyond %d pixels", r.name, r.Min, r.Max, MaxShift)
		}
		if r.Max < r.Min || r.Step < 0 {
			return fmt.Errorf("pose: %s range %d..%d step %d is empty", r.name, r.Min, r.Max, r.Step)
		}
	}
	seen := make(map[float64]bool, len(g.Angles))
	for i, a := range g.Angles {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return fmt.Errorf("pose: rotation %d is %v, not a finite angle in degrees", i, a)
		}
		if seen[a] {
			return fmt.Errorf("pose: rotation %v degrees is listed twice", a)
		}
		seen[a] = true
	}
	return nil
}

// Rotations returns the number of rotations, at least 1.
func (g Grid) Rotations() int { return max(len(g.Angles), 1) }

// Angle returns the rotation with index r, in degrees.
func (g Grid) Angle(r int) float64 {
	if len(g.Angles) == 0 && r == 0 {
		return 0
	}
	return g.Angles[r]
}

// RotationIndex finds the rotation of the given angle; ok is false where the
// grid does not hold it.
func (g Grid) RotationIndex(angle float64) (r int, ok bool) {
	for r := range g.Rotations() {
		if g.Angle(r) == angle {
			return r, true
		}
	}
	return 0, false
}

// Shifts returns the number of shifts of one rotation.
func (g Grid) Shifts() int { return g.DY.Len() * g.DX.Len() }

// Len returns the number of poses.
func (g Grid) Len() int { return g.Rotations() * g.Shifts() }

// At returns the pose with number i, 0 <= i < Len().
func (g Grid) At(i int) Pose {
	nx := g.DX.Len()
	r, s := i/g.Shifts(), i%g.Shifts()
	return Pose{DY: g.DY.At(s / nx), DX: g.DX.At(s % nx), Angle: g.Angle(r)}
}

// Index returns the inverse of At; ok is false where the grid does not hold p.
func (g Grid) Index(p Pose) (i int, ok bool) {
	r, okR := g.RotationIndex(p.Angle)
	y, okY := g.DY.Index(p.DY)
	x, okX := g.DX.Index(p.DX)
	return r*g.Shifts() + y*g.DX.Len() + x, okR && okY && okX
}

// Identity returns the number of the zero pose; ok is false where the grid does
// not hold it.
func (g Grid) Identity() (i int, ok bool) { return g.Index(Pose{}) }

// Evenly lists the angles -reach, ..., 0, ..., reach in multiples of step,
// all in degrees: the rotations of `--rotate reach:step`. A step or reach of 0
// gives just 0.
func Evenly(reach, step float64) []float64 {
	if !(step > 0) || !(reach > 0) {
		return []float64{0}
	}
	n := int(math.Floor(reach/step + 1e-9))
	angles := make([]float64, 0, 2*n+1)
	for i := -n; i <= n; i++ {
		angles = append(angles, float64(i)*step)
	}
	return angles
}

// MaxCandidates bounds the candidates, experts x poses, of one pursuit, which
// keeps a number for each: a guard against absurd grids, far above any use.
const MaxCandidates = 1 << 26
