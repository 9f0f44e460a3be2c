// Package inference implements the inference methods that section 3 of the
// paper compares its pursuit with, on the same models: experts without poses,
// each active or not in an image. All of them maximize the same objective, the
// log joint probability of an image and the set of its active experts.
//
//	exhaustive   every set: the optimum, for few experts
//	truncated    every set of a few of the best candidates (Luecke, Sahani 2008)
//	greedy       likelihood matching pursuit (the paper), as a reference
//	independent  each expert by itself (restricted Boltzmann machines)
//	mean field   relaxed to probabilities, with exact expectations
//	gradient     relaxed to strengths, from 1/2 (Saund 1995)
package inference

import (
	"fmt"
	"math"
	"math/bits"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// Problem is a model whose experts have no poses, with the prior probability of
// each being active. It is immutable and safe for concurrent use.
type Problem struct {
	k, d    int
	max     bool        // only votes above q count
	mu      [][]float64 // K x D
	q       []float64   // D
	odds    []float64   // K: log(pi/(1-pi))
	nothing float64     // sum of log(1-pi)
	prior   []float64   // K: pi
}

// New returns the problem of a model of at most 20 experts without poses, because sets are enumerated, with the
// prior probability of each being active. All probabilities are strictly between 0 and 1.
func New(m *patchwork.Model, prior []float64) *Problem {
	p := &Problem{k: m.K(), d: m.Height() * m.Width(), max: m.Config().Rule == patchwork.RuleMax, mu: m.Templates(),
		prior: prior}
	for i := range p.d {
		p.q = append(p.q, m.Abstention(i))
	}
	for _, pi := range prior {
		p.odds = append(p.odds, math.Log(pi/(1-pi)))
		p.nothing += math.Log(1 - pi)
	}
	return p
}

// K returns the number of experts.
func (p *Problem) K() int { return p.k }

// Set is a set of experts: bit k stands for expert k.
type Set uint32

// Has reports whether expert k is in the set.
func (s Set) Has(k int) bool { return s>>k&1 == 1 }

// Len returns the number of experts in the set.
func (s Set) Len() int { return bits.OnesCount32(uint32(s)) }

// Found is the result of a method for one image.
type Found struct {
	Active   Set
	LogLik   float64 // log P(x | active), nats
	LogJoint float64 // log P(x, active), nats
	Work     int     // log-likelihoods computed, or passes over the pixels that cost as much
}

// field is the running maximum and minimum of the opinions at each pixel.
type field struct{ hi, lo []float64 }

func (p *Problem) empty() field {
	return field{append([]float64(nil), p.q...), append([]float64(nil), p.q...)}
}

// join stores in f the fold of from and the opinions of expert k.
func (p *Problem) join(f, from field, k int) {
	for i, mu := range p.mu[k] {
		f.hi[i] = max(from.hi[i], mu)
		f.lo[i] = from.lo[i]
		if !p.max {
			f.lo[i] = min(from.lo[i], mu)
		}
	}
}

// logLik returns log P(x | composition), in nats; x is 1 or 0 per pixel.
func (p *Problem) logLik(f field, x []uint8) float64 {
	sum := 0.0
	for i, on := range x {
		mu := f.hi[i] + f.lo[i] - p.q[i]
		if on == 0 {
			mu = 1 - mu
		}
		sum += math.Log(mu)
	}
	return sum
}

// pixels returns the values of an image. It panics if the size of the image
// differs from the model's, or if it has unknown pixels.
func (p *Problem) pixels(img *bitmap.Image) []uint8 {
	if img.Len() != p.d || !img.Complete() {
		panic(fmt.Sprintf("inference: an image of %d pixels, %d known, for a model of %d", img.Len(), img.CountKnown(), p.d))
	}
	return img.AppendBytes(nil)
}

// Score returns a set's log-likelihood and log joint probability of an image,
// in nats. It panics if the image does not fit, as all methods do.
func (p *Problem) Score(img *bitmap.Image, s Set) (logLik, logJoint float64) {
	f := p.empty()
	for k := range p.k {
		if s.Has(k) {
			p.join(f, f, k)
		}
	}
	logLik = p.logLik(f, p.pixels(img))
	return logLik, logLik + p.logPrior(s)
}

// logPrior returns log P(s), in nats.
func (p *Problem) logPrior(s Set) float64 {
	sum := p.nothing
	for k, o := range p.odds {
		if s.Has(k) {
			sum += o
		}
	}
	return sum
}

// found scores a set that a method has chosen.
func (p *Problem) found(img *bitmap.Image, s Set, work int) Found {
	ll, lj := p.Score(img, s)
	return Found{Active: s, LogLik: ll, LogJoint: lj, Work: work}
}

// Independent activates every expert that alone is more probable than none,
// whatever the others explain, as a restricted Boltzmann machine does.
func (p *Problem) Independent(img *bitmap.Image) Found {
	x, none, f := p.pixels(img), p.empty(), p.empty()
	base := p.logLik(none, x)
	var s Set
	for k := range p.k {
		p.join(f, none, k)
		if p.logLik(f, x)+p.odds[k] > base {
			s |= 1 << k
		}
	}
	return p.found(img, s, p.k+1)
}

// margin is the gain, in nats, below which a pursuit stops: a rounding error is
// not a gain.
const margin = 1e-9

// Greedy runs likelihood matching pursuit on the log joint: starting from no
// expert, it adds the expert that gains most (among equals, the lowest index)
// until none gains. It follows the formula; [patchwork.Pursuit] is the fast
// version.
func (p *Problem) Greedy(img *bitmap.Image) Found {
	x, now, f := p.pixels(img), p.empty(), p.empty()
	logLik, work := p.logLik(now, x), 1
	var s Set
	for {
		best, gain, then := -1, margin, 0.0
		for k := range p.k {
			if s.Has(k) {
				continue
			}
			p.join(f, now, k)
			work++
			l := p.logLik(f, x)
			if g := l - logLik + p.odds[k]; g > gain+margin || best < 0 && g > gain {
				best, gain, then = k, g, l
			}
		}
		if best < 0 {
			return p.found(img, s, work)
		}
		p.join(now, now, best)
		s |= 1 << best
		logLik = then
	}
}
