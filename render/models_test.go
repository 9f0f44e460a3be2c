package render

import (
	"image"
	"image/color"
	"math"
	"testing"

	patchwork "example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// letterT returns a 16 x 16 max model of an upright (expert 0) and a crossbar
// (expert 1), soft at the edges.
func letterT(t testing.TB) *patchwork.Model {
	t.Helper()
	const n = 16
	bar := func(distance func(y, x float64) float64) []float64 {
		p := make([]float64, n*n)
		for i := range p {
			// Steps of 1/8, so that rounding in exp cannot reach a golden file.
			d := distance(float64(i/n), float64(i%n))
			p[i] = math.Round(8*max(0, min(1, 2-d))) / 8
		}
		return p
	}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: n, Width: n}, [][]float64{
		bar(func(y, x float64) float64 { return math.Abs(x-7.5) + max(0, 4-y, y-13) }),
		bar(func(y, x float64) float64 { return math.Abs(y-3.5) + max(0, 3-x, x-12) }),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var pickT = []patchwork.Pick{{Expert: 0, Gain: 81.25}, {Expert: 1, Pose: pose.Pose{DY: -1}, Gain: 40.5}}

// imageT returns a T with a stray dot and an unknown corner.
func imageT() *bitmap.Image {
	img := bitmap.New(16, 16)
	for i := 2; i < 14; i++ {
		for _, d := range []int{0, 1} {
			img.Set(2+d, i, true)
			img.Set(i, 7+d, true)
		}
	}
	for i := range 9 {
		img.Set(11+i/3, 2+i%3, true)
		img.SetUnknown(i/3, 13+i%3)
	}
	return img
}

// quadrants returns the synthetic model of section 5.1 of the paper: eight
// experts of 6 x 6 pixels, each certain of one quadrant.
func quadrants(t testing.TB) *patchwork.Model {
	t.Helper()
	var templates [][]float64
	for k := range 8 {
		p := make([]float64, 36)
		for i := range p {
			p[i] = 0.5
			if i/18*2+i%6/3 == k/2 {
				p[i] = []float64{0.02, 0.98}[k%2]
			}
		}
		templates = append(templates, p)
	}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 6, Width: 6, Q: 0.5}, templates)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// table returns a max-minus-min model of rows with an abstention value per
// column.
func table(t testing.TB) *patchwork.Model {
	t.Helper()
	q := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}
	up, down := make([]float64, 8), make([]float64, 8)
	for i, v := range q {
		up[i], down[i] = v, v
		if i%2 == 0 {
			up[i], down[7-i] = 0.95, 0.05
		}
	}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 8, QMap: q},
		[][]float64{up, down})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// noise returns a tile in which every pixel differs from its neighbours.
func noise(h, w int) *image.RGBA {
	return paint(h, w, func(i int) color.RGBA {
		return color.RGBA{uint8(i * 37), uint8(i * 101), uint8(i * 11), 255}
	})
}
