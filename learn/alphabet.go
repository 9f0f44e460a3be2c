package learn

import (
	"context"
	"fmt"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/pose"
)

// FromPieces is how the starts of an alphabet begin, in its record
// (patchwork.Start.Method).
const FromPieces = "pieces"

// An alphabet is a set of parts that images of many kinds share, such as the strokes of
// all letters: an image has some of them, one perhaps several times, turned by any angle
// and stretched along its own axis. It is learned as strokes are (Options.Shared of
// package strokes), from pieces of images of several kinds.
const (
	// alphabetReuse is how often a part of an alphabet may be in an image.
	alphabetReuse = 3
	// alphabetTurn is by how many degrees the rotations of its parts differ, the others
	// by which factors a part is stretched.
	alphabetTurn                    = 15
	alphabetShorter, alphabetLonger = 0.75, 1.33
	// alphabetRace and alphabetMost are how many images the starts race on, and the best
	// of them goes on with: what many kinds share is shown by few images of each.
	alphabetRace, alphabetMost = 40, 150
	// alphabetRounds is how many rounds a start makes in the race.
	alphabetRounds = 2
	// alphabetKept is how many starts go on after the race.
	alphabetKept = 2
	// The background is learned within these bounds.
	leastBackground, mostBackground = 0.0005, 0.1

	alphabetStarts, alphabetIterations = 6, 4 // by default

	// longStretch is how much longer a part may be where a start is made of it.
	longStretch = 1.6
)

// Alphabet returns a configuration for an alphabet of parts, in images of so many
// pixels: under the max rule, shifted by up to half a frame by 2 pixels, turned all
// around by 15 degrees, as they are or longer or shorter by a third, and each used up to
// three times. Options.Alphabet learns it.
func Alphabet(height, width int) patchwork.Config {
	c := patchwork.NewConfig(patchwork.RuleMax, height, width, pose.Grid{
		DY: pose.Symmetric(max(height/2-1, 0), 2), DX: pose.Symmetric(max(width/2-1, 0), 2),
		Angles:    pose.Evenly(180, alphabetTurn)[1:],
		Stretches: []pose.Stretch{{}, {Y: alphabetShorter, X: 1}, {Y: alphabetLonger, X: 1}}})
	c.Reuse = alphabetReuse
	return c
}

// checkAlphabet returns an error if the options are none for an alphabet.
func (o Options) checkAlphabet() error {
	switch {
	case o.Method != MethodStrokes:
		return fmt.Errorf("patchwork: an alphabet is learned by the method strokes, not by %v", o.Method)
	case o.finding() || o.Continue != nil:
		return fmt.Errorf("patchwork: an alphabet is learned from the beginning, with a given number of parts")
	case o.Straight > 0:
		return fmt.Errorf("patchwork: straight parts cannot be preferred in an alphabet")
	}
	return nil
}

// learnAlphabet learns an alphabet: starts race on a few of the images, drawn at random;
// the best goes on with more of them, on the background that it leaves.
func learnAlphabet(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options) (*patchwork.Model,
	error) {
	all := order(len(data.Images), opt.Seed, 1)
	some := func(n int) patchwork.Data {
		part := rows.Part(data, all[:min(n, len(all))])
		if data.Memory != nil {
			part.Memory = rows.PartMemory{Memory: data.Memory, Part: fmt.Sprintf("alphabet %d ", n)}
		}
		return part
	}
	side := min(opt.Workers, opt.Starts)
	r, err := newStrokeRun(some(alphabetRace), cfg, opt, side)
	if err != nil {
		return nil, err
	}
	alive, err := r.stage(ctx, startsOf(opt), side, true, stage{min(alphabetRounds, opt.Iterations), alphabetKept})
	if err != nil && !(enough(ctx) && len(r.ended) > 0) {
		return nil, err
	}
	race := r.record()
	for n := 0; n < 2 && err == nil; n++ { // the first background is that of a few images
		var next *strokeRun
		if next, err = r.goOn(ctx, some(alphabetMost), alive); err == nil {
			r = next
			alive, err = r.stage(ctx, slices.Clone(r.ended), min(opt.Workers, len(r.ended)), false, stage{opt.Iterations, 1})
		}
	}
	if err != nil && !enough(ctx) {
		return nil, err
	}
	m, err := r.choose(pool.Finish(ctx))
	if err != nil {
		return nil, err
	}
	extras := m.Extras()
	extras.Record.Starts, extras.Record.Chosen = race.Starts, r.best().index
	return m.WithExtras(extras)
}

// goOn returns a run on more images, with the best starts of this one as its own: on the
// background that the first of them leaves, with the images explained afresh.
func (r *strokeRun) goOn(ctx context.Context, data patchwork.Data, starts []strokeStart) (*strokeRun, error) {
	q, err := r.learner.Background(ctx, starts[0].state)
	if err != nil {
		return nil, err
	}
	cfg := r.base.Config()
	cfg.Q = min(max(q, leastBackground), mostBackground)
	next, err := newStrokeRun(data, cfg, r.opt, min(r.opt.Workers, len(starts)))
	if err != nil {
		return nil, err
	}
	if _, err := pool.Run(ctx, len(starts), min(r.opt.Workers, len(starts)), 1, func(_, i int) error {
		s := &starts[i]
		s.state = next.learner.Start(r.renewed(ctx, s.state, s.index))
		return next.learner.Explain(ctx, s.state, true)
	}); err != nil {
		return nil, err
	}
	for _, s := range starts {
		next.end(s)
	}
	return next, nil
}

// checkFrom returns an error if starts cannot be made of the alphabet Options.From.
func (o Options) checkFrom(c patchwork.Config) error {
	switch a := o.From; {
	case a == nil:
		return nil
	case o.Method != MethodStrokes || o.Alphabet:
		return fmt.Errorf("patchwork: a start from an alphabet is for drawings learned by the method strokes")
	case a.Config().Rule != patchwork.RuleMax || a.Config().Scene || a.Height() != c.Height || a.Width() != c.Width:
		return fmt.Errorf("patchwork: the alphabet has parts of %d x %d pixels under the rule %v, for images of this size; "+
			"the images are of %d x %d, learned under max",
			a.Height(), a.Width(), a.Config().Rule, c.Height, c.Width)
	}
	return nil
}

// placedModel makes the experts of start i of the parts that an alphabet has in an
// image, where they lie there; nil if it has fewer than there are experts. Shifts are as
// fine as those of the model to learn, and parts may be somewhat longer than in the
// alphabet.
func placedModel(data patchwork.Data, cfg patchwork.Config, opt Options, i int) (*patchwork.Model, error) {
	c := opt.From.Config()
	c.Poses.DY.Step, c.Poses.DX.Step = cfg.Poses.DY.Step, cfg.Poses.DX.Step
	if n := len(c.Poses.Stretches); n > 0 {
		c.Poses.Stretches = append(c.Poses.Stretches, pose.Stretch{Y: longStretch})
	}
	a, err := opt.From.WithConfig(c)
	if err != nil {
		return nil, err
	}
	p, err := patchwork.NewPursuit(a, patchwork.PursuitOptions{Refined: true, MaxPicks: opt.Experts})
	if err != nil {
		return nil, err
	}
	img := exampleOf(data, opt, i)
	e, err := p.Explain(img)
	if err != nil || len(e.Picks) < opt.Experts {
		return nil, err
	}
	var templates [][]float64
	for _, pick := range e.Picks {
		t := a.Compose(img.Height(), img.Width(), []patchwork.Pick{pick}).P
		for i, v := range t {
			if t[i] = opt.cut(cfg).beside; v > 0.5 {
				t[i] = splitOn
			}
		}
		templates = append(templates, t)
	}
	return patchwork.NewModel(cfg, templates)
}
