package sheets

import (
	"context"
	"math"
	"slices"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
)

// drawing returns a drawing with some symbols; the first four are a triangle, a triangle in a
// square, a grille, and a register, which is a grille with louvers.
func drawing(t *testing.T, flip float64, seed uint64, symbols int) *synth.Set[*synth.SheetTruth] {
	t.Helper()
	set, err := synth.Sheets(synth.SheetsOptions{N: 1, Height: 900, Width: 1200, Symbols: symbols, Placements: 60,
		Flip: &flip, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// placed returns the placements of one symbol.
func placed(set *synth.Set[*synth.SheetTruth], symbol int) (out []synth.Placement) {
	for _, p := range set.Truth.Items[0].Placements {
		if p.Symbol == symbol {
			out = append(out, p)
		}
	}
	return out
}

// cutOut returns the ink of a placement on the page, as a person would mark it.
func cutOut(t *testing.T, page *bitmap.Image, symbol *bitmap.Image, p synth.Placement) Symbol {
	t.Helper()
	s := FromImage("", synth.Quarter(symbol, p.Turn, p.Mirror))
	y0, y1, x0, x1 := s.strokes()
	m, err := Mark(page, "cut", p.Y+y0, p.X+x0, y1-y0+1, x1-x0+1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// findCut cuts the first placement of a symbol from a page and looks for it.
func findCut(t *testing.T, set *synth.Set[*synth.SheetTruth], symbol int) (finds []Find, want []synth.Placement) {
	t.Helper()
	want = placed(set, symbol)
	cut := cutOut(t, set.Images[0], set.Truth.Symbols[symbol], want[0])
	res, err := Search(context.Background(), set.Images[0], []Symbol{cut}, Options{Turns: true, Mirror: true})
	if err != nil {
		t.Fatal(err)
	}
	return res.Finds, want
}

// A triangle in a square is not the triangle, and a register, a grille with louvers, is
// not the grille: neither is counted for the other, although no template says so.
func TestPartsOfOtherThings(t *testing.T) {
	wrong := 0
	for _, flip := range []float64{0, 0.01, 0.04} {
		for seed := uint64(1); seed <= 3; seed++ {
			set := drawing(t, flip, seed, 4)
			for symbol, name := range []string{"triangle", "triangle in a square", "grille", "register"} {
				finds, want := findCut(t, set, symbol)
				for _, f := range finds {
					hit := false
					for _, p := range want {
						hit = hit || math.Abs(float64(f.Top+f.Bottom)/2-float64(p.Y)-25) < 6 &&
							math.Abs(float64(f.Left+f.Right)/2-float64(p.X)-25) < 6
					}
					if !hit {
						wrong++
						t.Logf("flips %v, seed %d: %s found where there is none: %+v", flip, seed, name, f)
					}
				}
				if len(finds) < len(want)*8/10 {
					t.Errorf("flips %v, seed %d: %d of %d of the %s", flip, seed, len(finds), len(want), name)
				}
			}
		}
	}
	// In the third drawing an oblique line runs into a louver, which then looks like its end.
	if wrong > 3 {
		t.Errorf("%d false placements in nine drawings", wrong)
	}
}

// A small seed, a piece of a stroke or a corner of a symbol, does not bring placements all over
// the page.
func TestSmallSeed(t *testing.T) {
	set := drawing(t, 0.01, 5, 20)
	page := set.Images[0]
	for _, p := range set.Truth.Items[0].Placements[:5] {
		for _, side := range []int{6, 9, 13} {
			glyph := synth.Quarter(set.Truth.Symbols[p.Symbol], p.Turn, p.Mirror)
			y0, _, x0, _ := new(FromImage("", glyph)).strokes()
			seed, err := Mark(page, "seed", p.Y+y0+4, p.X+x0+4, side, side)
			if err != nil {
				t.Fatal(err)
			}
			ink := 0
			for _, v := range seed.P {
				if v == 1 {
					ink++
				}
			}
			if ink < 3 {
				continue
			}
			res, err := Search(context.Background(), page, []Symbol{seed}, Options{Turns: true, Mirror: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Finds) > 1 {
				t.Errorf("a seed of %d x %d pixels with %d of ink, symbol %d, brings %d placements", side, side, ink, p.Symbol,
					len(res.Finds))
			}
		}
	}
}

// Rivals explain what is theirs and are not reported.
func TestRivals(t *testing.T) {
	set := drawing(t, 0.01, 2, 4)
	symbols := []Symbol{FromImage("grille", set.Truth.Symbols[2]), FromImage("register", set.Truth.Symbols[3])}
	symbols[1].Rival = true
	res, err := Search(context.Background(), set.Images[0], symbols, Options{Turns: true, Mirror: true})
	if err != nil {
		t.Fatal(err)
	}
	grilles := len(placed(set, 2))
	if len(res.Finds) != grilles || slices.ContainsFunc(res.Finds, func(f Find) bool { return f.Symbol != 0 }) {
		t.Errorf("%d finds, want %d grilles: %+v", len(res.Finds), grilles, res.Finds)
	}
	symbols[1].Rival = false
	if res, err = Search(context.Background(), set.Images[0], symbols, Options{Turns: true, Mirror: true}); err != nil {
		t.Fatal(err)
	}
	if want := grilles + len(placed(set, 3)); len(res.Finds) != want {
		t.Errorf("%d finds without rivals, want %d", len(res.Finds), want)
	}
}
