package tables

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"
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

// committee returns how well the mean of the predictions of several models, learned from
// other seeds, predicts the hidden bits of the test rows, and how well each does alone, on
// average.
func committee(ctx context.Context, s Split, rule patchwork.Rule, o Options, members int) (together, alone float64, err error) {
	sum := make([][]float64, len(s.Test.Visible))
	for seed := range uint64(members) {
		opt := o.table()
		opt.Seed += seed
		r, m, err := Measure(ctx, s, rule, opt)
		if err != nil {
			return 0, 0, err
		}
		alone += r.Test / float64(members)
		err = posterior.Predict(ctx, m, s.Test.Visible, opt.Explain, opt.Workers, func(i int, p []float64, _ *posterior.Posterior) {
			if sum[i] == nil {
				sum[i] = make([]float64, len(p))
			}
			for j, v := range p {
				sum[i][j] += v / float64(members)
			}
		})
		if err != nil {
			return 0, 0, err
		}
	}
	loss, err := posterior.ScorePredictions(s.Test, func(i int) []float64 { return slices.Clone(sum[i]) })
	return loss.LogLoss, alone, err
}

// aims measures learning from the rows to learn from and those to validate by alike, as
// the command learn does, with either aim: what the parts are for is all that it is told.
func aims(ctx context.Context, splits []Split, rule patchwork.Rule, o Options) (line string, err error) {
	var loss [2][]float64
	for _, s := range splits {
		all := patchwork.Data{Images: slices.Concat(s.Train.Images, s.Valid.Data.Images)}
		for _, aim := range []table.Aim{table.AimInterpret, table.AimPredict} {
			opt := o.table()
			opt.Aim = aim
			m, err := table.Learn(ctx, all, patchwork.Config{Rule: rule, Height: 1, Width: all.Images[0].Width()}, opt)
			if err != nil {
				return "", err
			}
			score, err := posterior.Score(ctx, m, s.Test, opt.Explain, opt.Workers)
			if err != nil {
				return "", err
			}
			loss[aim] = append(loss[aim], score.Averaged.LogLoss)
		}
	}
	gain, better := make([]float64, len(splits)), 0
	for i := range gain {
		if gain[i] = loss[table.AimInterpret][i] - loss[table.AimPredict][i]; gain[i] > 0 {
			better++
		}
	}
	return fmt.Sprintf("| %v | %.4f | %.4f | %+.4f ± %.4f | %d of %d |", rule, stat.Mean(loss[table.AimInterpret]), stat.Mean(loss[table.AimPredict]),
		stat.Mean(gain), stat.SD(gain)/math.Sqrt(float64(len(gain))), better, len(gain)), nil
}
