package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/internal/score/kernel"
	"example.com/patchwork/internal/score/scoretest"
	"example.com/patchwork/pose"
	"pgregory.net/rapid"
)

// newSided returns a scenario of max-minus-min with shifts in which nothing is certain, so
// that it is searched by bounds: opinions of few levels and of many, on one side only and
// close to q, 0 and 1; some frames are too large for one group of tables.
func newSided(c scoretest.Choices) scenario {
	q := []float64{0.5, 0.3, 0.01, 0.9, 2e-5}[c.Pick(5)]
	f := Frame{Height: 1 + c.Pick(5), Width: 1 + c.Pick(20), Q: q, TwoSided: true}
	s := scenario{experts: 1 + c.Pick(3), height: 1 + c.Pick(12), width: 1 + c.Pick(24)}
	s.grid = Grid{DY0: c.Pick(9) - 4, NY: 1 + c.Pick(4), StepY: 1 + c.Pick(2), DX0: c.Pick(21) - 10, NX: 2 + c.Pick(9),
		StepX: 1 + c.Pick(2)}
	switch c.Pick(8) {
	case 0, 1: // full placements, lanes along the plane
		s.height, s.width = f.Height+c.Pick(4), f.Width+c.Pick(30)
		s.grid = Grid{NY: s.height - f.Height + 1, StepY: 1, NX: s.width - f.Width + 1, StepX: 1}
	case 2:
		f.Height, f.Width, s.height, s.width, s.experts = 18, 17, 20, 18, 2
		s.grid = Grid{DY0: c.Pick(3) - 1, NY: 2, StepY: 1, DX0: c.Pick(3) - 1, NX: 2, StepX: 1 + c.Pick(2)}
	}
	f.Turns = pickTurns(c, f.Height, f.Width)
	rng := rand.New(rand.NewPCG(uint64(c.Pick(256)), uint64(c.Pick(256)))) // choices from bytes would run out
	kind, image := c.Pick(5), c.Pick(4)
	templates := make([][]float64, s.experts)
	for k := range templates {
		templates[k] = make([]float64, f.Height*f.Width)
		for i := range templates[k] {
			v := q
			switch kind {
			case 0:
				v = []float64{q, 0.9, 0.1}[rng.IntN(3)]
			case 1:
				v = []float64{q, 2e-5, 1 - 2e-5, 0.5, math.Nextafter(q, 1), math.Nextafter(q, 0)}[rng.IntN(6)]
			case 2: // for on only
				v = max(q, rng.Float64()*0.99)
			case 3: // hardly an opinion: gains within rounding of each other
				v = q * (1 + 0x1p-40*float64(rng.IntN(5)-2))
			default:
				v = 0.001 + 0.998*rng.Float64()
			}
			templates[k][i] = v
		}
	}
	s.bank = NewBank(f, templates)
	s.x = make([]uint8, s.height*s.width)
	for i := range s.x {
		s.x[i] = []uint8{uint8(rng.IntN(2)), uint8(rng.IntN(3)), On, Off}[image]
	}
	s.costs = scoretest.PickCosts(c, s.experts)
	return s
}

// TestSidesAgreeWithReference takes searches of two sides through picks, taken back and
// put back, on every path: every bound must hold, and every answer be the reference's.
func TestSidesAgreeWithReference(t *testing.T) {
	defer func(was int64) { enough = was }(enough)
	enough = 0
	n := scoretest.Cases(t, "PATCHWORK_SIDES", 200)
	rng := rand.New(rand.NewPCG(5, 6))
	bytes := make([]byte, 512)
	var s Search
	bounded, groups := 0, 0
	for i := range n {
		for j := range bytes {
			bytes[j] = byte(rng.Uint32())
		}
		checkPaths(scoretest.AtCase{T: t, Case: i}, bytes, &s, newSided)
		if s.engine == &s.bounded {
			if bounded++; len(s.bounded.later[0]) > 1 {
				groups++
			}
		}
	}
	if bounded < n/2 && kernel.Chosen().Fast() || groups < n/100 {
		t.Errorf("of %d cases %d were searched by bounds, %d in groups", n, bounded, groups)
	}
}

// TestSidesOfClasses checks that a class says the most that any opinion can gain in any
// composition that belongs to it, and a rise the most that a change can bring.
func TestSidesOfClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opinion := rapid.OneOf(rapid.SampledFrom([]float64{2e-5, 0.1, 0.5, 0.9, 1 - 2e-5}), rapid.Float64Range(0.001, 0.999))
		votes := rapid.SliceOfN(opinion, 1, 60).Draw(t, "votes")
		q := rapid.SampledFrom([]float64{0.5, 0.01, 0.9}).Draw(t, "q")
		b := NewBank(Frame{Height: 1, Width: len(votes), Q: q, TwoSided: true, Turns: []pose.Turn{{}}}, [][]float64{votes})
		s := newSides(b, kernel.Portable())
		side := func(name string) (hi, lo float64) {
			hi, lo = q, q
			for range rapid.IntRange(0, 2).Draw(t, name) {
				v := rapid.SampledFrom(votes).Draw(t, "pick")
				hi, lo = max(hi, v), min(lo, v)
			}
			return hi, lo
		}
		x := rapid.SampledFrom([]uint8{Off, On}).Draw(t, "x")
		hi, lo := side("before")
		class := s.of(x, hi, lo)
		if int(class) >= cellCodes || class == free || (class < firstCell) != (hi == q && lo == q) {
			t.Fatalf("pixel %d of %v and %v is of class %d", x, hi, lo, class)
		}
		afterHi, afterLo := side("after")
		rise := s.rise(x, hi, lo, afterHi, afterLo)
		for _, v := range votes {
			gain := s.gain(x, v, hi, lo)
			if most := s.worths(v)[class]; gain > most {
				t.Fatalf("opinion %v gains %v at %d of %v and %v, by its class at most %v", v, gain, x, hi, lo, most)
			}
			if more := s.gain(x, v, afterHi, afterLo) - gain; more > rise {
				t.Fatalf("opinion %v gains %v more at %v and %v, at most %v", v, more, afterHi, afterLo, rise)
			}
		}
	})
}
