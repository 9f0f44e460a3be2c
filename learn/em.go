package learn

import (
	"context"
	"iter"
	"slices"

	"example.com/patchwork"
)

// EMOptions are the settings of batch EM.
type EMOptions struct {
	Iterations int // M-steps; 0 means 25
	Step       patchwork.MStep
	Pursuit    patchwork.PursuitOptions
	Workers    int // goroutines of the E-step; 0 means 1; the result is the same for any number
}

// Iteration is one round of batch EM: a model, and what it made of the data.
type Iteration struct {
	Number int              // of M-steps before it; 0 is the model EM started from
	Model  *patchwork.Model // the model that explained the data
	Tally  *patchwork.Tally // of its explanations: Tally.LogLik is the model's training log-likelihood
}

// EM runs hard batch EM (section 4): explain every image, count, read the
// templates off the counts, and again. It yields Iterations+1 rounds, from
// number 0 (the given model explaining the data) to the one after the last
// M-step. The log-likelihood need not rise: neither a greedy pursuit nor eq.
// (1) promises it, so keep the best (Best does).
//
// It stops early at a fixed point, when an M-step changes no template. The
// error is the source's, the context's, or says which image does not fit the
// model. An iteration reads the source once.
func EM(ctx context.Context, m *patchwork.Model, src patchwork.Source, opt EMOptions) iter.Seq2[Iteration, error] {
	if opt.Iterations == 0 {
		opt.Iterations = 25
	}
	return func(yield func(Iteration, error) bool) {
		for n := 0; ; n++ {
			t, err := patchwork.Explain(ctx, m, src, opt.Pursuit, opt.Workers, nil)
			if err != nil {
				yield(Iteration{}, err)
				return
			}
			if !yield(Iteration{Number: n, Model: m, Tally: t}, nil) || n == opt.Iterations {
				return
			}
			next := t.Model(m, opt.Step)
			if n > 0 && sameTemplates(m, next) {
				return
			}
			m = next
		}
	}
}

func sameTemplates(a, b *patchwork.Model) bool {
	for k := range a.K() {
		if !slices.Equal(a.Template(k), b.Template(k)) {
			return false
		}
	}
	return true
}

// Best runs the iterations to the end and returns the round with the largest
// training log-likelihood, the earliest of equals.
func Best(rounds iter.Seq2[Iteration, error]) (Iteration, error) {
	var best Iteration
	for it, err := range rounds {
		if err != nil {
			return Iteration{}, err
		}
		if best.Model == nil || it.Tally.LogLik() > best.Tally.LogLik() {
			best = it
		}
	}
	return best, nil
}

// last runs the iterations to the end and returns the last round.
func last(rounds iter.Seq2[Iteration, error]) (Iteration, error) {
	var round Iteration
	for it, err := range rounds {
		if err != nil {
			return Iteration{}, err
		}
		round = it
	}
	return round, nil
}
