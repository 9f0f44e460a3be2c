// Package pose describes where an expert is placed: a stretch of its frame along its
// rows and columns, a rotation about the centre of the frame, and a shift by whole pixels.
//
// Angles are degrees, positive = clockwise on screen (x right, y down). A
// rotation turns (x, y) into (cx - sy, sx + cy) about ((h-1)/2, (w-1)/2), with
// c, s the cosine and sine of the angle; each pixel goes to the nearest one, so
// binary images stay binary and counts stay integers. A stretch comes before the
// rotation and keeps the centre, so it acts along the expert's own axes. Stretches are
// not in the paper.
package pose

import (
	"fmt"
	"math"
	"slices"
)

// Pose is a place for an expert: stretch it by Stretch, rotate by Angle degrees, then
// shift by DY rows (down) and DX columns (right). The zero Pose leaves the expert where
// it is.
type Pose struct {
	DY, DX  int
	Angle   float64
	Stretch Stretch
}

// Stretch makes an expert Y times as high and X times as wide before it is turned. 0
// means 1: the zero Stretch leaves the expert as it is.
type Stretch struct{ Y, X float64 }

// Factors returns the two factors, 1 for 0.
func (s Stretch) Factors() (y, x float64) { return orOne(s.Y), orOne(s.X) }

// plain returns the stretch with 0 in place of 1, as poses have it.
func (s Stretch) plain() Stretch {
	if s.Y == 1 {
		s.Y = 0
	}
	if s.X == 1 {
		s.X = 0
	}
	return s
}

func orOne(v float64) float64 {
	if v == 0 {
		return 1
	}
	return v
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

// Nearest returns the shift of the range that is nearest to a number of pixels.
func (r Range) Nearest(pixels float64) int {
	i := math.Round((pixels - float64(r.Min)) / float64(r.step()))
	return r.At(int(max(0, min(i, float64(r.Len()-1)))))
}

// MaxShift bounds the shifts of a valid Range, in pixels, either way.
const MaxShift = 1 << 20

// The factors of a Stretch are between these bounds.
const MinStretch, MaxStretch = 0.125, 8

// Grid is a finite set of poses: every rotation and stretch, which together are a turn,
// with every pair of shifts. Poses are numbered rotation first, then stretch, dy, dx, the
// order in which ties are broken. The zero Grid holds only the zero pose.
type Grid struct {
	DY, DX    Range
	Angles    []float64 // degrees; none means only 0
	Stretches []Stretch // none means no stretch
}

// Validate returns an error that says what is wrong with the grid, or nil:
// ranges must be neither empty nor beyond MaxShift, angles must be finite and distinct,
// and stretches distinct and within their bounds.
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
	return g.validateStretches()
}

// validateStretches returns an error that says what is wrong with the stretches, or nil.
func (g Grid) validateStretches() error {
	for i, s := range g.Stretches {
		y, x := s.Factors()
		for _, v := range []float64{y, x} {
			if !(v >= MinStretch && v <= MaxStretch) {
				return fmt.Errorf("pose: stretch %d is by %v, not by a factor from %v to %d", i, v, MinStretch, MaxStretch)
			}
		}
		if slices.IndexFunc(g.Stretches, func(o Stretch) bool { return o.plain() == s.plain() }) < i {
			return fmt.Errorf("pose: stretch %v x %v is listed twice", y, x)
		}
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

// Turns returns the number of turns, rotations with stretches: at least 1.
func (g Grid) Turns() int { return g.Rotations() * max(len(g.Stretches), 1) }

// Turn returns turn t, as a pose without a shift.
func (g Grid) Turn(t int) Pose {
	n := max(len(g.Stretches), 1)
	p := Pose{Angle: g.Angle(t / n)}
	if len(g.Stretches) > 0 {
		p.Stretch = g.Stretches[t%n].plain()
	}
	return p
}

// TurnIndex returns the number of the turn of a pose; ok is false where the grid does
// not hold it.
func (g Grid) TurnIndex(p Pose) (t int, ok bool) {
	r, ok := g.RotationIndex(p.Angle)
	if len(g.Stretches) == 0 {
		return r, ok && p.Stretch.plain() == Stretch{}
	}
	s := slices.IndexFunc(g.Stretches, func(s Stretch) bool { return s.plain() == p.Stretch.plain() })
	return r*len(g.Stretches) + max(s, 0), ok && s >= 0
}

// Shifts returns the number of shifts of one turn.
func (g Grid) Shifts() int { return g.DY.Len() * g.DX.Len() }

// Len returns the number of poses.
func (g Grid) Len() int { return g.Turns() * g.Shifts() }

// At returns the pose with number i, 0 <= i < Len().
func (g Grid) At(i int) Pose {
	nx := g.DX.Len()
	p, s := g.Turn(i/g.Shifts()), i%g.Shifts()
	p.DY, p.DX = g.DY.At(s/nx), g.DX.At(s%nx)
	return p
}

// Index returns the inverse of At; ok is false where the grid does not hold p.
func (g Grid) Index(p Pose) (i int, ok bool) {
	t, okT := g.TurnIndex(p)
	y, okY := g.DY.Index(p.DY)
	x, okX := g.DX.Index(p.DX)
	return t*g.Shifts() + y*g.DX.Len() + x, okT && okY && okX
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
