package described

import (
	"math"
	"testing"

	"example.com/patchwork/internal/testkit"
)

// What a prior over sets takes is what its parts take, each once.
func TestSetPriorLength(t *testing.T) {
	p := newSetPrior([]float64{50, 20, 10}, 100)
	testkit.Near(t, "no dependence", PriorLength(p, 2), math.Log(3), 1e-12)
	p.Parent[1] = 0
	testkit.Near(t, "an edge", PriorLength(p, 2), math.Log(3)+2+math.Log(3), 1e-12)
	p.Parent[1], p.Sets, p.Share = -1, [][]int{{0, 2}}, []float64{0.1}
	a := func(k int) float64 { return p.Active[k][0] }
	testkit.Near(t, "a name", PriorLength(p, 2), math.Log(3)+2-math.Log(a(0))-math.Log(1-a(1))-math.Log(a(2)), 1e-12)
}
