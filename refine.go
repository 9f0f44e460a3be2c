package patchwork

import (
	"math"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/pose"
)

// refine improves an explanation by coordinate ascent on its penalised
// log-likelihood, log P(x | picks) - threshold * #picks - costs. Each step
// replaces a pick by the best candidate given the others (which may be itself),
// drops it, or adds one. No step lowers the objective, so neither does a sweep.
// Afterwards e is under the scoring of the sweeps, with the gains anew in order.
func (p *Pursuit) refine(img *bitmap.Image, e *Explanation) {
	grid, _ := p.model.GridFor(img.Height(), img.Width()) // checked by Picks
	threshold := p.opt.RefineThreshold
	if threshold == 0 {
		threshold = math.Log(float64(p.model.K() * grid.Len()))
	}
	threshold = max(threshold, p.opt.MinGain, 0)
	p.reset(p.refined, grid, img)
	for _, pick := range e.Picks {
		p.used[pick.Expert]++
		i, _ := grid.Index(pick.Pose)
		p.search.Place(pick.Expert*grid.Len() + i)
	}
	for range p.opt.RefineSweeps {
		if !p.sweep(threshold) {
			break
		}
	}
	p.rewrite(img, grid, e)
}

// sweep visits every pick once, then adds what pays; it reports whether
// anything changed.
func (p *Pursuit) sweep(threshold float64) bool {
	changed := false
	for j := 0; j < len(p.search.Picks()); j++ {
		old := p.search.Candidate(p.search.Picks()[j])
		p.count(old, -1)
		p.search.TakeBack(j)
		c, g := p.search.Best(p.opt.Costs, p.live)
		if !g.Exceeds(threshold+score.Tie) && !(p.opt.Forced && len(p.search.Picks()) == 0) {
			changed = true
			j-- // the next pick has moved here
			continue
		}
		if p.tied(old, g) {
			c = old // never trade one pick for an equal one: it would not end
		}
		changed = changed || c != old
		p.count(c, +1)
		p.search.Place(c)
		p.search.Insert(j)
	}
	for p.opt.MaxPicks == 0 || len(p.search.Picks()) < p.opt.MaxPicks {
		c, g := p.search.Best(p.opt.Costs, p.live)
		if c < 0 || !g.Exceeds(threshold+score.Tie) {
			break
		}
		p.count(c, +1)
		p.search.Place(c)
		changed = true
	}
	return changed
}

// count changes the number of picks of candidate c's expert.
func (p *Pursuit) count(c, by int) { p.used[p.expertOf(c)] += by }

func (p *Pursuit) expertOf(c int) int { return c / (p.search.Shifts() * p.rotations()) }

func (p *Pursuit) rotations() int { return p.model.cfg.Poses.Rotations() }

// tied reports whether candidate c is as good as the best gain g.
func (p *Pursuit) tied(c int, g score.Gain) bool {
	own := p.search.Gain(p.search.At(c))
	if p.opt.Costs != nil {
		own.Nats -= p.opt.Costs[p.expertOf(c)]
	}
	return own.Possible == g.Possible && own.Nats >= g.Nats-score.Tie
}

// rewrite lists the field's picks in e, with their gains in order.
func (p *Pursuit) rewrite(img *bitmap.Image, grid pose.Grid, e *Explanation) {
	picks := append([]score.Placed(nil), p.search.Picks()...)
	var f score.Field
	f.Reset(p.refined, img.Height(), img.Width(), p.pixels)
	e.StartLogLik = f.LogLik()
	e.Picks = e.Picks[:0]
	for _, placed := range picks {
		c := p.search.Candidate(placed)
		e.Picks = append(e.Picks, Pick{Expert: c / grid.Len(), Pose: grid.At(c % grid.Len()), Gain: f.Gain(placed).Float()})
		f.Add(placed, nil)
	}
}
