package learn

import (
	"context"
	"math"
	"slices"

	"example.com/patchwork"
)

// abstainingMargin is how far from the abstention value an abstaining entry is
// kept while learning, on the side it was on: at the value itself it would never
// learn again.
const abstainingMargin = 1e-3

// emOptions are the settings of batch EM.
type emOptions struct {
	Iterations int // M-steps
	Step       patchwork.MStep
	Pursuit    patchwork.PursuitOptions
	Priced     bool // picks pay for their places, at the rates of the round before
	Workers    int
}

// em returns how the iterations of batch EM explain and read templates off the
// counts, under a model of the given configuration.
func (o Options) em(c patchwork.Config) emOptions {
	return emOptions{Iterations: o.Iterations, Pursuit: o.pursuit(), Priced: o.priced(c), Workers: o.Workers,
		Step: patchwork.MStep{KeepUnseen: c.Rule == patchwork.RuleMax, AbstainMargin: abstainingMargin}}
}

// Pursuit returns how the first E-step of learning from m with these options explains
// images.
func (o Options) Pursuit(m *patchwork.Model) patchwork.PursuitOptions { return o.pursuitOf(m, nil) }

// MStep returns the model that follows prev, given the counts t of prev's
// explanations: by eq. (1) with Paper, else by the step of batch EM. If the images
// are spread over many places, an iteration is to explain them there, merge the
// tallies, and call MStep. Call Settle after the last one.
func (o Options) MStep(prev *patchwork.Model, t *patchwork.Tally) *patchwork.Model {
	if o.Paper {
		return EquationOne(prev, t)
	}
	return t.MStep(prev, o.em(prev.Config()).Step)
}

// iteration is one round of batch EM: a model, and how it explained the data.
type iteration struct {
	Number int              // of M-steps before it; 0 is the model EM started from
	Model  *patchwork.Model // the model that explained the data
	Tally  *patchwork.Tally // of its explanations: Tally.LogLik is the model's training log-likelihood
	Rates  []float64        // at which picks paid for their places; nil if they did not
}

// score returns what a round is judged by: the training log-likelihood, less the nats
// that say where the picks are if they paid for it.
func (it iteration) score() float64 {
	if it.Rates == nil {
		return it.Tally.LogLik()
	}
	return it.Tally.LogLik() - placesLength(it.Model, it.Tally, it.Rates)
}

// step returns the iteration as a step of learning.
func (it iteration) step() Step {
	return Step{CurvePoint: patchwork.CurvePoint{Stage: StageEM, Rows: it.Tally.Rows(), LogLik: it.Tally.LogLik()},
		Iteration: it.Number, Model: it.Model}
}

// iterate runs hard batch EM (section 4): it explains every image, counts, reads
// the templates off the counts, and repeats. It calls each for up to Iterations+1
// rounds, from number 0 (the given model explaining the data) to the one after
// the last M-step, and stops when an M-step changes no
// template. The log-likelihood need not rise, because the pursuit is greedy.
func iterate(ctx context.Context, m *patchwork.Model, src patchwork.Source, opt emOptions,
	each func(iteration)) error {
	var t *patchwork.Tally
	for n := 0; ; n++ {
		p := opt.pursuit(m, t)
		var err error
		t, err = patchwork.EStep(ctx, m, src, p, opt.Workers, nil)
		if err != nil {
			return err
		}
		if each(iteration{n, m, t, p.Rates}); n == opt.Iterations {
			return nil
		}
		next := t.MStep(m, opt.Step)
		if n > 0 && sameTemplates(m, next) {
			return nil
		}
		m = next
	}
}

// pursuit returns how m explains the images, given the counts of the round before, or
// nil.
func (o emOptions) pursuit(m *patchwork.Model, t *patchwork.Tally) patchwork.PursuitOptions {
	if !o.Priced {
		return o.Pursuit
	}
	return patchwork.PursuitOptions{Refined: true, Rates: placeRates(m, t)}
}

// bestOf runs batch EM and returns the round with the largest score, the earliest of equals.
func (o Options) bestOf(ctx context.Context, m *patchwork.Model, src patchwork.Source,
	opt emOptions) (best iteration, err error) {
	err = iterate(ctx, m, src, opt, func(it iteration) {
		o.tell(it.step())
		if best.Model == nil || it.score() > best.score() {
			best = it
		}
	})
	return best, err
}

// sweep runs batch EM from m and returns its best round, settled.
func sweep(ctx context.Context, m *patchwork.Model, data patchwork.Source, opt Options, iterations int) (iteration,
	error) {
	em := opt.em(m.Config())
	if em.Iterations = iterations; iterations == 0 {
		p := em.pursuit(m, nil)
		t, err := patchwork.EStep(ctx, m, data, p, em.Workers, nil)
		return iteration{Model: m, Tally: t, Rates: p.Rates}, err
	}
	best, err := opt.bestOf(ctx, m, data, em)
	if err != nil {
		return iteration{}, err
	}
	if settled := Settle(best.Model); settled != best.Model {
		p := em.pursuit(settled, best.Tally)
		t, err := patchwork.EStep(ctx, settled, data, p, em.Workers, nil)
		return iteration{Number: best.Number, Model: settled, Tally: t, Rates: p.Rates}, err
	}
	return best, nil
}

// Settle returns m with the entries that batch EM keeps beside their abstention
// value set to that value; it is the last step of learning. It returns m itself
// if there are none, or under Max.
func Settle(m *patchwork.Model) *patchwork.Model {
	if m.Config().Rule != patchwork.RuleMaxMinusMin {
		return m
	}
	templates, settled := m.Templates(), false
	for _, t := range templates {
		for i, p := range t {
			if q := m.Abstention(i); p != q && math.Abs(p-q) <= abstainingMargin*(1+1e-9) {
				t[i], settled = q, true
			}
		}
	}
	if !settled {
		return m
	}
	return m.WithTemplates(templates, m.Extras())
}

// sameTemplates reports whether two models have equal templates.
func sameTemplates(a, b *patchwork.Model) bool {
	for k := range a.K() {
		if !slices.Equal(a.Template(k), b.Template(k)) {
			return false
		}
	}
	return true
}
