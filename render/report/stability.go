package report

import (
	"context"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/alike"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
)

// Stability says how well each part comes back when the model is learned again: from
// other starts (restarts), and from as many rows drawn with replacement (bootstrap; parts
// of drawings begin at those of the model). Parts are paired one to one with the most similar ones.
type Stability struct {
	Times   int         `json:"times"` // of each kind
	Rows    int         `json:"rows"`  // learned from each time
	Learned string      `json:"learned"`
	Parts   []Returning `json:"parts"`
}

// Returning is how similar a part is to its counterparts: 1 is the same, 0 is
// nothing in common. The similarity of two parts is the sum of the smaller over the
// sum of the larger of their votes, column by column or pixel by pixel.
type Returning struct {
	Part      int       `json:"part"`
	Restarts  []float64 `json:"restarts"`
	Bootstrap []float64 `json:"bootstrap"`
}

// same is the similarity from which the page says that a part came back.
const same = alike.Same

// Mean returns the mean of some similarities.
func Mean(s []float64) float64 {
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	return sum / float64(len(s))
}

// Worst returns the smallest of some similarities.
func Worst(s []float64) float64 {
	out := math.Inf(1)
	for _, v := range s {
		out = min(out, v)
	}
	return out
}

// Back counts the similarities that mean that the part came back.
func Back(s []float64) int {
	n := 0
	for _, v := range s {
		if v >= same {
			n++
		}
	}
	return n
}

// stability learns the model again and compares the parts.
func (b *builder) stability(ctx context.Context) error {
	if b.opt.Stability < 0 {
		b.r.NoStability = "It was left out by request."
		return nil
	}
	if b.mixed != nil {
		return b.mixedStability(ctx, *b.mixed)
	}
	l, data, why := b.relearning()
	if l == nil {
		b.r.NoStability = why
		return nil
	}
	n := len(data.Images)
	if n < 2 {
		b.r.NoStability = "There is one row only."
		return nil
	}
	at := alike.Placed(b.bits)
	return b.comesBack(ctx, n, l.words, func(index []int, seed uint64) ([]float64, error) {
		again, from := l, data
		if index != nil {
			again, from, seed = l.from(b.bits), rows.Part(data, index), b.bits.Extras().Record.Seed
		}
		m, err := again.fit(ctx, from, seed)
		if err != nil {
			return nil, err
		}
		return compare(at, alike.Placed(m), reach(m)), nil
	})
}

// comesBack learns again from n rows by other starts, and from as many drawn anew by their index, and says how similar
// each part is to its counterpart.
func (b *builder) comesBack(ctx context.Context, n int, learned string,
	again func(index []int, seed uint64) ([]float64, error)) error {
	times := b.opt.Stability
	found := make([][]float64, 2*times)
	step := b.counter(stepAgain, 2*times)
	_, err := pool.Run(ctx, 2*times, b.opt.Workers, 1, func(_, i int) (err error) {
		var index []int
		if i >= times {
			rng := source(b.opt.Seed, "bootstrap", i)
			index = make([]int, n)
			for j := range index {
				index[j] = rng.IntN(n)
			}
		}
		found[i], err = again(index, b.opt.Seed+1+uint64(i))
		step()
		return err
	})
	if err != nil {
		b.r.NoStability, err = failed(ctx, err)
		return err
	}
	s := &Stability{Times: times, Rows: n, Learned: learned}
	for k := range b.m.K() {
		p := Returning{Part: k}
		for i, f := range found {
			if i < times {
				p.Restarts = append(p.Restarts, f[k])
			} else {
				p.Bootstrap = append(p.Bootstrap, f[k])
			}
		}
		s.Parts = append(s.Parts, p)
	}
	b.r.Stability = s
	return nil
}

// reach returns by how many pixels the parts of images may be moved when they are
// compared: their mean places are rounded, and follow from few images.
func reach(m *patchwork.Model) int {
	if m.Config().Poses.Len() == 1 {
		return 0
	}
	return 3
}

// compare returns the similarity of each part to its counterpart among others, which were learned from the same images;
// 0 where there is none.
func compare(a, b alike.Votes, reach int) []float64 {
	out := make([]float64, len(a.Parts))
	for k, p := range alike.Pairs(a, b, reach, false) {
		out[k] = p.Similarity
	}
	return out
}
