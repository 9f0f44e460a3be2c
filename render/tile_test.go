package render

import (
	"image/color"
	"testing"

	patchwork "example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

func TestTemplateIsRowMajor(t *testing.T) {
	tile := Template(2, 3, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, Ink)
	for i, want := range []uint8{255, 204, 153, 102, 51, 0} {
		if got := tile.RGBAAt(i%3, i/3); got != (color.RGBA{want, want, want, 255}) {
			t.Errorf("pixel %d is %v, want grey %d", i, got, want)
		}
	}
}

func TestTemplatePanicsOnWrongLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("five probabilities for 2 x 3 pixels did not panic")
		}
	}()
	Template(2, 3, make([]float64, 5), Ink)
}

func TestImageColours(t *testing.T) {
	tile := Image(bitmap.Parse("#.??"))
	for x, want := range []color.RGBA{black, white, unknownTints[0], unknownTints[1]} {
		if got := tile.RGBAAt(x, 0); got != want {
			t.Errorf("pixel %d is %v, want %v", x, got, want)
		}
	}
}

// tiny returns a model of 1 x 4 frames with two experts, and picks of both.
func tiny(t *testing.T, rule patchwork.Rule, a, b []float64) (*patchwork.Model, []patchwork.Pick) {
	t.Helper()
	m, err := patchwork.NewModel(patchwork.Config{Rule: rule, Height: 1, Width: 4, Q: 0.5 * float64(rule)},
		[][]float64{a, b})
	if err != nil {
		t.Fatal(err)
	}
	return m, []patchwork.Pick{{Expert: 1}, {Expert: 0}}
}

func TestColouredShowsTheStrongest(t *testing.T) {
	m, picks := tiny(t, patchwork.RuleMax, []float64{1, 0.25, 0, 1}, []float64{0.5, 1, 0, 0})
	tile := Coloured(m, 1, 4, picks)
	for x, want := range []color.RGBA{Hue(0), Hue(1), white, Hue(0)} {
		if got := tile.RGBAAt(x, 0); got != want {
			t.Errorf("max: pixel %d is %v, want %v", x, got, want)
		}
	}
	half := Coloured(m, 1, 4, picks[:1]).RGBAAt(0, 0)
	if half == white || half == Hue(1) || half != mix(white, Hue(1), 0.5) {
		t.Errorf("an opinion of 1/2 is %v", half)
	}

	m, picks = tiny(t, patchwork.RuleMaxMinusMin, []float64{1, 0.6, 0.5, 0}, []float64{0.1, 0, 0.5, 1})
	tile = Coloured(m, 1, 4, picks)
	off := mix(Hue(1), black, 0.6)
	for x, want := range []color.RGBA{Hue(0), off, white, Hue(1)} { // a vote for on wins the tie
		if got := tile.RGBAAt(x, 0); got != want {
			t.Errorf("max-minus-min: pixel %d is %v, want %v", x, got, want)
		}
	}
}

func TestOverlayMeanings(t *testing.T) {
	m, picks := tiny(t, patchwork.RuleMax, []float64{1, 1, 0, 0}, []float64{0, 0, 0, 1})
	tile := Overlay(m, bitmap.Parse("#.#?"), picks)
	for x, want := range []color.RGBA{
		Hue(0),                                 // ink, explained
		mix(white, Hue(0), tintOn),             // an expert's ink that is not there
		unexplained,                            // ink, unexplained
		mix(unknownTints[1], Hue(1), tintOn)} { // unknown
		if got := tile.RGBAAt(x, 0); got != want {
			t.Errorf("max: pixel %d is %v, want %v", x, got, want)
		}
	}
	m, picks = tiny(t, patchwork.RuleMaxMinusMin, []float64{0, 0, 1, 0.5}, []float64{0.5, 0.5, 0, 0.5})
	tile = Overlay(m, bitmap.Parse("#.#."), picks)
	for x, want := range []color.RGBA{
		unexplained,                 // the vote was for off
		mix(white, Hue(0), tintOff), // rightly off
		unexplained,                 // votes that cancel
		white} {                     // no vote
		if got := tile.RGBAAt(x, 0); got != want {
			t.Errorf("max-minus-min: pixel %d is %v, want %v", x, got, want)
		}
	}
}

// TestOverlayFollowsPose: everything that the tile of an explanation shows
// moves with the pick.
func TestOverlayFollowsPose(t *testing.T) {
	m := letterT(t)
	at := func(dy, dx int) color.RGBA {
		picks := []patchwork.Pick{{Expert: 0, Pose: pose.Pose{DY: dy, DX: dx}}}
		return Coloured(m, 40, 50, picks).RGBAAt(7+dx, 8+dy)
	}
	if at(0, 0) != Hue(0) || at(20, 30) != Hue(0) {
		t.Errorf("the upright's middle is %v unmoved, %v moved", at(0, 0), at(20, 30))
	}
}

func TestExpertUsesEachPixelsAbstention(t *testing.T) {
	m := table(t)
	for x := range 8 {
		up := Expert(m, 0).RGBAAt(x, 0)
		if abstains := x%2 == 1; (up == grey) != abstains {
			t.Errorf("column %d is %v, abstains: %v", x, up, abstains)
		}
	}
}

func TestComposedMatchesExpertAlone(t *testing.T) {
	for _, m := range []*patchwork.Model{letterT(t), quadrants(t), table(t)} {
		got := Composed(m, m.Height(), m.Width(), []patchwork.Pick{{Expert: 1}})
		if want := Expert(m, 1); string(got.Pix) != string(want.Pix) {
			t.Errorf("%v: one pick in place is not its expert", m.Config().Rule)
		}
	}
}
