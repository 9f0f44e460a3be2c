package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/score/kernel"
	"example.com/patchwork/internal/score/scoretest"

	"example.com/patchwork/pose"
)

// The scenarios are small, and searched by bounds from the first image on.
func init() { enough = 0 }

// A bank has no tables until it has searched enough shifts.
func TestTablesOnlyAfterEnoughShifts(t *testing.T) {
	defer func(was int64) { enough = was }(enough)
	enough = 20
	bank := NewBank(Frame{Height: 1, Width: 2, Q: 0.1, Turns: []pose.Turn{{}}}, [][]float64{{0.9, 0.3}})
	grid := Grid{DY0: -1, NY: 3, StepY: 1, DX0: -1, NX: 3, StepX: 1}
	for i, want := range []bool{false, false, true, true} {
		var s Search
		s.Reset(bank, grid, 1, 2, []uint8{On, Off})
		if want = want && kernel.Chosen().Fast(); (s.engine == &s.bounded) != want {
			t.Errorf("image %d of 9 shifts: by bounds %v, want %v", i, s.engine == &s.bounded, want)
		}
		if c, g := s.Best(nil, everybody); s.At(c) != (Placed{}) || g.Possible != 0 {
			t.Errorf("image %d: best is %+v, %+v", i, s.At(c), g)
		}
	}
}

// near reports whether two sums of logarithms are equal but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)/100) }

// checkBest compares the fast best candidate with the reference's.
func checkBest(t scoretest.Fataler, s *Search, sc scenario, live func(int) bool) int {
	t.Helper()
	c, g := s.Best(sc.costs, live)
	want, wantGain := ReferenceBest(&s.Field, s.grid, sc.costs, live)
	if c != want || g.Possible != wantGain.Possible || !near(g.Nats, wantGain.Nats) {
		t.Fatalf("best candidate %d %+v, the reference has %d %+v", c, g, want, wantGain)
	}
	if c >= 0 && g.Possible == 0 {
		if above, same := s.BestAbove(g.Nats, sc.costs, live); above != c || same != g {
			t.Fatalf("best candidate %d %+v, of those that gain as much %d %+v", c, g, above, same)
		}
		if above, more := s.BestAbove(g.Nats+1, sc.costs, live); above >= 0 && (above != c || more != g) {
			t.Fatalf("best candidate %d %+v, of those that gain more %d %+v", c, g, above, more)
		}
	}
	return c
}

// checkGains compares every gain, exact and fast, with the reference's.
func checkGains(t scoretest.Fataler, s *Search, sc scenario) {
	t.Helper()
	switch s.engine {
	case &s.bounded:
		checkBounds(t, s)
		return
	default:
		for k := range sc.experts {
			s.general.sync(k)
		}
	}
	for c, want := range ReferenceGains(&s.Field, s.grid) {
		if got := s.Gain(s.At(c)); got.Possible != want.Possible || !near(got.Nats, want.Nats) {
			t.Fatalf("candidate %d gains %+v, by the formula %+v", c, got, want)
		}
		fast, full := s.general.gains[c], want.Nats+float64(want.Possible)*s.Bank.impossible
		if !(math.Abs(fast-full) <= s.general.errorBound()+1e-12) {
			t.Fatalf("candidate %d: fast gain %v, by the formula %v, off by more than the bound %v", c, fast, full,
				s.general.errorBound())
		}
	}
}

// checkBounds: every bound holds, and every score is right to within its slack.
func checkBounds(t scoretest.Fataler, s *Search) {
	t.Helper()
	b := &s.bounded
	b.countLifts()
	for c, want := range ReferenceGains(&s.Field, s.grid) {
		if got := s.Gain(s.At(c)); got.Possible != want.Possible || !near(got.Nats, want.Nats) ||
			got.Possible != 0 && s.Bank.Q > 0 {
			t.Fatalf("candidate %d gains %+v, by the formula %+v", c, got, want)
		}
		full := want.Nats + float64(want.Possible)*s.Bank.impossible
		sprite, y, x := c/s.grid.Shifts(), c%s.grid.Shifts()/s.grid.NX, c%s.grid.NX
		g := &b.tables.sprites[sprite]
		lane := y*b.pitch + x
		over := b.lifted(sprite, lane)
		if score := b.scoreOf(sprite, y, x) + over; !(math.Abs(score-full) <= g.slack) {
			t.Fatalf("candidate %d: score %v, by the formula %v, off by more than %v", c, score, full, g.slack)
		}
		if top := b.mostOf(b.tables.regions[sprite])[lane/kernel.Tile]; top < over {
			t.Fatalf("candidate %d: lifts %v, its tile at most %v", c, over, top)
		}
		b.look(sprite)
		at := sprite*b.tiles + lane/kernel.Tile
		for range 2 { // as it is, and made anew
			base, step := b.scale(sprite, b.states[at])
			bound := base + step*float64(b.steps[at*kernel.Tile+kernel.Position(lane%kernel.Tile)]) +
				b.raised[lane/kernel.Tile] - b.states[at].since
			if !(bound+over >= full) {
				t.Fatalf("candidate %d: bound %v, by the formula %v", c, bound+over, full)
			}
			if whole := b.bounds[at] + b.raised[lane/kernel.Tile]; whole < bound-1e-9 {
				t.Fatalf("candidate %d: bound %v above its tile's %v", c, bound, whole)
			}
			b.tighten(sprite, lane/kernel.Tile)
		}
	}
}

// checkSearch takes a search through a scenario: picks, arbitrary placements,
// picks taken back and put back, with some experts asleep, comparing it with
// the reference after every step. It returns all that was found.
func checkSearch(t scoretest.Fataler, c scoretest.Choices, s *Search,
	scenarios func(scoretest.Choices) scenario) (found []Ranked) {
	t.Helper()
	sc := scenarios(c)
	s.Reset(sc.bank, sc.grid, sc.height, sc.width, sc.x)
	checkGains(t, s, sc)
	asleep := 0 // one bit per expert
	live := func(k int) bool { return asleep>>k&1 == 0 }
	for range 2 + c.Pick(7) {
		switch n := len(s.Picks()); c.Pick(5) {
		case 0:
			asleep = c.Pick(1 << sc.experts)
		case 1:
			s.Place(c.Pick(sc.bank.Candidates(sc.grid.Shifts())))
		case 2:
			if n > 0 {
				s.TakeBack(c.Pick(n))
			}
		case 3:
			if n > 0 {
				checkPutBack(t, s, sc, c.Pick(n), live)
			}
		default:
			if best := checkBest(t, s, sc, live); best >= 0 {
				s.Place(best)
			}
		}
		best := checkBest(t, s, sc, live)
		if best >= 0 {
			found = append(found, Ranked{best, s.Gain(s.At(best))})
		}
		if c.Pick(3) == 0 {
			checkGains(t, s, sc)
		}
	}
	checkGains(t, s, sc)
	return found
}

// checkPutBack takes pick j back, looks for a better candidate, and puts the
// old one where it was.
func checkPutBack(t scoretest.Fataler, s *Search, sc scenario, j int, live func(int) bool) {
	t.Helper()
	hi, lo, l := slices.Clone(s.Hi), slices.Clone(s.Lo), slices.Clone(s.L)
	picks := slices.Clone(s.Picks())
	old := s.Candidate(picks[j])
	s.TakeBack(j)
	checkBest(t, s, sc, live)
	s.PutBack(old)
	s.Insert(j)
	if !slices.Equal(s.Hi, hi) || !slices.Equal(s.Lo, lo) || !slices.Equal(s.L, l) || !slices.Equal(s.Picks(), picks) {
		t.Fatalf("pick %d taken and put back: the composition is another", j)
	}
	checkGains(t, s, sc) // and no bound is one of the search without it
}

func TestSearchAgreesWithReference(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			var s Search
			checkSearch(t, scoretest.Drawn{T: t}, &s, newScenario)
			checkSearch(t, scoretest.Drawn{T: t}, &s, newMild) // its memory is reused
		})
	})
}

// eachPath runs a test for every path of the inner loops.
func eachPath(t *testing.T, f func(t *testing.T)) {
	for _, p := range kernel.All() {
		t.Run(p.Name, func(t *testing.T) {
			defer kernel.Force(p)()
			f(t)
		})
	}
}

// checkPaths takes the same choices through a search on every path: all must
// agree with the reference and find the same to the bit.
func checkPaths(t scoretest.Fataler, b []byte, s *Search, scenarios func(scoretest.Choices) scenario) {
	t.Helper()
	var first []Ranked
	for i, p := range kernel.All() {
		restore := kernel.Force(p)
		found := checkSearch(t, &scoretest.Read{Bytes: b}, s, scenarios)
		restore()
		if i == 0 {
			first = found
		}
		if !slices.Equal(found, first) {
			t.Fatalf("path %s finds %+v, the reference %+v", p.Name, found, first)
		}
	}
}

// The same from a stream of random numbers: no shrinking, but many more cases.
// PATCHWORK_CASES says how many; a million take some hours.
func TestSearchAgreesOnManyScenarios(t *testing.T) {
	n := 800
	if testing.Short() {
		n = 200
	}
	n = scoretest.Cases(t, "PATCHWORK_CASES", n)
	rng := rand.New(rand.NewPCG(1, 2))
	bytes := make([]byte, 4096)
	var s Search
	for i := range n {
		for j := range bytes {
			bytes[j] = byte(rng.Uint32())
		}
		checkPaths(scoretest.AtCase{T: t, Case: i}, bytes, &s, []func(scoretest.Choices) scenario{newScenario, newMild}[i%2])
	}
}

func FuzzSearch(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("two experts, one sheet of paper, and a pen that will not write"))
	rng := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Search
		checkPaths(t, b, &s, newScenario)
		checkPaths(t, b, &s, newMild)
	})
}

func TestNoLiveExpert(t *testing.T) {
	var s Search
	s.Reset(NewBank(Frame{Height: 1, Width: 1, Turns: []pose.Turn{{}}}, [][]float64{{1}}),
		Grid{NY: 1, StepY: 1, NX: 1, StepX: 1}, 1, 1, []uint8{On})
	if c, g := s.Best(nil, func(int) bool { return false }); c != -1 || g != (Gain{}) {
		t.Errorf("the best of no experts is %d %+v", c, g)
	}
}

// Ties go to the lowest candidate: expert, then rotation, then dy, then dx.
func TestTiesGoToTheLowest(t *testing.T) {
	template := []float64{0.9, 0.9, 0.9, 0.9}
	turn := pose.NewTurn(2, 2, 90)
	b := NewBank(Frame{Height: 2, Width: 2, Q: 0.5, Turns: []pose.Turn{turn, {}}}, [][]float64{template, template})
	g := Grid{DY0: -1, NY: 3, StepY: 1, DX0: -1, NX: 3, StepX: 1}
	all := func(int) bool { return true }
	for _, c := range []struct {
		name string
		x    []uint8
		want Placed
	}{
		{"everything unknown", []uint8{2, 2, 2, 2}, Placed{0, -1, -1}},
		{"everything on", []uint8{1, 1, 1, 1}, Placed{0, 0, 0}},
		{"a row on", []uint8{1, 1, 2, 2}, Placed{0, -1, 0}},
	} {
		var s Search
		s.Reset(b, g, 2, 2, c.x)
		best, _ := s.Best(nil, all)
		if got := s.At(best); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A Gain is the difference of log-likelihoods, with impossible pixels counted
// apart.
func TestGainIsTheDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := scoretest.Drawn{T: t}
		sc := newScenario(c)
		var f Field
		f.Reset(sc.bank, sc.height, sc.width, sc.x)
		for range 4 {
			p := sc.grid.At(c.Pick(sc.bank.Candidates(sc.grid.Shifts())))
			possible, nats := logLikParts(&f)
			gain := f.Gain(p)
			f.Add(p, nil)
			possibleAfter, natsAfter := logLikParts(&f)
			if gain.Possible != possibleAfter-possible || !near(gain.Nats, natsAfter-nats) {
				t.Fatalf("gain %+v, but %d pixels became possible and the rest rose by %v", gain, possibleAfter-possible,
					natsAfter-nats)
			}
			if possibleAfter == len(f.X) != !math.IsInf(f.LogLik(), -1) {
				t.Fatalf("LogLik is %v with %d of %d pixels possible", f.LogLik(), possibleAfter, len(f.X))
			}
		}
	})
}

// logLikParts returns the number of possible pixels and their log-likelihood.
func logLikParts(f *Field) (possible int, nats float64) {
	for _, l := range f.L {
		if !math.IsInf(l, -1) {
			possible++
			nats += l
		}
	}
	return possible, nats
}

// Remove undoes Add exactly, for any pick among others, and the changes they
// report are the changes.
func TestRemoveUndoesAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := scoretest.Drawn{T: t}
		sc := newScenario(c)
		n := sc.bank.Candidates(sc.grid.Shifts())
		var f Field
		f.Reset(sc.bank, sc.height, sc.width, sc.x)
		for range c.Pick(4) {
			f.Add(sc.grid.At(c.Pick(n)), nil)
		}
		before := snapshot(&f)
		j := len(f.Picks())
		added := f.Add(sc.grid.At(c.Pick(n)), nil)
		checkChanges(t, before, snapshot(&f), f.Width, added)
		for range c.Pick(3) {
			f.Add(sc.grid.At(c.Pick(n)), nil)
		}
		full := snapshot(&f)
		gone := f.Picks()[j]
		removed := f.Remove(j, nil)
		checkChanges(t, full, snapshot(&f), f.Width, removed)
		f.Add(gone, nil)
		if again := snapshot(&f); !again.equal(full) {
			t.Fatalf("removed and added: %+v, was %+v", again, full)
		}
		f.Insert(j)
		for len(f.Picks()) > j {
			f.Remove(len(f.Picks())-1, nil)
		}
		if after := snapshot(&f); !after.equal(before) {
			t.Fatalf("added and removed: %+v, was %+v", after, before)
		}
	})
}

type folded struct{ hi, lo, l []float64 }

func snapshot(f *Field) folded {
	return folded{slices.Clone(f.Hi), slices.Clone(f.Lo), slices.Clone(f.L)}
}

func (s folded) equal(o folded) bool {
	return slices.Equal(s.hi, o.hi) && slices.Equal(s.lo, o.lo) && slices.Equal(s.l, o.l)
}

// checkChanges takes the changes back from one state and expects the other, but for
// unknown pixels, whose extrema nothing depends on.
func checkChanges(t scoretest.Fataler, before, after folded, width int, changes []Change) {
	t.Helper()
	l := slices.Clone(after.l)
	for _, c := range slices.Backward(changes) {
		i := int(c.Y)*width + int(c.X)
		l[i] = c.L
		if first := slices.IndexFunc(changes, func(o Change) bool { return o.Y == c.Y && o.X == c.X }); changes[first] == c &&
			(c.Hi != before.hi[i] || c.Lo != before.lo[i]) {
			t.Fatalf("change %+v does not start from what was", c)
		}
	}
	if !slices.Equal(before.l, l) {
		t.Fatalf("the changes come from %v, the field had %v", l, before.l)
	}
}

// After picks added and removed every pixel is what the picks that are left compose it to.
func TestFieldIsTheFold(t *testing.T) {
	layered := 0
	rapid.Check(t, func(t *rapid.T) {
		c := scoretest.Drawn{T: t}
		sc := []func(scoretest.Choices) scenario{newScenario, newTiny}[c.Pick(2)](c)
		var f Field
		f.Reset(sc.bank, sc.height, sc.width, sc.x)
		if f.layered() {
			layered++
		}
		for range 1 + c.Pick(8) {
			if n := len(f.Picks()); n > 0 && c.Pick(3) == 0 {
				f.Remove(c.Pick(n), nil)
			} else {
				f.Add(sc.grid.At(c.Pick(sc.bank.Candidates(sc.grid.Shifts()))), nil)
			}
		}
		for i, x := range f.X {
			q := f.Bank.Abstention(i)
			hi, lo := q, q
			for _, p := range f.Picks() {
				if y, x := i/f.Width-p.DY, i%f.Width-p.DX; y >= 0 && x >= 0 && y < f.Bank.Height && x < f.Bank.Width {
					v := f.Bank.Sprites[p.Sprite].V[y*f.Bank.Width+x]
					if v > hi {
						hi = v
					}
					if v < lo && f.Bank.TwoSided {
						lo = v
					}
				}
			}
			if l := PixelLogLik(x, Compose(hi, lo, q)); f.Hi[i] != hi || f.Lo[i] != lo || f.L[i] != l {
				t.Fatalf("pixel %d is %v, %v, %v after picks that compose %v, %v, %v", i, f.Hi[i], f.Lo[i], f.L[i], hi, lo, l)
			}
		}
	})
	if layered == 0 {
		t.Error("no bank has a floor")
	}
}

// The order of the picks does not matter to the composition.
func TestFieldIsOrderFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := scoretest.Drawn{T: t}
		sc := newScenario(c)
		picks := make([]Placed, 2+c.Pick(4))
		for i := range picks {
			picks[i] = sc.grid.At(c.Pick(sc.bank.Candidates(sc.grid.Shifts())))
		}
		var f, g Field
		f.Reset(sc.bank, sc.height, sc.width, sc.x)
		g.Reset(sc.bank, sc.height, sc.width, sc.x)
		for _, p := range picks {
			f.Add(p, nil)
		}
		for _, p := range rapid.Permutation(picks).Draw(t, "order") {
			g.Add(p, nil)
		}
		if !snapshot(&f).equal(snapshot(&g)) {
			t.Fatalf("in order %+v, permuted %+v", snapshot(&f), snapshot(&g))
		}
	})
}

func TestGridNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sc := newScenario(scoretest.Drawn{T: t})
		var s Search
		s.Reset(sc.bank, sc.grid, sc.height, sc.width, sc.x)
		for c := range sc.bank.Candidates(sc.grid.Shifts()) {
			if back := s.Candidate(s.At(c)); back != c {
				t.Fatalf("candidate %d is placed as %+v, which is candidate %d", c, s.At(c), back)
			}
		}
	})
}

func TestGainOrder(t *testing.T) {
	for _, c := range []struct {
		g    Gain
		f    float64
		over bool // exceeds 1 nat
	}{
		{Gain{0, 2}, 2, true},
		{Gain{0, 1}, 1, false},
		{Gain{1, -50}, math.Inf(1), true},
		{Gain{-1, 50}, math.Inf(-1), false},
	} {
		if c.g.Float() != c.f || c.g.Exceeds(1) != c.over {
			t.Errorf("%+v: as a number %v, want %v; exceeds 1: %v", c.g, c.g.Float(), c.f, c.g.Exceeds(1))
		}
	}
}
