package score

import "example.com/patchwork/pose"

// Placed is a sprite at a shift: sprite pixel (y, x) lies on image pixel
// (y+DY, x+DX).
type Placed struct {
	Sprite int // index into Bank.Sprites
	DY, DX int
}

// Grid is the shifts of a search: DY0, DY0+Step, ... (NY of them) down and DX0,
// DX0+StepX, ... (NX) to the right.
type Grid struct {
	DY0, NY, StepY int
	DX0, NX, StepX int
}

// GridOf returns the grid of the shifts in the given ranges.
func GridOf(dy, dx pose.Range) Grid {
	return Grid{
		DY0: dy.Min, NY: dy.Len(), StepY: max(dy.Step, 1),
		DX0: dx.Min, NX: dx.Len(), StepX: max(dx.Step, 1),
	}
}

// Shifts returns the number of shifts.
func (g Grid) Shifts() int { return g.NY * g.NX }

// At returns candidate c of a bank under this grid: sprites first, then dy,
// then dx.
func (g Grid) At(c int) Placed {
	s := c % g.Shifts()
	return Placed{c / g.Shifts(), g.DY0 + s/g.NX*g.StepY, g.DX0 + s%g.NX*g.StepX}
}

// Candidate returns the number of a placed sprite: the inverse of At.
func (g Grid) Candidate(p Placed) int {
	return p.Sprite*g.Shifts() + (p.DY-g.DY0)/g.StepY*g.NX + (p.DX-g.DX0)/g.StepX
}

// ceilDiv returns a/b rounded up, b > 0; 0 for all a <= 0.
func ceilDiv(a, b int) int {
	if a <= 0 {
		return 0
	}
	return (a + b - 1) / b
}

// floorDiv returns a/b rounded down, b > 0; -1 for all a < 0.
func floorDiv(a, b int) int {
	if a < 0 {
		return -1
	}
	return a / b
}
