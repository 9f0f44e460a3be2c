package sheets

import (
	"context"
	"testing"

	"example.com/patchwork/bitmap/synth"
)

// A small sheet is found, and finds are judged one to one.
func TestSearchAndJudge(t *testing.T) {
	page, truth, err := Draw(400, 600, 6, 2, 0.01, 1)
	if err != nil {
		t.Fatal(err)
	}
	found, seconds, err := Search(context.Background(), page, truth)
	if err != nil || seconds < 0 {
		t.Fatal(err)
	}
	right := Judge(found, truth)
	if f := F1(found, right, 0, 6); f != 1 {
		t.Errorf("F1 %v of %+v", f, found)
	}
	twice := append(found[:0:0], found...)
	twice = append(twice, found...)
	hits := 0
	for _, r := range Judge(twice, truth) {
		if r {
			hits++
		}
	}
	if hits != 6 {
		t.Errorf("%d right of the same finds twice", hits)
	}
	moved := []Found{{synth.Placement{Symbol: found[0].Symbol, Y: found[0].Y + 4, X: found[0].X}, 1}}
	if Judge(moved, truth)[0] {
		t.Error("a find four pixels away is right")
	}
}

// Scans of a sheet by all pens are read, and all their symbols found where the truth has moved.
func TestScansAreFound(t *testing.T) {
	for i, s := range Scanners {
		page, truth, err := Draw(700, 900, 12, 0, 0, 3)
		if err != nil {
			t.Fatal(err)
		}
		grey, moved := s.Scan(page, truth, uint64(i))
		if page, err = s.Read(context.Background(), grey); err != nil {
			t.Fatal(err)
		}
		found, _, err := Search(context.Background(), page, moved)
		if err != nil {
			t.Fatal(err)
		}
		if f := F1(found, Judge(found, moved), 0, 12); f < 0.85 {
			t.Errorf("%s: F1 %v", s.Name, f)
		}
	}
}
