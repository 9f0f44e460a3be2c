package recipe

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/patchwork/pose"
)

// Poses say where experts may be placed.
type Poses struct {
	Shift     int    `json:"shift,omitempty" minimum:"0" doc:"how far parts are shifted, in pixels"`
	ShiftX    *int   `json:"-"` // how far to the sides, if that differs
	ShiftStep int    `json:"shift_step,omitempty" minimum:"1" doc:"pixels between two shifts; default 1"`
	Given     bool   `json:"-"` // a shift of 0 and no rotation are meant
	Stretch   string `json:"-"` // factors, such as 0.75,1.33
	Rotate    string `json:"rotate,omitempty" maxLength:"40" doc:"RANGE:STEP in degrees, such as 24:6"`
}

// SetShift reads the text form of a shift, S or DY,DX, and of the step after a colon.
func (p *Poses) SetShift(text string) error {
	reach, step, stepped := strings.Cut(text, ":")
	p.ShiftStep = 0
	if stepped {
		var err error
		if p.ShiftStep, err = strconv.Atoi(step); err != nil || p.ShiftStep < 1 {
			return fmt.Errorf("the step of a shift is a whole number of pixels from 1, such as 14:2")
		}
	}
	first, second, two := strings.Cut(reach, ",")
	if !two {
		second = first
	}
	dy, errY := strconv.Atoi(strings.TrimSpace(first))
	dx, errX := strconv.Atoi(strings.TrimSpace(second))
	if errY != nil || errX != nil || dy < 0 || dx < 0 {
		return fmt.Errorf("a shift is a whole number of pixels such as 14, or two, 14,10")
	}
	p.Shift, p.ShiftX, p.Given = dy, nil, true
	if dx != dy {
		p.ShiftX = &dx
	}
	return nil
}

// reach returns how far experts are shifted down and to the side.
func (p *Poses) reach() (dy, dx int) {
	if p.ShiftX != nil {
		return p.Shift, *p.ShiftX
	}
	return p.Shift, p.Shift
}

// shiftArgument returns the text that SetShift reads.
func (p *Poses) shiftArgument() string {
	if p.ShiftStep > 0 {
		return fmt.Sprintf("%s:%d", p.shiftText(), p.ShiftStep)
	}
	return p.shiftText()
}

// shiftText returns how far experts are shifted.
func (p *Poses) shiftText() string {
	if dy, dx := p.reach(); dy != dx {
		return fmt.Sprintf("%d,%d", dy, dx)
	}
	return strconv.Itoa(p.Shift)
}

// move reports whether experts may be anywhere but where they were learned.
func (p *Poses) move() bool {
	angles, err := ParseRotations(p.Rotate)
	return p.Shift != 0 || p.ShiftX != nil || err != nil || angles != nil || p.Stretch != ""
}

// maxRotations bounds the rotations: each is a copy of every template.
const maxRotations = 720

// ParseRotations reads the text form of rotations, RANGE:STEP in degrees. nil
// means only 0.
func ParseRotations(text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	first, second, two := strings.Cut(text, ":")
	reach, errReach := strconv.ParseFloat(first, 64)
	step, errStep := strconv.ParseFloat(second, 64)
	if !two && errReach == nil && reach == 0 {
		return nil, nil
	}
	if errReach != nil || errStep != nil || !(reach >= 0 && reach <= 180) || !(step > 0 && step <= 360) {
		return nil, fmt.Errorf("rotations are RANGE:STEP in degrees, such as 24:6 for -24, -18, ... 24; RANGE is at most 180")
	}
	if reach/step > (maxRotations-1)/2 {
		return nil, fmt.Errorf("%.4g rotations are too many (at most %d); take a larger step",
			float64(2*math.Floor(reach/step))+1, maxRotations)
	}
	angles := pose.Evenly(reach, step)
	if reach == 180 && len(angles) > 1 && angles[0] == -180 {
		angles = angles[1:] // -180 is 180
	}
	if len(angles) == 1 {
		return nil, nil
	}
	return angles, nil
}

// mostStretches bounds the stretches: each is a copy of every template.
const mostStretches = 64

// ParseStretches reads the text form of stretches: factors along the parts' own axis,
// the rows of their frame, or YxX for both ways, between commas. No stretch is always
// one of them, the first; nil means only that.
func ParseStretches(text string) ([]pose.Stretch, error) {
	if text == "" {
		return nil, nil
	}
	out := []pose.Stretch{{}}
	for item := range strings.SplitSeq(text, ",") {
		first, second, two := strings.Cut(strings.TrimSpace(item), "x")
		if !two {
			second = "1"
		}
		y, errY := strconv.ParseFloat(first, 64)
		x, errX := strconv.ParseFloat(second, 64)
		if errY != nil || errX != nil || !(y >= pose.MinStretch && y <= pose.MaxStretch && x >= pose.MinStretch &&
			x <= pose.MaxStretch) {
			return nil, fmt.Errorf("stretches are factors from %v to %d such as 0.75,1.33, or both ways 1.33x0.75",
				pose.MinStretch, pose.MaxStretch)
		}
		if y != 1 || x != 1 {
			out = append(out, pose.Stretch{Y: y, X: x})
		}
	}
	if len(out) == 1 {
		return nil, nil
	}
	if len(out) > mostStretches {
		return nil, fmt.Errorf("%d stretches are too many (at most %d)", len(out), mostStretches)
	}
	return out, pose.Grid{Stretches: out}.Validate()
}

// These limits on the size of a model are checked before learning rather than
// after it: a model has a number for each pixel of each expert, and one more for
// each rotation.
const (
	maxTemplates = 1 << 25 // experts x pixels
	maxTurned    = 1 << 26 // experts x rotations x pixels
)

// Grid returns the poses of experts with a frame of the given size. The error is
// an *Error.
func (p *Poses) Grid(experts, height, width int) (pose.Grid, error) {
	dy, dx := p.reach()
	switch {
	case p.ShiftStep < 0:
		return pose.Grid{}, bad("shift_step", "{shift_step} %d: there must be at least 1 pixel between shifts", p.ShiftStep)
	case dy >= height || dx >= width:
		return pose.Grid{}, bad("shift", "{shift} %s moves parts of %d x %d pixels out of the image; give at most %d,%d",
			p.shiftText(), height, width, height-1, width-1)
	}
	angles, err := ParseRotations(p.Rotate)
	if err != nil {
		return pose.Grid{}, bad("rotate", "{rotate} %s: %v", p.Rotate, err)
	}
	stretches, err := ParseStretches(p.Stretch)
	if err != nil {
		return pose.Grid{}, bad("stretch", "{stretch} %s: %v", p.Stretch, err)
	}
	step := max(p.ShiftStep, 1)
	g := pose.Grid{DY: pose.Symmetric(dy, step), DX: pose.Symmetric(dx, step), Angles: angles, Stretches: stretches}
	// In floating point: the product of absurd settings is beyond an int.
	pixels := float64(experts) * float64(height) * float64(width)
	if pixels > maxTemplates || pixels*float64(g.Turns()) > maxTurned {
		way := "use fewer parts"
		if height > 1 {
			way = "bring pictures to a size, such as {size} 56x56, or use fewer parts or rotations ({rotate})"
		}
		return pose.Grid{}, bad("experts", "%d parts of %d x %d pixels in %d rotations are too large a model; %s",
			experts, height, width, g.Turns(), way)
	}
	n := float64(g.DY.Len()) * float64(g.DX.Len()) * float64(g.Turns())
	if n*float64(experts) > pose.MaxCandidates {
		return pose.Grid{}, bad("rotate",
			"%d parts at %.0f poses are too many candidates to search (at most %d); use fewer rotations, or larger steps "+
				"({shift_step})",
			experts, n, pose.MaxCandidates)
	}
	return g, nil
}
