package patchwork

import (
	"context"
	"fmt"
	"iter"
)

// OnlineSteps is the online pass of one start of a learning run: it yields the
// model after each image of Order(len(data.Images), opt.Seed, start), a
// snapshot that later images do not change. It is what the paper's Figure 7
// shows. The options are those given to Learn; what concerns batch EM is
// ignored. The error is the context's, or names the image or option that does
// not fit.
func OnlineSteps(ctx context.Context, data Data, cfg Config, opt LearnOptions, start int) iter.Seq2[*Model, error] {
	opt = opt.withDefaults(&cfg)
	if cfg.Rule == Max && cfg.Prior == batchInk {
		cfg.Prior = onlineInk
	}
	return func(yield func(*Model, error) bool) {
		o, err := NewOnline(cfg, OnlineOptions{Experts: opt.Experts, Reading: opt.Reading,
			UnexplainedInk: opt.UnexplainedInk, Pursuit: learningPursuit()})
		if err == nil {
			err = data.validate()
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, i := range Order(len(data.Images), opt.Seed, start) {
			if data.Weight(i) == 0 {
				continue
			}
			for range data.Weight(i) {
				if err := ctx.Err(); err != nil {
					yield(nil, err)
					return
				}
				if _, err := o.Add(data.Images[i], 1); err != nil {
					yield(nil, fmt.Errorf("image %d: %w", i, err))
					return
				}
			}
			if !yield(o.Model(), nil) {
				return
			}
		}
	}
}

// WithDefaults is the options as Learn understands them for a model of the
// given configuration: what is zero is replaced by its default.
func (o LearnOptions) WithDefaults(cfg Config) LearnOptions { return o.withDefaults(&cfg) }
