package learn

import (
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// penned returns an image of a side with an upright and a level bar of a width.
func penned(side, width int) *bitmap.Image {
	img := bitmap.New(side, side)
	for i := range side / 2 {
		for w := range width {
			img.Set(side/4+i, side/4+w, true)
			img.Set(side/4+w, side/4+i, true)
		}
	}
	return img
}

// Thin strokes are joined, in images of the frame's size, by the default alone.
func TestJoins(t *testing.T) {
	cfg := patchwork.NewConfig(patchwork.RuleMax, 40, 40, pose.Grid{DY: pose.Symmetric(4, 1), DX: pose.Symmetric(4, 1)})
	of := func(img *bitmap.Image) patchwork.Data { return patchwork.Data{Images: []*bitmap.Image{img, img}} }
	for _, c := range []struct {
		name string
		opt  Options
		data patchwork.Data
		want bool
	}{
		{"thin", Options{}, of(penned(40, 3)), true},
		{"thick", Options{}, of(penned(40, 6)), false},
		{"larger images", Options{}, of(penned(44, 3)), false},
		{"no ink", Options{}, of(bitmap.New(40, 40)), true},
		{"an alphabet", Options{Alphabet: true, Experts: 2}, of(penned(40, 3)), false},
		{"straight parts", Options{Straight: 60}, of(penned(40, 3)), false},
		{"another method", Options{Method: MethodBoth}, of(penned(40, 3)), false},
	} {
		if got := c.opt.joins(cfg, c.data); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A T is two strokes, however many pieces describe it most briefly: the record says of how many they were joined, and
// so learned again they are the same.
func TestStrokesAreJoined(t *testing.T) {
	data := letters(t, "T", 16, 40)
	cfg := patchwork.NewConfig(patchwork.RuleMax, 40, 40, pose.Grid{DY: pose.Symmetric(10, 1), DX: pose.Symmetric(10, 1),
		Angles: pose.Evenly(24, 12)})
	m, err := Learn(t.Context(), data, cfg, Options{Starts: 4})
	if err != nil {
		t.Fatal(err)
	}
	if m.K() != 2 {
		t.Errorf("%d parts", m.K())
	}
	three, err := Learn(t.Context(), data, cfg, Options{Starts: 4, Experts: 3})
	if err != nil {
		t.Fatal(err)
	}
	if three.K() != 3 {
		t.Errorf("%d parts were asked for, without joining", three.K())
	}
	joined, err := Learn(t.Context(), data, cfg, Options{Starts: 4, Experts: 3, Join: true})
	if err != nil {
		t.Fatal(err)
	}
	r := joined.Extras().Record
	if s := r.Starts[r.Chosen]; joined.K() != 2 || s.Method != FromJoining || s.Pieces != 3 || len(r.Starts) != 5 {
		t.Errorf("%d parts, record %+v", joined.K(), r)
	}
	again, err := Learn(t.Context(), data, cfg, Options{Starts: 4, Experts: 3, Join: true, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !sameTemplates(joined, again) || again.Extras().Record.DescriptionLength != r.DescriptionLength {
		t.Error("three workers find other parts")
	}
	if !slices.Equal(joined.Extras().Usage, []float64{1, 1}) {
		t.Errorf("used in %v of the drawings", joined.Extras().Usage)
	}
}
