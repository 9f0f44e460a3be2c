package real

import (
	"math/rand/v2"
	"testing"
)

// greyImages returns 28 x 28 images of a few of 64 experts that vote for 120 pixels each, and the model.
func greyImages(n int) (*Model, [][]float64) {
	rng := rand.New(rand.NewPCG(28, 64))
	m := &Model{Height: 28, Width: 28, Background: make([]Normal, 784)}
	for d := range m.Background {
		m.Background[d] = Normal{0, 1}
	}
	for range 64 {
		e := make([]Entry, 784)
		y, x := rng.IntN(17), rng.IntN(19)
		for i := range 120 {
			e[(y+i/10)*28+x+i%10] = Entry{Vote(1 + i%2), Normal{2 * rng.NormFloat64(), .5}}
		}
		m.Experts = append(m.Experts, e)
		m.Pi = append(m.Pi, .05)
	}
	images := make([][]float64, n)
	for i := range images {
		picks := []Pick{{Expert: rng.IntN(64)}, {Expert: rng.IntN(64)}, {Expert: rng.IntN(64)}}
		for d := range 784 {
			images[i] = append(images[i], m.Compose(d, picks).Mean()+rng.NormFloat64())
		}
	}
	return m, images
}

func BenchmarkExplain28(b *testing.B) {
	m, images := greyImages(32)
	p, err := NewPursuit(m)
	if err != nil {
		b.Fatal(err)
	}
	picks := 0
	for i := 0; b.Loop(); i++ {
		e, _ := p.Explain(images[i%len(images)])
		picks += len(e.Picks)
	}
	b.ReportMetric(float64(picks)/float64(b.N), "picks/op")
}
