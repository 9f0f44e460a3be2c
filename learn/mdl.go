package learn

import (
	"context"
	"math"

	"example.com/patchwork"
)

// DescriptionLength is how many nats it takes to tell somebody the images of a
// tally by means of the model m that explained them (findings, section 2):
//
//	-LL + N sum_k H(pi_k) + log(N)/2 * #{votes}
//
// where LL is the log-likelihood of the N images (weights counted) given their
// explanations, H(pi) = -pi log pi - (1-pi) log(1-pi) with pi_k = (n_k+1/2)/(N+1)
// is the price of saying in which images expert k is active, and a vote is an
// entry other than the abstention value, in an expert that is active in some
// image. Divide by N log 2 for bits an image. Poses are not paid for. +Inf if
// an image is impossible. It panics if the tally counts other experts.
func DescriptionLength(m *patchwork.Model, t *patchwork.Tally) float64 {
	return descriptionLength(m, t, 0)
}

// descriptionLength counts entries within sit of the abstention value as
// abstaining: in the middle of learning they wait there.
func descriptionLength(m *patchwork.Model, t *patchwork.Tally, sit float64) float64 {
	if !t.Fits(m) {
		panic("patchwork: this tally does not count this model's experts")
	}
	sum := -t.LogLik()
	for k := range m.K() {
		active := t.Active(k)
		sum += usageLength(active, t.Rows())
		if active > 0 {
			sum += voteCost(t) * float64(m.Votes(k, sit))
		}
	}
	return sum
}

// voteCost is what a vote costs, log(N)/2 nats: the precision to which N
// images determine a probability (Rissanen 1978, Schwarz 1978).
func voteCost(t *patchwork.Tally) float64 { return math.Log(float64(max(t.Rows(), 1))) / 2 }

// usageLength is the length, in nats, of the list of the images of n in which
// an expert is active: n H(pi).
func usageLength(active, n int64) float64 {
	pi := (float64(active) + 0.5) / (float64(n) + 1)
	return -float64(n) * (pi*math.Log(pi) + (1-pi)*math.Log1p(-pi))
}

// abstains reports whether entry p waits at most sit from q.
func abstains(p, q, sit float64) bool { return math.Abs(p-q) <= sit*(1+1e-9) }

// activationCosts is what a pick of each expert costs, in nats, once its usage
// is known: max(0, log((1-pi_k)/pi_k)). It is not below 0, so that the pursuit
// never picks what explains nothing.
func activationCosts(t *patchwork.Tally) []float64 {
	costs := make([]float64, len(t.Usage()))
	for k := range costs {
		pi := (float64(t.Active(k)) + 0.5) / (float64(t.Rows()) + 1)
		costs[k] = max(0, math.Log1p(-pi)-math.Log(pi))
	}
	return costs
}

// described is a model, how it explains the data, and its description length.
type described struct {
	model  *patchwork.Model
	costs  []float64 // of a pick, in the pursuit that made the tally
	tally  *patchwork.Tally
	length float64
}

// shorter reports whether d describes the data in fewer nats than o, rounding
// apart.
func (d *described) shorter(o *described) bool {
	return o.model == nil || d.length < o.length-1e-9
}

// describe explains the data by m, starting in abstention, with the given
// cost of a pick of each expert; each is as in Explain.
func (o Options) describe(ctx context.Context, m *patchwork.Model, data patchwork.Source, costs []float64, each func(int, *patchwork.Explanation)) (described, error) {
	t, err := patchwork.EStep(ctx, m, data, o.describing(costs), o.Workers, each)
	if err != nil {
		return described{}, err
	}
	return described{m, costs, t, descriptionLength(m, t, abstainingMargin)}, nil
}

// describing is how the learner of description length explains images.
func (o Options) describing(costs []float64) patchwork.PursuitOptions {
	p := o.pursuit()
	p.Forced, p.Costs = false, costs
	return p
}
