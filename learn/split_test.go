package learn

import (
	"math"
	"testing"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// drawLines draws an image with lines from (y0, x0) to (y1, x1), three pixels wide.
func drawLines(side int, lines ...[4]float64) (*bitmap.Image, []int) {
	img := bitmap.New(side, side)
	line := make([]int, side*side) // 1 + the last line that inked the pixel
	for n, l := range lines {
		for i := range 4 * side {
			f := float64(i) / float64(4*side-1)
			y, x := l[0]+f*(l[2]-l[0]), l[1]+f*(l[3]-l[1])
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					py, px := int(math.Round(y))+dy, int(math.Round(x))+dx
					img.Set(py, px, true)
					line[py*side+px] = n + 1
				}
			}
		}
	}
	return img, line
}

// Letters of straight strokes are cut into their strokes; round pieces would be
// corners.
func TestSplitFindsStrokes(t *testing.T) {
	for name, lines := range map[string][][4]float64{
		"T": {{4, 4, 4, 35}, {6, 20, 36, 20}},
		"H": {{3, 8, 36, 8}, {3, 30, 36, 30}, {20, 10, 20, 28}},
		"N": {{3, 6, 36, 6}, {3, 8, 36, 31}, {3, 33, 36, 33}},
		"A": {{3, 20, 36, 6}, {3, 21, 36, 34}, {24, 12, 24, 28}},
	} {
		img, line := drawLines(40, lines...)
		cfg := patchwork.NewConfig(patchwork.RuleMax, 40, 40, pose.Grid{})
		m, err := splitModel(t.Context(), cfg, img, len(lines), cut{beside: splitOff}, rng(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		// In each piece, the share of pixels of its commonest line.
		pure := 0
		for k := range m.K() {
			votes := make([]int, len(lines)+1)
			for i, p := range m.Template(k) {
				if p == splitOn {
					votes[line[i]]++
				}
			}
			most := 0
			for _, v := range votes {
				most = max(most, v)
			}
			pure += most
		}
		if share := float64(pure) / float64(img.CountOn()); share < .9 {
			t.Errorf("%s: %.2f of the ink is in a piece of its own stroke, want 0.9", name, share)
		}
	}
}

// Every on pixel goes to one piece, the same for the same seed, also where
// points coincide in a line or there are as many pieces as pixels.
func TestSplitIsAPartition(t *testing.T) {
	row, _ := drawLines(12, [4]float64{5, 1, 5, 10})
	single := bitmap.New(12, 12)
	single.Set(3, 3, true)
	single.Set(3, 4, true)
	for _, c := range []struct {
		img *bitmap.Image
		k   int
	}{{row, 1}, {row, 3}, {row, 8}, {single, 1}, {single, 2}} {
		cfg := patchwork.NewConfig(patchwork.RuleMax, 12, 12, pose.Grid{})
		m, err := splitModel(t.Context(), cfg, c.img, c.k, cut{beside: splitOff}, rng(2, 0))
		if err != nil {
			t.Fatal(err)
		}
		again, _ := splitModel(t.Context(), cfg, c.img, c.k, cut{beside: splitOff}, rng(2, 0))
		if !sameTemplates(m, again) {
			t.Errorf("K=%d: two cuts from one seed differ", c.k)
		}
		for i := range 144 {
			owners := 0
			for k := range c.k {
				if m.Template(k)[i] == splitOn {
					owners++
				}
			}
			if want := map[bool]int{true: 1}[c.img.At(i/12, i%12)]; owners != want {
				t.Fatalf("K=%d: pixel %d belongs to %d pieces, want %d", c.k, i, owners, want)
			}
		}
	}
}
