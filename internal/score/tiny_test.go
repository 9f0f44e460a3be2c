package score

import (
	"math"
	"slices"
	"testing"

	"example.com/patchwork/internal/score/kernel"
	"example.com/patchwork/internal/score/scoretest"

	"example.com/patchwork/pose"
)

// newTiny returns a scenario that takes microseconds: at most three experts of a
// few pixels. It has the difficulties of larger scenarios, more often: one kind of
// values for all templates, copies of experts, ties.
func newTiny(c scoretest.Choices) scenario {
	if c.Pick(8) == 0 {
		return newTable(c)
	}
	f := Frame{Height: 1 + c.Pick(3), Width: 1 + c.Pick(4), TwoSided: c.Pick(3) == 0, Q: levels[c.Pick(5)]}
	s := scenario{height: f.Height, width: f.Width, experts: 1 + c.Pick(3), grid: Grid{NY: 1, StepY: 1, NX: 1, StepX: 1}}
	switch c.Pick(8) {
	case 0: // nothing moves
	case 1: // full placements
		s.height, s.width = f.Height+c.Pick(3), f.Width+c.Pick(3)
		s.grid = Grid{NY: s.height - f.Height + 1, StepY: 1, NX: s.width - f.Width + 1, StepX: 1}
	case 2: // more than a tile of a long row
		if c.Pick(8) == 0 {
			f.Height, s.height, s.width = 1, 1, f.Width+60+c.Pick(10)
			s.grid = Grid{NY: 1, StepY: 1, NX: s.width - f.Width + 1, StepX: 1}
		}
	default:
		s.grid = Grid{DY0: c.Pick(5) - 3, NY: 1 + c.Pick(3), StepY: 1 + c.Pick(2),
			DX0: c.Pick(5) - 3, NX: 1 + c.Pick(4), StepX: 1 + c.Pick(2)}
	}
	if s.height == f.Height && s.width == f.Width && c.Pick(4) == 0 {
		f.QMap = make([]float64, f.Height*f.Width)
		for i := range f.QMap {
			f.QMap[i] = pickLevel(c)
		}
	}
	f.Turns = []pose.Turn{{}}
	if c.Pick(3) == 0 {
		f.Turns = pickTurns(c, f.Height, f.Width)
	}
	view := pickView(c, &f)
	s.bank = NewBank(f, tinyTemplates(c, f, s.experts, view))
	s.x, s.costs = pickImage(c, s.height*s.width), scoretest.PickCosts(c, s.experts)
	return s
}

// tinyTemplates draws opinions of one kind, so that the mild ones, which are
// searched by bounds, are not always mixed with certain ones.
func tinyTemplates(c scoretest.Choices, f Frame, experts int, view func(float64) float64) [][]float64 {
	kinds := [][]float64{
		{0, 1, 0.5},
		{f.Q, 0.9},
		{f.Q, f.Q, math.Nextafter(f.Q, 1), math.Nextafter(f.Q, 0), f.Q + (1-f.Q)*0x1p-40},
		{0.9, math.Nextafter(0.9, 1), math.Nextafter(0.9, 0)},
		{0x1p-60, 1e-300, math.SmallestNonzeroFloat64, math.Nextafter(1, 0)},
		{0.1, 0.9, 0.3, 0.7, 0.5, f.Q},
		levels,
	}
	kind := kinds[c.Pick(len(kinds))]
	templates := make([][]float64, experts)
	for k := range templates {
		if k > 0 && c.Pick(3) == 0 {
			templates[k] = templates[c.Pick(k)]
			continue
		}
		templates[k] = make([]float64, f.Height*f.Width)
		for i := range templates[k] {
			templates[k][i] = min(max(view(kind[c.Pick(len(kind))]), 0), 1)
		}
	}
	return templates
}

// searches holds a search and the one it branches to, reused from case to case.
type searches struct{ s, branch Search }

// walk takes a search through a scenario: picks, arbitrary placements, picks
// taken back and put back, floors, the best few, a branch, experts asleep. It
// returns all that was found, in nats to the bit; how, if not nil, judges every
// best candidate.
func walk(c scoretest.Choices, sc scenario, both *searches,
	how func(s *Search, best Ranked, live func(int) bool)) (found []Ranked) {
	s := &both.s
	s.Reset(sc.bank, sc.grid, sc.height, sc.width, sc.x)
	asleep := 0 // one bit per expert
	live := func(k int) bool { return asleep>>k&1 == 0 }
	note := func(candidate int, g Gain) { found = append(found, Ranked{candidate, g}) }
	best := func() Ranked {
		candidate, g := s.Best(sc.costs, live)
		note(candidate, g)
		if r := (Ranked{candidate, g}); how != nil {
			how(s, r, live)
		}
		return found[len(found)-1]
	}
	candidates := sc.bank.Candidates(sc.grid.Shifts())
	for range 2 + c.Pick(5) {
		n := len(s.Picks())
		switch op := c.Pick(9); {
		case op == 0:
			asleep = c.Pick(1 << sc.experts)
		case op == 1:
			s.Place(c.Pick(candidates))
		case op == 2 && n > 0:
			s.TakeBack(c.Pick(n))
		case op == 3 && n > 0: // the inner step of refining
			j := c.Pick(n)
			old := s.Candidate(s.Picks()[j])
			s.TakeBack(j)
			if r := best(); c.Pick(2) == 0 && r.Candidate >= 0 {
				s.Place(r.Candidate)
			} else {
				s.PutBack(old)
			}
			s.Insert(j)
		case op == 4: // what gains less than the floor may be found or not
			floor := []float64{0, -1, 2, 1e-9}[c.Pick(4)]
			if candidate, g := s.BestAbove(floor, sc.costs, live); candidate >= 0 &&
				(g.Possible > 0 || g.Possible == 0 && g.Nats >= floor) {
				note(candidate, g)
			}
		case op == 5:
			found = append(found, s.Top(1+c.Pick(3), sc.costs, live, nil)...)
		case op == 6 && s == &both.s:
			both.branch.CopyFrom(s)
			s = &both.branch
		default:
			if r := best(); r.Candidate >= 0 {
				s.Place(r.Candidate)
			}
		}
		note(len(s.Picks()), Gain{Nats: s.LogLik()})
	}
	best()
	return found
}

// Tiny scenarios, which are quick enough for a million: the reference path finds
// what the formula says, and the others the same as it, to the bit.
func TestSearchAgreesOnTinyScenarios(t *testing.T) {
	var both searches
	n, floors := scoretest.TinyCases(t, 8000), 0
	for i := range n + 1 {
		if i == n {
			i = max(n, 24_475) // where a floor of the question may outweigh an impossible pixel
		}
		var first []Ranked
		for p, path := range kernel.All() {
			restore := kernel.Force(path)
			c := scoretest.Tiny(i)
			sc := newTiny(c)
			var how func(*Search, Ranked, func(int) bool)
			if p == 0 {
				how = func(s *Search, best Ranked, live func(int) bool) {
					judge(scoretest.AtCase{T: t, Case: i}, s, sc, best, live)
				}
			}
			found := walk(c, sc, &both, how)
			restore()
			if p == 0 {
				first = found
			}
			if b := &both.s.bounded; both.s.engine == b && b.tables.floor != nil {
				floors++
			}
			if !slices.EqualFunc(found, first, sameBits) {
				t.Fatalf("case %d: path %s finds %+v, the reference %+v", i, path.Name, found, first)
			}
		}
	}
	if floors < n/20 && kernel.Chosen().Fast() {
		t.Errorf("of %d cases %d were searched by bounds over a floor", n, floors)
	}
}

// sameBits also holds for the infinite log-likelihoods of impossible images.
func sameBits(a, b Ranked) bool {
	return a.Candidate == b.Candidate && a.Gain.Possible == b.Gain.Possible &&
		math.Float64bits(a.Gain.Nats) == math.Float64bits(b.Gain.Nats)
}

// judge compares a best candidate with the formula's.
func judge(t scoretest.Fataler, s *Search, sc scenario, best Ranked, live func(int) bool) {
	want, gain := ReferenceBest(&s.Field, s.grid, sc.costs, live)
	if best.Candidate != want || best.Gain.Possible != gain.Possible || !near(best.Gain.Nats, gain.Nats) {
		t.Fatalf("best candidate %+v, by the formula %d %+v", best, want, gain)
	}
}

// BenchmarkTiny measures a case on all paths together.
func BenchmarkTiny(b *testing.B) {
	var both searches
	n := 0
	for b.Loop() {
		for _, path := range kernel.All() {
			restore := kernel.Force(path)
			c := scoretest.Tiny(n)
			walk(c, newTiny(c), &both, nil)
			restore()
		}
		n++
	}
}
