package letters

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// TestMoves: bars that lie anywhere are predicted better by parts that are shifted, even
// though they pay for their places, and bars that stay are not.
func TestMoves(t *testing.T) {
	for _, moved := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(1, 2))
		var data patchwork.Data
		for range 20 {
			at := 6
			if moved {
				at = rng.IntN(12)
			}
			img := bitmap.New(12, 12)
			for y := 2; y < 10; y++ {
				img.Set(y, at, true)
			}
			data.Images = append(data.Images, img)
		}
		c := Class{"bar", &dataset.Set{Data: data}, 1}
		still, err := heldOutMoved(t.Context(), c, Move{}, 1, Options{Starts: 2})
		if err != nil {
			t.Fatal(err)
		}
		shifted, err := heldOutMoved(t.Context(), c, Move{Shift: 0.5}, 1, Options{Starts: 2})
		if err != nil {
			t.Fatal(err)
		}
		if (shifted > still) != moved {
			t.Errorf("moved %v: %.4f where parts stay, %.4f shifted", moved, still, shifted)
		}
	}
	if g := (Move{0.25, 24}).grid(56, 48); g.DY.Max != 14 || g.DX.Max != 12 || g.Rotations() != 9 || !strings.Contains(Move{0.25, 24}.String(), "0.25 of the frame, 24") {
		t.Errorf("%v", g)
	}
}
