package posterior

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

func BenchmarkSearcher(b *testing.B) {
	for _, size := range [][2]int{{8, 36}, {64, 784}} {
		for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
			m, images := tableOf(rule, size[0], size[1], 64)
			n := mustSearcher(b, m, Options{})
			b.Run(fmt.Sprintf("explain/K=%d/D=%d/%v", size[0], size[1], rule), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if _, err := n.Explain(images[i%len(images)]); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("predict/K=%d/D=%d/%v", size[0], size[1], rule), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if _, _, err := n.Predict(images[i%len(images)]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkLetters(b *testing.B) {
	rng := rand.New(rand.NewPCG(37, 0))
	const side = 56
	c := patchwork.Config{Height: side, Width: side, Q: 0.01, Defaults: patchwork.Defaults{Truncate: true},
		Poses: pose.Grid{DY: pose.Symmetric(14, 1), DX: pose.Symmetric(14, 1), Angles: pose.Evenly(24, 6)}}
	bars := make([][]float64, 3)
	for k := range bars {
		bars[k] = make([]float64, side*side)
		for y := 12; y < 44; y++ {
			for x := 16 + 8*k; x < 22+8*k; x++ {
				bars[k][y*side+x] = 0.9
			}
		}
	}
	m, err := patchwork.NewModel(c, bars)
	if err != nil {
		b.Fatal(err)
	}
	picks := []patchwork.Pick{{Expert: 0, Pose: pose.Pose{DX: -5, Angle: 12}}, {Expert: 2, Pose: pose.Pose{DX: 5, DY: 3}}}
	img := bitmap.Sample(rng, side, side, m.Compose(side, side, picks).P)
	n := mustSearcher(b, m, Options{})
	for b.Loop() {
		if _, err := n.Explain(img); err != nil {
			b.Fatal(err)
		}
	}
}

// tableOf returns a model of a table and rows drawn from it, a fifth of them hidden.
func tableOf(rule patchwork.Rule, k, d, rows int) (*patchwork.Model, []*bitmap.Image) {
	rng := rand.New(rand.NewPCG(34, uint64(k)))
	m, _ := tableAndRow(rng, rule, k, d)
	images := make([]*bitmap.Image, rows)
	for i := range images {
		p := m.Compose(1, d, []patchwork.Pick{{Expert: rng.IntN(k)}, {Expert: rng.IntN(k)}}).P
		images[i] = Exclusive(nil).Hide(bitmap.Sample(rng, 1, d, p), 0.2, 1, i)
	}
	return m, images
}
