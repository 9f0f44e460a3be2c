package learn

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/learn/pairs"
)

// TestPieces: pieces are connected by eight neighbours, and specks do not count.
func TestPieces(t *testing.T) {
	for want, images := range map[int][]*bitmap.Image{
		0: {bitmap.New(0, 0), bitmap.New(3, 4), bitmap.Parse("??", "??")},
		1: {bitmap.Parse("#"), bitmap.Parse("#.#", ".#.", "#.#"),
			bitmap.Parse("#####..#", "#####..#", "#####...", "#####..#")},
		2: {bitmap.Parse("##..##", "##..##", "#...#."), bitmap.Parse("##?###", "##?###", "##?###")},
		3: {bitmap.Parse("#####", ".....", "#####", ".....", "#####")},
	} {
		for _, img := range images {
			if got := len(inkPieces(img)); got != want {
				t.Errorf("%d pieces, want %d:\n%v", got, want, img)
			}
		}
	}
}

// cutToInk draws a frame around each image: its largest piece.
func cutToInk(data patchwork.Data) (out patchwork.Data) {
	for i, img := range data.Images {
		if img = img.Clone(); i%5 > 0 {
			for y := range img.Height() {
				img.Set(y, 0, true)
			}
			for x := range img.Width() {
				img.Set(0, x, true)
			}
		}
		out.Images = append(out.Images, img)
	}
	return out
}

// TestLayout: images of several shapes anywhere are told from those of one thing each,
// in one piece or in pieces that have their places, and are scenes only if that describes
// them in fewer nats.
func TestLayout(t *testing.T) {
	_, scenes := twoShapes(25, 0)
	r := rand.New(rand.NewPCG(1, 2))
	drawings := func(n int, shape ...string) (data patchwork.Data) {
		s := bitmap.Parse(shape...)
		for range n {
			img := bitmap.New(20, 24)
			y, x := 5+r.IntN(3), 6+r.IntN(3)
			for i := range s.Len() {
				img.Set(y+i/s.Width(), x+i%s.Width(), s.At(i/s.Width(), i%s.Width()))
			}
			data.Images = append(data.Images, img)
		}
		return data
	}
	for name, c := range map[string]struct {
		data      patchwork.Data
		otherwise float64 // nats
		several   bool
		compared  bool
	}{
		"scenes":                   {scenes, 1e6, true, true},
		"scenes, better otherwise": {scenes, 1, false, true},
		"one piece":                {drawings(40, "#####", "..#..", "..#.."), 1e6, false, false},
		"pieces in their places": {drawings(40, "#####....", "#........", "#..######", "...#....#", "...######"), 1e6,
			false, false},
		"cut to their ink": {cutToInk(scenes), 1e6, false, false},
		"one image":        {patchwork.Data{Images: scenes.Images[:1]}, 1e6, false, false},
		"no images":        {patchwork.Data{}, 1e6, false, false},
		"images of different sizes": {patchwork.Data{Images: []*bitmap.Image{scenes.Images[0], bitmap.New(3, 3)}}, 1e6, false,
			false},
	} {
		for _, workers := range []int{1, 3} {
			l, err := LayoutOf(t.Context(), c.data, 1, workers, func(_ context.Context, sample patchwork.Data) (float64, error) {
				if len(sample.Images) == 0 {
					t.Errorf("%s: nothing to describe", name)
				}
				return c.otherwise, nil
			})
			if err != nil || l.Several != c.several || (l.Images > 0) != c.compared || c.compared &&
				(l.Otherwise != c.otherwise || l.Anywhere <= 0) {
				t.Errorf("%s: %+v, %v", name, l, err)
			}
		}
	}
	failed := errors.New("failed")
	if _, err := LayoutOf(t.Context(), scenes, 1, 1, func(context.Context, patchwork.Data) (float64, error) {
		return 0,
			failed
	}); err != failed {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := LayoutOf(ctx, scenes, 1, 1, func(context.Context, patchwork.Data) (float64, error) {
		return 1e6,
			nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestFewImages: where ink is in one piece but for a few images, many images are looked at
// and few are not.
func TestFewImages(t *testing.T) {
	_, scenes := twoShapes(50, 0)
	for i := range scenes.Images { // leave 3 of 50
		if i >= 3 {
			img := bitmap.New(20, 24)
			img.Set(i%20, i%24, true)
			scenes.Images[i] = img
		}
	}
	if s, _, _ := scattered(scenes); s < everScattered || s >= oftenScattered {
		t.Fatalf("%v of the images are scattered", s)
	}
	few := patchwork.Data{Images: scenes.Images[:manyImages-1]}
	if l, err := LayoutOf(t.Context(), few, 1, 1, func(context.Context, patchwork.Data) (float64, error) {
		return 1e6,
			nil
	}); err != nil || l != (Layout{}) {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestSettled: places drawn anywhere in a range have no usual place and are no chain;
// those in a corner have one, and those side by side are a chain.
func TestSettled(t *testing.T) {
	part, page := bitmap.Parse("##", "##"), bitmap.New(31, 21)
	draw := func(seed uint64, place func(r *rand.Rand, last pairs.Place, i int) pairs.Place) *pairs.Result {
		r := rand.New(rand.NewPCG(seed, 0))
		found := &pairs.Result{Parts: []*bitmap.Image{part, part}}
		for range 30 {
			var places []pairs.Place
			last := pairs.Place{}
			for i := range 6 {
				last = place(r, last, i)
				last.Part = i % 2
				places = append(places, last)
			}
			found.Places = append(found.Places, places)
		}
		return found
	}
	anywhere := func(r *rand.Rand, _ pairs.Place, _ int) pairs.Place {
		return pairs.Place{Y: r.IntN(30), X: r.IntN(20)}
	}
	for seed := range uint64(5) {
		if f := draw(seed, anywhere); settled(f, page) > 0 || settled(f, page)+chained(f) > 0 {
			t.Errorf("seed %d: places anywhere gain %v and %v", seed, settled(f, page), chained(f))
		}
		corner := draw(seed, func(r *rand.Rand, last pairs.Place, i int) pairs.Place {
			if p := anywhere(r, last, i); r.IntN(3) == 0 {
				return p
			}
			return pairs.Place{Y: r.IntN(10), X: r.IntN(7)}
		})
		if settled(corner, page) <= 0 {
			t.Errorf("seed %d: places in a corner gain %v", seed, settled(corner, page))
		}
		spot := draw(seed, func(r *rand.Rand, _ pairs.Place, i int) pairs.Place {
			return pairs.Place{Y: 3 + r.IntN(3), X: 4 + 5*(i%2) + r.IntN(3)}
		})
		if settled(spot, page) <= 0 {
			t.Errorf("seed %d: places all over a small range gain %v", seed, settled(spot, page))
		}
		chain := draw(seed, func(r *rand.Rand, last pairs.Place, i int) pairs.Place {
			if i == 0 {
				return anywhere(r, last, i)
			}
			return pairs.Place{Y: (last.Y + 2) % 30, X: last.X}
		})
		if settled(chain, page)+chained(chain) <= 0 {
			t.Errorf("seed %d: a chain gains %v and %v", seed, settled(chain, page), chained(chain))
		}
	}
	if f := (&pairs.Result{Parts: []*bitmap.Image{part}, Places: [][]pairs.Place{nil, nil}}); settled(f, page) != 0 ||
		chained(f) != 0 {
		t.Error("no places gain something")
	}
}

// One thing in each image, anywhere, is no drawing with its place: the description by parts that lie anywhere is shorter.
func TestOneThingAnywhere(t *testing.T) {
	shapes, _ := twoShapes(0, 0)
	r := rand.New(rand.NewPCG(5, 6))
	var data patchwork.Data
	for range 20 {
		img := bitmap.New(30, 30)
		dy, dx := r.IntN(26), r.IntN(26)
		for i, p := range shapes[0] {
			if p > 0 {
				img.Set(dy+i/5, dx+i%5, true)
			}
		}
		data.Images = append(data.Images, img)
	}
	for otherwise, want := range map[float64]Layout{1e4: {Several: true, One: true}, 1: {One: true}} {
		l, err := LayoutOf(context.Background(), data, 1, 1, func(context.Context, patchwork.Data) (float64, error) {
			return otherwise, nil
		})
		if err != nil || l.Several != want.Several || l.One != want.One || l.Images != 20 {
			t.Errorf("%+v, %v; want %+v", l, err, want)
		}
	}
}
