package patchwork

import (
	"math/rand/v2"
	"sync"

	"example.com/patchwork/bitmap"
)

// This file has the easy calls on a model. They use the recommended settings and
// pursuits that the model keeps. For other settings, make a Pursuit.

// Explain explains one image by the recommended pursuit, that of the zero
// PursuitOptions. The error is a *SizeError, or says that the image has too many
// candidates (GridFor). It is safe for concurrent use. The first call prepares the
// pursuit; the model keeps the result, about 26 bytes per pixel of each expert in
// each rotation. For many images, EStep and Pursuit.ExplainAll are faster.
func (m *Model) Explain(img *bitmap.Image) (*Explanation, error) {
	p := m.idle.take(m)
	defer m.idle.pursuits.Put(p)
	return p.Explain(img)
}

// LogLik returns the log-likelihood of an image, in nats, given the picks that
// Explain finds in it: the sum over the known pixels, -Inf if one has probability
// 0. Its errors are those of Explain, and it is safe for concurrent use.
func (m *Model) LogLik(img *bitmap.Image) (float64, error) {
	e, err := m.Explain(img)
	if err != nil {
		return 0, err
	}
	return e.LogLikModel, nil
}

// Sample draws an image of the size of the experts' frame, and returns it with
// the picks it is composed of. It calls SamplePicks, Compose and bitmap.Sample.
func (m *Model) Sample(rng *rand.Rand) (*bitmap.Image, []Pick) {
	picks := m.SamplePicks(rng)
	return bitmap.Sample(rng, m.cfg.Height, m.cfg.Width, m.Compose(m.cfg.Height, m.cfg.Width, picks).P), picks
}

// idle holds the pursuits of the easy calls on one model, forks of the first.
type idle struct {
	once     sync.Once
	first    *Pursuit
	pursuits sync.Pool
}

// take returns a pursuit for exclusive use; the caller puts it back.
func (i *idle) take(m *Model) *Pursuit {
	if p, ok := i.pursuits.Get().(*Pursuit); ok {
		return p
	}
	i.once.Do(func() {
		var err error
		if i.first, err = NewPursuit(m, PursuitOptions{}); err != nil {
			panic("patchwork: the default settings fit every model: " + err.Error())
		}
	})
	return i.first.Fork()
}
