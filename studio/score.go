package studio

import (
	"context"

	"example.com/patchwork"
)

type scoreAnswer struct {
	Body struct {
		N              int     `json:"n"`
		Pixels         int     `json:"pixels" doc:"number of known pixels"`
		LogLik         nats    `json:"log_lik" doc:"under the untruncated composition, and in scenes the noise that was learned, in nats"`
		LogLikPerPixel nats    `json:"log_lik_per_pixel"`
		StartLogLik    nats    `json:"start_log_lik" doc:"without parts, under the score used"`
		Images         []score `json:"images"`
		Model          string  `json:"model"`
	}
}

type score struct {
	Index  int  `json:"index"`
	LogLik nats `json:"log_lik" doc:"under the untruncated composition, and in scenes the noise that was learned, in nats"`
	Picks  int  `json:"picks"`
}

func (s *core) score(ctx context.Context, t *task) (*scoreAnswer, error) {
	if t.detail || t.predict {
		return nil, problemf(422, "detail and predict belong to /v1/explain")
	}
	out := new(scoreAnswer)
	b := &out.Body
	b.N, b.Model, b.Images = len(t.images), t.model.id, make([]score, len(t.images))
	err := s.each(ctx, t, func(i int, e *patchwork.Explanation) error {
		logLik := nats(e.NoisyLogLik(t.model.bits(), t.images[i]))
		b.Images[i] = score{i, logLik, len(e.Picks)}
		b.Pixels += t.images[i].CountKnown()
		b.LogLik += logLik
		b.StartLogLik += nats(e.StartLogLik)
		return nil
	})
	if err != nil {
		return nil, s.workError(err)
	}
	if b.Pixels > 0 {
		b.LogLikPerPixel = b.LogLik / nats(b.Pixels)
	}
	s.explained(len(t.images))
	return out, nil
}
