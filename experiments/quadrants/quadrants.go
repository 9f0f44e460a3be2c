// Package quadrants repeats the synthetic experiment of the paper, section 5.1:
// recover from N samples eight max-minus-min experts, each a quadrant of a 6 x
// 6 image, all on or all off.
package quadrants

import (
	"cmp"
	"context"
	"math"
	"time"

	"example.com/patchwork/internal/assign"
	"example.com/patchwork/learn"
	"example.com/patchwork/table"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/pose"
)

// Options of a row of the table.
type Options struct {
	N       int // training images per set
	Sets    int // independent sets
	Test    int // test images per set; 0 means 1000
	Seed    uint64
	Paper   bool // learn by the paper to the letter
	Count   bool // the number of experts is not told; nothing else is measured
	Workers int
}

// Result is the result of learning on one set.
type Result struct {
	Set     int
	Experts int
	// S and Five count the true experts recovered by the two criteria of
	// [Recovered].
	S, Five int

	// CrossEntropy is the mean over the test images of -log P(x | explanation),
	// in nats, by the pursuit from abstention; Truth is that of the true
	// experts on the same images. Report their difference: the standard error
	// of a single test set is 0.2.
	CrossEntropy, Truth float64

	DescriptionLength float64 // of the training images, nats; 0 in paper mode
	Took              float64 // seconds to learn
}

// config returns the configuration of a model of the experiment.
func config(paper bool, side int) patchwork.Config {
	if paper {
		return learn.PaperConfig(patchwork.RuleMaxMinusMin, side, side, pose.Grid{})
	}
	return patchwork.NewConfig(patchwork.RuleMaxMinusMin, side, side, pose.Grid{})
}

// testSeed separates the seeds of test sets from those of training sets.
const testSeed = 1 << 32

// Learn runs one set.
func Learn(ctx context.Context, o Options, set int) (Result, error) {
	r := Result{Set: set}
	seed := o.Seed*1_000_003 + uint64(set)
	train, err := synth.Quadrants(synth.QuadrantsOptions{N: o.N, Seed: seed})
	if err != nil {
		return r, err
	}
	data := patchwork.Data{Images: train.Images}
	cfg := config(o.Paper, train.Truth.Side)
	began := time.Now()
	var m *patchwork.Model
	switch {
	case o.Paper:
		m, err = learn.Learn(ctx, data, cfg, learn.Options{Experts: synth.QuadrantExperts, Paper: true, Seed: seed,
			Workers: o.Workers})
	case o.Count:
		m, err = table.Learn(ctx, data, cfg, table.Options{Seed: seed, Workers: o.Workers})
	default:
		m, err = table.Learn(ctx, data, cfg, table.Options{Experts: synth.QuadrantExperts, Seed: seed, Workers: o.Workers})
	}
	if err != nil {
		return r, err
	}
	r.Took = time.Since(began).Seconds()
	record := m.Extras().Record
	r.Experts, r.DescriptionLength = m.K(), record.DescriptionLength
	r.S, r.Five = Recovered(m.Templates(), train.Truth.Experts)
	if o.Count {
		return r, nil
	}
	truth, err := patchwork.NewModel(cfg, train.Truth.Experts)
	if err != nil {
		return r, err
	}
	test, err := synth.Quadrants(synth.QuadrantsOptions{N: cmp.Or(o.Test, 1000), Seed: seed + testSeed})
	if err != nil {
		return r, err
	}
	unseen := patchwork.Data{Images: test.Images}
	if r.CrossEntropy, err = crossEntropy(ctx, m, unseen, o.Workers); err != nil {
		return r, err
	}
	r.Truth, err = crossEntropy(ctx, truth, unseen, o.Workers)
	return r, err
}

// crossEntropy returns the mean cross-entropy in nats per image.
func crossEntropy(ctx context.Context, m *patchwork.Model, data patchwork.Data, workers int) (float64, error) {
	t, err := patchwork.EStep(ctx, m, data, patchwork.PursuitOptions{Paper: true}, workers, nil)
	if err != nil {
		return 0, err
	}
	return -t.LogLik() / float64(t.Rows()), nil
}

// Recovered counts the true experts that the learned ones match one to one (in
// the assignment with the least total mean absolute error). Criterion s: the
// mean error on the true expert's support is below 0.2, and so is the mean vote
// |mu - 1/2| off it. Criterion five: the mean absolute error over all pixels is
// below 0.05. (An expert that abstains everywhere has an error of 0.125 to
// every quadrant, so 0.1 would be a weak criterion.) All rows must have the
// same length; there may be more or fewer learned experts than true ones.
func Recovered(learned, truth [][]float64) (s, five int) {
	gain := make([][]float64, len(truth))
	for i, t := range truth {
		gain[i] = make([]float64, len(learned))
		for k, mu := range learned {
			gain[i][k] = -meanError(mu, t)
		}
	}
	for i, k := range assign.Pairs(gain) {
		if k < 0 {
			continue
		}
		on, off := supportError(learned[k], truth[i])
		if on < 0.2 && off < 0.2 {
			s++
		}
		if -gain[i][k] < 0.05 {
			five++
		}
	}
	return s, five
}

func meanError(mu, truth []float64) float64 {
	sum := 0.0
	for d, p := range mu {
		sum += math.Abs(p - truth[d])
	}
	return sum / float64(len(mu))
}

// supportError returns the mean absolute error where the true expert votes, and
// the mean vote where it abstains.
func supportError(mu, truth []float64) (on, off float64) {
	var votes, rest float64
	for d, p := range mu {
		if truth[d] != 0.5 {
			on, votes = on+math.Abs(p-truth[d]), votes+1
		} else {
			off, rest = off+math.Abs(p-0.5), rest+1
		}
	}
	return on / max(votes, 1), off / max(rest, 1)
}
