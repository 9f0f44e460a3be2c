package sheets

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"example.com/patchwork/bitmap/synth"
)

// BenchmarkSheet searches a drawing for 34 symbols in 8 orientations; the side of the
// drawing can be set by SHEET_HEIGHT.
func BenchmarkSheet(b *testing.B) {
	height := 1800
	if v, err := strconv.Atoi(os.Getenv("SHEET_HEIGHT")); err == nil {
		height = v
	}
	for _, flip := range []float64{0.01, 0.05} {
		b.Run(fmt.Sprint(flip), func(b *testing.B) {
			set, err := synth.Sheets(synth.SheetsOptions{N: 1, Height: height, Width: height * 3 / 2, Flip: &flip, Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			var symbols []Symbol
			for _, m := range set.Truth.Symbols {
				symbols = append(symbols, FromImage("", m))
			}
			b.ResetTimer()
			for range b.N {
				start := time.Now()
				res, err := Search(context.Background(), set.Images[0], symbols, Options{Turns: true, Mirror: true, Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				b.Logf("%v: %d finds of %d, %d candidates, %d sprites, lines %d, %+v", time.Since(start), len(res.Finds),
					len(set.Truth.Items[0].Placements), res.Candidates, res.Sprites, res.Lines, res.Rates)
			}
		})
	}
}
