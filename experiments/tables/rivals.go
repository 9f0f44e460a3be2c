package tables

import (
	"context"
	"math"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// mixtureStarts is from how many starts a mixture of each size is fitted.
const mixtureStarts = 3

// judgeOf returns the hidden bits of validation rows by which everything is chosen.
func judgeOf(s Split) posterior.HiddenBits {
	return posterior.HideBits(s.Valid.Data, 0.2, max(1, min(8, 1000/len(s.Valid.Visible))), s.Seed)
}

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
	return rivalRow(s, Row{Experts: float64(len(best.Share)), Took: stat.ProcessorTime() - began}, best.Predict)
}

// measureSVD measures the calibrated truncated singular value decomposition.
func measureSVD(_ context.Context, s Split) (Row, error) {
	began := stat.ProcessorTime()
	x, err := fitSVD(s.Train, judgeOf(s), len(s.Valid.Visible))
	if err != nil {
		return Row{}, err
	}
	_, rank := x.vectors.Dims()
	return rivalRow(s, Row{Experts: float64(rank), Took: stat.ProcessorTime() - began}, x.Predict)
}

// rivalRow adds how well a rival predicts.
func rivalRow(s Split, r Row, predict func(*bitmap.Image) []float64) (Row, error) {
	r.Single, r.Parts, r.Grown = math.NaN(), math.NaN(), math.NaN()
	for _, part := range []struct {
		bits *posterior.HiddenBits
		loss *float64
	}{{&s.Valid, &r.Valid}, {&s.Test, &r.Test}} {
		score, err := posterior.ScorePredictions(*part.bits, func(i int) []float64 { return predict(part.bits.Visible[i]) })
		if err != nil {
			return r, err
		}
		*part.loss = score.LogLoss
	}
	return r, nil
}
