package studio

import (
	"slices"
	"sync"

	"example.com/patchwork"
	"example.com/patchwork/posterior"
)

// Settings says how images are explained; the zero value is recommended.
type Settings struct {
	Pursuit  string `json:"pursuit,omitempty" query:"pursuit" enum:"auto,refined,paper" doc:"search greedily (paper), or then also replace, drop and add picks under the original likelihood (refined); auto, the default: refined if parts move"`
	MaxPicks int    `json:"max_picks,omitempty" query:"max_picks" minimum:"1" maximum:"32767" doc:"maximum number of picks; default no limit"`
	Reuse    int    `json:"reuse,omitempty" query:"reuse" minimum:"1" maximum:"100" doc:"how often a part may be used in one image; default: the model's"`
}

// options converts the settings to those of the core. Unless they say how to search, the prior of the model is charged.
func (o *Settings) options(m *patchwork.Model) patchwork.PursuitOptions {
	opt := patchwork.PursuitOptions{Paper: o.Pursuit == "paper", Refined: o.Pursuit == "refined", MaxPicks: o.MaxPicks,
		Reuse: o.Reuse}
	if !opt.Paper && !opt.Refined {
		opt.Costs = posterior.PickCosts(m)
	}
	return opt
}

// pursuits caches the pursuits of models, by settings. Requests fork them, since each belongs to one goroutine.
type pursuits struct {
	mu    sync.Mutex
	space int64   // for all of them, about, in bytes
	kinds []*kind // most recently used first
}

// kind is the pursuit of one model with the same settings.
type kind struct {
	model    *model
	settings Settings
	first    *patchwork.Pursuit // only to fork from
}

// bytes estimates the memory of a kind, by measurement: 26 bytes per number of
// the rotated templates, 5 MB, and 70 bytes per candidate.
func (k *kind) bytes() int64 {
	c, n := k.model.bits().Config(), int64(k.model.bits().K())
	turned := n * int64(c.Poses.Turns()) * int64(c.Height) * int64(c.Width)
	return 26*turned + 5e6 + 70*n*int64(c.Poses.Len())
}

// take returns a pursuit for exclusive use.
func (p *pursuits) take(m *model, s Settings) (*patchwork.Pursuit, error) {
	k := p.cached(m, s)
	if k == nil {
		first, err := patchwork.NewPursuit(m.bits(), s.options(m.bits()))
		if err != nil {
			return nil, problem(statusUnprocessableEntity, err.Error())
		}
		k = &kind{m, s, first}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kinds = slices.Insert(p.kinds, 0, k)
	used := int64(0)
	for i, k := range p.kinds { // the least recently used go while all together take too much
		if used += k.bytes(); used > p.space || i >= maxKinds {
			clear(p.kinds[i:])
			p.kinds = p.kinds[:i]
			break
		}
	}
	return k.first.Fork(), nil
}

// cached takes a kind out of the cache; nil if it is not there.
func (p *pursuits) cached(m *model, s Settings) *kind {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, k := range p.kinds {
		if k.model.id == m.id && k.settings == s { // a model keeps its id when its names change
			p.kinds = slices.Delete(p.kinds, i, i+1)
			return k
		}
	}
	return nil
}

// size returns the bytes of all of them, about.
func (p *pursuits) size() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := int64(0)
	for _, k := range p.kinds {
		n += k.bytes()
	}
	return n
}

// maxKinds bounds the kinds, which are searched linearly.
const maxKinds = 64

// forget drops the pursuits of a model.
func (p *pursuits) forget(m *model) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kinds = slices.DeleteFunc(p.kinds, func(k *kind) bool { return k.model.id == m.id })
}
