package pairs

import (
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
)

// TestSets: walks have 16 pixels, scenes hold their parts and nothing else, and the
// same seed gives the same set.
func TestSets(t *testing.T) {
	set, again := Walks(3, 6, 10, 0, []float64{0, 90, 180, 270}), Walks(3, 6, 10, 0, []float64{0, 90, 180, 270})
	for _, p := range set.Parts {
		if p.CountOn() != 16 || p.Height() > 7 || p.Width() > 7 || !Trim(p).Equal(p) {
			t.Errorf("a walk is\n%v", p)
		}
	}
	for i, img := range set.Images {
		if !img.Equal(set.Clean[i]) || !img.Equal(again.Images[i]) || img.CountOn() < 3 || img.CountOn() > 8*16 {
			t.Errorf("image %d is\n%v", i, img)
		}
	}
	if flipped := Flip(stream(1, 1), set.Images, 1); flipped[0].CountOn() != 28*28-set.Images[0].CountOn() {
		t.Error("not every pixel is flipped")
	}
	if n := Noise(1, 20, .2).Images[0].CountOn(); n < 80 || n > 240 {
		t.Errorf("%d pixels of noise", n)
	}
}

// TestFound: parts count once each, turned ones too where the set turns them.
func TestFound(t *testing.T) {
	a, b := bitmap.Parse("##", "#."), bitmap.Parse("###")
	set := Set{Parts: []*bitmap.Image{a, b}}
	if n := set.Found([]*bitmap.Image{a, a, Turn(b, 1)}); n != 1 {
		t.Errorf("found %d", n)
	}
	set.Angles = []float64{0, 90, 180, 270}
	if n := set.Found([]*bitmap.Image{Turn(a, 3), Turn(b, 1)}); n != 2 {
		t.Errorf("found %d at any turn", n)
	}
	if four := Turn(Turn(a, 3), 1); !four.Equal(a) {
		t.Errorf("four turns give\n%v", four)
	}
}

// TestReport: a small set is learned, and its row says so.
func TestReport(t *testing.T) {
	var w strings.Builder
	err := report(t.Context(), &w, []job{{"walks", 0, 1, func(seed uint64) Set { return Walks(seed, 3, 40, 0, nil) }}}, 5)
	if err != nil || !strings.Contains(w.String(), "\n| walks | 40 | 0.00 | 1 of 1 | 3.00 of 3 | 3.00 |") {
		t.Errorf("%v\n%s", err, &w)
	}
}

// TestAlone: no digit is twice in a scene, and each is one drawing.
func TestAlone(t *testing.T) {
	var glyphs []*bitmap.Image
	var labels []int
	for c := range 10 {
		for side := 1; side <= 2; side++ {
			g := bitmap.New(6, 6)
			for i := range c + side {
				g.Set(i/6, i%6, true)
			}
			glyphs, labels = append(glyphs, g), append(labels, c)
		}
	}
	set := Alone(1, 4, 0, glyphs, labels)
	if len(set.Parts) != 10 || len(set.Images) != 4 || set.Images[0].Height() != 48 {
		t.Errorf("%d parts, %d images", len(set.Parts), len(set.Images))
	}
	for _, p := range set.Parts {
		if !slices.ContainsFunc(glyphs, func(g *bitmap.Image) bool { return Trim(g).Equal(p) }) {
			t.Errorf("a part is no drawing:\n%v", p)
		}
	}
	features := []*bitmap.Image{bitmap.Parse("...", ".#.")}
	d := Deconvolution(2, 3, 0, set.Images, features)
	if len(d.Images) != 3 || d.Parts[0].Len() != 1 {
		t.Errorf("%d images, a part of %d pixels", len(d.Images), d.Parts[0].Len())
	}
}
