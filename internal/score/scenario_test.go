package score

import (
	"math"

	"example.com/patchwork/internal/score/scoretest"

	"example.com/patchwork/pose"
)

// levels are opinions and abstention values with something nasty about them:
// certain, barely not, next to 1/2, too small for 1-p, subnormal.
var levels = []float64{0, 1, 0.5, 0.01, 0.3, 0.98, 0.7, math.Nextafter(0.5, 1), math.Nextafter(1, 0),
	0x1p-60, 1e-300, math.SmallestNonzeroFloat64}

func pickLevel(c scoretest.Choices) float64 {
	if i := c.Pick(len(levels) + 8); i < len(levels) {
		return levels[i]
	}
	return float64(c.Pick(255)+1) / 256
}

// scenario is an image, a bank and a grid; experts is their number.
type scenario struct {
	bank          *Bank
	grid          Grid
	height, width int
	x             []uint8
	costs         []float64
	experts       int
}

// newTable returns a scenario in which nothing moves or turns and nothing is
// certain: the rows of a table.
func newTable(c scoretest.Choices) scenario {
	f := Frame{Height: 1, Width: 1 + c.Pick(6), TwoSided: c.Pick(4) > 0, Q: []float64{0.5, 0.3, 0.01}[c.Pick(3)],
		Turns: []pose.Turn{{}}}
	s := scenario{height: 1, width: f.Width, experts: 1 + c.Pick(5), grid: Grid{NY: 1, StepY: 1, NX: 1, StepX: 1}}
	templates := make([][]float64, s.experts)
	for k := range templates {
		templates[k] = make([]float64, f.Width)
		for i := range templates[k] {
			// Some sum to 1, so that opposing votes cancel to q and beyond.
			templates[k][i] = []float64{f.Q, 0.1, 0.9, 0.9, 0.4, 0.99, 0x1p-60, math.Nextafter(1, 0)}[c.Pick(8)]
		}
	}
	if c.Pick(2) == 0 {
		f.QMap = make([]float64, f.Width)
		for i := range f.QMap {
			f.QMap[i] = []float64{f.Q, 0.5, 0.9}[c.Pick(3)]
		}
	}
	s.bank = NewBank(f, templates)
	s.x, s.costs = pickImage(c, f.Width), scoretest.PickCosts(c, s.experts)
	return s
}

func newScenario(c scoretest.Choices) scenario {
	if c.Pick(4) == 0 {
		return newTable(c)
	}
	f := Frame{Height: 1 + c.Pick(5), Width: 1 + c.Pick(5), TwoSided: c.Pick(2) == 1, Q: levels[c.Pick(5)]}
	s := scenario{height: f.Height, width: f.Width, experts: 1 + c.Pick(4)}
	switch c.Pick(4) {
	case 0: // a scene: larger than the frame, full placements
		s.height, s.width = f.Height+c.Pick(5), f.Width+c.Pick(5)
		s.grid = Grid{NY: s.height - f.Height + 1, StepY: 1, NX: s.width - f.Width + 1, StepX: 1}
	case 1: // nothing moves
		s.grid = Grid{NY: 1, StepY: 1, NX: 1, StepX: 1}
	default: // any range, also beyond the frame and without 0
		s.grid = Grid{DY0: c.Pick(13) - 7, NY: 1 + c.Pick(5), StepY: 1 + c.Pick(3),
			DX0: c.Pick(13) - 7, NX: 1 + c.Pick(5), StepX: 1 + c.Pick(3)}
	}
	if s.height == f.Height && s.width == f.Width && c.Pick(3) == 0 {
		f.QMap = make([]float64, f.Height*f.Width)
		for i := range f.QMap {
			f.QMap[i] = pickLevel(c)
		}
	}
	f.Turns = pickTurns(c, f.Height, f.Width)
	view := pickView(c, &f)
	s.bank = NewBank(f, pickTemplates(c, f, s.experts, view))
	s.x = pickImage(c, s.height*s.width)
	s.costs = scoretest.PickCosts(c, s.experts)
	return s
}

// newMild returns a scenario of the max rule with shifts in which nothing is certain,
// so that it is searched by bounds: frames of several chunks and grids of several
// tiles.
func newMild(c scoretest.Choices) scenario {
	mild := []float64{0.01, 0.3, 0.5, 0x1p-60, 1e-300, 0.7, 0.98, math.Nextafter(0.5, 1), math.Nextafter(1, 0)}
	f := Frame{Height: 1 + c.Pick(6), Width: 1 + c.Pick(20), Q: mild[c.Pick(5)]}
	s := scenario{experts: 1 + c.Pick(3), height: 1 + c.Pick(12), width: 1 + c.Pick(24)}
	s.grid = Grid{DY0: c.Pick(9) - 4, NY: 1 + c.Pick(4), StepY: 1 + c.Pick(2), DX0: c.Pick(21) - 10, NX: 2 + c.Pick(9),
		StepX: 1 + c.Pick(2)}
	if c.Pick(3) == 0 { // full placements, lanes along the plane
		s.height, s.width = f.Height+c.Pick(4), f.Width+c.Pick(30)
		s.grid = Grid{NY: s.height - f.Height + 1, StepY: 1, NX: s.width - f.Width + 1, StepX: 1}
	}
	f.Turns = pickTurns(c, f.Height, f.Width)
	templates := make([][]float64, s.experts)
	for k := range templates {
		templates[k] = make([]float64, f.Height*f.Width)
		weak := c.Pick(4) == 0 // hardly an opinion: gains within rounding of each other
		for i := range templates[k] {
			switch {
			case c.Pick(3) == 0:
				templates[k][i] = f.Q
			case weak:
				templates[k][i] = f.Q + (1-f.Q)*0x1p-40*float64(c.Pick(4))
			case c.Pick(3) == 0:
				templates[k][i] = mild[c.Pick(len(mild))]
			default:
				templates[k][i] = float64(c.Pick(255)+1) / 256
			}
		}
	}
	s.bank = NewBank(f, templates)
	s.x, s.costs = pickImage(c, s.height*s.width), scoretest.PickCosts(c, s.experts)
	return s
}

// pickTurns returns turns: none and others, into boxes that lie in the frame or beyond
// it, with pixels from outside the frame. Nothing here depends on their being
// rotations.
func pickTurns(c scoretest.Choices, h, w int) []pose.Turn {
	turns := make([]pose.Turn, 1+c.Pick(3))
	for r := range turns {
		t := &turns[r]
		switch c.Pick(4) {
		case 0:
			continue
		case 1:
			t.Height, t.Width = h, w
		default:
			t.Top, t.Left, t.Height, t.Width = c.Pick(5)-2, c.Pick(5)-2, 1+c.Pick(h+3), 1+c.Pick(w+3)
		}
		t.From = make([]int32, t.Height*t.Width)
		for i := range t.From {
			t.From[i] = int32(c.Pick(h*w+1)) - 1
		}
	}
	return turns
}

// pickView maps opinions and abstention values as the scorings of the model
// do: as they are, truncated, or mixed with 1/2.
func pickView(c scoretest.Choices, f *Frame) func(float64) float64 {
	view := []func(float64) float64{
		func(p float64) float64 { return p },
		func(p float64) float64 { return max(p, 0.5) },
		func(p float64) float64 { return 0.9*p + 0.05 },
	}[c.Pick(3)]
	f.Q = view(f.Q)
	for i := range f.QMap {
		f.QMap[i] = view(f.QMap[i])
	}
	return view
}

func pickTemplates(c scoretest.Choices, f Frame, experts int, view func(float64) float64) [][]float64 {
	templates := make([][]float64, experts)
	for k := range templates {
		if k > 0 && c.Pick(3) == 0 {
			templates[k] = templates[c.Pick(k)] // a twin: ties everywhere
			continue
		}
		templates[k] = make([]float64, f.Height*f.Width)
		for i := range templates[k] {
			if c.Pick(3) == 0 {
				templates[k][i] = f.Q
				continue
			}
			templates[k][i] = view(pickLevel(c))
		}
	}
	return templates
}

func pickImage(c scoretest.Choices, n int) []uint8 {
	x := make([]uint8, n)
	kind := c.Pick(6)
	for i := range x {
		switch kind {
		case 0: // blank: massive ties
		case 1:
			x[i] = Unknown
		case 2:
			x[i] = On
		case 3:
			x[i] = uint8(c.Pick(3))
		default:
			x[i] = uint8(c.Pick(2))
		}
	}
	return x
}
