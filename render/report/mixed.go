package report

import (
	"context"
	"math"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/alike"
	"example.com/patchwork/posterior"
	"example.com/patchwork/workbench"
)

// fromOneStart is how parts of tables of every kind are learned again.
const fromOneStart = "one start, as many parts as shorten the description"

// mixedSample returns the rows that parts of a table of every kind of column are learned again from, and how, or why
// they are not.
func (b *builder) mixedSample(m workbench.Mixed) (some *dataset.Frame, learned, why string) {
	n := b.set.Len()
	switch {
	case b.opt.Sample < 0:
		return nil, "", leftOut
	case m.K() == 0:
		return nil, "", "The model has no parts."
	case n < fewRows:
		return nil, "", "There are too few rows to leave some out."
	}
	if index := drawn(n, b.opt.Sample, source(b.opt.Seed, "rows", 0)); index != nil {
		return b.set.Pick(index), fromOneStart, ""
	}
	return b.set, fromOneStart, ""
}

// mixedQuality is quality of a table of every kind of column: of the parts and of the columns alone.
func (b *builder) mixedQuality(ctx context.Context, m workbench.Mixed) error {
	some, learned, why := b.mixedSample(m)
	if b.folds == 0 {
		some, why = nil, leftOut
	}
	if some == nil {
		b.r.NoQuality = why
		return nil
	}
	return b.inFolds(ctx, some.Len(), []string{"parts", b.r.means()}, learned,
		func(train, test []int, seed uint64) (foldScore, error) {
			again, err := m.Again(ctx, some.Pick(train), seed)
			if err != nil {
				return foldScore{}, err
			}
			scores, err := again.Score(ctx, workbench.Once(some.Pick(test)), workbench.Scoring{Hide: hiddenShare, Seed: seed})
			if err != nil {
				return foldScore{}, err
			}
			parts, alone := metrics(scores.Hidden.(*workbench.HiddenCells))
			return foldScore{[]posterior.Metrics{parts, alone}, []int{again.K(), 1}}, nil
		})
}

// metrics returns how well the parts predict hidden cells, and how well the columns do alone.
func metrics(h *workbench.HiddenCells) (parts, alone posterior.Metrics) {
	right, common, n := 0.0, 0.0, 0.0
	for _, c := range h.Columns {
		if c.RMSE == 0 {
			right, common, n = right+float64(c.Cells)*c.Accuracy, common+float64(c.Cells)*c.BaseAccuracy, n+float64(c.Cells)
		}
	}
	cells, none := int64(h.Cells), math.NaN()
	return posterior.Metrics{Bits: cells, LogLoss: h.LogLoss, Accuracy: right / n, AUC: none},
		posterior.Metrics{Bits: cells, LogLoss: h.LogLoss + h.Gain, Accuracy: common / n, AUC: none}
}

// mixedStability is stability of a table of every kind of column.
func (b *builder) mixedStability(ctx context.Context, m workbench.Mixed) error {
	some, learned, why := b.mixedSample(m)
	if some == nil {
		b.r.NoStability = why
		return nil
	}
	votes := func(m workbench.Mixed) alike.Votes {
		return alike.Votes{Height: 1, Width: b.r.Width, Parts: m.Deviations()}
	}
	return b.comesBack(ctx, some.Len(), learned, func(index []int, seed uint64) ([]float64, error) {
		from := some
		if index != nil {
			from = some.Pick(index)
		}
		again, err := m.Again(ctx, from, seed)
		if err != nil {
			return nil, err
		}
		return compare(votes(m), votes(again), 0), nil
	})
}
