package patchwork

import (
	"context"
	"fmt"
	"iter"
)

// OnlineSteps replays the online pass of one start of a learning run: it
// yields the model after each image of Order(len(data.Images), opt.Seed,
// start), a snapshot that later images do not change. It is what the paper's
// Figure 7 shows. The options are those given to Learn; what concerns batch EM
// is ignored. The error is the context's, or names the image or option that
// does not fit.
func OnlineSteps(ctx context.Context, data Data, cfg Config, opt LearnOptions, start int) iter.Seq2[*Model, error] {
	opt = opt.withDefaults(&cfg)
	return func(yield func(*Model, error) bool) {
		online := cfg
		if cfg.Rule == Max && cfg.Prior == (Prior{0.05, 1}) {
			online.Prior.On = 0.1 // as in learnOnline
		}
		o, err := NewOnline(online, OnlineOptions{Experts: opt.Experts, Reading: opt.Reading,
			UnexplainedInk: opt.UnexplainedInk, Pursuit: learningPursuit()})
		if err == nil {
			err = data.validate()
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, i := range Order(len(data.Images), opt.Seed, start) {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if _, err := o.Add(data.Images[i], data.Weight(i)); err != nil {
				yield(nil, fmt.Errorf("image %d: %w", i, err))
				return
			}
			if !yield(o.Model(), nil) {
				return
			}
		}
	}
}
