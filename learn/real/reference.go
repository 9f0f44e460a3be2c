package real

import (
	"math"

	"example.com/patchwork/pose"
)

// This file is the definition of a model's likelihood and of the pursuit in the shape of the
// formulas, without regard to speed. The tests hold the fast code to it.

// Opinions returns what the picks say about pixel d, in their order. Entries that abstain, or
// whose frame does not reach the pixel, are left out.
func (m *Model) Opinions(d int, picks []Pick) []Normal {
	var out []Normal
	for _, p := range picks {
		if f := m.source(p.Pose, d); f >= 0 {
			if e := m.Experts[p.Expert][f]; e.Vote != Abstains {
				out = append(out, m.opinion(e, d))
			}
		}
	}
	return out
}

// opinion returns what an entry that votes says about pixel d.
func (m *Model) opinion(e Entry, d int) Normal {
	switch {
	case m.bit(d):
		e.Var = e.Mean * (1 - e.Mean)
	case e.Vote == MeanOnly:
		e.Var = m.Background[d].Var
	}
	return e.Normal
}

// source returns the pixel of a frame that lies on pixel d of an image, or -1.
func (m *Model) source(p pose.Pose, d int) int {
	y, x := d/m.Width-p.DY, d%m.Width-p.DX
	h, w := m.Frame()
	if t := pose.NewTurn(h, w, p.Angle); t.From != nil {
		y, x = y-t.Top, x-t.Left
		if y < 0 || x < 0 || y >= t.Height || x >= t.Width {
			return -1
		}
		return int(t.From[y*t.Width+x])
	}
	if y < 0 || x < 0 || y >= h || x >= w {
		return -1
	}
	return y*w + x
}

// Compose returns what a model says about pixel d under the picks.
func (m *Model) Compose(d int, picks []Pick) Mixture {
	return m.join(d, m.Opinions(d, picks))
}

// join returns what opinions say together about pixel d.
func (m *Model) join(d int, opinions []Normal) Mixture {
	if m.bit(d) {
		return m.Rule.ComposeBits(m.Tau, m.Background[d], opinions...)
	}
	return m.Rule.Compose(m.Tau, m.Background[d], opinions...)
}

// LogLik returns the log-likelihood of an image under the picks, in nats: the sum of the logarithms of the densities of its
// values, and of the probabilities of its bits. Unknown values (NaN) add nothing.
func (m *Model) LogLik(image []float64, picks []Pick) float64 {
	sum := 0.0
	for d, x := range image {
		switch {
		case math.IsNaN(x):
		case m.bit(d):
			sum += logBit(m.Compose(d, picks).Mean(), x)
		default:
			sum += m.Compose(d, picks).LogDensity(x)
		}
	}
	return sum
}

// referenceTie is how much better a candidate must be than one before it, in nats.
const referenceTie = 1e-9

// referenceExplain returns the picks of the pursuit: from the background, always the pick that gains most
// beyond its price, until none does; then one sweep that drops what does not pay, and adds again. Where experts move, a round takes
// each pick out and picks those that overlap it again without its expert; if any changed, it adds, drops and adds again, and
// the first explanation that is better begins the next round.
func (m *Model) referenceExplain(image []float64) []Pick {
	picks := m.referenceSweep(image, m.referenceAdd(image, nil, -1))
	for round, i := 0, 0; m.Moves() && round < moveRounds && i < len(picks); i++ {
		next, changed := m.referenceAgain(image, picks, i)
		if !changed {
			continue
		}
		next = m.referenceSweep(image, m.referenceAdd(image, next, -1))
		if m.LogLik(image, next)+m.LogPrior(next) > m.LogLik(image, picks)+m.LogPrior(picks)+moved {
			picks, i, round = next, -1, round+1
		}
	}
	return picks
}

// referenceAgain takes pick i out and picks all others that overlap it again, in turn, without its expert.
func (m *Model) referenceAgain(image []float64, all []Pick, i int) (picks []Pick, changed bool) {
	out := all[i]
	picks = without(all, out)
	for _, p := range all {
		overlap := false
		for d := range image {
			overlap = overlap || len(m.Opinions(d, []Pick{p})) > 0 && len(m.Opinions(d, []Pick{out})) > 0
		}
		if p == out || !overlap || count(picks, p.Expert) == 0 || len(without(picks, p)) == len(picks) {
			continue
		}
		picks = without(picks, p)
		net := func(p Pick) float64 {
			return m.LogLik(image, append(picks[:len(picks):len(picks)], p)) - m.LogLik(image, picks) - m.Price(p.Expert)
		}
		best := m.referenceBest(image, picks, out.Expert)
		switch {
		case best != nil && *best != p && net(*best) > net(p)+referenceTie:
			picks, changed = append(picks, *best), true
		case net(p) > referenceTie:
			picks = append(picks, p)
		default:
			changed = true
		}
	}
	return picks, changed
}

// referenceSweep returns the picks that pay, and those that the pursuit adds to them.
func (m *Model) referenceSweep(image []float64, picks []Pick) []Pick {
	for _, p := range append([]Pick(nil), picks...) {
		rest := without(picks, p)
		if m.LogLik(image, picks)-m.LogLik(image, rest) <= m.Price(p.Expert) {
			picks = rest
		}
	}
	return m.referenceAdd(image, picks, -1)
}

// referenceAdd returns the picks and those that the pursuit adds, which are of other experts than the barred one.
func (m *Model) referenceAdd(image []float64, picks []Pick, barred int) []Pick {
	for {
		p := m.referenceBest(image, picks, barred)
		if p == nil {
			return picks
		}
		picks = append(picks[:len(picks):len(picks)], *p)
	}
}

// referenceBest returns the pick that gains most beside others, nil if none pays.
func (m *Model) referenceBest(image []float64, picks []Pick, barred int) (at *Pick) {
	now, best := m.LogLik(image, picks), referenceTie
	for c := range m.K() * m.Poses.Len() {
		p := Pick{c / m.Poses.Len(), m.Poses.At(c % m.Poses.Len())}
		if count(picks, p.Expert) >= max(m.Reuse, 1) || p.Expert == barred {
			continue
		}
		gain := m.LogLik(image, append(picks[:len(picks):len(picks)], p)) - now - m.Price(p.Expert)
		if gain > best+referenceTie {
			best, at = gain, &p
		}
	}
	return at
}

// without returns the picks but for the first that equals p.
func without(picks []Pick, p Pick) []Pick {
	for i := range picks {
		if picks[i] == p {
			return append(picks[:i:i], picks[i+1:]...)
		}
	}
	return picks
}

// count returns how many of the picks are of an expert.
func count(picks []Pick, expert int) int {
	n := 0
	for _, p := range picks {
		if p.Expert == expert {
			n++
		}
	}
	return n
}
