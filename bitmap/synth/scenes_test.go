package synth

import (
	"testing"

	"example.com/patchwork/bitmap"
)

func TestScenesTruth(t *testing.T) {
	for _, side := range []int{100, 64, 48, 28} {
		s := must(Scenes(ScenesOptions{N: 40, Side: side, Seed: 31}))
		flips := 0
		for i, m := range s.Images {
			scene := s.Truth.Items[i]
			union, seen := bitmap.New(side, side), make(map[int]bool)
			for _, o := range scene.Objects {
				if seen[o.Label] {
					t.Fatalf("scene %d shows digit %d twice", i, o.Label)
				}
				seen[o.Label] = true
				if s.Truth.Labels[o.Glyph] != o.Label || scene.Candidates[o.Label] != o.Glyph {
					t.Fatalf("scene %d: %+v is not the candidate of its digit, %d", i, o, scene.Candidates[o.Label])
				}
				for y := range 28 {
					for x := range 28 {
						if s.Truth.Glyphs[o.Glyph].At(y, x) {
							union.Set(o.DY+y, o.DX+x, true) // panics unless placed fully
						}
					}
				}
			}
			if len(seen) != 5 || !union.Equal(scene.Clean) {
				t.Fatalf("side %d, scene %d, %d digits: clean is not the union of its glyphs", side, i, len(seen))
			}
			flips += differences(m, union)
		}
		closeTo(t, "flips", flips, 40*side*side, 0.10)
	}
}

func TestScenesAreSpread(t *testing.T) {
	const n = 4000
	s := must(Scenes(ScenesOptions{N: n, Side: 31, Objects: 3, Flip: new(0.0), Exemplars: 4, Seed: 32}))
	places, digits, exemplars := make([]int, 16), make([]int, 10), make([]int, 4)
	for _, scene := range s.Truth.Items {
		for _, o := range scene.Objects {
			places[4*o.DY+o.DX]++
			digits[o.Label]++
			exemplars[o.Glyph%4]++
		}
	}
	for _, hits := range places {
		closeTo(t, "a place", hits, 3*n, 1.0/16)
	}
	for _, hits := range digits {
		closeTo(t, "a digit", hits, n, 0.3)
	}
	for _, hits := range exemplars {
		closeTo(t, "an exemplar", hits, 3*n, 0.25)
	}
}

func TestScenesDoNotDependOnNoise(t *testing.T) {
	a := must(Scenes(ScenesOptions{N: 3, Flip: new(0.0), Seed: 33}))
	b := must(Scenes(ScenesOptions{N: 3, Flip: new(0.3), Off: new(0.02), Seed: 33}))
	for i := range a.Images {
		if !a.Images[i].Equal(b.Truth.Items[i].Clean) {
			t.Errorf("scene %d changes with the noise", i)
		}
	}
	for digit, mu := range b.Truth.Templates(1) {
		glyph := b.Truth.Glyphs[b.Truth.Items[1].Candidates[digit]]
		for d, p := range mu {
			if want := map[bool]float64{true: 0.7, false: 0.02}[glyph.At(d/28, d%28)]; p != want {
				t.Fatalf("template of digit %d, pixel %d: %v, want %v", digit, d, p, want)
			}
		}
	}
}

// TestScenesOfGivenGlyphs: given glyphs may have another size, and labels with
// gaps and out of order.
func TestScenesOfGivenGlyphs(t *testing.T) {
	glyphs := []*bitmap.Image{bitmap.Parse("##", ".#", ".#"), bitmap.Parse("##", "##", "##"),
		bitmap.Parse("#.", "#.", "##")}
	s := must(Scenes(ScenesOptions{N: 50, Side: 6, Objects: 2, Flip: new(0.0), Glyphs: glyphs, Labels: []int{7, 2, 7},
		Seed: 34}))
	used := make(map[int]int)
	for i, scene := range s.Truth.Items {
		if len(scene.Candidates) != 2 || scene.Candidates[0] != 1 || scene.Candidates[1]%2 != 0 {
			t.Fatalf("scene %d: candidates %v, want glyph 1 (class 2), then 0 or 2 (class 7)", i, scene.Candidates)
		}
		for _, o := range scene.Objects {
			used[o.Glyph]++
			if s.Truth.Labels[o.Glyph] != o.Label {
				t.Fatalf("scene %d: %+v", i, o)
			}
		}
	}
	if used[0] == 0 || used[1] != 50 || used[2] == 0 {
		t.Errorf("uses of the glyphs: %v", used)
	}
}

func TestDigits(t *testing.T) {
	glyphs, labels, err := Digits(30, 35)
	if err != nil {
		t.Fatal(err)
	}
	for j, g := range glyphs {
		top, bottom, left, right := margins(g)
		if labels[j] != j/30 || min(top, bottom, left, right) < 4 {
			t.Fatalf("glyph %d of digit %d: margins %d, %d, %d, %d", j, labels[j], top, bottom, left, right)
		}
		// 20 of the longer side; a thin pen may miss one pixel at a tip.
		if h, w := 28-top-bottom, 28-left-right; max(h, w) < 19 {
			t.Errorf("glyph %d: ink %d x %d\n%v", j, h, w, g)
		}
		for k := range j {
			if g.Equal(glyphs[k]) {
				t.Errorf("glyphs %d and %d are equal", k, j)
			}
		}
	}
	fewer, _, _ := Digits(3, 35)
	if !fewer[3*4+2].Equal(glyphs[30*4+2]) {
		t.Error("a glyph depends on how many are drawn")
	}
}

func TestTemplates(t *testing.T) {
	on, off := NoiseLevels(0.1)
	got := must(Templates([]*bitmap.Image{bitmap.Parse("#.", "?#")}, on, off))
	for d, want := range []float64{0.9, 0.1, 0.1, 0.9} {
		if got[0][d] != want {
			t.Errorf("pixel %d: %v, want %v", d, got[0][d], want)
		}
	}
	for _, c := range []struct{ eta, off float64 }{{0, 0.01}, {0.01, 0.01}, {0.2, 0.2}, {0.5, 0.45}, {1, 0.45}} {
		if on, off := NoiseLevels(c.eta); off != c.off || on != 1-c.off {
			t.Errorf("levels for %v: %v, %v", c.eta, on, off)
		}
	}
}
