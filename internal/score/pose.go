package score

import (
	"math"

	"example.com/patchwork/pose"
)

// GridOf returns the grid of the shifts in the given ranges.
func GridOf(dy, dx pose.Range) Grid {
	return Grid{
		DY0: dy.Min, NY: dy.Len(), StepY: max(dy.Step, 1),
		DX0: dx.Min, NX: dx.Len(), StepX: max(dx.Step, 1),
	}
}

// LogLik returns log P(x | p) of one known Bernoulli pixel, in nats.
func LogLik(on bool, p float64) float64 {
	if on {
		return math.Log(p)
	}
	return math.Log1p(-p)
}
