package synth

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
)

// Without flips and lines a sheet is its symbols, each where the truth says, and nothing else; frames do
// not overlap; another number of sheets does not change the first.
func TestSheets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := SheetsOptions{N: 1, Height: rapid.IntRange(100, 400).Draw(t, "height"),
			Width:   rapid.IntRange(100, 400).Draw(t, "width"),
			Symbols: rapid.IntRange(1, 12).Draw(t, "symbols"), Frame: rapid.IntRange(16, 24).Draw(t, "frame"), Placements: 4,
			Lines: -1, Flip: new(0.0), Seed: rapid.Uint64().Draw(t, "seed")}
		set := must(Sheets(o))
		want := bitmap.New(o.Height, o.Width)
		placements := set.Truth.Items[0].Placements
		for i, p := range placements {
			paste(want, Quarter(set.Truth.Symbols[p.Symbol], p.Turn, p.Mirror), p.Y, p.X)
			for _, q := range placements[:i] {
				if max(p.Y-q.Y, q.Y-p.Y) < o.Frame && max(p.X-q.X, q.X-p.X) < o.Frame {
					t.Errorf("the frames %+v and %+v overlap", p, q)
				}
			}
		}
		if len(placements) != 4 || !set.Images[0].Equal(want) {
			t.Errorf("the sheet is not its %d symbols", len(placements))
		}
		o.N = 2
		if !must(Sheets(o)).Images[0].Equal(want) {
			t.Error("a second sheet changes the first")
		}
	})
}

// Turning four quarters, or mirroring twice, changes nothing; a quarter is clockwise.
func TestQuarter(t *testing.T) {
	m := bitmap.Parse("#..", "#.?")
	if got := Quarter(m, 90, false); !got.Equal(bitmap.Parse("##", "..", "?.")) {
		t.Errorf("a quarter:\n%v", got)
	}
	if got := Quarter(m, 0, true); !got.Equal(bitmap.Parse("..#", "?.#")) {
		t.Errorf("mirrored:\n%v", got)
	}
	back := m
	for range 4 {
		back = Quarter(back, 90, false)
	}
	if !back.Equal(m) || !Quarter(Quarter(m, 0, true), 0, true).Equal(m) ||
		!Quarter(m, -90, false).Equal(Quarter(m, 270, false)) {
		t.Error("turns do not add up")
	}
}

// Strangers differ from what they are like by a tenth of its ink, lines are long, and wrong options have names.
func TestSheetStrangersAndErrors(t *testing.T) {
	set := must(Sheets(SheetsOptions{N: 1, Strangers: 30, Placements: -1, Lines: -1, Flip: new(0.0), Seed: 3}))
	for _, p := range set.Truth.Items[0].Strangers {
		symbol := set.Truth.Symbols[p.Symbol]
		own := bitmap.New(50, 50)
		for y := range 50 {
			for x := range 50 {
				own.Set(y, x, set.Images[0].At(p.Y+y, p.X+x))
			}
		}
		if d := differing(own, Quarter(symbol, p.Turn, p.Mirror)); d < symbol.CountOn()/10 {
			t.Errorf("a stranger differs from symbol %d by %d pixels", p.Symbol, d)
		}
	}
	if n := must(Sheets(SheetsOptions{N: 1, Placements: -1, Lines: 1, Flip: new(0.0), Seed: 3})).Images[0].CountOn(); n <
		50 {
		t.Errorf("a line has %d pixels", n)
	}
	for option, o := range map[string]SheetsOptions{
		"N": {}, "Frame": {N: 1, Frame: 4}, "Height": {N: 1, Height: 20}, "Width": {N: 1, Width: 1 << 20},
		"Symbols":   {N: 1, Symbols: -1},
		"Strangers": {N: 1, Strangers: -1}, "Placements": {N: 1, Height: 100, Width: 100, Placements: 50},
		"Flip": {N: 1, Flip: new(2.0)},
	} {
		_, err := Sheets(o)
		var e *OptionError
		if !errors.As(err, &e) || e.Option != option {
			t.Errorf("%s: %v", option, err)
		}
	}
}
