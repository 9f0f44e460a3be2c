package patchwork

import (
	"iter"
	"math"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/pose"
)

// refine improves an explanation by coordinate ascent on its penalised
// log-likelihood, log P(x | picks) - threshold * #picks - costs of the picks. Each step replaces
// a pick by the best candidate given the others (which may be the pick itself),
// removes it, or adds one. No step lowers the objective, so neither does a sweep.
// Afterwards e holds scores and gains under the scoring of the sweeps.
func (p *Pursuit) refine(img *bitmap.Image, e *Explanation) {
	grid, _ := p.model.GridFor(img.Height(), img.Width()) // checked by Steps
	threshold := p.opt.RefineThreshold
	if threshold == 0 && p.opt.Rates == nil {
		threshold = elem.Log(float64(p.model.K() * grid.Len()))
	}
	threshold = max(threshold, p.opt.MinGain, 0)
	if p.refined != p.scored {
		p.reset(p.refined, p.opt.RefineScoring, grid, img)
		for _, pick := range e.Picks {
			p.used[pick.Expert]++
			i, _ := grid.Index(pick.Pose)
			p.search.Place(pick.Expert*grid.Len() + i)
		}
	} // else the search is where the greedy one left it
	// The greedy search by the same templates has just visited the last pick, and looked for
	// one to add.
	last := len(e.Picks) - 1
	settled := p.refined == p.scored && !p.opt.Forced && len(e.Picks) != p.opt.MaxPicks &&
		(last < 0 || e.Picks[last].Gain-p.pickCost(p.search.Candidate(p.search.Picks()[last])) > threshold+score.Tie)
	settled = p.improve(threshold, settled)
	if p.opt.RefineThreshold == 0 && p.opt.Rates == nil && p.model.cfg.Scene {
		threshold = max(p.odds(grid), p.opt.MinGain)
		settled = p.improve(threshold, false)
		if p.exchange(threshold) {
			settled = false
		}
	}
	if !settled || p.costs != nil { // otherwise the picks and their gains are as they were
		p.rewrite(img, grid, e)
	}
}

// odds returns the gain, in nats, from which on it is more likely than not that one
// more expert of a scene is in the image: the logarithm of the number of places over
// the share of the experts that the image has shown so far, which is the prior of the
// image itself, times its dispersion, because gains are sums over pixels that may err
// together.
func (p *Pursuit) odds(grid pose.Grid) float64 {
	share := (float64(len(p.search.Picks())) + 0.5) / float64(p.model.K()+1)
	return max(0, elem.Log(float64(grid.Len())/share)) * p.search.Dispersion()
}

// improve visits the picks in turn, and after each sweep adds candidates that gain
// more than the threshold. It ends when every pick has been visited since the last
// change, or after RefineSweeps sweeps. Settled says that the last pick has been visited,
// and that there is none to add; the result, that nothing has changed since.
func (p *Pursuit) improve(threshold float64, settled bool) bool {
	unchanged := 0 // visits in a row that changed nothing
	if settled {
		unchanged = 1
	}
	for range p.opt.RefineSweeps {
		for j := 0; j < len(p.search.Picks()) && unchanged < len(p.search.Picks()); {
			switch p.visit(j, threshold) {
			case kept:
				unchanged++
				j++
			case replaced:
				unchanged, settled = 1, false
				j++
			case dropped: // the next pick has moved here
				unchanged, settled = 0, false
			}
		}
		if !settled && p.add(threshold) {
			unchanged = 0
		}
		if unchanged >= len(p.search.Picks()) {
			break
		}
	}
	return settled
}

// visited says what visit did to a pick.
type visited int

const (
	kept visited = iota
	replaced
	dropped
)

// visit replaces pick j by the best candidate given the other picks, or removes it
// if that gains no more than the threshold.
func (p *Pursuit) visit(j int, threshold float64) visited {
	old := p.search.Candidate(p.search.Picks()[j])
	p.count(old, -1)
	p.search.TakeBack(j)
	c, g := p.best(p.floor(old, threshold))
	if !g.Exceeds(threshold+score.Tie) && !(p.opt.Forced && len(p.search.Picks()) == 0) {
		return dropped
	}
	what := replaced
	if c == old || p.tied(old, g) { // replacing equals by equals would never end
		c, what = old, kept
	}
	p.count(c, +1)
	if what == kept {
		p.search.PutBack(c)
	} else {
		p.search.Place(c)
	}
	p.search.Insert(j)
	return what
}

// floor returns a lower bound on the gain of the candidates that can replace the
// removed candidate old; those below it need not be searched.
func (p *Pursuit) floor(old int, threshold float64) float64 {
	own := p.search.Gain(p.search.At(old))
	switch {
	case own.Possible != 0 || !p.live(p.expertOf(old)):
		own.Nats = math.Inf(-1)
	default:
		own.Nats -= p.pickCost(old)
	}
	if p.opt.Forced && len(p.search.Picks()) == 0 {
		return own.Nats
	}
	return max(own.Nats, threshold)
}

// add places further candidates while they gain more than the threshold, and
// reports whether it placed any.
func (p *Pursuit) add(threshold float64) bool {
	added := false
	for len(p.search.Picks()) < p.opt.MaxPicks {
		c, g := p.best(threshold)
		if c < 0 || !g.Exceeds(threshold+score.Tie) {
			break
		}
		p.count(c, +1)
		p.search.Place(c)
		added = true
	}
	return added
}

// tied reports whether candidate c is as good as the best gain g.
func (p *Pursuit) tied(c int, g score.Gain) bool {
	own := p.net(c, p.search.Gain(p.search.At(c)))
	return own.Possible == g.Possible && own.Nats >= g.Nats-score.Tie
}

// rewrite sets the picks of e to those of the search, with their gains in order.
func (p *Pursuit) rewrite(img *bitmap.Image, grid pose.Grid, e *Explanation) {
	f := &p.ordered
	f.Reset(p.refined, img.Height(), img.Width(), p.pixels)
	e.StartLogLik = f.LogLik()
	e.Picks = e.Picks[:0]
	for _, placed := range p.search.Picks() {
		c := p.search.Candidate(placed)
		e.Picks = append(e.Picks, Pick{Expert: c / grid.Len(), Pose: grid.At(c % grid.Len()), Gain: f.Gain(placed).Float()})
		p.changes = f.Add(placed, p.changes[:0])
	}
}

// count changes the number of picks of candidate c's expert.
func (p *Pursuit) count(c, by int) { p.used[p.expertOf(c)] += by }

// expertOf returns the expert of candidate c.
func (p *Pursuit) expertOf(c int) int { return c / (p.search.Shifts() * p.turns()) }

// turns returns the number of turns of the grid.
func (p *Pursuit) turns() int { return p.model.cfg.Poses.Turns() }

// best returns the best candidate for the next pick and its gain after all costs.
// If the best gains less than floor, in nats, the result may be any candidate.
func (p *Pursuit) best(floor float64) (int, score.Gain) {
	return p.search.BestAbove(floor, p.costs, p.live)
}

// pickCost returns the cost of a pick of candidate c's expert.
func (p *Pursuit) pickCost(c int) float64 {
	return score.CostOf(p.costs, p.expertOf(c))
}

// net returns a gain of likelihood less the cost of picking candidate c.
func (p *Pursuit) net(c int, g score.Gain) score.Gain {
	g.Nats -= p.pickCost(c)
	return g
}

// live reports whether the expert may be picked once more in the current image.
func (p *Pursuit) live(expert int) bool { return p.used[expert] < p.opt.Reuse }

// reset starts a stage of the search, without picks in an image; b has the templates
// under its scoring.
func (p *Pursuit) reset(b *score.Bank, s Scoring, grid pose.Grid, img *bitmap.Image) {
	p.costs = p.opt.prices(s, grid.Len(), p.priced)
	if p.opt.Rates != nil && s != ScoringTruncated {
		p.priced = p.costs
	}
	p.search.Reset(b, score.GridOf(grid.DY, grid.DX), img.Height(), img.Width(), p.pixels)
	if len(p.used) != p.model.K() {
		p.used = make([]int, p.model.K())
	}
	clear(p.used)
}

// still is the search of a pursuit under a rule that is no fold: every expert stays where
// it was learned, and any of them may change any pixel's probability.
type still struct {
	experts *joint.Experts
	state   joint.State
	free    []bool // experts that may be picked
}

// newStill returns the search for a model; nil for the rules that are folds.
func newStill(m *Model) *still {
	if m.cfg.Rule.fold() {
		return nil
	}
	q := make([]float64, m.cfg.Height*m.cfg.Width)
	for i := range q {
		q[i] = m.cfg.abstention(i)
	}
	return &still{experts: joint.NewExperts(joint.Rule(m.cfg.Rule), q, m.experts)}
}

// fork returns another search of the same model; nil for none.
func (s *still) fork() *still {
	if s == nil {
		return nil
	}
	return &still{experts: s.experts}
}

// steps yields up to most experts, and what each gains: the best one first, and so on
// while one gains more than floor after its cost; the first in any case if it is forced.
func (s *still) steps(pixels []uint8, most int, floor float64, costs []float64, forced bool) iter.Seq2[int, float64] {
	s.state.Reset(s.experts, pixels)
	s.free = s.free[:0]
	for range s.experts.Opinions {
		s.free = append(s.free, true)
	}
	return func(yield func(int, float64) bool) {
		for n := range most {
			best, top := -1, math.Inf(-1)
			for k, free := range s.free {
				if !free {
					continue
				}
				if g := s.state.Gain(k) - score.CostOf(costs, k); best < 0 || g > top+score.Tie {
					best, top = k, g
				}
			}
			if best < 0 || top <= floor+score.Tie && !(forced && n == 0) {
				return
			}
			s.free[best] = false
			s.state.Place(best)
			if !yield(best, top+score.CostOf(costs, best)) {
				return
			}
		}
	}
}
