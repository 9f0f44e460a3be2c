package patchwork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/recall"
	"example.com/patchwork/internal/wire"
)

// EStep explains every image, on the given number of workers (0 means 1), and
// returns the tally of all explanations, which is the same for any number of
// workers and any blocks. It reads the source once and holds one block per worker, and
// the next. If each is not nil, the worker that made an explanation calls it, in no
// particular order; it must be safe for concurrent use if there are several
// workers. The error is the source's, the context's, says which option does not
// fit the model, or names the first image that does not.
func EStep(ctx context.Context, m *Model, src Source, opt PursuitOptions, workers int,
	each func(i int, e *Explanation)) (*Tally, error) {
	memory, src := memoryOf(src)
	switch {
	case each == nil && !m.cfg.Rule.fold():
		return nil, fmt.Errorf(
			"patchwork: under the rule %v a pixel is nobody's own, so parts cannot be counted one by one: learn with package "+
				"table, or under max or max-minus-min", m.cfg.Rule)
	case each == nil && memory != nil:
		return recalled(ctx, m, memory, src, opt, workers)
	case each == nil:
		return tallied(ctx, m, src, opt, workers)
	}
	return explainSource(ctx, m, src, opt, workers, func(b *block, j int, e *Explanation) { each(b.first+j, e) })
}

// tallier is a source whose images are explained elsewhere: on other machines, or
// by another implementation of the pursuit. EStep without each calls its Tally;
// everything else reads its Blocks.
type tallier interface {
	Source
	// Tally returns what EStep would return for all images of the source.
	Tally(ctx context.Context, m *Model, opt PursuitOptions) (*Tally, error)
}

// tallied performs an E-step without each, by the source itself if it is a
// tallier. It returns an error if the tally does not fit the model.
func tallied(ctx context.Context, m *Model, src Source, opt PursuitOptions, workers int) (*Tally, error) {
	far, ok := src.(tallier)
	if !ok {
		return explainSource(ctx, m, src, opt, workers, nil)
	}
	t, err := far.Tally(ctx, m, opt)
	if err == nil && !t.Fits(m) {
		return nil, fmt.Errorf("patchwork: the tally is of %d parts of %dx%d pixels, the model has %d of %dx%d",
			len(t.active), t.height, t.width, m.K(), m.Height(), m.Width())
	}
	return t, err
}

// recalled returns the tally of an E-step from the memory, or computes it and
// stores it there.
func recalled(ctx context.Context, m *Model, memory memory, src Source, opt PursuitOptions, workers int) (*Tally,
	error) {
	return recall.Or(memory, "an E-step", func() string { return stepKey(m, opt) }, func(c *wire.Codec, t *Tally) {
		t.code(c)
		c.Check(t.Fits(m), "a tally of another model")
	}, func() (*Tally, error) { return tallied(ctx, m, src, opt, workers) })
}

// stepKey returns the key of an E-step: of everything that its result depends on
// except the data.
func stepKey(m *Model, opt PursuitOptions) string {
	return recall.Key(m.cfg, opt.withDefaults(&m.cfg), m.experts)
}

// visitor is called with the explanation of image j of a block.
type visitor func(b *block, j int, e *Explanation)

// explainSource performs an E-step whose visitor also sees the images.
func explainSource(ctx context.Context, m *Model, src Source, opt PursuitOptions, workers int, each visitor) (*Tally,
	error) {
	p, err := NewPursuit(m, opt)
	if err != nil {
		return nil, err
	}
	return p.explainSource(ctx, src, workers, each)
}

// Tally explains every image of src like [EStep] without each, by this pursuit and
// its forks, and returns the tally. It is for data that come in pieces: what the
// pursuit has prepared for one piece serves the next. It always explains the
// images here, even if src could explain them elsewhere.
func (p *Pursuit) Tally(ctx context.Context, src Source, workers int) (*Tally, error) {
	return p.explainSource(ctx, src, workers, nil)
}

// explainSource performs an E-step on as many workers as are worth starting.
func (p *Pursuit) explainSource(ctx context.Context, src Source, workers int, each visitor) (*Tally, error) {
	if d, ok := src.(Data); ok {
		if err := d.fits(p.model); err != nil {
			return nil, err
		}
		workers = min(workers, (len(d.Images)+pool.Chunk-1)/pool.Chunk)
	}
	if workers <= 1 { // a goroutine costs as much as explaining a dozen rows of a table
		return explainAlone(ctx, p, src, each)
	}
	return explainTogether(ctx, p, src, workers, each)
}

// explainAlone performs an E-step in the caller's goroutine.
func explainAlone(ctx context.Context, p *Pursuit, src Source, each visitor) (*Tally, error) {
	w := newExplainer(p, each)
	for b, err := range numbered(ctx, src) {
		if err == nil {
			_, err = w.explain(ctx, b)
		}
		if err != nil {
			return nil, err
		}
	}
	return w.tally, nil
}

// explainTogether performs an E-step on several workers, which take the blocks in order.
func explainTogether(ctx context.Context, p *Pursuit, src Source, workers int, each visitor) (*Tally, error) {
	blocks, failed := make(chan *block), make(chan struct{})
	fail := sync.OnceFunc(func() { close(failed) })
	team, at, errs := make([]*explainer, workers), make([]int, workers), make([]error, workers)
	var wg sync.WaitGroup
	for i := range team {
		if i > 0 {
			p = p.Fork()
		}
		team[i] = newExplainer(p, each)
		wg.Go(func() {
			for b := range blocks {
				if at[i], errs[i] = team[i].explain(ctx, b); errs[i] != nil {
					fail()
					return
				}
			}
		})
	}
	err := hand(numbered(ctx, src), blocks, failed)
	wg.Wait()
	// The error of the first image that has one (all blocks before it were taken earlier and
	// explained completely) comes before the source's, which is of what follows.
	if err := cmp.Or(ctx.Err(), errs[pool.Lowest(at, errs)], err); err != nil {
		return nil, err
	}
	for _, w := range team[1:] {
		team[0].tally.Merge(w.tally)
	}
	return team[0].tally, nil
}

// hand hands out blocks until they end or something has failed.
func hand(from iter.Seq2[*block, error], blocks chan<- *block, failed <-chan struct{}) error {
	defer close(blocks)
	for b, err := range from {
		if err != nil {
			return err
		}
		select {
		case blocks <- b:
		case <-failed:
			return nil
		}
	}
	return nil
}

// explainer is one worker of the E-step.
type explainer struct {
	pursuit *Pursuit
	tally   *Tally
	each    visitor // may be nil
}

func newExplainer(p *Pursuit, each visitor) *explainer {
	return &explainer{p, NewTally(p.model), each}
}

// explain explains and counts the images of a block, in order. If one fails, at is
// its number.
func (w *explainer) explain(ctx context.Context, b *block) (at int, err error) {
	m := w.pursuit.model
	w.pursuit.Within(ctx)
	defer w.pursuit.Within(context.Background())
	for j, img := range b.Images {
		if err := ctx.Err(); err != nil {
			return b.first + j, err
		}
		e, err := w.pursuit.Explain(img)
		if ended := ctx.Err(); err != nil && ended != nil {
			return b.first + j, ended
		}
		if err != nil {
			return b.first + j, fmt.Errorf("image %d: %w", b.first+j, err)
		}
		w.tally.Add(m, img, e, b.Weight(j))
		if w.each != nil {
			w.each(b, j, e)
		}
	}
	return 0, nil
}

// FitGeometry explains the data and fits the Gaussian to the poses found. The fit
// treats an expert that is missing from an image as missing at random, and is then
// by EM; of several picks of an expert it takes the first. FitGeometry returns nil
// and no error if nothing was found, or the model has more than gauss.MaxExperts
// experts. Its errors are those of EStep.
func FitGeometry(ctx context.Context, m *Model, src Source, opt PursuitOptions, workers int) (*Geometry, error) {
	if m.K() > gauss.MaxExperts {
		return nil, nil
	}
	moments, err := gauss.NewMoments(m.K())
	if err != nil {
		return nil, err
	}
	var (
		mu     sync.Mutex // moments are integers: the same in any order
		failed error
	)
	if _, err := explainSource(ctx, m, src, opt, workers, func(b *block, j int, e *Explanation) {
		if w := b.Weight(j); w > 0 {
			mu.Lock()
			defer mu.Unlock()
			failed = cmp.Or(failed, moments.Add(m.placements(e), w))
		}
	}); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	normal, err := moments.Fit()
	if errors.Is(err, gauss.ErrNoConfigurations) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Geometry{Normal: normal, Presence: moments.Presence()}, nil
}

// placements returns the first pose of every expert in an explanation.
func (m *Model) placements(e *Explanation) []gauss.Placement {
	out := make([]gauss.Placement, m.K())
	for _, pick := range e.Picks {
		if p := &out[pick.Expert]; !p.Present {
			*p = gauss.Placement{Present: true, DY: pick.Pose.DY, DX: pick.Pose.DX, Theta: pick.Pose.Angle}
		}
	}
	return out
}
