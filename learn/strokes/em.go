package strokes

import (
	"context"
	"math"
	"slices"
)

// Explain makes the E-step: afresh, by a greedy search with truncated templates,
// or from the picks so far; then sweeps replace, drop and add picks as long as that
// is worth its price. It judges the result (State.LogLik, State.Length). The error
// is the context's, or that of the memory of the data.
func (l *Learner) Explain(ctx context.Context, st *State, afresh bool) error {
	explained, err := l.recalled(ctx, st, afresh)
	if err != nil {
		return err
	}
	st.picks = make([][]pick, len(explained))
	for i, f := range explained {
		st.picks[i] = f.picks
	}
	l.judge(st, explained)
	return nil
}

// explain returns how Explain explains each image.
func (l *Learner) explain(ctx context.Context, st *State, afresh bool) ([]found, error) {
	sprites := l.ground.sprites(st.templates)
	price := int32(math.Round(l.unit * l.perPick(len(sprites))))
	least := int32(0) // that a pick must gain by truncated templates
	if l.opt.Shared {
		least = price // as it may be used again, nothing else ends the search
	}
	out := make([]found, len(st.picks))
	err := l.each(ctx, func(s *search, _, i int) {
		s.sprites = sprites
		s.near, s.coarse = l.opt.Shared || !afresh, l.opt.Shared
		if afresh {
			s.begin(nil, l.truncated)
			if !s.coarse {
				s.seed(st.picks[i])
			}
			s.add(least, true)
			s.use(l.priced)
		} else {
			s.begin(st.picks[i], l.priced)
		}
		s.improve(price, sweeps)
		out[i] = s.found()
	})
	return out, err
}

// Maximise makes the M-step: each expert in turn is read off its counts, given the
// others. An expert that no image has stays as it is. The error is the context's,
// and the state is then as it was.
func (l *Learner) Maximise(ctx context.Context, st *State) error {
	next := st.Clone()
	sprites := l.ground.sprites(next.templates)
	for k := range next.templates {
		c, err := l.count(ctx, next, sprites, k)
		if err != nil {
			return err
		}
		if c.Images > 0 {
			next.templates[k] = l.template(c, next.straight[k])
			sprites[k] = l.ground.sprites(next.templates[k : k+1])[0]
		}
	}
	if l.opt.Shared {
		l.Centre(next)
	}
	*st = *next
	return nil
}

// count returns the counts of one expert in the images of this learner, with the
// picks of a state and the sprites of its experts.
func (l *Learner) count(ctx context.Context, st *State, sprites [][]sprite, expert int) (*counts, error) {
	parts := make([]*counts, l.opt.Workers)
	if err := l.each(ctx, func(s *search, w, i int) {
		if parts[w] == nil {
			parts[w] = newCounts(l.ground.height*l.ground.width, len(l.levels.p))
		}
		s.sprites = sprites
		s.count(parts[w], expert, st.picks[i], l.data.Weight(i))
	}); err != nil {
		return nil, err
	}
	var all *counts
	for _, p := range parts {
		switch {
		case all == nil:
			all = p
		case p != nil:
			all.merge(p)
		}
	}
	if all == nil {
		all = newCounts(l.ground.height*l.ground.width, len(l.levels.p))
	}
	return all, nil
}

// template returns an expert read off its counts.
func (l *Learner) template(c *counts, straight bool) []uint8 {
	s := step{levels: l.levels, height: l.ground.height, width: l.ground.width, vote: strict * l.vote,
		straight: straight}
	return s.template(c)
}

// Rounds makes rounds of EM, an M-step and an E-step each; in the middle the images
// are explained afresh, unless parts are shared. It calls each after every round. The error is the context's.
func (l *Learner) Rounds(ctx context.Context, st *State, rounds int, each func(*State)) error {
	for r := range rounds {
		if err := l.Maximise(ctx, st); err != nil {
			return err
		}
		if err := l.Explain(ctx, st, r+1 == rounds/2 && !l.opt.Shared); err != nil {
			return err
		}
		each(st)
	}
	return nil
}

// found is the explanation of an image.
type found struct {
	picks  []pick
	logLik float64
	double int // pixels covered once more
}

// found returns the explanation that a search has come to.
func (s *search) found() found {
	c := found{picks: slices.Clone(s.picks)}
	for y := range s.rows {
		for x := range s.stride {
			i := y*s.stride + x
			m := s.mu[i]
			inside := y >= s.top && x >= s.left && y < s.top+s.imageH && x < s.left+s.imageW
			switch {
			case !inside && m == 0 || s.pixels[i] == unknown:
			case s.pixels[i] == on:
				c.logLik += s.levels.on[m]
			case inside:
				c.logLik += s.levels.off[m]
			default:
				c.logLik += s.levels.off[m] - s.levels.off[0]
			}
		}
	}
	s.marked++
	for _, p := range s.picks {
		by := s.shift(p.dy, p.dx)
		for _, v := range s.sprites[p.expert][p.turn].votes {
			if i := int(v.at) + by; int(v.level) >= s.levels.covers && s.pixels[i] != unknown {
				if s.mark[i] == s.marked {
					c.double++
				}
				s.mark[i] = s.marked
			}
		}
	}
	return c
}

// judge computes the description length of a state.
func (l *Learner) judge(st *State, explained []found) {
	st.LogLik, st.Length = 0, 0
	perPick := l.perPick(len(st.templates))
	for i, c := range explained {
		w := float64(l.data.Weight(i))
		if w == 0 {
			continue
		}
		st.LogLik += float64(w * c.logLik)
		st.Length += float64(w * (float64(doublePrice*float64(c.double)) + float64(perPick*float64(len(c.picks)))))
	}
	st.Length -= st.LogLik
	for k, t := range st.templates {
		votes, boundary := extent(t, l.ground.width)
		st.Length += float64(l.vote*float64(votes)) + float64(boundaryPrice*float64(boundary))
		if !st.straight[k] {
			st.Length += float64(l.opt.Straight * float64(l.rows))
		}
	}
}

// extent returns how many entries vote, and how many pairs of neighbours there are
// of which one votes.
func extent(t []uint8, width int) (votes, boundary int) {
	for i, v := range t {
		if v > 0 {
			votes++
		}
		if (i+1)%width != 0 && v > 0 != (t[i+1] > 0) {
			boundary++
		}
		if i+width < len(t) && v > 0 != (t[i+width] > 0) {
			boundary++
		}
	}
	return votes, boundary
}
