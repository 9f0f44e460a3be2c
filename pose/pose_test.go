package pose

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawRange(t *rapid.T, name string) Range {
	low := rapid.IntRange(-20, 20).Draw(t, name)
	return Range{low, low + rapid.IntRange(0, 30).Draw(t, name), rapid.IntRange(0, 5).Draw(t, name)}
}

func drawGrid(t *rapid.T) Grid {
	g := Grid{DY: drawRange(t, "dy"), DX: drawRange(t, "dx")}
	if n := rapid.IntRange(0, 4).Draw(t, "rotations"); n > 0 {
		g.Angles = rapid.SliceOfNDistinct(rapid.Float64Range(-180, 180), n, n, rapid.ID).Draw(t, "angles")
	}
	return g
}

// TestIndexInvertsAt: numbering the poses is a bijection, in the order
// rotation, dy, dx.
func TestIndexInvertsAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGrid(t)
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		seen := make(map[Pose]bool)
		for i := range g.Len() {
			p := g.At(i)
			if j, ok := g.Index(p); !ok || j != i {
				t.Fatalf("Index(At(%d)) = %d, %v", i, j, ok)
			}
			seen[p] = true
		}
		if len(seen) != g.Len() || g.Len() != g.Rotations()*g.Shifts() {
			t.Fatalf("%d poses, %d of them different", g.Len(), len(seen))
		}
		if _, ok := g.Index(Pose{DY: g.DY.Max + 1}); ok {
			t.Fatal("a shift beyond the range has a number")
		}
	})
}

func TestGridOrder(t *testing.T) {
	g := Grid{DY: Range{0, 1, 1}, DX: Range{-2, 2, 2}, Angles: []float64{0, 30}}
	var want []Pose
	for _, angle := range g.Angles {
		for _, at := range [][2]int{{0, -2}, {0, 0}, {0, 2}, {1, -2}, {1, 0}, {1, 2}} {
			want = append(want, Pose{DY: at[0], DX: at[1], Angle: angle})
		}
	}
	for i, p := range want {
		if got := g.At(i); got != p {
			t.Errorf("pose %d is %+v, want %+v", i, got, p)
		}
	}
	if i, ok := g.Identity(); !ok || i != 1 {
		t.Errorf("the zero pose is number %d, %v", i, ok)
	}
	if _, ok := (Grid{DY: Range{1, 3, 1}}).Identity(); ok {
		t.Error("a grid without the zero pose claims to hold it")
	}
}

func TestZeroGrid(t *testing.T) {
	var g Grid
	if g.Len() != 1 || g.At(0) != (Pose{}) || g.Validate() != nil || g.Angle(0) != 0 {
		t.Errorf("the zero grid has %d poses, the first %+v", g.Len(), g.At(0))
	}
}

func TestValidate(t *testing.T) {
	for _, g := range []Grid{
		{DY: Range{1, 0, 1}}, {DY: Range{0, 1 << 40, 1}}, {DX: Range{math.MinInt, math.MaxInt, 1}}, {DX: Range{0, 4, -1}},
		{Angles: []float64{0, math.NaN()}},
		{Angles: []float64{math.Inf(1)}}, {Angles: []float64{6, 0, 6}},
	} {
		if g.Validate() == nil {
			t.Errorf("%+v is accepted", g)
		}
	}
}

func TestSymmetricAndEvenly(t *testing.T) {
	for _, c := range []struct {
		reach, step int
		want        Range
	}{{14, 1, Range{-14, 14, 1}}, {5, 2, Range{-4, 4, 2}}, {0, 3, Range{0, 0, 3}}, {3, 0, Range{-3, 3, 1}}} {
		got := Symmetric(c.reach, c.step)
		if _, ok := got.Index(0); got != c.want || !ok {
			t.Errorf("Symmetric(%d, %d) = %+v", c.reach, c.step, got)
		}
	}
	if got := Evenly(24, 6); !slices.Equal(got, []float64{-24, -18, -12, -6, 0, 6, 12, 18, 24}) {
		t.Errorf("Evenly(24, 6) = %v", got)
	}
	for _, c := range [][2]float64{{0, 6}, {24, 0}, {-3, 1}, {3, math.NaN()}} {
		if got := Evenly(c[0], c[1]); !slices.Equal(got, []float64{0}) {
			t.Errorf("Evenly(%v, %v) = %v", c[0], c[1], got)
		}
	}
}

// clipped returns the gather map of a rotation, cut off at the frame.
func clipped(h, w int, angle float64) []int32 {
	m, t := numbered32(h*w), NewTurn(h, w, angle)
	if t.From == nil {
		return m
	}
	for i := range m {
		y, x := i/w-t.Top, i%w-t.Left
		if m[i] = Outside; y >= 0 && x >= 0 && y < t.Height && x < t.Width {
			m[i] = t.From[y*t.Width+x]
		}
	}
	return m
}

// back returns where the pixels of a frame are found after a rotation, Outside for
// those out of the frame.
func back(h, w int, angle float64) []int32 {
	m, t := numbered32(h*w), NewTurn(h, w, angle)
	for i, p := range t.Back {
		if m[i] = Outside; p.Y >= 0 && p.X >= 0 && p.Y < int32(h) && p.X < int32(w) {
			m[i] = p.Y*int32(w) + p.X
		}
	}
	return m
}

func numbered32(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// TestTurnKeepsAll: a turn loses no pixel but by rounding, and what its box leaves out
// is outside: the number of pixels stays about the same, every pixel of the frame is
// found, within a rounding, where Back says, and quarter turns of frames whose sides are
// both odd or both even lose none.
func TestTurnKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, w := rapid.IntRange(1, 20).Draw(t, "h"), rapid.IntRange(1, 20).Draw(t, "w")
		angle := rapid.Float64Range(-400, 400).Draw(t, "angle")
		quarter := rapid.Bool().Draw(t, "quarter")
		if quarter {
			angle = 90 * math.Round(angle/90)
		}
		turn := NewTurn(h, w, angle)
		if angle == 0 {
			if turn.From != nil || turn.Back != nil {
				t.Fatal("no turn has maps")
			}
			return
		}
		seen, n := make([]bool, h*w), 0
		for i, s := range turn.From {
			if s == Outside {
				continue
			}
			seen[s] = true
			n++
			b := turn.Back[s]
			if d := math.Hypot(float64(i/turn.Width+turn.Top-int(b.Y)), float64(i%turn.Width+turn.Left-int(b.X))); d >
				math.Sqrt2+1e-9 {
				t.Fatalf("pixel %d is taken to box pixel %d, and found %.2f pixels away", s, i, d)
			}
		}
		if quarter && (h-w)%2 == 0 && (n != h*w || slices.Contains(seen, false)) {
			t.Fatalf("a turn of %v degrees of %d x %d has %d pixels", angle, h, w, n)
		}
		if rim := 2*(h+w) + 4; n < h*w-rim || n > h*w+rim {
			t.Fatalf("a turn of %v degrees of %d x %d pixels has %d", angle, h, w, n)
		}
		for _, side := range [][]int32{turn.From[:turn.Width], turn.From[len(turn.From)-turn.Width:]} {
			if slices.Max(side) == Outside {
				t.Fatal("the box has an empty edge")
			}
		}
	})
}

// apply gathers a frame through an index map; -1 comes from outside.
func apply(m []int32, frame []int) []int {
	out := make([]int, len(m))
	for i, s := range m {
		out[i] = -1
		if s != Outside {
			out[i] = frame[s]
		}
	}
	return out
}

func numbered(n int) []int {
	frame := make([]int, n)
	for i := range frame {
		frame[i] = i
	}
	return frame
}

// TestQuarterTurns: rotating a square frame by multiples of 90 degrees is
// exact, and clockwise on screen.
func TestQuarterTurns(t *testing.T) {
	frame := []int{
		1, 2,
		3, 4}
	for angle, want := range map[float64][]int{
		0: {1, 2, 3, 4}, 90: {3, 1, 4, 2}, 180: {4, 3, 2, 1}, 270: {2, 4, 1, 3}, -90: {2, 4, 1, 3}, 360: {1, 2, 3, 4},
		450: {3, 1, 4, 2},
	} {
		if got := apply(clipped(2, 2, angle), frame); !slices.Equal(got, want) {
			t.Errorf("%v degrees: %v, want %v", angle, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(1, 9).Draw(t, "side")
		frame := numbered(side * side)
		turned := frame
		for range 4 {
			turned = apply(clipped(side, side, 90), turned)
		}
		if !slices.Equal(turned, frame) {
			t.Fatalf("four quarter turns of %d x %d: %v", side, side, turned)
		}
	})
}

// TestMapLaws: maps stay in the frame, the pull-back is the rotation the other
// way, and a rotation and its pull-back together move no pixel by more than the
// two roundings.
func TestMapLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, w := rapid.IntRange(1, 20).Draw(t, "h"), rapid.IntRange(1, 20).Draw(t, "w")
		angle := rapid.Float64Range(-400, 400).Draw(t, "angle")
		there, back := clipped(h, w, angle), back(h, w, angle)
		if !slices.Equal(back, clipped(h, w, -angle)) {
			t.Fatal("the pull-back is not the rotation by the opposite angle")
		}
		for i, s := range back {
			if s < Outside || int(s) >= h*w {
				t.Fatalf("pixel %d maps to %d", i, s)
			}
			if s == Outside || there[s] == Outside {
				continue
			}
			j := int(there[s])
			if d := math.Hypot(float64(i/w-j/w), float64(i%w-j%w)); d > math.Sqrt2+1e-9 {
				t.Fatalf("%v degrees, pixel %d comes back as %d, %.2f pixels away", angle, i, j, d)
			}
		}
		// The pixel at the centre, where there is one, stays.
		if h%2 == 1 && w%2 == 1 {
			if c := int32(h/2*w + w/2); there[c] != c {
				t.Fatalf("the centre comes from %d", there[c])
			}
		}
	})
}

// TestZeroRotation: rotating the frame by zero is the identity.
func TestZeroRotation(t *testing.T) {
	for i, s := range clipped(3, 7, 0) {
		if int(s) != i {
			t.Errorf("pixel %d comes from %d", i, s)
		}
	}
}
