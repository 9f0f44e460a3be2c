package real

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/pose"
)

// A candidate's bound is at least what it gains, in every pose, and the best pose by bounds is the best of all.
func TestBoundsOfCandidates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shifts := pose.Grid{DY: pose.Range{Min: -1, Max: 1}, DX: pose.Range{Min: -2, Max: 2}}
	for n := range 300 {
		m := &Model{Height: 3, Width: 4, Rule: Rule(n % 2)}
		if n%3 == 0 {
			m.Poses = shifts
		}
		for range m.D() {
			m.Background = append(m.Background, Normal{1, 4})
		}
		g := &grower{bank: newBank(m)}
		e := make([]Entry, m.F())
		for f := range e {
			e[f] = Entry{Vote(rng.IntN(3)), Normal{1 + 9*rng.NormFloat64(), math.Exp(3 * rng.NormFloat64())}}
		}
		sprites := g.turned(e)
		r := nastyGround(rng, m)
		g.grounds = []ground{r}
		want, most := 0, math.Inf(-1)
		for c, p := range g.poses {
			sum := 0.0
			for _, e := range sprites[0].entries {
				if d, ok := g.pixel(int(e.y), int(e.x), p); ok && r.known[d] {
					sum += r.cells[d].with(r.z[d], &e) - r.cells[d].now
				}
			}
			if b := g.bound(&sprites[0], p, &r); b < sum {
				t.Fatalf("case %d, pose %d: a bound of %v, a gain of %v", n, c, b, sum)
			}
			if sum > most {
				want, most = c, sum
			}
		}
		if at, gain := g.best(sprites, 0, math.Inf(-1)); at != want || gain != most {
			t.Fatalf("case %d: pose %d gains %v, want pose %d, %v", n, at, gain, want, most)
		}
		if _, gain := g.best(sprites, 0, most); gain != most {
			t.Fatalf("case %d: no more than %v is to be had, got %v", n, most, gain)
		}
	}
}

// nastyGround returns a row with unknown values, far ones, and speakers on no, one or both sides, of equal or of
// very different strength.
func nastyGround(rng *rand.Rand, m *Model) ground {
	var r ground
	for range m.D() {
		z := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(4)))
		c := cell{gainUp: 50 * rng.NormFloat64(), gainDown: 50 * rng.NormFloat64()}
		if rng.IntN(3) > 0 {
			c.up = math.Exp(2 * rng.NormFloat64())
		}
		if rng.IntN(3) > 0 {
			c.down = math.Exp(2 * rng.NormFloat64())
		}
		if rng.IntN(3) == 0 {
			c.down, c.gainDown = c.up, c.gainUp
		}
		c.now = together(c.up, c.gainUp, c.down, c.gainDown)
		r.z, r.known, r.cells = append(r.z, z), append(r.known, rng.IntN(5) > 0), append(r.cells, c)
	}
	return r
}
