package posterior

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
)

// Groups are hidden whole or not at all, as many units as the share says, and nothing
// else changes.
func TestExclusiveHide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		img := testkit.DrawImage(t, 1, 12, "#.?")
		x := Exclusive{{0, 5, 7}, {2, 3}}
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		out := x.Hide(img, share, rapid.Uint64().Draw(t, "seed"), 3)
		units, hidden := 0, 0
		for _, group := range append(Exclusive{{1}, {4}, {6}, {8}, {9}, {10}, {11}}, x...) {
			before, after := 0, 0
			for _, i := range group {
				before += toInt(img.Known(0, i))
				after += toInt(out.Known(0, i))
				if out.Known(0, i) && out.At(0, i) != img.At(0, i) {
					t.Fatalf("pixel %d has another value", i)
				}
			}
			if after != before && after != 0 {
				t.Fatalf("%d of %d known pixels of group %v are left", after, before, group)
			}
			units += toInt(before > 0)
			hidden += toInt(before > after)
		}
		if want := int(math.Round(share * float64(units))); hidden != want && (want > 0 || hidden > 1) {
			t.Fatalf("%d of %d units hidden, want %d", hidden, units, want)
		}
	})
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Of two columns a fifth of the cells is hidden as well: one, in two of five rows.
func TestHideOfTwoColumns(t *testing.T) {
	hidden := 0
	for i := range 10000 {
		hidden += 2 - Exclusive(nil).Hide(bitmap.New(1, 2), 0.2, 1, i).CountKnown()
	}
	if math.Abs(float64(hidden)-4000) > 5*49 { // standard deviation sqrt(10000 * 0.4 * 0.6) = 49
		t.Errorf("%d of 20000 cells hidden, want about 4000", hidden)
	}
}

// Predictions of groups without a known pixel add up to 1, in the ratio they had;
// others stay.
func TestNormalize(t *testing.T) {
	img := bitmap.New(1, 8)
	for _, i := range []int{0, 1, 3, 5, 6, 7} {
		img.SetUnknown(0, i)
	}
	p := []float64{0.2, 0.3, 0.4, 0.4, 0.5, 0.7, 0, 0}
	Exclusive{{0, 1}, {2, 3}, {6, 7}}.Normalize(p, img)
	testkit.NearAll(t, "predictions", p, []float64{0.4, 0.6, 0.4, 0.4, 0.5, 0.7, 0.5, 0.5}, 1e-15)
}

// A hidden group costs what its own distribution says: that of the background, for a
// model that knows nothing else.
func TestScoreOfGroups(t *testing.T) {
	q := []float64{0.5, 0.25, 0.5, 0.5}
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 4, QMap: q}, [][]float64{q})
	if err != nil {
		t.Fatal(err)
	}
	row := bitmap.New(1, 4)
	row.Set(0, 1, true)
	visible := row.Clone()
	for i := range 3 {
		visible.SetUnknown(0, i)
	}
	hidden := HiddenBits{Data: patchwork.Data{Images: []*bitmap.Image{row}}, Visible: []*bitmap.Image{visible}}
	hidden.Exclusive = Exclusive{{0, 1, 2}}
	s, err := Score(context.Background(), m, hidden, Options{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := -(math.Log(0.2) + 2*math.Log(0.6)) / 3
	testkit.NearAll(t, "losses", []float64{s.Averaged.LogLoss, s.Single.LogLoss}, []float64{want, want}, 1e-12)
}
