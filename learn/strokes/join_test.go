package strokes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// drawn returns a template with a pen of 4 pixels along a way, at a level above 1/2.
func drawn(side int, way func(f float64) point) []uint8 {
	t := make([]uint8, side*side)
	for s := range 2000 {
		p := way(float64(s) / 1999)
		for i := range t {
			if (point{float64(i / side), float64(i % side)}).minus(p).length() <= 2 {
				t[i] = 9
			}
		}
	}
	return t
}

// along returns a way along straight lines between points, all parts as long.
func along(points ...point) func(float64) point {
	return func(f float64) point {
		n := float64(len(points) - 1)
		i := min(int(f*n), len(points)-2)
		g, a, b := f*n-float64(i), points[i], points[i+1]
		return point{a.y + g*(b.y-a.y), a.x + g*(b.x-a.x)}
	}
}

// arc returns a way along a circle about (28, 28), by so many degrees.
func arc(radius, degrees float64) func(float64) point {
	return func(f float64) point {
		a := f * degrees * math.Pi / 180
		return point{28 + radius*math.Sin(a), 28 + radius*math.Cos(a)}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name    string
		way     func(float64) point
		corners []float64 // degrees
		void    bool
	}{
		{"a bar", along(point{10, 28}, point{45, 28}), nil, false},
		{"a slanted bar", along(point{10, 10}, point{40, 45}), nil, false},
		{"an L", along(point{8, 12}, point{42, 12}, point{42, 44}), []float64{90}, false},
		{"a Z", along(point{10, 10}, point{10, 44}, point{44, 10}, point{44, 44}), nil, true}, // its corners are too sharp
		{"a blunt bend", along(point{8, 20}, point{28, 20}, point{48, 36}), []float64{39}, false},
		{"a bow", arc(16, 180), nil, false},
		{"a small bow", arc(9, 180), nil, false},
		{"a ring", arc(14, 360), nil, true},
	} {
		template := drawn(56, c.way)
		l := lineOf(template, 56, 56, 8, 1)
		if slices.Contains(l.void, true) != c.void {
			t.Errorf("%s: void %v, want %v", c.name, !c.void, c.void)
		}
		if c.void {
			continue
		}
		if len(l.corners) != len(c.corners) {
			t.Errorf("%s: corners %+v, want %v", c.name, l.corners, c.corners)
			continue
		}
		for i, turn := range c.corners {
			if math.Abs(l.corners[i].turn-turn) > 25 {
				t.Errorf("%s: turns by %.0f degrees, drawn %.0f", c.name, l.corners[i].turn, turn)
			}
		}
		for e := range end(2) {
			got, ok := l.outward(e)
			f := []float64{0, 1}
			if l.tip(0).minus(c.way(0)).length() > l.tip(0).minus(c.way(1)).length() {
				f = []float64{1, 0}
			}
			at := f[e]
			inside := math.Abs(at - 0.01)
			want := c.way(at).minus(c.way(inside)).direction()
			if !ok || math.Abs(bentBy(got, want)) > 20*math.Pi/180 {
				t.Errorf("%s: end %d points to %.0f degrees, want %.0f (%v)", c.name, e, got*180/math.Pi, want*180/math.Pi, ok)
			}
		}
	}
	if l := lineOf(make([]uint8, 100), 10, 10, 8, 1); len(l.points) != 0 {
		t.Errorf("a blank template has a line of %d points", len(l.points))
	}
}

// Cutting shares out the votes: no entry is lost, none is in both.
func TestCutsShareOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		template := rapid.SliceOfN(rapid.Uint8Range(0, 14), 12*12, 12*12).Draw(t, "template")
		l := lineOf(template, 12, 12, 8, 12./56)
		if len(l.points) == 0 {
			return
		}
		e := end(rapid.IntRange(0, 1).Draw(t, "end"))
		back := rapid.IntRange(0, len(l.points)).Draw(t, "back")
		piece, rest := l.cut(template, e, back)
		for i, v := range template {
			if max(piece[i], rest[i]) != v || piece[i] > 0 && rest[i] > 0 {
				t.Fatalf("entry %d of %d: %d and %d", i, v, piece[i], rest[i])
			}
		}
	})
}

// Points go to where the ground has the entries of a turned frame, and back.
func TestPlacing(t *testing.T) {
	c := config(-30, 0, 45, 180)
	l := learner(t, crosses(1, 3, false), c, Options{})
	for turn := range l.ground.turns {
		p := pick{turn: turn, dy: -3, dx: 2}
		g := l.placing(p)
		for _, cell := range l.ground.turns[turn].cells {
			at := int(cell.at) + l.ground.shift(p.dy, p.dx)
			there := point{float64(at/l.ground.stride - l.ground.top), float64(at%l.ground.stride - l.ground.left)}
			from := point{float64(int(cell.entry) / 20), float64(int(cell.entry) % 20)}
			if g.to(from).minus(there).length() > 1 {
				t.Fatalf("turn %d: entry %v lies at %v, placed at %v", turn, from, there, g.to(from))
			}
			if g.back(g.to(from)).minus(from).length() > 1e-9 {
				t.Fatalf("turn %d: %v comes back as %v", turn, from, g.back(g.to(from)))
			}
		}
		if d := g.angle(0.3); math.Abs(bentBy(d, 0.3+l.ground.grid.Turn(turn).Angle*math.Pi/180)) > 1e-9 {
			t.Errorf("turn %d turns a direction of .3 to %v", turn, d)
		}
	}
}

// tees returns drawings of a T: a level bar and a stem, each at its own place.
func tees(n int) patchwork.Data {
	rng := rand.New(rand.NewPCG(7, 7))
	var d patchwork.Data
	for range n {
		img := bitmap.New(56, 56)
		dy, dx := rng.IntN(7)-3, rng.IntN(7)-3
		for i := range 34 {
			for w := range 4 {
				img.Set(12+dy+w, 11+dx+i, true)
				img.Set(15+i, 26+dx/2+w, true)
			}
		}
		d.Images, d.Weights = append(d.Images, img), append(d.Weights, 1)
	}
	return d
}

// bar returns a template that votes in a rectangle.
func bar(y0, x0, y1, x1 int) []float64 {
	t := make([]float64, 56*56)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			t[y*56+x] = 0.9
		}
	}
	return t
}

func teeLearner(t *testing.T, workers int) *Learner {
	return learner(t, tees(12), patchwork.NewConfig(patchwork.RuleMax, 56, 56,
		pose.Grid{DY: pose.Symmetric(6, 1), DX: pose.Symmetric(6, 1)}), Options{Workers: workers})
}

// Two halves of a stroke are joined, a hook that belongs to a stroke is handed to it, and what is right stays: for any
// number of workers, each time for less.
func TestJoin(t *testing.T) {
	left, right, stem := bar(12, 11, 16, 28), bar(12, 28, 16, 45), bar(15, 26, 49, 30)
	hooked := bar(15, 26, 49, 30) // the stem, and the right half of the bar
	for i, v := range right {
		hooked[i] = max(hooked[i], v)
	}
	for name, start := range map[string][][]float64{
		"halves": {left, right, stem}, "a hook": {left, hooked}, "whole": {bar(12, 11, 16, 45), stem},
	} {
		var first *State
		for _, workers := range []int{1, 3} {
			l := teeLearner(t, workers)
			st := l.Start(start)
			if err := l.Explain(t.Context(), st, true); err != nil {
				t.Fatal(err)
			}
			before := l.drawingOf(st).cost
			changed, err := l.Join(t.Context(), st, func(*State) {})
			if err != nil {
				t.Fatal(err)
			}
			d := l.drawingOf(st)
			if len(st.templates) != 2 || changed != (d.cost < before) || name != "whole" && !changed {
				t.Errorf("%s: %d parts, changed %v, cost %v to %v", name, len(st.templates), changed, before, d.cost)
			}
			for k, line := range d.lines {
				if len(line.corners) > 0 || len(line.points) < 30 {
					t.Errorf("%s: part %d has a line of %d points, corners %+v", name, k, len(line.points), line.corners)
				}
			}
			if first == nil {
				first = st
			} else if !slices.EqualFunc(first.templates, st.templates, slices.Equal) || first.Length != st.Length {
				t.Errorf("%s: %d workers find something else", name, workers)
			}
		}
	}
}

// A context that has ended leaves the state as it is.
func TestJoinEnds(t *testing.T) {
	l := teeLearner(t, 1)
	st := l.Start([][]float64{bar(12, 11, 16, 28), bar(12, 28, 16, 45), bar(15, 26, 49, 30)})
	if err := l.Explain(t.Context(), st, true); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if changed, err := l.Join(ctx, st, func(*State) {}); changed || err == nil || len(st.templates) != 3 {
		t.Errorf("changed %v, %v, %d parts", changed, err, len(st.templates))
	}
}
