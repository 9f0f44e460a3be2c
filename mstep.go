package patchwork

import "math"

// MStep says how templates are computed from counts. Under RuleMaxMinusMin the
// M-step is guarded: an entry is the mean over the pixels won or that over all pixels
// counted, whichever is closer to q, and abstains (is q) if the two lie on
// different sides of q. The zero value is the recommended last step of learning:
// abstaining entries are exactly q.
type MStep struct {
	// KeepUnseen leaves an entry without counts unchanged; otherwise it becomes
	// the prior's mean, as in eq. (1) of the paper.
	KeepUnseen bool

	// AbstainMargin is for guarded steps before the last: it sets abstaining entries
	// this far from q, on the side where they were, so that they can vote again
	// later. 0 sets them to q.
	AbstainMargin float64

	// MinVoteGain is the gain over abstention, in nats, that a vote must have on the
	// pixels it won; otherwise a guarded entry abstains.
	MinVoteGain float64
}

// MStep returns prev with templates computed from the counts, the usage set and
// the tally attached. prev must be the model that explained the images counted. The
// tally must not be changed afterwards.
func (t *Tally) MStep(prev *Model, step MStep) *Model {
	next := *prev
	next.experts = make([][]float64, prev.K())
	for k := range next.experts {
		next.experts[k] = t.template(prev, k, step)
	}
	next.extras = Extras{Counts: t, Usage: t.Usage(), Geometry: nil, Record: prev.extras.Record}
	return &next
}

// Usage returns the share of the images in which each expert was active.
func (t *Tally) Usage() []float64 {
	u := make([]float64, len(t.active))
	for k, n := range t.active {
		if t.rows > 0 {
			u[k] = float64(n) / float64(t.rows)
		}
	}
	return u
}

// template returns expert k, computed from the counts.
func (t *Tally) template(prev *Model, k int, step MStep) []float64 {
	n := t.height * t.width
	out := make([]float64, n)
	prior := prev.cfg.Prior.resolved()
	for i := range n {
		old, c := prev.experts[k][i], k*n+i
		won, wonSeen := t.counts.On[c], t.counts.Seen[c]
		all, allSeen := won+t.counts.LostOn[c], wonSeen+t.counts.LostSeen[c]
		if allSeen == 0 && step.KeepUnseen {
			out[i] = old
			continue
		}
		out[i] = prior.mean(all, allSeen)
		if prev.cfg.Rule == RuleMaxMinusMin {
			q := prev.cfg.abstention(i)
			out[i] = guard(prior.mean(won, wonSeen), out[i], q)
			if out[i] == q || step.MinVoteGain > 0 && worth(out[i], q, won, wonSeen) < step.MinVoteGain {
				out[i] = waitAt(old, q, step.AbstainMargin)
			}
		}
	}
	return out
}

// guard returns the guarded entry, given the mean a over the pixels won, the mean
// b over all pixels counted, and the abstention value q.
func guard(a, b, q float64) float64 {
	switch {
	case (a-q)*(b-q) <= 0:
		return q
	case math.Abs(a-q) < math.Abs(b-q):
		return a
	}
	return b
}

// worth returns the gain, in nats, of voting mu over abstaining at q, on a pixel
// that was seen in so many images and on in so many of them.
func worth(mu, q float64, on, seen int64) float64 {
	return float64(on)*(math.Log(mu)-math.Log(q)) + float64(seen-on)*(math.Log1p(-mu)-math.Log1p(-q))
}

// waitAt returns the value of an abstaining entry between steps: by away from q,
// on its old side, but not beyond 0 or 1.
func waitAt(old, q, by float64) float64 {
	if old < q {
		return max(q-by, 0)
	}
	return min(q+by, 1)
}
