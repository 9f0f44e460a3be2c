package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn/pairs"
	"example.com/patchwork/pose"
)

// fromPairs grows binary parts of what pairs of images have in common, and sets the
// run up to go on from them: parts on a frame that holds the largest, anywhere in the
// images and any number of times, against the clutter that was found. If the run is
// ended by Enough it returns the parts found so far as a model.
func (r *runner) fromPairs(ctx context.Context, data patchwork.Data) (ended *patchwork.Model, err error) {
	images := repeated(data, r.opt.Seed)
	found, grown := r.growPairs(ctx, images)
	if grown != nil && (found == nil || !enough(ctx)) {
		return nil, grown
	}
	if len(found.Parts) == 0 {
		return nil, fmt.Errorf(
			"patchwork: no parts in %d images: nothing comes again in them beyond chance; give more images, or another start "+
				"than pairs", len(data.Images))
	}
	r.cfg = pairsConfig(r.cfg, found)
	m, err := patchwork.NewModel(r.cfg, templates(r.cfg, found))
	if err != nil {
		return nil, err
	}
	if m, err = m.WithExtras(patchwork.Extras{Usage: usageOf(found)}); err != nil {
		return nil, err
	}
	r.opt.Continue, r.opt.Starts, r.opt.Experts, r.opt.began = m, 1, m.K(), "pairs"
	if grown != nil {
		return r.hardPairs(pool.Finish(ctx), m, data)
	}
	r.note(Step{CurvePoint: patchwork.CurvePoint{Stage: StagePairs, Experts: m.K(), Rows: int64(len(images)),
		DescriptionLength: found.DescriptionLength}, Model: m})
	return nil, nil
}

// hardPairs explains the images by parts as they were grown, and returns the model with
// its record.
func (r *runner) hardPairs(ctx context.Context, m *patchwork.Model, data patchwork.Data) (*patchwork.Model, error) {
	it, err := sweep(ctx, m, data, r.opt, 0)
	if err != nil {
		return nil, err
	}
	t := trial{Start: patchwork.Start{Seed: r.opt.Seed, Score: it.Tally.LogLik(), Method: r.opt.began}, Model: it.Model,
		Tally: it.Tally}
	if t.DescriptionLength, err = r.opt.placedLength(ctx, it.Model, data, it.Tally); err != nil {
		return nil, err
	}
	return choose(ctx, data, m.Config(), r.opt, []trial{t})
}

// mostRepeated is how many images data are written out to by their weights; of more
// rows so many are drawn.
const mostRepeated = 1 << 16

// repeated returns the images, each as often as it weighs.
func repeated(data patchwork.Data, seed uint64) []*bitmap.Image {
	total := rows.Total(data)
	var drawn []int64 // rows, where not all are taken
	if total > mostRepeated {
		random := rand.New(rand.NewPCG(seed, repeatedStream))
		for range mostRepeated {
			drawn = append(drawn, random.Int64N(total))
		}
		slices.Sort(drawn)
	}
	var images []*bitmap.Image
	end := int64(0) // of the rows of an image
	for i, img := range data.Images {
		end += data.Weight(i)
		for n := int64(len(images)); total <= mostRepeated && n < end || len(drawn) > 0 && drawn[0] < end; n++ {
			images = append(images, img)
			drawn = drawn[min(1, len(drawn)):]
		}
	}
	return images
}

// repeatedStream is the stream of random numbers of repeated.
const repeatedStream = 1 << 35

// growPairs grows parts, and yields a step for every one; it has no model yet.
func (r *runner) growPairs(ctx context.Context, images []*bitmap.Image) (*pairs.Result, error) {
	opt := pairs.Options{Angles: r.cfg.Poses.Angles, Parts: max(r.given.Experts, r.given.AtMost), Starts: r.given.Starts,
		Seed: r.opt.Seed, Workers: r.opt.Workers}
	opt.Progress = func(p pairs.Progress) {
		r.note(Step{CurvePoint: patchwork.CurvePoint{Stage: StagePairs, Experts: p.Parts, Rows: int64(len(images)),
			DescriptionLength: p.DescriptionLength},
			Start: p.Start, Starts: p.Starts})
	}
	return pairs.Grow(ctx, images, opt)
}

// pairsConfig returns the configuration for parts that were grown: their frame is a
// square where they are turned, so that quarter turns are exact.
func pairsConfig(c patchwork.Config, found *pairs.Result) patchwork.Config {
	c.ImageHeight, c.ImageWidth = c.Height, c.Width
	c.Height, c.Width = 1, 1
	least := math.MaxInt // side of a part
	for _, p := range found.Parts {
		c.Height, c.Width = max(c.Height, p.Height()), max(c.Width, p.Width())
		least = min(least, p.Height(), p.Width())
	}
	if c.Poses.Rotations() > 1 {
		c.Height = max(c.Height, c.Width)
		c.Width = c.Height
	}
	c.Scene = true
	c.Overhang = max(c.Height, c.Width) - least
	c.Poses.DY, c.Poses.DX = pose.Range{}, pose.Range{}
	c.Q, c.QMap = found.Clutter, nil
	for _, places := range found.Places {
		uses := make([]int, len(found.Parts))
		for _, p := range places {
			uses[p.Part]++
			c.Reuse = max(c.Reuse, 2*uses[p.Part], pairsReuse)
		}
	}
	return c
}

// pairsReuse is how often a part may be used in an image, or twice as often as it was.
const pairsReuse = 4

// templates returns probabilities for parts that were grown, in the middle of the
// frame. Beside its pixels a part abstains.
func templates(c patchwork.Config, found *pairs.Result) [][]float64 {
	var out [][]float64
	for _, p := range found.Parts {
		t := make([]float64, c.Height*c.Width)
		y0, x0 := (c.Height-p.Height())/2, (c.Width-p.Width())/2
		for y := range p.Height() {
			for x := range p.Width() {
				if p.At(y, x) {
					t[(y0+y)*c.Width+x0+x] = 1 - found.Flips
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// usageOf returns the share of the images in which each part is.
func usageOf(found *pairs.Result) []float64 {
	usage := make([]float64, len(found.Parts))
	for _, places := range found.Places {
		has := make([]bool, len(usage))
		for _, p := range places {
			has[p.Part] = true
		}
		for k, is := range has {
			if is {
				usage[k] += 1 / float64(len(found.Places))
			}
		}
	}
	return usage
}

// checkPairs returns an error if parts cannot be grown with these options.
func (o Options) checkPairs(c patchwork.Config, data patchwork.Data) error {
	switch {
	case o.Paper || o.Method != MethodBoth:
		return fmt.Errorf("patchwork: a start from pairs is for batch EM with the default settings")
	case c.Rule != patchwork.RuleMax:
		return fmt.Errorf("patchwork: a start from pairs is for the max rule")
	case rows.Counting(data) == 0:
		return fmt.Errorf("patchwork: there are no images")
	}
	return rows.SameSize(data.Images, c.Height, c.Width)
}
