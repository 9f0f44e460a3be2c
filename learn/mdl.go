package learn

import (
	"context"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
)

// DescriptionLength returns the length in nats of a two-part code for the images
// of a tally, by the model m that explained them:
//
//	-LL + N sum_k H(pi_k) + log(N)/2 * #{votes}
//
// where LL is the log-likelihood of the N images (weights counted) given their
// explanations, H(pi) = -pi log pi - (1-pi) log(1-pi) with pi_k = (n_k+1/2)/(N+1)
// is the cost of saying in which images expert k is active, and a vote is an
// entry other than the abstention value, in an expert that is active in some
// image. Divide by N log 2 for bits per image. Poses cost nothing. The length is
// +Inf if an image is impossible. DescriptionLength panics if the tally counts
// other experts.
func DescriptionLength(m *patchwork.Model, t *patchwork.Tally) float64 {
	return descriptionLength(m, t, 0)
}

// descriptionLength returns the description length, counting entries within sit
// of the abstention value as abstaining: learning keeps them there.
func descriptionLength(m *patchwork.Model, t *patchwork.Tally, sit float64) float64 {
	if !t.Fits(m) {
		panic("patchwork: this tally does not count this model's parts")
	}
	sum := -t.LogLik()
	for k := range m.K() {
		active := t.Active(k)
		sum += usageLength(active, t.Rows())
		if active > 0 {
			sum += float64(voteCost(t) * float64(rows.Votes(m, k, sit)))
		}
	}
	return sum
}

// voteCost returns the cost of a vote, log(N)/2 nats: the precision to which N
// images determine a probability (Rissanen 1978, Schwarz 1978).
func voteCost(t *patchwork.Tally) float64 { return elem.Log(float64(max(t.Rows(), 1))) / 2 }

// usageLength returns the length in nats of a list of the images, active of n, in
// which an expert is active: n H(pi).
func usageLength(active, n int64) float64 {
	pi := (float64(active) + 0.5) / (float64(n) + 1)
	return -float64(n) * (float64(pi*elem.Log(pi)) + float64((1-pi)*elem.Log1p(-pi)))
}

// abstains reports whether entry p is at most sit from q.
func abstains(p, q, sit float64) bool { return math.Abs(p-q) <= sit*(1+1e-9) }

// activationCosts returns the cost in nats of a pick of each expert, given its
// usage: max(0, log((1-pi_k)/pi_k)). It is never below 0, so that the pursuit
// does not pick an expert that explains nothing.
func activationCosts(t *patchwork.Tally) []float64 {
	costs := make([]float64, len(t.Usage()))
	for k := range costs {
		pi := (float64(t.Active(k)) + 0.5) / (float64(t.Rows()) + 1)
		costs[k] = max(0, elem.Log1p(-pi)-elem.Log(pi))
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

// describe explains the data by m, starting from abstention, with the given cost
// of a pick of each expert; each is as in Explain.
func (o Options) describe(ctx context.Context, m *patchwork.Model, data patchwork.Source, costs []float64,
	each func(int, *patchwork.Explanation)) (described, error) {
	t, err := patchwork.EStep(ctx, m, data, o.describing(costs), o.Workers, each)
	if err != nil {
		return described{}, err
	}
	return described{m, costs, t, descriptionLength(m, t, abstainingMargin)}, nil
}

// describing returns how images are explained for a description length.
func (o Options) describing(costs []float64) patchwork.PursuitOptions {
	p := o.pursuit()
	p.Forced, p.Costs = false, costs
	return p
}
