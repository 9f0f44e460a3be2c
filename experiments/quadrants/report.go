package quadrants

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/learn"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
)

// Row is the mean over the sets of one row of the table.
type Row struct {
	Options
	Recovered           float64 // experts, by criterion S
	AllS, AllFive       float64 // fraction of the sets with all eight
	Excess              float64 // median cross-entropy in excess of the truth's, nats per image
	CrossEntropy, Truth float64 // medians
	Took                float64 // seconds to learn, mean
}

// learnAll learns all sets of a row.
func (o Options) learnAll(ctx context.Context) ([]Result, error) {
	return stat.Seeds(o.Sets, func(i uint64) (Result, error) { return Learn(ctx, o, int(i)) })
}

// share returns for which fraction of the sets something holds.
func share(all []Result, holds func(Result) bool) float64 {
	return float64(stat.Count(all, holds)) / float64(len(all))
}

// all reports whether all experts are recovered, by criterion S.
func (r Result) all() bool { return r.S == synth.QuadrantExperts }

// Run learns all sets of a row.
func Run(ctx context.Context, o Options) (Row, error) {
	all, err := o.learnAll(ctx)
	median := func(of func(Result) float64) float64 { return stat.Median(stat.Of(all, of)) }
	return Row{Options: o,
		Recovered:    stat.MeanOf(all, func(r Result) float64 { return float64(r.S) }),
		AllS:         share(all, Result.all),
		AllFive:      share(all, func(r Result) bool { return r.Five == synth.QuadrantExperts }),
		Took:         stat.MeanOf(all, func(r Result) float64 { return r.Took }),
		Excess:       median(func(r Result) float64 { return r.CrossEntropy - r.Truth }),
		CrossEntropy: median(func(r Result) float64 { return r.CrossEntropy }),
		Truth:        median(func(r Result) float64 { return r.Truth })}, err
}

// Rows returns the rows of the ledger.
func Rows(seed uint64, workers int) []Options {
	row := func(n, sets int) Options { return Options{N: n, Sets: sets, Seed: seed, Workers: workers} }
	paper := row(100, 50)
	paper.Paper = true
	return []Options{row(20, 100), row(50, 100), row(100, 200), row(200, 20), row(500, 20), row(1000, 20), paper}
}

// Report prints the table of the rows, and the off-support votes.
func Report(ctx context.Context, w io.Writer, rows []Options) error {
	t := stat.NewTable(w, "mode", "N", "sets", "experts (S)", "all 8 (S)", "all 8 (05)", "cross-entropy",
		"excess over the truth", "s per set")
	for _, o := range rows {
		r, err := Run(ctx, o)
		if err != nil {
			return err
		}
		t.Row("%s | %d | %d | %.2f | %.1f %% | %.1f %% | %.2f | %.3f | %.3f",
			map[bool]string{true: "paper", false: "default"}[o.Paper], o.N, o.Sets, r.Recovered, 100*r.AllS, 100*r.AllFive,
			r.CrossEntropy, r.Excess, r.Took)
	}
	return nil
}

// ReportVotes prints the mean off-support vote of 20 sets of 1000 images.
func ReportVotes(ctx context.Context, w io.Writer, seed uint64) error {
	var means [2]float64
	for i, paper := range []bool{true, false} {
		all, err := stat.Seeds(20, func(set uint64) (float64, error) {
			return OffSupport(ctx, paper, 1000, seed*1_000_003+set)
		})
		if err != nil {
			return err
		}
		means[i] = stat.Mean(all)
	}
	_, err := fmt.Fprintf(w, "mean off-support vote given the true activations, N=1000: eq. (1) %.3f, guarded %.4f\n",
		means[0], means[1])
	return err
}

// OffSupport returns the mean vote |mu - 1/2| where the true experts abstain, after
// 25 M-steps from random templates on n images, given the true
// activations: by eq. (1) of the paper, or by the guarded step.
func OffSupport(ctx context.Context, paper bool, n int, seed uint64) (float64, error) {
	set, err := synth.Quadrants(synth.QuadrantsOptions{N: n, Seed: seed})
	if err != nil {
		return 0, err
	}
	m, err := RandomModel(config(paper, set.Truth.Side), rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return 0, err
	}
	const steps = 25
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		t := tell(m, set.Images, set.Truth.Active)
		if i == steps-1 && !paper {
			m = t.MStep(m, patchwork.MStep{}) // the last: what abstains does so exactly
		} else {
			m = learn.Options{Paper: paper}.MStep(m, t)
		}
	}
	sum, entries := 0.0, 0.0
	for k, t := range set.Truth.Experts {
		for d, p := range t {
			if p == 0.5 {
				sum, entries = sum+math.Abs(m.Template(k)[d]-0.5), entries+1
			}
		}
	}
	return sum / entries, nil
}

// RandomModel returns a model of as many experts as there are true ones, with
// templates drawn uniformly from [0.02, 0.98].
func RandomModel(cfg patchwork.Config, rng *rand.Rand) (*patchwork.Model, error) {
	templates := make([][]float64, synth.QuadrantExperts)
	for k := range templates {
		templates[k] = make([]float64, cfg.Height*cfg.Width)
		for i := range templates[k] {
			templates[k][i] = 0.02 + 0.96*rng.Float64()
		}
	}
	return patchwork.NewModel(cfg, templates)
}

// tell counts the images as if the pursuit had found the true activations.
func tell(m *patchwork.Model, images []*bitmap.Image, active [][]bool) *patchwork.Tally {
	t := patchwork.NewTally(m)
	for i, img := range images {
		var e patchwork.Explanation
		for k, on := range active[i] {
			if on {
				e.Picks = append(e.Picks, patchwork.Pick{Expert: k})
			}
		}
		t.Add(m, img, &e, 1)
	}
	return t
}
