package studio

import (
	"slices"
	"sync"

	"example.com/patchwork"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/posterior"
)

// Settings says how images are explained; the zero value is recommended.
type Settings struct {
	Pursuit   string  `json:"pursuit,omitempty" query:"pursuit" enum:"auto,refined,paper" doc:"search greedily (paper), or then also replace, drop and add picks under the original likelihood (refined); auto, the default: refined if parts move and score is default"`
	Start     string  `json:"start,omitempty" query:"start" enum:"forced,empty" doc:"whether the first part is always picked (forced) or only if it improves the likelihood (empty, the default)"`
	Score     string  `json:"score,omitempty" query:"score" enum:"default,truncated,original,mixed" doc:"likelihood to increase; default: the model's"`
	Alpha     float64 `json:"alpha,omitempty" query:"alpha" exclusiveMinimum:"0" maximum:"1" doc:"weight of the template in score mixed; default 0.9"`
	MinGain   float64 `json:"min_gain,omitempty" query:"min_gain" minimum:"-1e9" maximum:"1e9" doc:"minimum gain of a pick, in nats"`
	MaxPicks  int     `json:"max_picks,omitempty" query:"max_picks" minimum:"1" maximum:"32767" doc:"maximum number of picks; default no limit"`
	Refine    bool    `json:"refine,omitempty" query:"refine" doc:"true: the same as pursuit refined"`
	Calibrate string  `json:"calibrate,omitempty" query:"calibrate" enum:"auto,always,never" doc:"learn the noise of each image, and explain it by the parts as they look under it; auto, the default: scenes, if no other setting of the search is given"`
	Reuse     int     `json:"reuse,omitempty" query:"reuse" minimum:"1" maximum:"100" doc:"how often a part may be used in one image; default: the model's"`
}

// options converts the settings to those of the core.
func (o *Settings) options() (patchwork.PursuitOptions, error) {
	opt := patchwork.PursuitOptions{Calibrated: o.Calibrate == "always", AsLearned: o.Calibrate == "never", Alpha: o.Alpha,
		Forced: o.Start == "forced", MinGain: o.MinGain, MaxPicks: o.MaxPicks, Reuse: o.Reuse}
	switch {
	case o.Refine && o.Pursuit != "" && o.Pursuit != "refined":
		return opt, problemAt(422, "pursuit", o.Pursuit, "pursuit %s and refine contradict each other; leave out refine",
			o.Pursuit)
	case o.Calibrate != "" && o.Calibrate != "auto" && o.Calibrate != "always" && o.Calibrate != "never":
		return opt, problemAt(422, "calibrate", o.Calibrate, "noise is learned auto, always or never, not %q", o.Calibrate)
	case o.Pursuit != "" && o.Pursuit != "auto" && o.Pursuit != "paper" && o.Pursuit != "refined":
		return opt, problemAt(422, "pursuit", o.Pursuit, "a pursuit is auto, paper or refined, not %q", o.Pursuit)
	}
	opt.Paper, opt.Refined = o.Pursuit == "paper", o.Refine || o.Pursuit == "refined"
	if o.Score != "" {
		var err error
		if opt.Scoring, err = enum.Of[patchwork.Scoring]("a scoring", o.Score); err != nil {
			return opt, problemAt(422, "score", o.Score, "%v", err)
		}
	}
	if o.Alpha != 0 && opt.Scoring != patchwork.ScoringMixed {
		return opt, problemAt(422, "alpha", o.Alpha, "alpha belongs to score mixed")
	}
	return opt, nil
}

// plain reports whether no setting says how the pursuit searches, so that it may charge
// the prior of the model, as explain does.
func (o *Settings) plain() bool {
	unset := func(value, name string) bool { return value == "" || value == name }
	return unset(o.Pursuit, "auto") && unset(o.Start, "empty") && unset(o.Score, "default") &&
		unset(o.Calibrate, "auto") && o.MinGain == 0 && !o.Refine
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
	c, n := k.model.m.Config(), int64(k.model.m.K())
	turned := n * int64(c.Poses.Turns()) * int64(c.Height) * int64(c.Width)
	return 26*turned + 5e6 + 70*n*int64(c.Poses.Len())
}

// take returns a pursuit for exclusive use.
func (p *pursuits) take(m *model, s Settings) (*patchwork.Pursuit, error) {
	k := p.cached(m, s)
	if k == nil {
		opt, err := s.options()
		if err != nil {
			return nil, err
		}
		if s.plain() {
			opt.Costs = posterior.PickCosts(m.m)
		}
		first, err := patchwork.NewPursuit(m.m, opt)
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
