package tables

import (
	"context"
	"time"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
	"example.com/patchwork/table/stack"

	"example.com/patchwork"
)

// Row is the result of a model on one split.
type Row struct {
	Experts float64
	Valid   float64 // log-loss of hidden bits, nats per bit; the criterion of choice
	Test    float64
	Single  float64 // Test, predicted by the best explanation alone
	Parts   float64 // experts in the best explanation of a test row
	Took    time.Duration
	Grown   float64 // 1 if growing beat the mixture
}

// Measure learns from a split what predicts hidden bits, and predicts those of its validation and test rows.
func Measure(ctx context.Context, s Split, rule patchwork.Rule, opt table.Options) (Row, error) {
	began := stat.ProcessorTime()
	row := s.Train.Images[0]
	m, err := predicting(ctx, s.Train, patchwork.Config{Rule: rule, Height: 1, Width: row.Width()}, opt)
	if err != nil {
		return Row{}, err
	}
	r := Row{Experts: float64(m.K()), Took: stat.ProcessorTime() - began}
	if m.Extras().Record.Starts[0].Method == table.StartFromGrow.String() {
		r.Grown = 1
	}
	for _, part := range []struct {
		bits *posterior.HiddenBits
		loss *float64
	}{{&s.Valid, &r.Valid}, {&s.Test, &r.Test}} {
		score, err := posterior.Score(ctx, m, *part.bits, opt.Explain, opt.Workers)
		if err != nil {
			return r, err
		}
		*part.loss, r.Single = score.Averaged.LogLoss, score.Single.LogLoss
	}
	r.Parts, err = parts(ctx, m, s.Test.Data, opt)
	return r, err
}

// predicting learns parts, and what predicts unknown bits beside them.
func predicting(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt table.Options) (*patchwork.Model,
	error) {
	m, err := table.Learn(ctx, data, cfg, opt)
	if err != nil {
		return nil, err
	}
	p, _, err := stack.Fit(ctx, data, stack.Options{Seed: opt.Seed, Workers: opt.Workers,
		Parts: func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
			return table.Learn(ctx, data, cfg, opt)
		}})
	if err != nil || p == nil {
		return m, err
	}
	extras := m.Extras()
	extras.Predictor = p
	return m.WithExtras(extras)
}

// parts returns the mean number of experts in the best explanation of a row.
func parts(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt table.Options) (float64, error) {
	n := make([]float64, len(data.Images))
	err := posterior.Explain(ctx, m, data.Images, opt.Explain, opt.Workers, func(i int, p *posterior.Posterior) {
		n[i] = float64(len(p.Alternatives[0].Picks))
	})
	return stat.Mean(n), err
}
