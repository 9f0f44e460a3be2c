package real

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
	"example.com/patchwork/pose"
)

// greyModel returns a model of k parts of side x side pixels, each of which says something of a sixth of them, half of it with
// variances of its own, and n images of three parts each.
func greyModel(k, side, n int) (*model.Model, [][]float64) {
	rng := rand.New(rand.NewPCG(uint64(side), uint64(k)))
	d := side * side
	m := &model.Model{Height: side, Width: side, Background: make([]model.Normal, d)}
	for i := range m.Background {
		m.Background[i].Var = 1
	}
	box := side * 2 / 5
	for range k {
		e := make([]model.Entry, d)
		y, x := rng.IntN(side-box), rng.IntN(side-box)
		for i := range box * box {
			e[(y+i/box)*side+x+i%box] = model.Entry{Vote: model.Vote(1 + i%2), Normal: model.Normal{Mean: 2 * rng.NormFloat64(), Var: .5}}
		}
		m.Experts, m.Pi = append(m.Experts, e), append(m.Pi, 3/float64(k))
	}
	images := make([][]float64, n)
	for i := range images {
		picks := []model.Pick{{Expert: rng.IntN(k)}, {Expert: rng.IntN(k)}, {Expert: rng.IntN(k)}}
		for at := range d {
			images[i] = append(images[i], m.Compose(at, picks).Mean()+rng.NormFloat64())
		}
	}
	return m, images
}

// binaryTwin returns the same with bits: as many parts and votes, for and against.
func binaryTwin(m *model.Model, images [][]float64) (*patchwork.Model, []*bitmap.Image, error) {
	templates := make([][]float64, m.K())
	for k, e := range m.Experts {
		for _, o := range e {
			p := .5
			switch {
			case o.Vote != model.Abstains && o.Mean > 0:
				p = .9
			case o.Vote != model.Abstains:
				p = .1
			}
			templates[k] = append(templates[k], p)
		}
	}
	var bits []*bitmap.Image
	for _, image := range images {
		img := bitmap.New(m.Height, m.Width)
		for d, x := range image {
			img.Set(d/m.Width, d%m.Width, x > 0)
		}
		bits = append(bits, img)
	}
	b, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMaxMinusMin, m.Height, m.Width, pose.Grid{}), templates)
	return b, bits, err
}

// micros returns the processor time of one call in microseconds, over so many calls.
func micros(calls int, do func(i int) error) (float64, error) {
	began := stat.ProcessorTime()
	for i := range calls {
		if err := do(i); err != nil {
			return 0, err
		}
	}
	return float64((stat.ProcessorTime() - began).Microseconds()) / float64(calls), nil
}

// explainTimes returns the processor time of explaining an image, of real values and of bits, in microseconds.
func explainTimes(k, side int) (values, bits, picks float64, err error) {
	m, images := greyModel(k, side, 50)
	binary, twins, err := binaryTwin(m, images)
	if err != nil {
		return 0, 0, 0, err
	}
	p, err := model.NewPursuit(m)
	if err != nil {
		return 0, 0, 0, err
	}
	b, err := patchwork.NewPursuit(binary, patchwork.PursuitOptions{})
	if err != nil {
		return 0, 0, 0, err
	}
	const calls = 2000
	for range 2 { // the second time counts
		if values, err = micros(calls, func(i int) error {
			e, err := p.Explain(images[i%len(images)])
			picks += float64(len(e.Picks)) / calls / 2
			return err
		}); err != nil {
			return 0, 0, 0, err
		}
		if bits, err = micros(calls, func(i int) error {
			_, err := b.Explain(twins[i%len(twins)])
			return err
		}); err != nil {
			return 0, 0, 0, err
		}
	}
	return values, bits, picks, nil
}

// ReportSpeed prints how long explaining and learning take, and how that grows.
func ReportSpeed(ctx context.Context, w io.Writer) error {
	fmt.Fprint(w, "Explaining an image without poses, one core, processor time; bits by the general path, with as many parts and votes\n\n| pixels | parts | picks | real values | bits | rate, real to bits |\n|---|---|---|---|---|---|\n")
	for _, c := range [][2]int{{16, 28}, {32, 28}, {64, 28}, {128, 28}, {64, 14}, {64, 56}} {
		values, bits, picks, err := explainTimes(c[0], c[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d x %d | %d | %.2f | %.0f us | %.0f us | %.1f |\n", c[1], c[1], c[0], picks, values, bits, bits/values)
	}
	fmt.Fprint(w, "\nAn E-step over real quadrants, 8 parts\n\n| images | CPU s | us an image |\n|---|---|---|\n")
	rng := rand.New(rand.NewPCG(1, 7))
	small, err := model.NewData(6, 6, Quadrants(200, 2, 1, rng).Rows)
	if err != nil {
		return err
	}
	r, err := model.Learn(ctx, small, model.Options{Starts: 1})
	if err != nil {
		return err
	}
	for _, n := range []int{2000, 8000, 32000} {
		data, err := model.NewData(6, 6, Quadrants(n, 2, 1, rng).Rows)
		if err != nil {
			return err
		}
		us, err := micros(1, func(int) error {
			_, err := model.EStep(ctx, r.Model, data, 1, 1)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %.2f | %.1f |\n", n, us/1e6, us/float64(n))
	}
	return nil
}
