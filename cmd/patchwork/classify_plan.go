package main

import (
	"context"
	"fmt"

	"example.com/patchwork"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/table"
)

// classPlan is how classes are learned.
type classPlan struct {
	cfg      patchwork.Config // where the pieces of examples may be
	opt      classes.Options  // without Fit
	each     *recipe.Plan     // of one class
	alphabet *recipe.Plan     // of an alphabet that all share; nil without
}

// learn learns classes: first their alphabet, if they share one.
func (p *classPlan) learn(ctx context.Context, data patchwork.Data, labels []string) (*classes.Classifier, error) {
	opt, each := p.opt, *p.each
	if p.alphabet != nil {
		var labelled []int
		for i, label := range labels {
			if label != "" && data.Weight(i) > 0 {
				labelled = append(labelled, i)
			}
		}
		shared, err := learn.Learn(ctx, rows.Part(data, labelled), p.alphabet.Config, p.alphabet.Learn)
		if err != nil {
			return nil, fmt.Errorf("the alphabet of all classes: %w", err)
		}
		each.Learn.From = shared
	}
	opt.Fit = fitOf(&each)
	return classes.Learn(ctx, data, labels, p.cfg, opt)
}

// takeAlphabet returns how the alphabet of --alphabet is learned, and clears the flag: the
// classes themselves are learned as always, from starts made of it. It returns nil without
// the flag.
func (f *classifyFlags) takeAlphabet(s *source) (*recipe.Plan, error) {
	if f.Alphabet == 0 {
		return nil, nil
	}
	if s.head().Table {
		return nil, usagef("--alphabet is for drawings; %s is a table", s.head().Source)
	}
	own := *f
	own.Poses, own.Count = recipe.Poses{}, recipe.Count{} // those flags are about the classes
	if _, err := own.resolve(s, learn.Layout{}); err != nil {
		return nil, err
	}
	f.Alphabet = 0
	h, w := s.head().Size()
	p, err := own.Plan(h, w)
	return p, inFlags(err)
}

// fitOf returns how one class is learned. Classes are learned side by side, so each takes
// one worker.
func fitOf(p *recipe.Plan) func(context.Context, patchwork.Data) (*patchwork.Model, error) {
	return func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
		if p.Table != nil {
			opt := *p.Table
			opt.Workers = 1
			return table.Learn(ctx, data, p.Config, opt)
		}
		opt := p.Learn
		opt.Workers = 1
		return learn.Learn(ctx, data, p.Config, opt)
	}
}
