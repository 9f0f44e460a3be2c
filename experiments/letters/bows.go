package letters

import (
	"context"
	"fmt"
	"io"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn"
)

// BowTasks lists letters with bows.
var BowTasks = []Task{{Letter: "C", Experts: 2}, {Letter: "S", Experts: 3}, {Letter: "D", Experts: 2},
	{Letter: "P", Experts: 2}, {Letter: "O", Experts: 2}}

// straightPrice is what a bent part costs in ReportStrokes, in nats per image.
const straightPrice = 60

// reportBows prints how alike letters with bows are cut with different seeds, and in
// how many models of D and P one part is the stem and the other the bow, with straight parts
// preferred.
func reportBows(ctx context.Context, w io.Writer, set *dataset.Set, seeds int, method learn.Method, o Options) error {
	fmt.Fprintln(w)
	t := stat.NewTable(w, "letter (parts)", "adjusted Rand index between seeds", "test")
	for _, task := range BowTasks {
		c, err := LearnClean(ctx, set, task, seeds, learn.Options{Method: method}, o)
		if err != nil {
			return err
		}
		alike, err := cutAlike(ctx, set, task.Letter, c.Models, o)
		if err != nil {
			return err
		}
		cuts := "-" // one seed is like no other
		if seeds > 1 {
			cuts = fmt.Sprintf("%.2f", alike)
		}
		t.Row("%s (%d) | %s | %.4f", task.Letter, task.Experts, cuts, c.Test)
	}
	if method != learn.MethodAuto && method != learn.MethodStrokes {
		return nil
	}
	fmt.Fprintln(w)
	t = stat.NewTable(w, fmt.Sprintf("straight parts preferred, a bent one costs %d nats an image", straightPrice),
		"stem and bow", "test")
	for _, task := range BowTasks[2:4] {
		c, err := LearnClean(ctx, set, task, seeds, learn.Options{Method: method, Straight: straightPrice}, o)
		if err != nil {
			return err
		}
		t.Row("%s (%d) | %d of %d | %.4f", task.Letter, task.Experts, stat.Count(c.Models, stemAndBow), seeds, c.Test)
	}
	return nil
}

// stemAndBow reports whether one of two experts is a straight upright stroke, and
// the other a bow: in one piece, and not straight.
func stemAndBow(m *patchwork.Model) bool {
	s := strokesOf(m)
	for i, stem := range s {
		bow := s[1-i]
		if stem.Pure() && math.Abs(stem.Direction-90) <= 30 && bow.Inside < 0.75 && bow.Whole >= 0.9 {
			return true
		}
	}
	return false
}

// cutAlike returns the mean adjusted Rand index, over pairs of models, of which expert owns which
// ink of the training images.
func cutAlike(ctx context.Context, set *dataset.Set, letter string, models []*patchwork.Model, o Options) (float64,
	error) {
	train, err := Choose(set, letter, 1, strokeTrainers)
	if err != nil {
		return 0, err
	}
	owners := make([][]int, len(models))
	for n, m := range models {
		for _, img := range train.Images {
			e, err := m.Explain(img)
			if err != nil {
				return 0, err
			}
			owners[n] = append(owners[n], ownersOf(m, img, e)...)
		}
	}
	var alike []float64
	for i := range owners {
		for j := range i {
			alike = append(alike, AdjustedRand(owners[i], owners[j]))
		}
	}
	return stat.Mean(alike), ctx.Err()
}

// ownersOf returns for each on pixel of an image the expert with the largest opinion,
// the number of experts where none votes.
func ownersOf(m *patchwork.Model, img *bitmap.Image, e *patchwork.Explanation) []int {
	c := m.Compose(img.Height(), img.Width(), e.Picks)
	var out []int
	for i, j := range c.Max {
		if img.At(i/img.Width(), i%img.Width()) {
			if j < 0 {
				out = append(out, m.K())
			} else {
				out = append(out, e.Picks[j].Expert)
			}
		}
	}
	return out
}

// AdjustedRand returns how alike two partitions of the same things are (Hubert and Arabie
// 1985): 1 if they are the same, 0 on average for partitions by chance.
func AdjustedRand(a, b []int) float64 {
	both, inA, inB := map[[2]int]float64{}, map[int]float64{}, map[int]float64{}
	for i := range a {
		both[[2]int{a[i], b[i]}]++
		inA[a[i]]++
		inB[b[i]]++
	}
	pairs := func(n float64) float64 { return n * (n - 1) / 2 }
	index, first, second := 0.0, 0.0, 0.0
	for _, n := range both {
		index += pairs(n)
	}
	for _, n := range inA {
		first += pairs(n)
	}
	for _, n := range inB {
		second += pairs(n)
	}
	expected := first * second / pairs(float64(len(a)))
	if first == expected && second == expected {
		return 1
	}
	return (index - expected) / ((first+second)/2 - expected)
}
