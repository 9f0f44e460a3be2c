package learn

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/rows"
)

// A relocation deletes an expert and begins another one elsewhere. At most
// relocations are tried; each is learned for relocationSweeps, and polished for
// relocationPolish iterations, before it is judged.
const relocations, relocationSweeps, relocationPolish = 40, 8, 4

// relocationFailures returns after how many failures in a row relocations end.
// With few images the search is harder, and a relocation cheaper.
func relocationFailures(images int) int {
	if images < 100 {
		return 16
	}
	return 8
}

// relocate tries to move experts from where they are of little use to where one
// is missing, and keeps each move that shortens the description. A local optimum
// of EM typically has two experts for one cause and one for two others.
//
// It deletes the least useful expert, and turns to the next one after every
// second failure.
func relocate(ctx context.Context, d described, data patchwork.Data, opt Options, rng *rand.Rand) (described, error) {
	v, err := newView(ctx, d, data, opt)
	if err != nil {
		return d, err
	}
	failures := 0
	for range relocations {
		if failures == relocationFailures(len(data.Images)) {
			break
		}
		moved, err := v.move(ctx, v.order[failures/2%len(v.order)], rng)
		if err != nil {
			return d, err
		}
		if !moved.shorter(&d) {
			failures++
			continue
		}
		d, failures = moved, 0
		opt.tell(Step{CurvePoint: patchwork.CurvePoint{Stage: StageMove, Rows: d.tally.Rows(), LogLik: d.tally.LogLik(),
			DescriptionLength: d.length}, Model: d.model})
		if v, err = newView(ctx, d, data, opt); err != nil {
			return d, err
		}
	}
	return d, nil
}

// impossibleImage replaces -log 0, in nats, in sums that must stay finite.
const impossibleImage = 1e9

// view is a model with how it explains every image, and how useful each expert
// is.
type view struct {
	described
	data  patchwork.Data
	opt   Options
	picks [][]patchwork.Pick
	lik   []float64 // log-likelihood of each image
	order []int     // experts, the least useful first
	bad   []float64 // running sum of how badly the images are explained
}

func newView(ctx context.Context, d described, data patchwork.Data, opt Options) (*view, error) {
	n := len(data.Images)
	v := &view{data: data, opt: opt, picks: make([][]patchwork.Pick, n), lik: make([]float64, n)}
	var err error
	v.described, err = opt.describe(ctx, d.model, data, d.costs, func(i int, e *patchwork.Explanation) {
		v.picks[i], v.lik[i] = e.Picks, max(e.LogLikModel, -impossibleImage)
	})
	if err != nil {
		return nil, err
	}
	v.weigh()
	return v, v.rank(ctx)
}

// weigh computes how badly each image is explained, (-LL - median)_+ times its
// weight, as a running sum.
func (v *view) weigh() {
	sorted := slices.Sorted(slices.Values(v.lik))
	median := sorted[len(sorted)/2]
	v.bad = make([]float64, len(v.lik))
	sum := 0.0
	for i, l := range v.lik {
		sum += float64(float64(v.data.Weight(i)) * max(median-l, 0))
		v.bad[i] = sum
	}
}

// draw returns an image with a probability proportional to how badly it is
// explained, or any image if all are explained equally well.
func (v *view) draw(rng *rand.Rand) int { return draw.BySums(rng, v.bad) }

// rank orders the experts by how much longer the description would be without
// each of them, equals by index.
func (v *view) rank(ctx context.Context) error {
	rise := make([]float64, v.model.K())
	v.order = make([]int, v.model.K())
	for k := range rise {
		v.order[k] = k
		if v.model.K() == 1 {
			break
		}
		var err error
		if rise[k], err = v.rise(ctx, k); err != nil {
			return err
		}
	}
	slices.SortStableFunc(v.order, func(a, b int) int { return cmp.Compare(rise[a], rise[b]) })
	return nil
}

// rise returns by how much the description grows without expert k. Only the
// images in which it is active are explained again.
func (v *view) rise(ctx context.Context, k int) (float64, error) {
	var uses patchwork.Data
	active := make([]int64, v.model.K())
	for k := range active {
		active[k] = v.tally.Active(k)
	}
	logLik := 0.0
	for i, picks := range v.picks {
		if !activeIn(picks, k) {
			continue
		}
		w := v.data.Weight(i)
		uses.Images, uses.Weights = append(uses.Images, v.data.Images[i]), append(uses.Weights, w)
		logLik -= float64(float64(w) * v.lik[i])
		for _, p := range picks {
			active[p.Expert] -= w
		}
	}
	length := -usageLength(v.tally.Active(k), v.tally.Rows())
	if v.tally.Active(k) == 0 {
		return length, nil
	}
	t, err := patchwork.EStep(ctx, withoutExpert(v.model, k), uses,
		v.opt.describing(slices.Delete(slices.Clone(v.costs), k, k+1)), v.opt.Workers, nil)
	if err != nil {
		return 0, err
	}
	length -= logLik + t.LogLik() + float64(voteCost(v.tally)*float64(rows.Votes(v.model, k, abstainingMargin)))
	for j := range v.model.K() - 1 {
		left := t.Active(j)
		o := j
		if j >= k {
			o++
		}
		length += usageLength(active[o]+left, v.tally.Rows()) - usageLength(v.tally.Active(o), v.tally.Rows())
	}
	return length, nil
}

// activeIn reports whether expert k is among the picks.
func activeIn(picks []patchwork.Pick, k int) bool {
	return slices.ContainsFunc(picks, func(p patchwork.Pick) bool { return p.Expert == k })
}

// withoutExpert returns the model without expert k.
func withoutExpert(m *patchwork.Model, k int) *patchwork.Model {
	return m.WithTemplates(slices.Delete(m.Templates(), k, k+1), patchwork.Extras{Names: rows.NamesWithout(m, k)})
}

// move learns again with expert k replaced by one made of a badly explained
// image, as sequential initialisation makes it (section 4.1).
func (v *view) move(ctx context.Context, k int, rng *rand.Rand) (described, error) {
	i := v.draw(rng)
	img := v.data.Images[i]
	picks := slices.DeleteFunc(slices.Clone(v.picks[i]), func(p patchwork.Pick) bool { return p.Expert == k })
	mu := v.model.Compose(img.Height(), img.Width(), picks).P
	template, _ := newExpert(v.model.Config(), v.opt.Reading, img, mu)
	experts := v.model.Templates()
	experts[k] = template
	extras := v.model.Extras()
	extras.Names = namesUnless(v.model, k)
	m := v.model.WithTemplates(experts, extras)
	return v.opt.learnShort(ctx, m, v.data, relocationSweeps, relocationPolish)
}
