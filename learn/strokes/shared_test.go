package strokes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/pose"
)

// shared is a configuration for shared parts: turned all around, stretched, reused.
func shared() patchwork.Config {
	c := patchwork.NewConfig(patchwork.RuleMax, 20, 20, pose.Grid{DY: pose.Symmetric(8, 2), DX: pose.Symmetric(8, 2),
		Angles: pose.Evenly(180, 90)[1:], Stretches: []pose.Stretch{{}, {Y: 0.75}, {Y: 1.33}}})
	c.Reuse = 3
	return c
}

// One bar, upright and off the middle, is all that crosses need: it is used twice, in
// quarter turns, and learning brings it to the middle of its frame, for any number of
// workers.
func TestSharedBar(t *testing.T) {
	bar := make([]float64, 400)
	for i := range 12 {
		for w := range 3 {
			bar[(2+i)*20+5+w] = 0.9
		}
	}
	var first []string
	for _, workers := range []int{1, 3} {
		l := learner(t, crosses(12, 5, false), shared(), Options{Shared: true, Workers: workers})
		st := l.Start([][]float64{bar})
		if err := l.Explain(t.Context(), st, true); err != nil {
			t.Fatal(err)
		}
		if err := l.Rounds(t.Context(), st, 3, func(*State) {}); err != nil {
			t.Fatal(err)
		}
		for i, v := range st.templates[0] {
			y, x := i/20, i%20
			if inside, covers := y >= 5 && y < 15 && x >= 7 && x < 9, int(v) >= l.levels.covers; inside && v < 5 || covers &&
				(y < 3 || y > 16 || x < 6 || x > 11) {
				t.Errorf("the bar has level %d at %d, %d", v, y, x)
			}
		}
		if dy, dx := l.off(st.templates[0]); dy != 0 || dx != 0 {
			t.Errorf("the bar is %d, %d off the middle", dy, dx)
		}
		angles := map[float64]bool{}
		for i := range l.data.Images {
			if l.data.Weight(i) == 0 {
				continue
			}
			if picks := l.Picks(st, i); len(picks) != 2 {
				t.Errorf("image %d has %d bars", i, len(picks))
			} else {
				angles[math.Mod(picks[0].Pose.Angle-picks[1].Pose.Angle+360, 180)] = true
			}
		}
		if !angles[90] || len(angles) != 1 {
			t.Errorf("the two bars of an image differ by %v degrees", angles)
		}
		first = append(first, fmt.Sprint(st.templates, st.picks, st.LogLik, st.Length))
	}
	if first[0] != first[1] {
		t.Error("another result for another number of workers")
	}
}

// Centring moves templates to the middle, and the picks with them: in quarter turns
// without stretches every composition stays what it was.
func TestCentreKeepsCompositions(t *testing.T) {
	c := shared()
	c.Poses = pose.Grid{DY: pose.Symmetric(15, 1), DX: pose.Symmetric(15, 1), Angles: c.Poses.Angles}
	l := learner(t, crosses(4, 6, false), c, Options{Shared: true})
	rng := rand.New(rand.NewPCG(2, 1))
	one := make([]float64, 400)
	for range 30 { // in a corner, so that nothing is moved out of the frame
		one[(1+rng.IntN(9))*20+rng.IntN(8)] = 0.7
	}
	st := l.Start([][]float64{one, bars()[1]})
	for i := range st.picks {
		st.picks[i] = []pick{{0, i % 4, 1, -2}, {1, 1, 0, 3}, {0, 3, -2, 2}}
	}
	before := st.Clone()
	l.Centre(st)
	if fmt.Sprint(st.templates[0]) == fmt.Sprint(before.templates[0]) {
		t.Error("the template in the corner stays there")
	}
	for k := range st.templates {
		if dy, dx := l.off(st.templates[k]); dy != 0 || dx != 0 {
			t.Errorf("expert %d is %d, %d off the middle", k, dy, dx)
		}
	}
	for i := range st.picks {
		if !slices.Equal(l.compose(st, st.picks[i]), l.compose(before, before.picks[i])) {
			t.Errorf("image %d is composed otherwise", i)
		}
	}
}

// A pick stays within its neighbourhood, and what is found there is the best of it.
func TestNearby(t *testing.T) {
	l := learner(t, crosses(1, 7, false), shared(), Options{Shared: true})
	st := l.Start(blots(2, 400, rand.New(rand.NewPCG(9, 1))))
	s := l.newSearch()
	s.sprites = l.ground.sprites(st.templates)
	l.ground.lay(l.data.Images[0], s.pixels, nil)
	s.begin(nil, l.priced)
	s.coarse = true
	if !s.circle {
		t.Fatal("quarter turns do not go around")
	}
	old := pick{1, 0, 2, -6} // 90 degrees before the first turn is the last one
	got, gain := s.nearby(old)
	most := int32(math.MinInt32)
	for i := range l.ground.grid.Len() {
		at := l.ground.grid.At(i)
		turn, _ := l.ground.grid.TurnIndex(at)
		apart := (turn/3 - old.turn/3 + 4) % 4
		if apart == 2 || max(at.DY-old.dy, old.dy-at.DY, at.DX-old.dx, old.dx-at.DX) > nearShift {
			continue
		}
		most = max(most, s.gain(pick{1, turn, at.DY, at.DX}))
	}
	if gain != most || s.gain(got) != most || got.expert != 1 {
		t.Errorf("%+v gains %d, the best nearby %d", got, gain, most)
	}
}

// The background is the share of ink where no pick votes.
func TestBackground(t *testing.T) {
	d := crosses(5, 8, true)
	l := learner(t, d, shared(), Options{Shared: true})
	st := l.Start(bars()[:1])
	for i := range st.picks {
		st.picks[i] = []pick{{0, i % 2, 0, 2}}
	}
	ink, all := 1.0, 2.0
	for i, img := range d.Images {
		mu := l.compose(st, st.picks[i])
		for p := range 400 {
			if y, x := p/20, p%20; img.Known(y, x) && mu[l.ground.at(y, x)] == 0 {
				all += float64(d.Weights[i])
				if img.At(y, x) {
					ink += float64(d.Weights[i])
				}
			}
		}
	}
	if got, err := l.Background(t.Context(), st); err != nil || got != ink/all {
		t.Errorf("%v, want %v (%v)", got, ink/all, err)
	}
}

func TestCircular(t *testing.T) {
	for _, c := range []struct {
		angles []float64
		want   bool
	}{{pose.Evenly(180, 15)[1:], true}, {[]float64{0, 90, 180, 270}, true}, {pose.Evenly(24, 6), false},
		{[]float64{0, 180}, false}, {nil, false}} {
		if got := circular(c.angles); got != c.want {
			t.Errorf("%v: %v", c.angles, got)
		}
	}
}
