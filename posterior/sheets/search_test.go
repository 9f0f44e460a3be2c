package sheets

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
)

// A symbol that was turned by any angle and scaled is found where its frame's centre lies, as it was laid.
func TestAnglesAndScales(t *testing.T) {
	set := drawing(t, 0, 1, 6)
	symbol := FromImage("", set.Truth.Symbols[5])
	for _, turn := range []Turn{{Angle: 12, Scale: 1}, {Angle: -12, Scale: 1, Mirrored: true}, {Scale: 0.8}, {Scale: 1.2},
		{Angle: 90, Scale: 1.2}} {
		laid, dy, dx := symbol.turned(turn)
		page := bitmap.New(200, 300)
		for i, p := range laid.P {
			if p >= 0.5 {
				page.Set(70+i/laid.Width, 90+i%laid.Width, true)
			}
		}
		res, err := Search(context.Background(), page, []Symbol{symbol},
			Options{Turns: true, Mirror: true, Angles: []float64{-12, 12}, Scales: []float64{0.8, 1, 1.2}})
		if err != nil || len(res.Finds) != 1 {
			t.Fatalf("%+v: %+v (%v)", turn, res, err)
		}
		if f := res.Finds[0]; f.Turn != turn || math.Abs(f.Y-(70-dy)) > 1 || math.Abs(f.X-(90-dx)) > 1 {
			t.Errorf("%+v is found as %+v", turn, f)
		}
	}
}

// Quarter turns of package synth and of this package are the same, also of frames that are not square,
// and the corner that is reported is that of the frame before turning.
func TestQuartersAgree(t *testing.T) {
	glyph := bitmap.Parse("####.", "#....", "#.##.", "#....", "#....", "#....", "##...", "#....")
	symbol := FromImage("", glyph)
	for _, mirror := range []bool{false, true} {
		for _, angle := range []int{0, 90, 180, 270} {
			want := synth.Quarter(glyph, angle, mirror)
			laid, dy, dx := symbol.turned(Turn{float64(angle), mirror, 1})
			if laid.Height != want.Height() || laid.Width != want.Width() {
				t.Fatalf("%d: %d x %d", angle, laid.Height, laid.Width)
			}
			for i, p := range laid.P {
				if (p == 1) != want.At(i/laid.Width, i%laid.Width) {
					t.Fatalf("%d, mirrored %v: pixel %d", angle, mirror, i)
				}
			}
			if dy != float64(8-want.Height())/2 || dx != float64(5-want.Width())/2 {
				t.Errorf("%d: offset %v, %v", angle, dy, dx)
			}
		}
	}
}

// What cannot be searched is said with facts, and pages without room or ink hold nothing.
func TestSearchRefuses(t *testing.T) {
	page, dot := bitmap.New(30, 30), FromImage("dot", bitmap.Parse("##", "##"))
	for says, call := range map[string]func() error{
		"no symbol": func() error { _, err := Search(context.Background(), page, nil, Options{}); return err },
		`2 "none" has no`: func() error {
			_, err := Search(context.Background(), page, []Symbol{dot, {Name: "none", Height: 1, Width: 1, P: []float64{0}}},
				Options{})
			return err
		},
		"row 2, column 1": func() error {
			_, err := Search(context.Background(), page, []Symbol{{Height: 2, Width: 1, P: []float64{1, 2}}}, Options{})
			return err
		},
		"has 1 values": func() error {
			_, err := Search(context.Background(), page, []Symbol{{Height: 2, Width: 1, P: []float64{1}}}, Options{})
			return err
		},
		"Share is 2": func() error {
			_, err := Search(context.Background(), page, []Symbol{dot}, Options{Share: 2})
			return err
		},
		"Flip is 0.7": func() error {
			_, err := Search(context.Background(), page, []Symbol{dot}, Options{Flip: 0.7})
			return err
		},
		"the scale 9": func() error {
			_, err := Search(context.Background(), page, []Symbol{dot}, Options{Scales: []float64{9}})
			return err
		},
		"the angle +Inf": func() error {
			_, err := Search(context.Background(), page, []Symbol{dot}, Options{Angles: []float64{math.Inf(1)}})
			return err
		},
		"x 29, y 0 of 2 x ": func() error { _, err := Mark(page, "", 0, 29, 2, 2); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
	large := Symbol{Height: 40, Width: 2, P: slices.Repeat([]float64{1}, 80)}
	if res, err := Search(context.Background(), page, []Symbol{dot, large}, Options{Turns: true, Tiles: 9}); err != nil ||
		len(res.Finds) != 0 {
		t.Errorf("%+v (%v)", res, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Search(ctx, page, []Symbol{dot}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was called off: %v", err)
	}
}
