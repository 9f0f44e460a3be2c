package sheets

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
)

// broadened returns a page as a broader pen draws it: pixels beside ink are ink, but for a share.
func broadened(m *bitmap.Image, share float64, seed uint64) *bitmap.Image {
	r, out := rand.New(rand.NewPCG(seed, 3)), m.Clone()
	for y := range m.Height() {
		for x := range m.Width() {
			for _, d := range [4]spot{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				if v, u := y+d.y, x+d.x; m.At(y, x) && v >= 0 && u >= 0 && v < m.Height() && u < m.Width() && r.Float64() < share {
					out.Set(v, u, true)
				}
			}
		}
	}
	return out
}

func symbolsOf(set *synth.Set[*synth.SheetTruth]) (out []Symbol) {
	for _, m := range set.Truth.Symbols {
		out = append(out, FromImage("", m))
	}
	return out
}

// Pages drawn by the symbols' own pixels have the symbols' own pen, however many pixels are flipped.
func TestNoPenOnExactPages(t *testing.T) {
	for _, flip := range []float64{0, 0.01, 0.05} {
		set := drawing(t, flip, 3, 12)
		res, err := Search(context.Background(), set.Images[0], symbolsOf(set), Options{Turns: true, Mirror: true})
		if err != nil || res.Pen.Learned() || res.Pen.Finds() < 30 || res.Pen.Rates()[1] > 0.02 {
			t.Errorf("flips %v: %+v (%v)", flip, res.Pen.rates, err)
		}
	}
}

// With a broader pen all symbols are found, and a triangle in a square is not the triangle, nor a register the
// grille; the result is the same for any number of tiles and workers.
func TestBroadPen(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		set := drawing(t, 0.002, seed, 4)
		page := broadened(set.Images[0], 0.6, seed)
		var want *Result
		for _, n := range []int{1, 4, 50} {
			res, err := Search(context.Background(), page, symbolsOf(set), Options{Turns: true, Mirror: true, Tiles: n, Workers: n})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = res
			}
			if !reflect.DeepEqual(res, want) {
				t.Errorf("seed %d: %d tiles and workers change the result", seed, n)
			}
		}
		if placed := set.Truth.Items[0].Placements; !want.Pen.Learned() || len(want.Finds) != len(placed) {
			t.Errorf("seed %d: %d finds of %d, pen %v", seed, len(want.Finds), len(placed), want.Pen.rates)
		}
		for symbol := range 3 {
			res, err := Search(context.Background(), page, symbolsOf(set)[symbol:symbol+1], Options{Turns: true, Mirror: true})
			n := len(placed(set, symbol))
			if seed == 3 && symbol == 2 {
				n++ // an oblique line runs into a louver, which then looks like its end
			}
			if err != nil || len(res.Finds) < n-1 || len(res.Finds) > n || symbol != 1 && len(res.Withheld) == 0 {
				t.Errorf("seed %d, symbol %d alone: %d finds of %d, %d withheld (%v)", seed, symbol, len(res.Finds), n,
					len(res.Withheld), err)
			}
		}
	}
}

// A page with too few finds has the pen of pages like it; at the border a find may have ink spread beyond it.
func TestSharedPen(t *testing.T) {
	set := drawing(t, 0, 1, 6)
	symbols := symbolsOf(set)[5:]
	many, err := Search(context.Background(), broadened(set.Images[0], 0.7, 1), symbolsOf(set), Options{Turns: true, Mirror: true})
	if err != nil {
		t.Fatal(err)
	}
	y0, y1, x0, x1 := symbols[0].strokes()
	cut, err := Cut(set.Truth.Symbols[5], y0, x0, y1-y0+1, x1-x0+1)
	if err != nil {
		t.Fatal(err)
	}
	page := bitmap.New(120, 150)
	for y := range cut.Height() {
		for x := range cut.Width() {
			page.Set(y, x, cut.At(y, x))
			page.Set(119-y, 149-x, cut.At(y, x))
		}
	}
	page = broadened(page, 0.7, 2)
	for _, pen := range []*Pen{nil, many.Pen} {
		res, err := Search(context.Background(), page, []Symbol{FromImage("", cut)}, Options{Turns: true, Pen: pen})
		if err != nil || res.Pen.Learned() != (pen != nil) || pen != nil && len(res.Finds) != 2 {
			t.Errorf("%d finds, %d withheld with pen %v (%v)", len(res.Finds), len(res.Withheld), res.Pen.rates, err)
		}
	}
}

// A redrawn sprite has the symbol's own strokes where they were, no less ink than the page has there, and thin strokes
// keep theirs.
func TestRedrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, symbols, _ := scene(t)
		pen := &Pen{finds: penFinds}
		for z := range pen.shares {
			pen.shares[z] = []float64{rapid.Float64Range(-0.1, 1.1).Draw(t, "share")}
		}
		pen.settle()
		sp := layOut(0, &symbols[0], Turn{Scale: 1})
		out := sp.redrawn(pen)
		base, top, left := out.own(0, 0)
		if base != sp || top > penReach || left > penReach || out.h < sp.h+top || out.w < sp.w+left {
			t.Fatalf("%d x %d at %d, %d in %d x %d", sp.h, sp.w, top, left, out.h, out.w)
		}
		for y := -top; y < out.h-top; y++ {
			for x := -left; x < out.w-left; x++ {
				was, known := sp.value(y, x)
				is, now := out.value(y+top, x+left)
				zone := sp.zone(y, x)
				if known && !now || zone == ridge && is < 0.29 || zone >= rim1 && known && len(out.levels) < maxLevels && is < was {
					t.Fatalf("pixel %d, %d of zone %d: %v, %v; now %v, %v", y, x, zone, was, known, is, now)
				}
			}
		}
	})
}
