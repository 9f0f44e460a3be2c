package tables

import (
	"context"
	"math"
	"time"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/sklearn"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// mixtureStarts is from how many starts a mixture of each size is fitted.
const mixtureStarts = 3

// judgeOf returns the hidden bits of validation rows by which everything is chosen.
func judgeOf(s Split) posterior.HiddenBits {
	return posterior.Exclusive(nil).HideBits(s.Valid.Data, 0.2, max(1, min(8, 1000/len(s.Valid.Visible))), s.Seed)
}

// components are the sizes of mixtures that are tried.
var components = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}

// measureMixture fits mixtures and keeps the size and the start that predict validation
// rows best.
func measureMixture(ctx context.Context, s Split) (Row, error) {
	began := stat.ProcessorTime()
	judge, lowest := judgeOf(s), math.Inf(1)
	var best *table.Mixture
	for _, k := range components {
		if 2*k > len(s.Train.Images) {
			break
		}
		for start := range uint64(mixtureStarts) {
			x, err := table.FitMixture(ctx, s.Train, k, s.Seed+start<<32)
			if err != nil {
				return Row{}, err
			}
			loss, err := posterior.ScorePredictions(judge, func(i int) []float64 { return x.Predict(judge.Visible[i]) })
			if err != nil {
				return Row{}, err
			}
			if loss.LogLoss < lowest {
				lowest, best = loss.LogLoss, x
			}
		}
	}
	return rivalRow(s, Row{Experts: float64(len(best.Share)), Took: stat.ProcessorTime() - began},
		func(part, i int) []float64 {
			return best.Predict([][]*bitmap.Image{s.Valid.Visible, s.Test.Visible}[part][i])
		})
}

// measureSVD measures a truncated singular value decomposition with calibrated
// probabilities (see the script of package sklearn).
func measureSVD(ctx context.Context, s Split) (Row, error) {
	began := time.Now()
	judge := judgeOf(s)
	var a struct {
		Rank int
		Said [2][][]float64
	}
	err := sklearn.Ask(ctx, "svd", map[string]any{"train": bits(s.Train.Images), "mean": rows.Means(s.Train),
		"valid":   bits(judge.Data.Images),
		"visible": bits(judge.Visible), "rows": len(s.Valid.Visible),
		"predict": [][][]int{bits(s.Valid.Visible), bits(s.Test.Visible)}}, &a)
	if err != nil {
		return Row{}, err
	}
	return rivalRow(s, Row{Experts: float64(a.Rank), Took: time.Since(began)},
		func(part, i int) []float64 { return a.Said[part][i] })
}

// bits returns the bits of rows; -1 are those that are not there.
func bits(images []*bitmap.Image) [][]int {
	out := make([][]int, len(images))
	for i, img := range images {
		for _, v := range img.AppendValues(nil) {
			out[i] = append(out[i], []int{0, 1, -1}[v])
		}
	}
	return out
}

// rivalRow adds how well a rival predicts row i of the validation (part 0) and test rows.
func rivalRow(s Split, r Row, predict func(part, i int) []float64) (Row, error) {
	r.Single, r.Parts, r.Grown = math.NaN(), math.NaN(), math.NaN()
	for part, to := range []*float64{&r.Valid, &r.Test} {
		score, err := posterior.ScorePredictions([]posterior.HiddenBits{s.Valid, s.Test}[part],
			func(i int) []float64 { return predict(part, i) })
		if err != nil {
			return r, err
		}
		*to = score.LogLoss
	}
	return r, nil
}
