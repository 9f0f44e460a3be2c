package patchwork

import (
	"math"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/pose"
)

// odds returns the gain, in nats, from which on it is more likely than not that one
// more expert of a scene is in the image: the logarithm of the number of places over
// the share of the experts that the image has shown so far, which is the prior of the
// image itself, times its dispersion, because gains are sums over pixels that may err
// together.
func (p *Pursuit) odds(grid pose.Grid) float64 {
	share := (float64(len(p.search.Picks())) + 0.5) / float64(p.model.K()+1)
	return max(0, math.Log(float64(grid.Len())/share)) * p.dispersion()
}

const (
	dispersionReach = 2   // pixels, up to which errors are compared
	clearVote       = 0.1 // how far above its abstention value a pixel is one of a part
)

// dispersion returns how many times larger the variance of a sum of errors is than it
// would be if pixels erred independently, in and around what the picks explain: 1 for
// templates that are right up to noise, more where shapes differ from them.
func (p *Pursuit) dispersion() float64 {
	f := &p.search
	errs, near := make([]float64, f.Height*f.Width), p.around()
	n, mean, own := 0.0, 0.0, 0.0
	for i := range errs {
		q := score.Compose(f.Hi[i], f.Lo[i], p.refined.Abstention(i))
		if near[i] = near[i] && f.X[i] != score.Unknown && q > 0 && q < 1; near[i] {
			errs[i] = -q / math.Sqrt(q*(1-q))
			if f.X[i] == score.On {
				errs[i] = (1 - q) / math.Sqrt(q*(1-q))
			}
			n, mean = n+1, mean+errs[i]
		}
	}
	for i := range errs {
		if near[i] { // noise of another strength than the templates' is no dispersion
			errs[i] -= mean / n
			own += errs[i] * errs[i]
		}
	}
	sum := 0.0
	for i, e := range errs {
		if e == 0 {
			continue
		}
		y, x := i/f.Width, i%f.Width
		for v := max(0, y-dispersionReach); v <= min(f.Height-1, y+dispersionReach); v++ {
			for u := max(0, x-dispersionReach); u <= min(f.Width-1, x+dispersionReach); u++ {
				sum += e * errs[v*f.Width+u]
			}
		}
	}
	if n == 0 {
		return 1
	}
	return max(1, sum/max(own, n))
}

// around marks the pixels that the picks clearly vote for, and those close to them.
func (p *Pursuit) around() []bool {
	f := &p.search
	near := make([]bool, f.Height*f.Width)
	for i := range near {
		if f.Hi[i] <= p.refined.Abstention(i)+clearVote {
			continue
		}
		y, x := i/f.Width, i%f.Width
		for v := max(0, y-dispersionReach); v <= min(f.Height-1, y+dispersionReach); v++ {
			for u := max(0, x-dispersionReach); u <= min(f.Width-1, x+dispersionReach); u++ {
				near[v*f.Width+u] = true
			}
		}
	}
	return near
}
