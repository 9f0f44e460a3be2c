package pairs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.com/patchwork/bitmap"
	"pgregory.net/rapid"
)

// TestSections: a section shows what the image has there, lies inside it, and holds the
// window it was drawn for; counts are those of the pixels.
func TestSections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := fieldOf(rapid.IntRange(1, 90).Draw(t, "height"), rapid.IntRange(1, 150).Draw(t, "width"))
		r := drawRandom(t)
		rest := []view{{f.random(r, .1), f.random(r, .9)}, {f.random(r, .2), f.random(r, .9)}}
		for _, v := range rest {
			for i := range v.ink {
				v.ink[i] &= v.free[i]
			}
		}
		l := f.looksOf(rest)
		for _, s := range l.several(r, 5) {
			if s.y < 0 || s.x < 0 || s.y+l.height > f.height || s.x+l.width > f.width {
				t.Fatalf("section %+v of %d x %d is outside %d x %d", s, l.height, l.width, f.height, f.width)
			}
			v := l.view(s)
			for y := range l.height {
				for x := range l.width {
					if l.at(v.ink, y, x) != f.at(rest[s.image].ink, s.y+y, s.x+x) || l.at(v.free, y, x) != f.at(rest[s.image].free,
						s.y+y, s.x+x) {
						t.Fatalf("section %+v differs in pixel %d, %d", s, y, x)
					}
				}
			}
		}
		y, x, side, want := r.IntN(f.height), r.IntN(f.width), 1+r.IntN(20), 0
		for dy := range side {
			for dx := range side {
				if f.inside(rest[0].ink, y+dy, x+dx) {
					want++
				}
			}
		}
		if got := f.count(rest[0].ink, y, x, side); got != want {
			t.Fatalf("%d pixels counted, want %d", got, want)
		}
	})
}

// TestLooks: sections lie where ink is dense, whatever the clutter, and have little in common.
func TestLooks(t *testing.T) {
	f, r := fieldOf(100, 120), rand.New(rand.NewPCG(1, 1))
	v := view{f.random(r, .1), f.random(r, 1)}
	dense := []section{{0, 10, 10}, {0, 70, 80}}
	for _, s := range dense {
		for y := range 20 {
			for x := range 20 {
				if (y+x)%2 == 0 {
					f.set(v.ink, s.y+y, s.x+x)
				}
			}
		}
	}
	l := f.looksOf([]view{v})
	near := 0
	for range 100 {
		s, ok := l.draw(r, func(section) bool { return true })
		for _, d := range dense {
			if ok && d.y >= s.y-8 && d.x >= s.x-8 && d.y+20 <= s.y+l.height+8 && d.x+20 <= s.x+l.width+8 {
				near++
			}
		}
	}
	if near < 80 {
		t.Errorf("%d of 100 sections hold what is dense", near)
	}
	some := l.several(r, 20)
	for i, a := range some {
		for _, b := range some[:i] {
			if a.near(b) {
				t.Errorf("%+v and %+v are much the same", a, b)
			}
		}
	}
	if blank := f.looksOf([]view{{f.plane(), f.random(r, 1)}}); len(blank.several(r, 3)) != 0 {
		t.Error("there is something to look at in a blank image")
	}
}

// TestClutterOf: pixels among eight of paper are counted, over the borders of words.
func TestClutterOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, r := fieldOf(rapid.IntRange(1, 9).Draw(t, "height"),
			rapid.SampledFrom([]int{1, 2, 3, 9, 63, 64, 65, 66, 130}).Draw(t, "width")), drawRandom(t)
		v := view{f.random(r, .1), f.random(r, .95)}
		on, all := 0, 0
		for i := range v.ink {
			v.ink[i] &= v.free[i]
		}
		for y := 1; y < f.height-1; y++ {
			for x := 1; x < f.width-1; x++ {
				paper := 0
				for i := range 9 {
					if dy, dx := i/3-1, i%3-1; i != 4 && f.at(v.free, y+dy, x+dx) && !f.at(v.ink, y+dy, x+dx) {
						paper++
					}
				}
				if paper == 8 && f.at(v.free, y, x) {
					if all++; f.at(v.ink, y, x) {
						on++
					}
				}
			}
		}
		if got, want := f.clutterOf([]view{v}), float64(on)/math.Max(float64(all), 1); got != want {
			t.Fatalf("%v, want %v of %d", got, want, all)
		}
	})
	for clutter, first := range map[float64]float64{0: .01, .005: .01, .03: .04, .09: .1, .4: .1} {
		if got := flipsFor(clutter); got[0] != first || len(got) != len(growFlips) {
			t.Errorf("flips %v for clutter of %v", got, clutter)
		}
	}
}

// TestReach: in a large frame a part grows by a few pixels a step, and what lies by
// itself must come often.
func TestReach(t *testing.T) {
	s, _, _ := fieldOf(3, 3).trimmed(plane{7, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0})
	f := fieldOf(80, 80)
	for places, lonely := range map[int]bool{2: false, 9: true} {
		v := view{f.plane(), f.random(rand.New(rand.NewPCG(1, 1)), 1)}
		f.stamp(s, 30, 30, func(at int, bits uint64) { v.ink[at] |= bits })
		f.set(v.ink, 30, 34) // alone, near
		f.set(v.ink, 60, 60) // far away
		c := newTally(f, s, []turned{{shape: s}})
		for range places {
			c.add(f, v, 0, 30, 30)
		}
		got := c.template(pricesOf(.1, .1), 2)
		if want := map[bool]int{false: 8, true: 9}[lonely]; got.n != want {
			t.Errorf("%d places: %d pixels, want %d", places, got.n, want)
		}
	}
}

// TestPieces: pieces cover an image, and small images are not cut.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := fieldOf(rapid.IntRange(1, 700).Draw(t, "height"), rapid.IntRange(1, 700).Draw(t, "width"))
		f := pieceOf(whole)
		if f.height > maxSide || f.width > maxSide || whole.height <= maxSide && f.height != whole.height ||
			whole.width <= maxSide && f.width != whole.width {
			t.Fatalf("pieces of %v are %v", whole, f)
		}
		n := rapid.IntRange(1, 40).Draw(t, "of")
		some := drawn(drawRandom(t), n, rapid.IntRange(1, 50).Draw(t, "drawn"))
		if !slices.IsSorted(some) || len(slices.Compact(slices.Clone(some))) != len(some) || some[len(some)-1] >= n {
			t.Fatalf("drew %v of %d", some, n)
		}
	})
}

// TestLargeImages: parts of images of more than 255 pixels a side are found, and their
// places are those in the whole images.
func TestLargeImages(t *testing.T) {
	images := scene(1, 24, 20, 300, []int{0}, 0, shapes)
	r, err := Grow(t.Context(), images, Options{Starts: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !exactly(r.Parts, shapes, false) || len(r.Images) != len(r.Places) {
		t.Fatalf("%d parts in %d images: %v", len(r.Parts), len(r.Images), r.Parts)
	}
	for j, i := range r.Images {
		m := bitmap.New(20, 300)
		for _, p := range r.Places[j] {
			for y := range r.Parts[p.Part].Height() {
				for x := range r.Parts[p.Part].Width() {
					if r.Parts[p.Part].At(y, x) {
						m.Set(p.Y+y, p.X+x, true)
					}
				}
			}
		}
		if !m.Equal(images[i]) {
			t.Fatalf("image %d is\n%v, its places\n%v", i, images[i], m)
		}
	}
}

// TestSample: of many images a sample is taken, the same for the same seed.
func TestSample(t *testing.T) {
	images := scene(1, 40, 160, 160, []int{0}, 0, []*bitmap.Image{bitmap.New(0, 0)})
	var drawn [][]int
	for _, seed := range []uint64{1, 1, 2} {
		r, err := Grow(t.Context(), images, Options{Seed: seed})
		if err != nil || len(r.Images) != leastSample || len(r.Places) != leastSample || r.Pixels != leastSample*160*160 {
			t.Fatalf("%d images, %d pixels, %v", len(r.Images), r.Pixels, err)
		}
		drawn = append(drawn, r.Images)
	}
	if !slices.Equal(drawn[0], drawn[1]) || slices.Equal(drawn[0], drawn[2]) {
		t.Errorf("samples %v", drawn)
	}
}

// TestEffort: growing ends when the effort is used up, and what it comes to does not depend on
// the number of workers.
func TestEffort(t *testing.T) {
	images := scene(2, 30, 16, 16, []int{0}, .03, shapes)
	all, err := Grow(t.Context(), images, Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	var first *Result
	for _, workers := range []int{1, 3} {
		r, err := Grow(t.Context(), images, Options{Seed: 5, Effort: 1, Workers: workers})
		if err != nil || len(r.Starts) != 1 || len(r.Starts) >= len(all.Starts) || len(r.Parts) == 0 {
			t.Fatalf("%d starts, %d without a bound, %d parts: %v", len(r.Starts), len(all.Starts), len(r.Parts), err)
		}
		if first == nil {
			first = r
		} else if !reflect.DeepEqual(first, r) {
			t.Error("another number of workers gives another result")
		}
	}
}

// TestInterrupted: the best parts so far come with the error of the context.
func TestInterrupted(t *testing.T) {
	images := scene(1, 30, 16, 16, []int{0}, 0, shapes)
	for _, after := range []int{1, 2, 9} {
		ctx, stop := context.WithCancel(t.Context())
		steps := 0
		r, err := Grow(ctx, images, Options{Starts: 9, Progress: func(p Progress) {
			if steps++; steps == after {
				stop()
			}
		}})
		if !errors.Is(err, context.Canceled) || r == nil || len(r.Parts) != min(after, len(shapes)) ||
			len(r.Places) != len(images) {
			t.Errorf("after %d steps: %+v, %v", after, r, err)
		}
	}
}
