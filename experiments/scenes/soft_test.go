package scenes

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// glyphs returns drawings of ten classes at random, each twice.
func glyphs() (o Options) {
	r := rand.New(rand.NewPCG(5, 5))
	for c := range 10 {
		g := bitmap.New(28, 28)
		for i := range 784 {
			g.Set(i/28, i%28, r.IntN(4) == 0)
		}
		o.Glyphs, o.Labels = append(o.Glyphs, g, g), append(o.Labels, c, c)
	}
	return o
}

// Where a digit is drawn exactly as its template and hardly anything is flipped, every scene is found, by every
// variant.
func TestClearScenesAreFound(t *testing.T) {
	o := glyphs()
	o.Scenes, o.Seed = 4, 3
	exact, close, err := RunSoft(t.Context(), SoftSetting{Setting{40, .02}, true}, o)
	if err != nil {
		t.Fatal(err)
	}
	for v, variant := range SoftVariants {
		if exact[v] != 1 || close[v] != 1 {
			t.Errorf("%s: %v exactly, %v within a pixel", variant.Name, exact[v], close[v])
		}
	}
}

// An explanation is right within a pixel, with no digit more or less.
func TestFoundWithin(t *testing.T) {
	o := glyphs()
	s := newDigitScene(rand.New(rand.NewPCG(1, 1)), o, classesOf(o.Labels), SoftSetting{Setting{40, 0}, false})
	var e patchwork.Explanation
	e.Picks = append(e.Picks, s.digits...)
	if !s.found(&e, 0) {
		t.Error("the truth is not right")
	}
	e.Picks[0].Pose.DX++
	if s.found(&e, 0) || !s.found(&e, 1) {
		t.Error("a digit a pixel aside is right exactly, or not within a pixel")
	}
	if fewer := (patchwork.Explanation{Picks: e.Picks[1:]}); s.found(&fewer, 1) {
		t.Error("four of five digits are right")
	}
	if more := (patchwork.Explanation{Picks: append(e.Picks, e.Picks[0])}); s.found(&more, 1) {
		t.Error("six digits are right")
	}
}

// A soft template is the mean of others of the class, without the drawing itself.
func TestSoftTemplates(t *testing.T) {
	g := []*bitmap.Image{bitmap.Parse("#..."), bitmap.Parse("##.."), bitmap.Parse("##.#")}
	for i, want := range [][]float64{{1, 0, 0, 0}, {1, 1, 0, .5}} {
		for d, p := range meanOf(g, []int{0, 1, 2}, 0, i == 1) {
			if math.Abs(p-want[d]) > 1e-12 {
				t.Errorf("soft %v: pixel %d is %v, want %v", i == 1, d, p, want[d])
			}
		}
	}
}
