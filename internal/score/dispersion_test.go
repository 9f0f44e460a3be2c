package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/internal/score/scoretest"
	"example.com/patchwork/pose"
)

// square explains a 20 x 20 image by one expert that votes 0.9 for all of it.
func square(t *testing.T, x []uint8) *Search {
	t.Helper()
	const side = 20
	template := make([]float64, side*side)
	for i := range template {
		template[i] = 0.9
	}
	f := Frame{Height: side, Width: side, Q: 0.01, Turns: []pose.Turn{{}}}
	var s Search
	s.Reset(NewBank(f, [][]float64{template}), Grid{NY: 1, StepY: 1, NX: 1, StepX: 1}, side, side, x)
	s.Place(0)
	return &s
}

// Errors of single pixels have the dispersion 1, or a little more by chance; the same
// number of errors in blocks of 5 x 5 has a much larger one.
func TestDispersion(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		single, blocks := make([]uint8, 400), make([]uint8, 400)
		for i := range single {
			if single[i] = Off; r.Float64() < 0.9 {
				single[i] = On
			}
			blocks[i] = On
		}
		for range 2 {
			y0, x0 := r.IntN(16), r.IntN(16)
			for i := range 25 {
				blocks[(y0+i/5)*20+x0+i%5] = Off
			}
		}
		if d := square(t, single).Dispersion(); d > 3 {
			t.Errorf("independent errors: %v", d)
		}
		if d := square(t, blocks).Dispersion(); d < 8 {
			t.Errorf("errors in blocks: %v", d)
		}
	}
	unknown := make([]uint8, 400)
	for i := range unknown {
		unknown[i] = Unknown
	}
	if d := square(t, unknown).Dispersion(); d != 1 {
		t.Errorf("nothing known: %v", d)
	}
}

// Any search has a finite dispersion of 1 or more, and 1 before the first pick.
func TestDispersionIsOneOrMore(t *testing.T) {
	for i := range 2000 {
		c := scoretest.Tiny(i)
		sc := newTiny(c)
		var s Search
		s.Reset(sc.bank, sc.grid, sc.height, sc.width, sc.x)
		if d := s.Dispersion(); d != 1 {
			t.Fatalf("case %d: %v before the first pick", i, d)
		}
		s.Place(c.Pick(sc.experts))
		if d := s.Dispersion(); d < 1 || math.IsInf(d, 0) || math.IsNaN(d) {
			t.Fatalf("case %d: %v", i, d)
		}
	}
}
