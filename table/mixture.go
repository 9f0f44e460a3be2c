package table

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
)

// Mixture is a mixture of Bernoulli vectors: each row comes from one component. It
// is where learning may start, and a simpler model to compare with.
type Mixture struct {
	Share      []float64   // of each component
	Components [][]float64 // probabilities of the bits
}

// Predict returns the probability of every bit of a row being on, by the components
// weighed by how well they explain its known bits. It panics unless the row has as
// many bits as a component.
func (x *Mixture) Predict(row *bitmap.Image) []float64 { return x.Predictor()(row) }

// Predictor returns Predict for many rows, which several goroutines may call.
func (x *Mixture) Predictor() func(row *bitmap.Image) []float64 {
	r := newMixtureRun(x)
	r.prepare()
	return func(row *bitmap.Image) []float64 {
		on, known := row.AppendBytes(nil), row.AppendKnown(nil)
		if len(on) != len(x.Components[0]) {
			panic(fmt.Sprintf("patchwork: a row of %d bits, and components of %d", len(on), len(x.Components[0])))
		}
		var ones, hidden []int32
		for i, k := range known {
			if k == 0 {
				hidden = append(hidden, int32(i))
			} else if on[i] != 0 {
				ones = append(ones, int32(i))
			}
		}
		post, out := make([]float64, len(x.Share)), make([]float64, len(on))
		_, sum := r.posterior(post, ones, hidden)
		for c, p := range x.Components {
			for i, v := range p {
				out[i] += float64(post[c] / sum * v)
			}
		}
		return out
	}
}

const (
	mixtureIterations = 40
	mixtureCloseness  = 0.1 // nats that an iteration must gain for another one to follow
)

// FitMixture fits a mixture of k components to the rows by EM, started at rows
// drawn at random, each moved half of the way to the marginals. A probability of a
// component is (on + marginal)/(seen + 1). The result depends on the data, k and
// the seed only. It panics unless the images have one size.
func FitMixture(ctx context.Context, data patchwork.Data, k int, seed uint64) (*Mixture, error) {
	if err := rows.Validate(context.Background(), data); err != nil {
		return nil, err
	}
	data = rows.Distinct(data)
	marginal := rows.Means(data)
	start := &Mixture{Share: slices.Repeat([]float64{1 / float64(k)}, k)}
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	for range k {
		start.Components = append(start.Components, drawnComponent(data, marginal, rng))
	}
	return start.fitted(ctx, data, marginal)
}

// fitted returns what EM makes of a mixture, which it changes.
func (x *Mixture) fitted(ctx context.Context, data patchwork.Data, marginal []float64) (*Mixture, error) {
	r := newMixtureRun(x)
	before := math.Inf(-1)
	for range mixtureIterations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.step(data, marginal); r.logLik < before+mixtureCloseness {
			break
		}
		before = r.logLik
	}
	return x, nil
}

// drawnComponent returns a row drawn at random, moved half of the way to the marginals.
func drawnComponent(data patchwork.Data, marginal []float64, rng *rand.Rand) []float64 {
	p := make([]float64, len(marginal))
	row := data.Images[rows.Draw(data, rng)]
	x, known := row.AppendBytes(nil), row.AppendKnown(nil)
	for i, m := range marginal {
		if p[i] = m; known[i] != 0 {
			p[i] = (m + float64(x[i])) / 2
		}
	}
	return p
}

// mixtureRun is the state of EM.
type mixtureRun struct {
	*Mixture
	logOn, logOff [][]float64 // by component and bit: what one adds to a row of zeros, and the log probability of a zero
	zeros         []float64   // by component: the log probability of a row of zeros, and of the component
	on, unknown   [][]float64
	weight        []float64
	post          []float64
	ones, hidden  []int32
	logLik        float64 // of the data, before the last iteration
}

func newMixtureRun(x *Mixture) *mixtureRun {
	k := len(x.Share)
	r := &mixtureRun{Mixture: x, weight: make([]float64, k), post: make([]float64, k), zeros: make([]float64, k)}
	for range k {
		for _, m := range []*[][]float64{&r.logOn, &r.logOff, &r.on, &r.unknown} {
			*m = append(*m, make([]float64, len(x.Components[0])))
		}
	}
	return r
}

// prepare sets what the posterior of rows follows from.
func (r *mixtureRun) prepare() {
	for c, p := range r.Components {
		r.zeros[c] = elem.Log(r.Share[c])
		for i := range p {
			r.logOff[c][i] = elem.Log1p(-p[i])
			r.logOn[c][i] = elem.Log(p[i]) - r.logOff[c][i]
			r.zeros[c] += r.logOff[c][i]
		}
	}
}

// posterior sets post to the weights of the components, in proportion, given which bits of a row are on and which
// unknown. It returns the largest log-likelihood and the sum of the weights.
func (r *mixtureRun) posterior(post []float64, ones, hidden []int32) (top, sum float64) {
	top = math.Inf(-1)
	for c := range post {
		l := r.zeros[c]
		for _, i := range ones {
			l += r.logOn[c][i]
		}
		for _, i := range hidden {
			l -= r.logOff[c][i]
		}
		post[c] = l
		top = max(top, l)
	}
	for c, l := range post {
		post[c] = elem.Exp(l - top)
		sum += post[c]
	}
	return top, sum
}

// step runs one iteration. It takes the rows in their order, so that sums are the
// same in every run.
func (r *mixtureRun) step(data patchwork.Data, marginal []float64) {
	r.prepare()
	for c := range r.Components {
		clear(r.on[c])
		clear(r.unknown[c])
	}
	clear(r.weight)
	r.logLik = 0
	rows.Each(data, r.add)
	rows := float64(rows.Total(data))
	for c, p := range r.Components {
		r.Share[c] = (r.weight[c] + 1) / (rows + float64(len(r.Share)))
		for i := range p {
			p[i] = (r.on[c][i] + marginal[i]) / (max(r.weight[c]-r.unknown[c][i], r.on[c][i]) + 1)
		}
	}
}

// add counts a row by the posterior of its component.
func (r *mixtureRun) add(weight float64, x, known []uint8) {
	r.ones, r.hidden = r.ones[:0], r.hidden[:0]
	for i, k := range known {
		if k == 0 {
			r.hidden = append(r.hidden, int32(i))
		} else if x[i] != 0 {
			r.ones = append(r.ones, int32(i))
		}
	}
	top, sum := r.posterior(r.post, r.ones, r.hidden)
	r.logLik += float64(weight * (top + elem.Log(sum)))
	for c := range r.post {
		w := weight * r.post[c] / sum
		if w < minWeight*weight {
			continue
		}
		r.weight[c] += w
		for _, i := range r.ones {
			r.on[c][i] += w
		}
		for _, i := range r.hidden {
			r.unknown[c][i] += w
		}
	}
}

// model returns the mixture's components as experts, each as often active as its
// share says of so many rows. They vote where they differ from the background
// cfg.QMap; under Max, where they are above it. If that is nil, the background is
// the smallest probability of each bit, so that every component votes for what it
// has beyond the others.
func (x *Mixture) model(cfg patchwork.Config, rows int64) (*patchwork.Model, error) {
	if cfg.QMap == nil {
		cfg.QMap = slices.Clone(x.Components[0])
		for i, q := range cfg.QMap {
			for _, p := range x.Components {
				q = min(q, p[i])
			}
			cfg.QMap[i] = clipQ(q)
		}
	}
	experts := make([][]float64, len(x.Components))
	for c, p := range x.Components {
		experts[c] = slices.Clone(p)
		for i, q := range cfg.QMap {
			if !cfg.Rule.TwoSided() {
				experts[c][i] = max(p[i], q)
			}
		}
	}
	m, err := patchwork.NewModel(cfg, experts)
	if err != nil {
		return nil, err
	}
	return m.WithExtras(patchwork.Extras{Usage: x.Share, Record: patchwork.Record{Rows: rows}})
}
