package pose

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawStretch(t *rapid.T) Stretch {
	return Stretch{rapid.SampledFrom([]float64{0, 1, 0.5, 0.75, 1.33, 2}).Draw(t, "y"),
		rapid.SampledFrom([]float64{0, 1, 0.75, 1.5}).Draw(t, "x")}
}

// A stretch changes the number of pixels by its factors, to the rim; each pixel of the
// turned frame comes from an entry that is found there again, to the roundings; and none
// of it depends on whether a factor of 1 is written as 0.
func TestStretchedTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, w := rapid.IntRange(1, 20).Draw(t, "h"), rapid.IntRange(1, 20).Draw(t, "w")
		p := Pose{Angle: rapid.SampledFrom([]float64{0, 15, 90, -40, 180}).Draw(t, "angle"), Stretch: drawStretch(t)}
		turn := TurnOf(h, w, p)
		sy, sx := p.Stretch.Factors()
		if other := TurnOf(h, w, Pose{Angle: p.Angle, Stretch: Stretch{sy, sx}}); other.Top != turn.Top ||
			len(other.From) != len(turn.From) {
			t.Fatal("a factor of 1 is not one of 0")
		}
		if turn.From == nil {
			if p.Angle != 0 || sy != 1 || sx != 1 {
				t.Fatalf("%+v is no turn", p)
			}
			return
		}
		n := 0
		for i, s := range turn.From {
			if s == Outside {
				continue
			}
			n++
			b := turn.Back[s]
			dy, dx := float64(i/turn.Width+turn.Top-int(b.Y)), float64(i%turn.Width+turn.Left-int(b.X))
			// Half an entry, stretched, and half a pixel, each way.
			if d := math.Hypot(dy, dx); d > math.Hypot(sy, sx)/2+math.Sqrt2/2+1e-9 {
				t.Fatalf("entry %d is at box pixel %d, and found %.2f pixels away", s, i, d)
			}
		}
		want := sy * float64(h) * sx * float64(w)
		if rim := 2*(sy*float64(h)+sx*float64(w)) + 4; math.Abs(float64(n)-want) > rim {
			t.Fatalf("%d x %d pixels in %+v are %d", h, w, p, n)
		}
	})
}

// The turns of a grid are its rotations with its stretches, the rotation first; Index
// finds poses however a factor of 1 is written.
func TestTurnsOfAGrid(t *testing.T) {
	g := Grid{DX: Range{-1, 1, 1}, Angles: []float64{0, 30}, Stretches: []Stretch{{}, {Y: 0.5, X: 1}, {1, 2}}}
	if err := g.Validate(); err != nil || g.Turns() != 6 || g.Len() != 18 {
		t.Fatalf("%d turns, %d poses: %v", g.Turns(), g.Len(), err)
	}
	for i, want := range []Pose{{}, {Stretch: Stretch{Y: 0.5}}, {Stretch: Stretch{X: 2}}, {Angle: 30},
		{Angle: 30, Stretch: Stretch{Y: 0.5}}, {Angle: 30, Stretch: Stretch{X: 2}}} {
		if got := g.Turn(i); got != want {
			t.Errorf("turn %d is %+v, want %+v", i, got, want)
		}
		if j, ok := g.Index(g.At(3 * i)); !ok || j != 3*i {
			t.Errorf("pose %d is found as %d, %v", 3*i, j, ok)
		}
	}
	if j, ok := g.TurnIndex(Pose{Angle: 30, Stretch: Stretch{1, 2}}); !ok || j != 5 {
		t.Errorf("turn 5 is found as %d, %v", j, ok)
	}
	if _, ok := g.TurnIndex(Pose{Stretch: Stretch{Y: 2}}); ok {
		t.Error("a stretch that is not in the grid has a number")
	}
	if _, ok := (Grid{}).TurnIndex(Pose{Stretch: Stretch{Y: 2}}); ok {
		t.Error("a grid without stretches has one")
	}
	for _, bad := range [][]Stretch{{{Y: 0.1}}, {{Y: 9}}, {{X: math.NaN()}}, {{X: -1}}, {{}, {1, 1}}, {{Y: 2}, {2, 1}}} {
		if (Grid{Stretches: bad}).Validate() == nil {
			t.Errorf("stretches %v are accepted", bad)
		}
	}
}

func TestNearestShift(t *testing.T) {
	r := Range{-6, 7, 3}
	for at, want := range map[float64]int{-100: -6, -4.6: -6, -4.4: -3, 0.4: 0, 5: 6, 100: 6} {
		if got := r.Nearest(at); got != want {
			t.Errorf("nearest to %v is %d, want %d", at, got, want)
		}
	}
}
