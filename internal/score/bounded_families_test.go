package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/internal/score/kernel"
	"example.com/patchwork/internal/score/scoretest"
	"example.com/patchwork/pose"
)

// TestFamiliesAgreeWithReference takes searches on every path through picks while all
// turned sprites of an expert are one family, however little they have in common.
func TestFamiliesAgreeWithReference(t *testing.T) {
	defer func(was int64, shifts int, keeps func(loss, mean float64) bool) {
		enough, familyShifts, familyKeeps = was, shifts, keeps
	}(enough, familyShifts, familyKeeps)
	enough, familyShifts, familyKeeps = 0, 0, func(float64, float64) bool { return true }
	rng := rand.New(rand.NewPCG(8, 9))
	bytes := make([]byte, 2048)
	var s Search
	for i := range 400 { // bounds are made when they are needed, not all by a check
		sc := []func(scoretest.Choices) scenario{newMild, newSided}[i%2](scoretest.Tiny(i))
		s.Reset(sc.bank, sc.grid, sc.height, sc.width, sc.x)
		for range 3 {
			best := checkBest(scoretest.AtCase{T: t, Case: i}, &s, sc, everybody)
			s.Place(best)
		}
	}
	shared := 0
	n := scoretest.Cases(t, "PATCHWORK_FAMILIES", 120)
	for i := range n {
		for j := range bytes {
			bytes[j] = byte(rng.Uint32())
		}
		checkPaths(scoretest.AtCase{T: t, Case: i}, bytes, &s, []func(scoretest.Choices) scenario{newMild, newSided}[i%2])
		if s.engine == &s.bounded && len(s.bounded.tables.families) < len(s.Bank.Sprites) {
			shared++
		}
	}
	if shared < n/4 && kernel.Chosen().Fast() {
		t.Errorf("%d of %d searches had families", shared, n)
	}
}

// TestFamiliesOfTurnedStrokes checks that neighbouring rotations of a stroke are
// families, of one expert each, that the envelope gains no less than any of them, and
// that few of their tiles are opened where one explanation stands out.
func TestFamiliesOfTurnedStrokes(t *testing.T) {
	c := turned()
	for _, p := range kernel.All() {
		if !p.Fast() {
			continue
		}
		tables := newBoundTables(c.bank, p, c.grid.Shifts())
		next := 0
		for _, f := range tables.families {
			if f.first != next || f.end-f.first > familyMost || c.bank.Sprites[f.first].Expert != c.bank.Sprites[f.end-1].Expert {
				t.Fatalf("%s: sprites %d to %d are a family after %d", p.Name, f.first, f.end, next)
			}
			next = f.end
		}
		if next != len(c.bank.Sprites) || len(tables.families) > next/2 {
			t.Errorf("%s: %d families of %d of %d sprites", p.Name, len(tables.families), next, len(c.bank.Sprites))
		}
		if few := newBoundTables(c.bank, p, 100); len(few.families) != next {
			t.Errorf("%s: %d families of %d sprites for few shifts", p.Name, len(few.families), next)
		}
	}
	if !kernel.Chosen().Fast() {
		return
	}
	var s Search
	s.Reset(c.bank, c.grid, c.side, c.side, c.x)
	s.Best(nil, everybody)
	e := &s.bounded
	opened := 0
	for _, open := range e.opened {
		if open {
			opened++
		}
	}
	if opened == 0 || opened > len(e.opened)/4 {
		t.Errorf("%d of %d tiles of families were opened", opened, len(e.opened))
	}
}

// TestEnvelopeOfTwo checks the envelope of two sprites by hand, where one abstains too.
func TestEnvelopeOfTwo(t *testing.T) {
	b := NewBank(Frame{Height: 1, Width: 3, Q: 0.5, TwoSided: true, Turns: []pose.Turn{{}}}, [][]float64{{0.9, 0.5, 0.2}, {0.6, 0.8, 0.2}})
	one, two := newEnvelope(b, &b.Sprites[0]), newEnvelope(b, &b.Sprites[1])
	both := one.join(&two)
	sp := both.sprite(b)
	for i, want := range [][2]float64{{math.Log(0.9), math.Log(0.4)}, {math.Log(0.8), math.Log(0.5)}, {math.Log(0.2), math.Log(0.8)}} {
		if math.Abs(sp.On[i]-want[0]) > 1e-12 || math.Abs(sp.Off[i]-want[1]) > 1e-12 {
			t.Errorf("pixel %d: %v and %v, want %v", i, sp.On[i], sp.Off[i], want)
		}
	}
	if len(sp.spans) != 1 || sp.spans[0] != (Span{0, 0, 3}) {
		t.Errorf("it votes at %v", sp.spans)
	}
}
