package strokes

import "context"

// Background returns the share of ink among the pixels on which no pick votes, with one
// pixel of either kind more: the background that makes the images likeliest, given a
// state. The error is the context's.
func (l *Learner) Background(ctx context.Context, st *State) (float64, error) {
	sprites := l.ground.sprites(st.templates)
	ink, all := make([]int64, l.opt.Workers), make([]int64, l.opt.Workers)
	if err := l.each(ctx, func(s *search, w, i int) {
		s.sprites = sprites
		clear(s.mu)
		for _, p := range st.picks[i] {
			s.join(p)
		}
		for y := range s.imageH {
			for x := range s.imageW {
				if at := s.at(y, x); s.mu[at] == 0 && s.pixels[at] != unknown {
					all[w] += l.data.Weight(i)
					ink[w] += l.data.Weight(i) * int64(s.pixels[at])
				}
			}
		}
	}); err != nil {
		return 0, err
	}
	some, every := int64(1), int64(2)
	for w := range ink {
		some, every = some+ink[w], every+all[w]
	}
	return float64(some) / float64(every), nil
}
