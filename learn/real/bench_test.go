package real

import (
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
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

// BenchmarkBinary28 is the same with bits: as many experts and votes, by the binary pursuit.
func BenchmarkBinary28(b *testing.B) {
	m, images := greyImages(32)
	templates := make([][]float64, m.K())
	for k, e := range m.Experts {
		for _, o := range e {
			p := .5
			switch {
			case o.Vote != Abstains && o.Mean > 0:
				p = .9
			case o.Vote != Abstains:
				p = .1
			}
			templates[k] = append(templates[k], p)
		}
	}
	binary, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMaxMinusMin, 28, 28, pose.Grid{}), templates)
	if err != nil {
		b.Fatal(err)
	}
	var bits []*bitmap.Image
	for _, image := range images {
		img := bitmap.New(28, 28)
		for d, x := range image {
			img.Set(d/28, d%28, x > 0)
		}
		bits = append(bits, img)
	}
	p, err := patchwork.NewPursuit(binary, patchwork.PursuitOptions{})
	if err != nil {
		b.Fatal(err)
	}
	picks := 0
	for i := 0; b.Loop(); i++ {
		e, err := p.Explain(bits[i%len(bits)])
		if err != nil {
			b.Fatal(err)
		}
		picks += len(e.Picks)
	}
	b.ReportMetric(float64(picks)/float64(b.N), "picks/op")
}
