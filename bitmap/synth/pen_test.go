package synth

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawPoint(t *rapid.T, low, high float64) point {
	return point{rapid.Float64Range(low, high).Draw(t, "x"), rapid.Float64Range(low, high).Draw(t, "y")}
}

func drawPath(t *rapid.T, low, high float64) path {
	p := make(path, rapid.IntRange(2, 6).Draw(t, "points"))
	for i := range p {
		p[i] = drawPoint(t, low, high)
	}
	return p
}

// distance returns the distance from c to the segment from a to b, by
// definition.
func distance(c, a, b point) float64 {
	ab := b.sub(a)
	t := 0.0
	if l := ab.x*ab.x + ab.y*ab.y; l > 0 {
		t = clamp((c.sub(a).x*ab.x+c.sub(a).y*ab.y)/l, 0, 1)
	}
	return c.sub(a.add(ab.times(t))).length()
}

// TestInkIsTheDefinition: ink, which scans only near the segments and uses
// integers, agrees with the definition: the first path within half the pen
// width of the centre. The two may differ by the rounding to 1/64 pixel.
func TestInkIsTheDefinition(t *testing.T) {
	const side = 20
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		pen := rapid.Float64Range(0.5, 8).Draw(t, "pen")
		paths := []path{drawPath(t, -5, side+5), drawPath(t, -5, side+5)}
		of := ink(paths, side, pen)
		for d, got := range of {
			c := point{float64(d%side) + 0.5, float64(d/side) + 0.5}
			want, unsure := int8(-1), false
			for k := len(paths) - 1; k >= 0; k-- {
				least := math.Inf(1)
				for j := 1; j < len(paths[k]); j++ {
					least = min(least, distance(c, paths[k][j-1], paths[k][j]))
				}
				unsure = unsure || math.Abs(least-pen/2) < 1.5/subPixel
				if least <= pen/2 {
					want = int8(k)
				}
			}
			if !unsure {
				checked++
				if got != want {
					t.Fatalf("pixel %v: path %d, want %d", c, got, want)
				}
			}
		}
	})
	if checked < 10*side*side { // rapid draws 20 sets of paths with -short, 100 without
		t.Fatalf("only %d pixels were sure enough to check", checked)
	}
}

// TestInkAtTheLargestSide: a side exactly at the limit does not overflow.
func TestInkAtTheLargestSide(t *testing.T) {
	of := ink([]path{{{0, 0}, {maxSide, maxSide}}}, maxSide, 3)
	for d, k := range of {
		off := math.Abs(float64(d%maxSide-d/maxSide)) / math.Sqrt2
		if (k == 0) != (off <= 1.5) {
			t.Fatalf("pixel %d, %.2f from the diagonal: %d", d, off, k)
		}
	}
}

func TestFitTouchesTheBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPath(t, -3, 3)
		low, high := bounds([]path{p})
		if max(high.x-low.x, high.y-low.y) < 0.01 {
			t.Skip("no extent")
		}
		low, high = bounds(fit([]path{p}, 56, 50, 4))
		if w, h := high.x-low.x, high.y-low.y; math.Abs(max(w, h)-46) > 1e-9 {
			t.Fatalf("ink measures %v x %v and the pen, want a longer side of 46", w, h)
		}
		if c := low.add(high).times(0.5); math.Abs(c.x-28)+math.Abs(c.y-28) > 1e-9 {
			t.Fatalf("centre %v", c)
		}
	})
}

func TestResample(t *testing.T) {
	corner := path{{0, 0}, {3, 0}, {3, 4}}
	got := corner.resample(5, -2, 9)
	want := path{{-2, 0}, {0.75, 0}, {3, 0.5}, {3, 3.25}, {3, 6}}
	for i := range want {
		if got[i].sub(want[i]).length() > 1e-12 {
			t.Errorf("point %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// TestTurnFrom: turnFrom recovers the angle of a rotation, whatever the shift.
func TestTurnFrom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, angle, shift := drawPath(t, -1, 1), rapid.Float64Range(-3, 3).Draw(t, "angle"), drawPoint(t, -9, 9)
		if p.length() < 0.1 {
			t.Skip("no extent")
		}
		q := make(path, len(p))
		for i := range p {
			q[i] = p[i].turn(math.Sin(angle), math.Cos(angle)).add(shift)
		}
		if got := q.turnFrom(p); math.Abs(got-angle) > 1e-6 {
			t.Fatalf("turned by %v, measured %v", angle, got)
		}
	})
}

// TestChangeTurns: a change of the turn alone turns by that angle.
func TestChangeTurns(t *testing.T) {
	p := skeletons['S'][0][0].shape.resample(strokePoints, 0, 1)
	if got := (change{turn: 0.3}).apply(p).turnFrom(p); math.Abs(got-0.3) > 1e-9 {
		t.Fatalf("turned by %v, want 0.3", got)
	}
	if q := (change{}).apply(p); math.Abs(q.turnFrom(p)) > 1e-12 || q[5].sub(p[5]).length() > 1e-12 {
		t.Fatal("no change moved the stroke")
	}
}

// TestChangeBends: bending moves the middle of a straight stroke by the given
// sagitta, to the pen's right on screen, and keeps its ends.
func TestChangeBends(t *testing.T) {
	p := path{{0, 0}, {2, 0}}.resample(strokePoints, 0, 2)
	q := change{bend: 0.1}.apply(p)
	if mid := q[strokePoints/2]; math.Abs(mid.x-1) > 1e-12 || math.Abs(mid.y-0.2) > 1e-12 {
		t.Errorf("middle at %v, want (1, 0.2)", mid)
	}
	if q[0].sub(p[0]).length() > 1e-12 || q[strokePoints-1].sub(p[strokePoints-1]).length() > 1e-12 {
		t.Errorf("ends at %v and %v", q[0], q[strokePoints-1])
	}
}

// TestJoints: free ends may be drawn too long or too short; joints are exact
// and stay joints.
func TestJoints(t *testing.T) {
	z := skeletons['Z'][1] // three joined strokes and a free crossbar
	c := change{start: 0.1, stop: -0.05}
	for k, want := range [][2]float64{{-0.1, 0}, {0, 0}, {0, -0.05}, {-0.1, -0.05}} {
		length := z[k].shape.length()
		unit := min(length, 1)
		from, to := z.reach(k, c)
		if math.Abs(from-want[0]*unit) > 1e-12 || math.Abs(to-length-want[1]*unit) > 1e-12 {
			t.Errorf("stroke %d of length %v is drawn from %v to %v", k, length, from, to)
		}
	}
	for _, ch := range Capitals {
		d := draw(skeletons[ch], newHand(stream(1, forWriter)), stream(1, forWriterLetter), stream(1, forSample))
		for k, s := range skeletons[ch][d.variant] {
			if s.joined && d.paths[k][0].sub(d.paths[k-1][strokePoints-1]).length() > 1e-12 {
				t.Errorf("%c: stroke %d starts at %v, off the end of the one before", ch, k, d.paths[k][0])
			}
		}
	}
}

func TestSmoothPassesThroughItsPoints(t *testing.T) {
	knots := path{{0, 0}, {1, 2}, {3, 1}}
	p := smooth(knots)
	for i, k := range knots {
		if p[10*i].sub(k).length() > 1e-12 {
			t.Errorf("knot %d: %v, want %v", i, p[10*i], k)
		}
	}
}

func TestSkeletonsAreSound(t *testing.T) {
	for _, c := range Capitals + "0123456789" {
		if len(skeletons[c]) == 0 {
			t.Errorf("%c has no skeleton", c)
		}
		for v, s := range skeletons[c] {
			if len(s) == 0 || s[0].joined {
				t.Fatalf("%c, way %d: no stroke, or the first is joined", c, v)
			}
			if len(s) > MaxStrokes {
				t.Errorf("%c, way %d: %d strokes, MaxStrokes is %d", c, v, len(s), MaxStrokes)
			}
			var shapes []path
			for k, part := range s {
				shapes = append(shapes, part.shape)
				if k > 0 && part.joined && s[k-1].shape[len(s[k-1].shape)-1].sub(part.shape[0]).length() > 0.01 {
					t.Errorf("%c, way %d: stroke %d is joined but starts elsewhere", c, v, k)
				}
				for j := 1; j < len(part.shape); j++ {
					if part.shape[j] == part.shape[j-1] {
						t.Errorf("%c, way %d, stroke %d: point %d is there twice", c, v, k, j)
					}
				}
			}
			low, high := bounds(shapes)
			if low.x < -0.05 || low.y < -0.05 || high.x > 1 || high.y > 1.1 || high.y-low.y < 0.9 {
				t.Errorf("%c, way %d: reaches from %v to %v", c, v, low, high)
			}
		}
	}
}
