package pairs

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
)

func drawField(t *rapid.T, most int) field {
	return fieldOf(rapid.IntRange(1, 20).Draw(t, "height"), rapid.IntRange(1, most).Draw(t, "width"))
}

// random returns a plane with this share of its pixels on.
func (f field) random(r *rand.Rand, share float64) plane {
	p := f.plane()
	for y := range f.height {
		for x := range f.width {
			if r.Float64() < share {
				f.set(p, y, x)
			}
		}
	}
	return p
}

// inside reports whether a pixel is on; those outside are not.
func (f field) inside(p plane, y, x int) bool {
	return y >= 0 && x >= 0 && y < f.height && x < f.width && f.at(p, y, x)
}

func drawRandom(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
}

// TestPlanes: windows, trimmed shapes and stamps are what their pixels say, in
// fields of one word a row and of several.
func TestPlanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, r := drawField(t, 150), drawRandom(t)
		p := f.random(r, rapid.SampledFrom([]float64{.002, .1, .9}).Draw(t, "share"))
		y, x := r.IntN(f.height), r.IntN(f.width+200)-100
		w := f.window(p, y, x)
		for b := range 64 {
			if w>>b&1 != 0 != f.inside(p, y, x+b) {
				t.Fatalf("pixel %d, %d of a window at %d", y, x+b, x)
			}
		}
		s, top, left := f.trimmed(p)
		if s.n != ones(p) || s.n == 0 {
			if s.n != ones(p) {
				t.Fatalf("%d of %d pixels are left", s.n, ones(p))
			}
			return
		}
		back := f.plane()
		f.stamp(s, top, left, func(at int, bits uint64) { back[at] |= bits })
		if !slices.Equal(back, p) {
			t.Fatal("a trimmed shape, stamped where it was, is another plane")
		}
		other, _, _ := f.trimmed(back)
		if !s.equal(other) || s.key() != other.key() || !s.image().Equal(other.image()) {
			t.Fatal("equal shapes differ")
		}
	})
}

// TestGains: the gains of an explainer are those of the formula, at every place and
// after any number of places were covered.
func TestGains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, r := drawField(t, 140), drawRandom(t)
		e := newExplainer(f)
		known := f.random(r, .9)
		v := view{f.random(r, .4), known}
		for i := range v.ink {
			v.ink[i] &= known[i]
		}
		var sprites []sprite
		for range rapid.IntRange(1, 3).Draw(t, "sprites") {
			box := fieldOf(1+r.IntN(f.height), 1+r.IntN(f.width))
			s, _, _ := box.trimmed(box.random(r, .5))
			sprites = append(sprites, sprite{len(sprites), 0, s, int32(r.IntN(3)) * nat, slackOf(.2*float64(r.IntN(3)), s.n)})
		}
		p := prices{ink: int32(r.IntN(3*nat) + 1), paper: int32(r.IntN(3 * nat))}
		e.use(sprites, p, rapid.IntRange(0, 5).Draw(t, "places"))
		places := e.explain(v, rapid.IntRange(0, 2).Draw(t, "sweeps"))
		left := view{slices.Clone(v.ink), slices.Clone(v.free)}
		for _, o := range places {
			f.stamp(sprites[o.sprite].shape, o.y, o.x, func(at int, bits uint64) {
				left.ink[at] &^= bits
				left.free[at] &^= bits
			})
		}
		for i, w := range left.free {
			if e.view.free[i] != w || e.view.ink[i] != left.ink[i] {
				t.Fatal("what is covered is not what the places cover")
			}
		}
		for i, s := range sprites {
			g := e.maps[i]
			for y := range g.rows {
				for x := range g.columns {
					if got, want := g.all[x*g.stride+y], reference(f, left, s, p, y, x); got != want {
						t.Fatalf("sprite %d at %d, %d gains %d, want %d", i, y, x, got, want)
					}
				}
			}
		}
	})
}

// reference returns the gain of a sprite at a place, pixel by pixel.
func reference(f field, v view, s sprite, p prices, y, x int) int32 {
	ink, paper := int64(0), int64(0)
	for dy := range s.height {
		for dx := range s.width {
			switch {
			case !s.at(s.bits, dy, dx) || !f.at(v.free, y+dy, x+dx):
			case f.at(v.ink, y+dy, x+dx):
				ink++
			default:
				paper++
			}
		}
	}
	if paper*anyFit > s.slack*(ink+paper)+anyFit {
		return never
	}
	return int32(ink*int64(p.ink) - paper*int64(p.paper))
}

// TestCompare: the patterns that two images have in common are as surprising as
// those of a search through all windows at all shifts.
func TestCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, r := fieldOf(rapid.IntRange(1, 9).Draw(t, "height"), rapid.SampledFrom([]int{1, 5, 9, 66}).Draw(t, "width")),
			drawRandom(t)
		g := fieldOf(rapid.IntRange(1, 9).Draw(t, "second height"), rapid.IntRange(1, 12).Draw(t, "second width"))
		density := .02 + .4*r.Float64()
		a, b := f.random(r, density), g.random(r, density)
		for range r.IntN(9) { // something in common
			y, x := r.IntN(min(f.height, g.height)), r.IntN(min(f.width, g.width))
			f.set(a, y, x)
			g.set(b, y, x)
		}
		got := newComparer(f, density).compare(a, g, b)
		var all []float64
		for dy := 1 - g.height; dy < f.height; dy++ {
			for dx := 1 - g.width; dx < f.width; dx++ {
				best := 0.0
				sum := make([][]int, f.height+1) // of the common pixels above and left of each
				sum[0] = make([]int, f.width+1)
				for y := range f.height {
					sum[y+1] = make([]int, f.width+1)
					for x := range f.width {
						sum[y+1][x+1] = sum[y][x+1] + sum[y+1][x] - sum[y][x]
						if f.at(a, y, x) && g.inside(b, y-dy, x-dx) {
							sum[y+1][x+1]++
						}
					}
				}
				for _, s := range sides {
					for y := range f.height {
						for x := range max(f.width-s+1, 1) {
							down, right := min(y+s, f.height), min(x+s, f.width)
							n := sum[down][right] - sum[y][right] - sum[down][x] + sum[y][x]
							best = max(best, surprise(n, math.Max(float64(s*s)*density*density, 1e-9)))
						}
					}
				}
				if best > 0 {
					all = append(all, best)
				}
			}
		}
		slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(b, a) })
		if len(got) != min(len(all), shiftsPerPair) {
			t.Fatalf("%d patterns, want the best of %v", len(got), all)
		}
		for i, s := range got {
			if s.score != all[i] {
				t.Fatalf("pattern %d scores %v, want %v", i, s.score, all[i])
			}
		}
	})
}

// TestTurns: what is counted around a turned part, pulled back, is the part.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRandom(t)
		box := fieldOf(1+r.IntN(7), 1+r.IntN(7))
		s, _, _ := box.trimmed(box.random(r, .6))
		if s.n == 0 {
			return
		}
		angle := rapid.SampledFrom([]float64{0, 90, 180, 270, -90}).Draw(t, "angle")
		there := turn(s, angle)
		if there.n != s.n {
			t.Fatalf("%d of %d pixels are left after %v degrees", there.n, s.n, angle)
		}
		m := s.image()
		for range (int(angle) + 360) / 90 % 4 {
			m = quarter(m)
		}
		if !there.image().Equal(m) {
			t.Fatalf("%v degrees:\n%v, want\n%v", angle, there.image(), m)
		}
		f := fieldOf(20, 23)
		y, x := r.IntN(f.height-there.height+1), r.IntN(f.width-there.width+1)
		v := view{f.plane(), f.plane()}
		for i := range f.height * f.width {
			f.set(v.free, i/f.width, i%f.width)
		}
		f.stamp(there.shape, y, x, func(at int, bits uint64) { v.ink[at] |= bits })
		count := newTally(f, s, []turned{turn(s, 0), there})
		for range 3 {
			count.add(f, v, 1, y, x)
		}
		if got := count.template(pricesOf(.01, .01), 2); !got.equal(s) {
			t.Fatalf("%v degrees: counted\n%v, want\n%v", angle, got.image(), s.image())
		}
	})
}

// TestOtherTurns: at other angles a part keeps its pixels, nearly, and is found
// back, nearly.
func TestOtherTurns(t *testing.T) {
	square, _ := fieldOf(9, 9).planesOf(bitmap.FromBytes(9, 9, slices.Repeat([]uint8{1}, 81)))
	s, _, _ := fieldOf(9, 9).trimmed(square)
	for angle := 15.0; angle < 360; angle += 15 {
		if n := turn(s, angle).n; n < 77 || n > 85 {
			t.Errorf("%v degrees: %d pixels of 81", angle, n)
		}
	}
}

// TestCounter: counts are sums.
func TestCounter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c counter
		var want [2][64]int
		for range rapid.IntRange(0, 40).Draw(t, "words") {
			at, w := rapid.IntRange(0, 1).Draw(t, "at"), rapid.Uint64().Draw(t, "word")
			c.add(at, w, 2)
			for b := range 64 {
				want[at][b] += int(w >> b & 1)
			}
		}
		for at := range want {
			for b, n := range want[at] {
				if got := c.of(at, uint(b)); got != n {
					t.Fatalf("word %d, bit %d: %d, want %d", at, b, got, n)
				}
			}
		}
	})
}

// TestPrincipal: the axes are those along which the patches differ.
func TestPrincipal(t *testing.T) {
	var all []patch
	for i := range 12 {
		p := patch{1, 1, 1, 0, 0, -1}
		if i%2 == 0 {
			p = patch{0, 0, 0, 1, 1, -1}
		}
		p[5] = int8(i / 6)
		all = append(all, p)
	}
	for axis, by := range []func(i int) bool{func(i int) bool { return i%2 == 0 }, func(i int) bool { return i < 6 }} {
		side := sides2(all, axis)
		for i, s := range side {
			if (s == side[0]) != by(i) {
				t.Errorf("axis %d: %v", axis, side)
				break
			}
		}
	}
}
