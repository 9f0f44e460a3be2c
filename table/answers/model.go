package answers

import (
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// sure is what the shares of all named sets add up to, since some must be left.
const sure = 1 - 1e-9

// Written returns the first of the pictures that a model can hold: all but parts over a level.
func (r *Result) Written() Compared {
	for _, p := range r.Pictures {
		if !p.leveled() || len(p.Votes) == 0 {
			return p
		}
	}
	return r.Pictures[0] // there is always an independent one
}

// Model returns the picture as a model of as many columns as cfg says. A level is written as classes, one for each
// step; parts that depend on a level of usage, as the sets of them that come together.
func (c *Compared) Model(cfg patchwork.Config, rows int64, seed uint64) (*patchwork.Model, error) {
	p := c.Picture
	if p.leveled() {
		p = p.asClasses()
	}
	rule := patchwork.RuleMax
	if p.Lacking {
		rule = patchwork.RuleMaxMinusMin
	}
	cfg = patchwork.NewConfig(rule, cfg.Height, cfg.Width, cfg.Poses)
	cfg.QMap = p.background()
	extras := patchwork.Extras{Usage: make([]float64, max(len(p.Votes), 1)), Record: patchwork.Record{Method: "soft",
		Mode: "interpret", Seed: seed, Rows: rows, LogLik: c.LogP, DescriptionLength: c.Length}}
	experts := [][]float64{slices.Clone(cfg.QMap)} // a part that is never active, of a picture that has none
	if len(p.Votes) > 0 {
		experts = p.experts(cfg.QMap)
	}
	prior := &patchwork.SetPrior{Parent: slices.Repeat([]int{-1}, len(experts))}
	for range experts {
		prior.Active = append(prior.Active, [2]float64{0.5, 0.5})
	}
	for s, levels := range p.shares() {
		set := []int{}
		for k := range p.Votes {
			if p.Sets[s]>>k&1 != 0 {
				set = append(set, k)
				extras.Usage[k] += levels
			}
		}
		prior.Sets, prior.Share = append(prior.Sets, set), append(prior.Share, levels*sure)
	}
	if p.Share != nil || p.WithUsage {
		extras.SetPrior = prior
	}
	m, err := patchwork.NewModel(cfg, experts)
	if err != nil {
		return nil, err
	}
	return m.WithExtras(extras)
}

// shares returns how probable each set of parts is.
func (p *Picture) shares() []float64 {
	out := make([]float64, len(p.Sets))
	for s, levels := range p.prior() {
		for _, v := range levels {
			out[s] += elem.Exp(v)
		}
	}
	return out
}

// asClasses returns a level as classes, one for each step.
func (p *Picture) asClasses() *Picture {
	m := prepare(p)
	c := &Picture{Kind: p.Kind, Intercept: p.Intercept, Slope: make([]float64, len(p.Slope)), Steps: []float64{0},
		Weights: []float64{1}, Classes: true, Share: p.Weights, Usage: make([]float64, len(p.Steps))}
	for l := range p.Steps {
		var votes []float64
		for d := range p.Intercept {
			votes = append(votes, m.chance[d][l])
		}
		c.Votes, c.Sets = append(c.Votes, votes), append(c.Sets, 1<<l)
	}
	return c
}

// background returns how probable each column is on where nobody votes; of classes, the least that one says.
func (p *Picture) background() []float64 {
	out := make([]float64, len(p.Intercept))
	for d := range out {
		out[d] = sigmoid(p.Intercept[d])
		if p.Classes {
			out[d] = 1
			for _, v := range p.Votes {
				out[d] = min(out[d], v[d])
			}
		}
		if p.Lacking {
			out[d] = 1 - out[d]
		}
	}
	return out
}

// experts returns the parts as templates, which say what the background says where a part does not vote.
func (p *Picture) experts(background []float64) [][]float64 {
	var out [][]float64
	for _, votes := range p.Votes {
		template := slices.Clone(background)
		for d, v := range votes {
			if p.Lacking && v > 0 {
				v = 1 - v
			}
			if v > 0 {
				template[d] = v
			}
		}
		out = append(out, template)
	}
	return out
}
