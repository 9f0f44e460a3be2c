package score

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/score/scoretest"
)

// Top finds the gains that sorting all candidates by the formula finds, at
// every step of a search that branches, with some experts asleep.
func TestTopIsTheSortedReference(t *testing.T) {
	eachPath(t, testTop)
}

func testTop(t *testing.T) {
	var s, branch Search // reused: nothing may be left of the image before
	rapid.Check(t, func(t *rapid.T) {
		c := scoretest.Drawn{T: t}
		sc := []func(scoretest.Choices) scenario{newScenario, newMild}[c.Pick(2)](c)
		s.Reset(sc.bank, sc.grid, sc.height, sc.width, sc.x)
		at := &s
		for range 1 + c.Pick(4) {
			asleep := c.Pick(1 << sc.experts)
			live := func(k int) bool { return asleep>>k&1 == 0 }
			n := 1 + c.Pick(2*sc.bank.Candidates(s.Shifts()))
			top := at.Top(n, sc.costs, live, nil)
			checkTop(t, at, sc, n, live, top)
			if len(top) == 0 {
				continue
			}
			if c.Pick(2) == 0 && at == &s {
				branch.CopyFrom(&s)
				at = &branch
			}
			at.Place(top[c.Pick(len(top))].Candidate)
		}
		checkGains(t, at, sc)
		checkGains(t, &s, sc)
	})
}

func checkTop(t *rapid.T, s *Search, sc scenario, n int, live func(int) bool, top []Ranked) {
	t.Helper()
	var want []Gain
	for c, g := range ReferenceGains(&s.Field, s.grid) {
		if k := s.expertOf(c); live(k) && !slices.Contains(s.picks, s.At(c)) {
			want = append(want, g.minus(CostOf(sc.costs, k)))
		}
	}
	slices.SortStableFunc(want, Gain.Compare)
	want = want[:min(n, len(want))]
	if len(top) != len(want) {
		t.Fatalf("%d of the best %d candidates, want %d", len(top), n, len(want))
	}
	for i, r := range top {
		got := r.Gain.minus(CostOf(sc.costs, s.expertOf(r.Candidate)))
		if got.Possible != want[i].Possible || !near(got.Nats, want[i].Nats) {
			t.Fatalf("candidate number %d of the best gains %+v, want %+v", i, got, want[i])
		}
		for _, earlier := range top[:i] {
			if earlier.Candidate == r.Candidate {
				t.Fatalf("candidate %d is listed twice", r.Candidate)
			}
		}
	}
}

// A branch and the search it came from go their own ways.
func TestBranchesShareNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := scoretest.Drawn{T: t}
		sc := []func(scoretest.Choices) scenario{newScenario, newMild}[c.Pick(2)](c)
		var s, branch Search
		s.Reset(sc.bank, sc.grid, sc.height, sc.width, sc.x)
		s.Place(c.Pick(sc.bank.Candidates(s.Shifts())))
		branch.CopyFrom(&s)
		before := s.LogLik()
		branch.Place(c.Pick(sc.bank.Candidates(s.Shifts())))
		if got := s.LogLik(); got != before {
			t.Fatalf("a pick of the branch moved the log-likelihood of its origin from %v to %v", before, got)
		}
		if len(s.Picks()) != 1 || len(branch.Picks()) != 2 {
			t.Fatalf("origin has %d picks, branch %d", len(s.Picks()), len(branch.Picks()))
		}
		checkGains(t, &s, sc)
		checkGains(t, &branch, sc)
	})
}
