package pairs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
)

var shapes = []*bitmap.Image{
	bitmap.Parse("#####", "#...#", "#...#", "#...#", "#####"),
	bitmap.Parse("..#..", "..#..", "#####", "..#..", "..#.."),
	bitmap.Parse("#....", "##...", "#.#..", "#..#.", "#####"),
}

// scene draws n images with two to four of the shapes each, turned by one of the
// quarter turns, and flips pixels.
func scene(seed uint64, n, height, width int, quarters []int, flips float64, shapes []*bitmap.Image) []*bitmap.Image {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]*bitmap.Image, n)
	for i := range out {
		m := bitmap.New(height, width)
		for range 2 + r.IntN(3) {
			p := shapes[r.IntN(len(shapes))]
			for range quarters[r.IntN(len(quarters))] {
				p = quarter(p)
			}
			dy, dx := r.IntN(height-p.Height()+1), r.IntN(width-p.Width()+1)
			for y := range p.Height() {
				for x := range p.Width() {
					if p.At(y, x) {
						m.Set(dy+y, dx+x, true)
					}
				}
			}
		}
		for y := range height {
			for x := range width {
				if r.Float64() < flips {
					m.Set(y, x, !m.At(y, x))
				}
			}
		}
		out[i] = m
	}
	return out
}

// quarter turns an image by 90 degrees.
func quarter(m *bitmap.Image) *bitmap.Image {
	out := bitmap.New(m.Width(), m.Height())
	for y := range m.Height() {
		for x := range m.Width() {
			out.Set(x, m.Height()-1-y, m.At(y, x))
		}
	}
	return out
}

// exactly reports whether the parts are the shapes and nothing else, in any order
// and at any quarter turn if turned.
func exactly(parts, want []*bitmap.Image, turned bool) bool {
	if len(parts) != len(want) {
		return false
	}
	for _, w := range want {
		ok := false
		for range 4 {
			ok = ok || slices.ContainsFunc(parts, w.Equal)
			if turned {
				w = quarter(w)
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// TestGrow: all shapes are found and nothing else, from images of any shape, with
// flips, turns and unknown pixels, and the same on any number of workers.
func TestGrow(t *testing.T) {
	hidden := scene(3, 25, 16, 16, []int{0}, 0, shapes)
	for i, img := range hidden {
		for y := range 16 {
			img.SetUnknown(y, (3*i+5*y)%16)
		}
	}
	turns := []float64{0, 90, 180, 270}
	for name, c := range map[string]struct {
		images []*bitmap.Image
		opt    Options
	}{
		"clean":          {scene(1, 30, 16, 16, []int{0}, 0, shapes), Options{}},
		"flips":          {scene(2, 30, 16, 16, []int{0}, .03, shapes), Options{Seed: 5}},
		"unknown pixels": {hidden, Options{}},
		"wide":           {scene(4, 20, 7, 90, []int{0}, 0, shapes), Options{}},
		"two words":      {scene(4, 20, 8, 64+7, []int{0}, .01, shapes), Options{}},
		"one word":       {scene(4, 20, 8, 64, []int{0}, 0, shapes), Options{}},
		"tall":           {scene(5, 20, 70, 7, []int{0}, 0, shapes), Options{}},
		"turned":         {scene(6, 30, 16, 16, []int{0, 1, 2, 3}, 0, shapes[2:]), Options{Angles: turns}},
		"turned, oblong": {scene(7, 30, 13, 18, []int{0, 1, 2, 3}, 0, shapes[2:]), Options{Angles: turns}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := shapes
			if c.opt.Angles != nil {
				want = shapes[2:]
			}
			var first *Result
			for _, workers := range []int{1, 3} {
				opt := c.opt
				opt.Workers = workers
				r, err := Grow(t.Context(), c.images, opt)
				if err != nil {
					t.Fatal(err)
				}
				if !exactly(r.Parts, want, c.opt.Angles != nil) {
					t.Fatalf("%d workers: %d parts: %v", workers, len(r.Parts), r.Parts)
				}
				if first == nil {
					first = r
				} else if !reflect.DeepEqual(first, r) {
					t.Error("another number of workers gives another result")
				}
			}
		})
	}
}

// TestPlaces: the places explain the images: without flips their shapes are the ink.
func TestPlaces(t *testing.T) {
	images := scene(1, 30, 16, 16, []int{0}, 0, shapes)
	r, err := Grow(t.Context(), images, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, img := range images {
		m := bitmap.New(16, 16)
		for _, p := range r.Places[i] {
			part := r.Parts[p.Part]
			for y := range part.Height() {
				for x := range part.Width() {
					if part.At(y, x) {
						m.Set(p.Y+y, p.X+x, true)
					}
				}
			}
		}
		if !m.Equal(img) {
			t.Fatalf("image %d is\n%v, its places\n%v", i, img, m)
		}
	}
	if r.Flips != leastFlip || r.Clutter != leastClutter {
		t.Errorf("flips %v and clutter %v in clean images", r.Flips, r.Clutter)
	}
	d, err := describe(t.Context(), images, shapes, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(d.DescriptionLength-r.DescriptionLength) > same || !exactly(d.Parts, shapes, false) {
		t.Errorf("the truth takes %v nats, what was found %v", d.DescriptionLength, r.DescriptionLength)
	}
}

// TestNoise: there are no parts in noise, in blank images, and in one image.
func TestNoise(t *testing.T) {
	for name, images := range map[string][]*bitmap.Image{
		"noise":      scene(1, 20, 20, 20, []int{0}, .15, []*bitmap.Image{bitmap.New(0, 0)}),
		"blank":      {bitmap.New(8, 8), bitmap.New(8, 8)},
		"black":      {bitmap.Parse("##", "##"), bitmap.Parse("##", "##")},
		"one pixel":  {bitmap.Parse("#"), bitmap.Parse("."), bitmap.Parse("?")},
		"not known":  {bitmap.Parse("??", "??"), bitmap.Parse("??", "??")},
		"one, small": {shapes[0]},
	} {
		r, err := Grow(t.Context(), images, Options{})
		if err != nil || len(r.Parts) > 0 || len(r.Places) != len(images) || math.IsNaN(r.DescriptionLength) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestMost: no more parts are found than are asked for.
func TestMost(t *testing.T) {
	r, err := Grow(t.Context(), scene(1, 30, 16, 16, []int{0}, 0, shapes), Options{Parts: 2})
	if err != nil || len(r.Parts) != 2 {
		t.Errorf("%d parts, %v", len(r.Parts), err)
	}
}

// TestRefused: what does not fit is named.
func TestRefused(t *testing.T) {
	small, large := bitmap.New(4, 4), bitmap.New(4, 5)
	for want, c := range map[string]struct {
		images, parts []*bitmap.Image
		opt           Options
	}{
		"no images":                 {},
		"make them smaller":         {images: []*bitmap.Image{bitmap.New(8200, 8200)}},
		"image 2 is 4 x 5":          {images: []*bitmap.Image{small, large}},
		"0 degrees is not among":    {images: []*bitmap.Image{small}, opt: Options{Angles: []float64{90}}},
		"part 1 is 4 x 5":           {images: []*bitmap.Image{small}, parts: []*bitmap.Image{large}},
		"part 1 has no ink":         {images: []*bitmap.Image{small}, parts: []*bitmap.Image{small}},
		"images of 0 x 4 pixels":    {images: []*bitmap.Image{bitmap.New(0, 4)}},
		"the images 4 x 4":          {images: []*bitmap.Image{small}, parts: []*bitmap.Image{bitmap.New(9, 1)}},
		"among the angles [45 270]": {images: []*bitmap.Image{small}, opt: Options{Angles: []float64{45, 270}}},
	} {
		_, err := Grow(t.Context(), c.images, c.opt)
		if c.parts != nil {
			_, err = describe(t.Context(), c.images, c.parts, c.opt)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestCancelled: the end of the context ends growing.
func TestCancelled(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	images := scene(1, 30, 16, 16, []int{0}, 0, shapes)
	steps := 0
	_, err := Grow(ctx, images, Options{Progress: func(p Progress) {
		if steps++; p.Parts == 2 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || steps > 2 {
		t.Errorf("%v after %d steps", err, steps)
	}
}

// TestProgress: steps come in order, and every start ends.
func TestProgress(t *testing.T) {
	var ends []float64
	last := -1
	r, err := Grow(t.Context(), scene(1, 30, 16, 16, []int{0}, 0, shapes), Options{Progress: func(p Progress) {
		if p.Start < last || p.Start > last+1 || p.Starts != defaultStarts {
			t.Errorf("start %d of %d after start %d", p.Start, p.Starts, last)
		}
		if last = p.Start; p.Done {
			ends = append(ends, p.DescriptionLength)
		}
	}})
	if err != nil || !slices.Equal(ends, r.Starts) || slices.Min(ends) != r.DescriptionLength {
		t.Errorf("the starts ended at %v, the result says %v and %v: %v", ends, r.Starts, r.DescriptionLength, err)
	}
}

func TestTwice(t *testing.T) {
	for want, lengths := range map[bool][][]float64{
		true:  {{5, 5}, {9, 5, 5.5}, {5, 9, 5}},
		false: {nil, {5}, {9, 9, 5}, {5, 7}},
	} {
		for _, l := range lengths {
			if twice(l) != want {
				t.Errorf("%v: %t", l, !want)
			}
		}
	}
}

func ExampleGrow() {
	images := scene(1, 30, 16, 16, []int{0}, 0, shapes[:1])
	r, err := Grow(context.Background(), images, Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(r.Parts[0])
	// Output:
	// #####
	// #...#
	// #...#
	// #...#
	// #####
}

// Specks that two images have in common at some shift cost more than they bring; a stroke of as many pixels does not.
func TestSpecksArePaidFor(t *testing.T) {
	specks, stroke := bitmap.New(40, 40), bitmap.New(1, 10)
	for i := range 10 {
		specks.Set(i*39/9, i*i*7%40, true)
		stroke.Set(0, i, true)
	}
	price := func(m *bitmap.Image) float64 {
		f := fieldOf(m.Height(), m.Width())
		on, _ := f.planesOf(m)
		s, _, _ := f.trimmed(on)
		return s.price()
	}
	if got, want := price(stroke), float64(partPrice+10*pixelPrice); got != want {
		t.Errorf("a stroke costs %v, want %v", got, want)
	}
	// Two places of it, each paying for itself, gain about 10 pixels of ln(.97 / .03) twice, less ln(64 * 64 * 20) twice.
	if got := price(specks); got < 20*3.5-2*11.3 {
		t.Errorf("specks cost %v", got)
	}
}
