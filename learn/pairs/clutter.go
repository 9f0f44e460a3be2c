package pairs

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/elem"
)

// growFlips are the flips that starts take for granted in turn while they grow.
var growFlips = []float64{.01, .04, .1}

// flipsFor returns growFlips in the order in which starts take them for images of so
// much clutter, the likeliest first: noise that makes ink of paper makes about as much
// paper of ink.
func flipsFor(clutter float64) []float64 {
	far := func(f float64) float64 { return math.Abs(elem.Log(f / math.Max(clutter, 1e-6))) }
	return slices.SortedStableFunc(slices.Values(growFlips), func(a, b float64) int { return cmp.Compare(far(a), far(b)) })
}

// clutterOf estimates how often the background is on, before there are parts: by
// the pixels whose eight neighbours are paper, which few pixels of parts are.
func (f field) clutterOf(images []view) float64 {
	on, all := 0, 0
	for _, v := range images {
		for y := 1; y < f.height-1; y++ {
			for x := 0; x+2 < f.width; x += 62 { // pixels x+1 to x+62 are bits 1 to 62
				alone := span(1, min(63, f.width-x-1))
				for r := y - 1; r <= y+1; r++ {
					paper := f.window(v.free, r, x) &^ f.window(v.ink, r, x)
					if alone &= paper << 1 & (paper >> 1); r != y {
						alone &= paper
					}
				}
				on += bits.OnesCount64(alone & f.window(v.ink, y, x))
				all += bits.OnesCount64(alone & f.window(v.free, y, x))
			}
		}
	}
	return float64(on) / math.Max(float64(all), 1)
}
